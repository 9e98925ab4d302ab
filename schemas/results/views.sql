-- Views that a person types against. They are code, not data: vnm drops and recreates all views
-- whose names begin with v_ when it opens a database for writing and finds that they differ; views
-- of other names are the user's and stay. Tables stay exact; views print Gbit/s with four digits.
-- A value that is not known is NULL: printf() of NULL would give 0, hence the CASEs.

-- One row a cell. The rest of the views rests on it.
CREATE VIEW v_cells AS
 SELECT r.run_id, r.name AS run, substr(r.started_utc, 1, 10) AS date, r.origin, c.cell_id,
        sh.name||'.'||sn.name AS src, dh.name||'.'||dn.name AS dst,
        c.initiator, CASE WHEN k.bidir=1 THEN 'bidir' WHEN c.initiator='src' THEN 'forward'
                          ELSE 'reverse' END AS direction,
        c.path_class, srn.driver AS src_driver, drn.driver AS dst_driver,
        k.engine, k.protocol, k.mode, k.bidir, k.zero_copy, k.mtu_bytes,
        CASE WHEN k.window_bytes IS NULL THEN 'default'
             WHEN k.window_bytes%1073741824=0 THEN (k.window_bytes/1073741824)||'G'
             WHEN k.window_bytes%1048576=0 THEN (k.window_bytes/1048576)||'M'
             WHEN k.window_bytes%1024=0 THEN (k.window_bytes/1024)||'K'
             ELSE k.window_bytes||'' END AS window,
        k.window_bytes, k.streams,
        CASE WHEN k.buffer_bytes IS NULL THEN 'default'
             WHEN k.buffer_bytes%1073741824=0 THEN (k.buffer_bytes/1073741824)||'G'
             WHEN k.buffer_bytes%1048576=0 THEN (k.buffer_bytes/1048576)||'M'
             WHEN k.buffer_bytes%1024=0 THEN (k.buffer_bytes/1024)||'K'
             ELSE k.buffer_bytes||'' END AS buffer,
        k.buffer_bytes, k.lro, k.tso, k.duration_s, k.omit_s,
        k.bytes, k.target_bps, k.mss_bytes, k.no_delay, k.dscp, k.tcp_cc, k.ip_version,
        k.affinity, k.bind_device, k.source_port,
        coalesce(s.n, 0) AS n,
        s.median_bps AS bps, s.ci_lo_bps, s.ci_hi_bps, -- exact: compute with these
        CASE WHEN s.median_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.median_bps/1e9) AS REAL) END AS gbps,
        CASE WHEN s.ci_lo_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.ci_lo_bps/1e9) AS REAL) END AS ci_lo,
        CASE WHEN s.ci_hi_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.ci_hi_bps/1e9) AS REAL) END AS ci_hi,
        round(s.cv_pct, 1) AS cv_pct, round(s.line_rate_pct, 1) AS line_rate_pct,
        s.reverse_median_bps AS reverse_bps, -- bidir: the way back
        CASE WHEN s.reverse_median_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.reverse_median_bps/1e9) AS REAL) END AS reverse_gbps,
        round(s.median_loss_pct, 4) AS loss_pct, round(s.median_jitter_us, 1) AS jitter_us,
        round(s.median_rr_per_s, 1) AS rr_per_s, round(s.median_rr_p50_us, 1) AS rr_p50_us,
        round(s.median_rr_p99_us, 1) AS rr_p99_us,
        s.limited_by, s.noise, c.state, c.reason, c.config_id, c.fingerprint
   FROM cells c
   JOIN runs r ON r.run_id=c.run_id
   JOIN configs k ON k.config_id=c.config_id
   JOIN nics sn ON sn.nic_id=c.src_nic_id JOIN hosts sh ON sh.host_id=sn.host_id
   JOIN nics dn ON dn.nic_id=c.dst_nic_id JOIN hosts dh ON dh.host_id=dn.host_id
   LEFT JOIN run_nics srn ON srn.run_id=c.run_id AND srn.nic_id=c.src_nic_id
   LEFT JOIN run_nics drn ON drn.run_id=c.run_id AND drn.nic_id=c.dst_nic_id
   LEFT JOIN cell_stats s ON s.cell_id=c.cell_id;

-- The newest measured cell of each fingerprint; found by the index cells_fp, without a sort.
CREATE VIEW v_latest AS
 SELECT v.*
   FROM v_cells v
  WHERE v.n>0
    AND v.run_id=(SELECT o.run_id FROM cells o JOIN cell_stats t ON t.cell_id=o.cell_id
                   WHERE o.fingerprint=v.fingerprint AND t.n>0 ORDER BY o.run_id DESC LIMIT 1);

