-- Views that a person types against. They are code, not data: vnm drops and recreates all views
-- whose names begin with v_ when it opens a database for writing and finds that they differ; views
-- of other names are the user's and stay. Tables stay exact; views print Gbit/s with four digits.
-- A value that is not known is NULL: printf() of NULL would give 0, hence the CASEs.

-- One row a cell. The rest of the views rests on it.
CREATE VIEW v_cells AS
 SELECT r.run_id, r.name AS run, substr(r.started_utc, 1, 10) AS date, r.origin, c.cell_id,
        sh.name||'.'||sn.name AS src, dh.name||'.'||dn.name AS dst,
        c.initiator, CASE c.initiator WHEN 'src' THEN 'forward' ELSE 'reverse' END AS direction,
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
        coalesce(s.n, 0) AS n,
        s.median_bps AS bps, s.ci_lo_bps, s.ci_hi_bps, -- exact: compute with these
        CASE WHEN s.median_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.median_bps/1e9) AS REAL) END AS gbps,
        CASE WHEN s.ci_lo_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.ci_lo_bps/1e9) AS REAL) END AS ci_lo,
        CASE WHEN s.ci_hi_bps IS NOT NULL
             THEN CAST(printf('%.4g', s.ci_hi_bps/1e9) AS REAL) END AS ci_hi,
        round(s.cv_pct, 1) AS cv_pct, round(s.line_rate_pct, 1) AS line_rate_pct,
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
        direction, engine, window, streams, buffer, lro, tso, zero_copy, duration_s,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes=1500 THEN gbps END) AS em_1500,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes=1500 THEN gbps END) AS vmxnet3_1500,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes=9000 THEN gbps END) AS em_9000,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes=9000 THEN gbps END) AS vmxnet3_9000,
        max(CASE WHEN dst_driver='em'      AND mtu_bytes IS NULL THEN gbps END) AS em_unchanged,
        max(CASE WHEN dst_driver='vmxnet3' AND mtu_bytes IS NULL THEN gbps END) AS vmxnet3_unchanged
   FROM v_cells
  WHERE n>0 AND dst_driver IN('em','vmxnet3') AND src_driver=dst_driver AND bidir=0
  GROUP BY run_id, path_class, src_host, dst_host, direction, engine, protocol, mode,
        window_bytes, streams, buffer_bytes, lro, tso, zero_copy, duration_s, omit_s;

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
   JOIN v_cells a ON a.cell_id=x.cell_id
   JOIN v_cells b ON b.cell_id=y.cell_id
  WHERE a.bps>0 AND b.bps>0;

-- The two directions of a pair under one config, each cell at most once: cells whose connection was
-- opened by the same end belong together; only those without such a partner are paired otherwise.
CREATE VIEW v_asymmetry AS
 SELECT a.run_id, a.run, a.src, a.dst, a.direction, a.mtu_bytes, a.window, a.streams, a.buffer,
        a.lro, a.tso, a.gbps AS src_to_dst_gbps, b.gbps AS dst_to_src_gbps,
        round(max(a.bps, b.bps)/min(a.bps, b.bps), 2) AS ratio
   FROM cells x
   JOIN cells y ON y.run_id=x.run_id AND y.src_nic_id=x.dst_nic_id AND y.dst_nic_id=x.src_nic_id
    AND y.config_id=x.config_id
   JOIN v_cells a ON a.cell_id=x.cell_id
   JOIN v_cells b ON b.cell_id=y.cell_id
  WHERE a.src<b.src AND a.bps>0 AND b.bps>0
    AND (x.initiator<>y.initiator
      OR NOT EXISTS(SELECT 1 FROM cells o JOIN cell_stats t ON t.cell_id=o.cell_id
                     WHERE o.run_id=x.run_id AND o.config_id=x.config_id
                       AND o.initiator<>x.initiator
                       AND o.src_nic_id IN(x.src_nic_id, x.dst_nic_id)
                       AND o.dst_nic_id IN(x.src_nic_id, x.dst_nic_id) AND t.median_bps>0));

-- Each cell over time. `WHERE fingerprint=...` uses the index through the window.
CREATE VIEW v_history AS
 SELECT fingerprint, src, dst, direction, path_class, engine, mtu_bytes, window, streams, buffer,
        lro, tso, run_id, run, date, gbps, ci_lo, ci_hi, line_rate_pct,
        CASE WHEN previous_bps IS NOT NULL
             THEN CAST(printf('%.4g', previous_bps/1e9) AS REAL) END AS previous_gbps,
        round(100.0*(bps/previous_bps-1), 1) AS change_pct
   FROM (SELECT v.*, lag(bps) OVER(PARTITION BY fingerprint ORDER BY run_id) AS previous_bps
           FROM v_cells v WHERE n>0);

-- Everything that is not proven to be as it was.
CREATE VIEW v_unrestored AS
 SELECT j.run_id, h.name AS host, n.name AS nic, j.setting, j.value_before, j.value_requested,
        j.value_after, j.state, j.restore_command
   FROM setting_changes j
   JOIN hosts h ON h.host_id=j.host_id
   LEFT JOIN nics n ON n.nic_id=j.nic_id
  WHERE j.state NOT IN('restored','not_applied','foreign');

-- Faults, and the cells left out by choice: those need a setting that vnm did not change.
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
  WHERE v.state IN('skipped','invalid','unstable','failed');

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
 ('intervals', 'how a test went, second by second. stream 0 is the sum of all streams: '
   ||'always say stream=0 or stream>0, else all counts twice',
  'select start_s,end_s,omitted,throughput_bps from intervals where test_id=212 and stream=0'),
 ('facts', 'what hosts and NICs (nic_id; null: the host itself) said of themselves',
  'select h.name,f.key,f.value from facts f join hosts h using(host_id) where f.run_id=7'),
 ('setting_changes', 'not used yet: this version changes no setting',
  'select * from setting_changes');