-- em versus vmxnet3: a row per sender host, receiver host, direction and settings; columns by
-- driver family and MTU. `unchanged` is the MTU that was found on the hosts.
CREATE VIEW v_driver_mtu AS
 SELECT run_id, run, path_class,
        substr(src, 1, instr(src,'.')-1) AS src_host, substr(dst, 1, instr(dst,'.')-1) AS dst_host,
        direction, engine, protocol, mode, window, streams, buffer, lro, tso, zero_copy, duration_s,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes=1500 THEN gbps END) AS em_1500,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes=1500 THEN gbps END) AS vmxnet3_1500,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes=9000 THEN gbps END) AS em_9000,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes=9000 THEN gbps END) AS vmxnet3_9000,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes IS NULL THEN gbps END) AS em_unchanged,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes IS NULL THEN gbps END) AS vmxnet3_unchanged
   FROM v_cells
  WHERE n>0 AND dst_driver IN('em','vmxnet3') AND src_driver=dst_driver AND bidir=0
  GROUP BY run_id, path_class, src_host, dst_host, direction, engine, protocol, mode,
        window_bytes, streams, buffer_bytes, lro, tso, zero_copy, duration_s, omit_s,
        bytes, target_bps, mss_bytes, no_delay, dscp, tcp_cc, ip_version, affinity, bind_device,
        source_port;

-- Paired: cells of one run that differ in the MTU and in nothing else.
CREATE VIEW v_mtu_effect AS
 SELECT a.run_id, a.run, a.src, a.dst, a.direction, a.path_class, a.window, a.streams, a.buffer,
        a.lro, a.tso, a.gbps AS mtu1500_gbps, b.gbps AS mtu9000_gbps,
        round(100*(b.bps/a.bps-1), 1) AS change_pct
   FROM cells x
   JOIN configs k ON k.config_id=x.config_id AND k.mtu_bytes=1500
   JOIN cells y ON y.run_id=x.run_id AND y.src_nic_id=x.src_nic_id AND y.dst_nic_id=x.dst_nic_id
    AND y.initiator=x.initiator
   JOIN configs m ON m.config_id=y.config_id AND m.mtu_bytes=9000
    AND m.engine=k.engine AND m.engine_major IS k.engine_major AND m.protocol=k.protocol
    AND m.mode=k.mode AND m.bidir=k.bidir AND m.zero_copy IS k.zero_copy
    AND m.ip_version IS k.ip_version AND m.mss_bytes IS k.mss_bytes AND m.dscp IS k.dscp
    AND m.window_bytes IS k.window_bytes AND m.streams IS k.streams
    AND m.buffer_bytes IS k.buffer_bytes AND m.lro IS k.lro AND m.tso IS k.tso
    AND m.duration_s IS k.duration_s AND m.omit_s IS k.omit_s AND m.tcp_cc IS k.tcp_cc
    AND m.target_bps IS k.target_bps AND m.extra_json IS k.extra_json
    AND m.bytes IS k.bytes AND m.no_delay IS k.no_delay AND m.affinity IS k.affinity
    AND m.bind_device IS k.bind_device AND m.source_port IS k.source_port
   JOIN v_cells a ON a.cell_id=x.cell_id
   JOIN v_cells b ON b.cell_id=y.cell_id
  WHERE a.bps>0 AND b.bps>0;

-- The two directions of a pair under one config, each cell at most once: cells whose connection was
-- opened by the same end belong together; only those without such a partner are paired otherwise.
-- A bidir cell has both.
CREATE VIEW v_asymmetry AS
 SELECT a.run_id, a.run, a.src, a.dst, a.direction, a.mtu_bytes, a.window, a.streams, a.buffer,
        a.lro, a.tso, a.gbps AS src_to_dst_gbps, b.gbps AS dst_to_src_gbps,
        round(max(a.bps, b.bps)/min(a.bps, b.bps), 2) AS ratio
   FROM cells x
   JOIN cells y ON y.run_id=x.run_id AND y.src_nic_id=x.dst_nic_id AND y.dst_nic_id=x.src_nic_id
    AND y.config_id=x.config_id
   JOIN v_cells a ON a.cell_id=x.cell_id
   JOIN v_cells b ON b.cell_id=y.cell_id
  WHERE a.src<b.src AND a.bps>0 AND b.bps>0 AND a.bidir=0 AND a.mode='bulk'
    AND (x.initiator<>y.initiator
      OR NOT EXISTS(SELECT 1 FROM cells o JOIN cell_stats t ON t.cell_id=o.cell_id
                     WHERE o.run_id=x.run_id AND o.config_id=x.config_id
                       AND o.initiator<>x.initiator
                       AND o.src_nic_id IN(x.src_nic_id, x.dst_nic_id)
                       AND o.dst_nic_id IN(x.src_nic_id, x.dst_nic_id) AND t.median_bps>0))
 UNION ALL
 SELECT run_id, run, src, dst, direction, mtu_bytes, window, streams, buffer, lro, tso, gbps,
        reverse_gbps, round(max(bps, reverse_bps)/min(bps, reverse_bps), 2)
   FROM v_cells
  WHERE bidir=1 AND mode='bulk' AND bps>0 AND reverse_bps>0;

-- Each cell over time. `WHERE fingerprint=...` uses the index through the window.
CREATE VIEW v_history AS
 SELECT fingerprint, src, dst, direction, path_class, engine, protocol, mode, zero_copy, mtu_bytes,
        window, streams, buffer, lro, tso, run_id, run, date, gbps, ci_lo, ci_hi, line_rate_pct,
        CASE WHEN previous_bps IS NOT NULL
             THEN CAST(printf('%.4g', previous_bps/1e9) AS REAL) END AS previous_gbps,
        round(100.0*(bps/previous_bps-1), 1) AS change_pct
   FROM (SELECT v.*, lag(bps) OVER(PARTITION BY fingerprint ORDER BY run_id) AS previous_bps
           FROM v_cells v WHERE n>0);

-- Round trips of each test that counts: without load, under it (the kernel's and those of small
-- probes on a connection of their own), and the transactions of mode rr.
CREATE VIEW v_latency AS
 SELECT v.run_id, v.run, v.cell_id, t.test_id, v.src, v.dst, v.direction, v.protocol, v.mode,
        v.streams, v.buffer, round(t.rtt_base_us, 1) AS base_us, round(t.rtt_min_us, 1) AS min_us,
        round(t.rtt_loaded_us, 1) AS loaded_us, round(t.buffer_delay_pct, 1) AS delay_pct,
        t.rtt_probe_count AS probes, round(t.rtt_probe_p50_us, 1) AS probe_p50_us,
        round(t.rtt_probe_p99_us, 1) AS probe_p99_us, round(t.rtt_probe_max_us, 1) AS probe_max_us,
        round(t.rr_per_s, 1) AS rr_per_s, round(t.rr_min_us, 1) AS rr_min_us,
        round(t.rr_mean_us, 1) AS rr_mean_us, round(t.rr_p50_us, 1) AS rr_p50_us,
        round(t.rr_p90_us, 1) AS rr_p90_us, round(t.rr_p99_us, 1) AS rr_p99_us,
        round(t.rr_p999_us, 1) AS rr_p999_us, round(t.rr_max_us, 1) AS rr_max_us
   FROM tests t JOIN v_cells v ON v.cell_id=t.cell_id
  WHERE t.status='ok' AND coalesce(t.rtt_base_us, t.rtt_min_us, t.rtt_loaded_us,
        t.rtt_probe_count, t.rr_per_s) IS NOT NULL;

-- Datagrams of each test that counts.
CREATE VIEW v_udp AS
 SELECT v.run_id, v.run, v.cell_id, t.test_id, v.src, v.dst, v.direction, v.streams, v.buffer,
        v.target_bps, -- of each stream; null: unlimited
        CASE WHEN t.sender_bps IS NOT NULL
             THEN CAST(printf('%.4g', t.sender_bps/1e9) AS REAL) END AS sent_gbps,
        CASE WHEN t.throughput_bps IS NOT NULL
             THEN CAST(printf('%.4g', t.throughput_bps/1e9) AS REAL) END AS gbps,
        t.datagrams_sent, t.datagrams_received, t.datagrams_lost, round(t.loss_pct, 4) AS loss_pct,
        t.datagrams_reordered, t.datagrams_duplicate, round(t.jitter_us, 1) AS jitter_us,
        CASE WHEN t.reverse_bps IS NOT NULL
             THEN CAST(printf('%.4g', t.reverse_bps/1e9) AS REAL) END AS reverse_gbps,
        round(t.reverse_loss_pct, 4) AS reverse_loss_pct,
        round(t.reverse_jitter_us, 1) AS reverse_jitter_us, t.rx_drops
   FROM tests t JOIN v_cells v ON v.cell_id=t.cell_id
  WHERE t.status='ok' AND v.protocol='udp';

-- What held the sender of each test that counts, in percent of the time in which it had data to
-- send (busy_pct: that, of the measured time of all streams): the receiver's window, the socket buffer,
-- else the way: congestion window and links. And how much there was left of threads and cores.
CREATE VIEW v_limits AS
 SELECT v.run_id, v.run, v.cell_id, t.test_id, v.src, v.dst, v.direction, v.mtu_bytes, v.window,
        v.streams, CAST(printf('%.4g', t.throughput_bps/1e9) AS REAL) AS gbps,
        round(100.0*t.busy_us/(t.duration_s*1e6*v.streams), 1) AS busy_pct,
        round(100.0*t.rwnd_limited_us/t.busy_us, 1) AS rwnd_pct,
        round(100.0*t.sndbuf_limited_us/t.busy_us, 1) AS sndbuf_pct,
        round(100.0*(t.busy_us-t.rwnd_limited_us-t.sndbuf_limited_us)/t.busy_us, 1) AS way_pct,
        round(t.src_thread_max_pct, 1) AS src_thread_pct,
        round(t.dst_thread_max_pct, 1) AS dst_thread_pct,
        round(t.src_core_max_pct, 1) AS src_core_pct, round(t.dst_core_max_pct, 1) AS dst_core_pct,
        round(t.src_steal_pct, 1) AS src_steal_pct, round(t.dst_steal_pct, 1) AS dst_steal_pct,
        t.src_method, t.dst_method
   FROM tests t JOIN v_cells v ON v.cell_id=t.cell_id
  WHERE t.status='ok' AND t.throughput_bps IS NOT NULL
    AND coalesce(t.busy_us, t.src_thread_max_pct, t.dst_thread_max_pct) IS NOT NULL;

-- Everything that is not proven to be as it was: `vnm restore` looks at it.
CREATE VIEW v_unrestored AS
 SELECT j.run_id, j.change_id, h.name AS host, n.name AS nic, j.object, j.setting,
        j.value_before, j.value_requested, j.value_after, j.state, j.reason,
        coalesce(j.confirmed_utc, j.applied_utc, j.intended_utc) AS changed_utc, j.address,
        j.restore_command
   FROM setting_changes j
   JOIN hosts h ON h.host_id=j.host_id
   LEFT JOIN nics n ON n.nic_id=j.nic_id
  WHERE j.state NOT IN('restored','not_applied','foreign');

-- Faults, down to single streams, and the cells left out by choice: those need a setting that vnm
-- did not change.
CREATE VIEW v_problems AS
 SELECT v.run_id, v.run, v.src, v.dst, v.mtu_bytes, v.window, v.streams, v.direction,
        'fault' AS kind, 'test' AS what, t.test_id AS id, t.status AS status, t.reason AS reason
   FROM tests t JOIN v_cells v ON v.cell_id=t.cell_id
  WHERE t.status<>'ok'
 UNION ALL
 SELECT v.run_id, v.run, v.src, v.dst, v.mtu_bytes, v.window, v.streams, v.direction,
        CASE WHEN v.state='skipped' AND substr(v.reason, 1, 13)='not changed: ' THEN 'choice'
             ELSE 'fault' END,
        'cell', v.cell_id, v.state, v.reason
   FROM v_cells v
  WHERE v.state IN('skipped','invalid','unstable','failed')
 UNION ALL
 SELECT v.run_id, v.run, v.src, v.dst, v.mtu_bytes, v.window, v.streams, v.direction,
        'fault', 'stream', s.test_id, 'stream '||s.stream||CASE s.direction WHEN 1 THEN ' back'
        ELSE '' END, h.name||': '||s.reason
   FROM stream_troubles s JOIN tests t ON t.test_id=s.test_id JOIN v_cells v ON v.cell_id=t.cell_id
   JOIN hosts h ON h.host_id=s.host_id;

-- Facts that differ, appeared or vanished since the previous measured run that asked the same host
-- or NIC (nic_id NULL: the host itself). Who was not asked in both runs has not changed.
CREATE VIEW v_what_changed AS
 WITH asked AS (
  SELECT DISTINCT f.run_id, f.host_id, f.nic_id
    FROM facts f JOIN runs r ON r.run_id=f.run_id
   WHERE r.origin='measured' AND f.phase='before'),
 pairs AS (
  SELECT k.run_id, k.host_id, k.nic_id,
         (SELECT max(o.run_id) FROM asked o
           WHERE o.host_id=k.host_id AND o.nic_id IS k.nic_id AND o.run_id<k.run_id) AS prev_id
    FROM asked k)
 SELECT p.run_id, h.name AS host, n.name AS nic, b.key, a.value AS before, b.value AS after
   FROM pairs p
   JOIN hosts h ON h.host_id=p.host_id
   LEFT JOIN nics n ON n.nic_id=p.nic_id
   JOIN facts b ON b.run_id=p.run_id AND b.host_id=p.host_id AND b.phase='before'
    AND b.nic_id IS p.nic_id
   LEFT JOIN facts a ON a.run_id=p.prev_id AND a.host_id=b.host_id AND a.phase='before'
    AND a.key=b.key AND coalesce(a.nic_id, 0)=coalesce(b.nic_id, 0)
  WHERE p.prev_id IS NOT NULL AND a.value IS NOT b.value
 UNION ALL
 SELECT p.run_id, h.name, n.name, a.key, a.value, NULL
   FROM pairs p
   JOIN hosts h ON h.host_id=p.host_id
   LEFT JOIN nics n ON n.nic_id=p.nic_id
   JOIN facts a ON a.run_id=p.prev_id AND a.host_id=p.host_id AND a.phase='before'
    AND a.nic_id IS p.nic_id
  WHERE NOT EXISTS(SELECT 1 FROM facts b
                    WHERE b.run_id=p.run_id AND b.host_id=a.host_id AND b.phase='before'
                      AND b.key=a.key AND coalesce(b.nic_id, 0)=coalesce(a.nic_id, 0));

-- The views, and below them the tables that a person may want too.
CREATE VIEW v_help(view, purpose, example) AS VALUES
 ('v_cells', 'every cell of every run with its settings and result',
  'select src,dst,gbps,ci_lo,ci_hi,limited_by from v_cells where run_id=7'),
 ('v_latest', 'newest result of every comparable cell',
  'select * from v_latest order by line_rate_pct'),
 ('v_driver_mtu', 'em versus vmxnet3 by window and MTU', 'select * from v_driver_mtu'),
 ('v_mtu_effect', 'jumbo frames: same cell at 1500 and 9000', 'select * from v_mtu_effect'),
 ('v_latency', 'round trips without and under load, and transactions of mode rr, of each test',
  'select src,dst,rr_per_s,rr_p50_us,rr_p99_us from v_latency where mode=''rr'''),
 ('v_udp', 'loss, reordering and jitter of each test over udp',
  'select src,dst,sent_gbps,gbps,loss_pct,jitter_us from v_udp where loss_pct>0.1'),
 ('v_limits', 'what held the sender of each test: receiver''s window, socket buffer, or the way',
  'select src,dst,gbps,rwnd_pct,sndbuf_pct,way_pct from v_limits where run_id=7'),
 ('v_asymmetry', 'the two directions of a pair side by side',
  'select * from v_asymmetry where ratio>1.5'),
 ('v_history', 'each cell over time with change in percent',
  'select * from v_history where change_pct<-5'),
 ('v_what_changed', 'environment facts that differ from the run before',
  'select * from v_what_changed where run_id=7'),
 ('v_problems', 'tests and cells that are not ok, and why; kind choice: left out on purpose',
  'select * from v_problems where kind=''fault'''),
 ('v_unrestored', 'settings still changed on a host; always empty so far: vnm changes none yet',
  'select * from v_unrestored'),
 ('tests', 'every measurement. throughput_bps: received, after the omitted start; bytes: all that '
   ||'the receiver took, omitted start and drain included, so bytes/duration_s is more',
  'select test_id,replicate,status,throughput_bps,bytes from tests where cell_id=12'),
 ('streams', 'each stream of a test, counted from 1',
  'select stream,throughput_bps,retransmits from streams where test_id=212'),
 ('stream_troubles', 'streams that did not connect or that died, and who told it',
  'select test_id,stream,h.name,reason from stream_troubles s join hosts h using(host_id)'),
 ('intervals', 'how a test went, second by second. stream 0 is the sum of all streams: '
   ||'always say stream=0 or stream>0, else all counts twice;'
  ||' direction 1: back (bidir)',
  'select start_s,end_s,omitted,throughput_bps from intervals '
  ||'where test_id=212 and direction=0 and stream=0'),
 ('facts', 'what hosts and NICs (nic_id; null: the host itself) said of themselves',
  'select h.name,f.key,f.value from facts f join hosts h using(host_id) where f.run_id=7'),
 ('setting_changes', 'not used yet: this version changes no setting',
  'select * from setting_changes');
