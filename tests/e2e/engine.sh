#!/bin/bash
# The engine's axes from the topology to the database: datagrams, requests, both directions at
# once, bytes, options of sockets, zero copy, IPv6; and what cannot be had is told before traffic.
. "$(dirname "$0")/lib.sh"
lab_up pair.spec <<'P'

  ways:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
    cells:
      - { protocol: udp, bitrate: 100M, streams: 2 }
      - { mode: rr, no_delay: on }
      - { direction: bidir, streams: 2 }
      - { direction: bidir, protocol: udp, bitrate: 50M }
      - { zero_copy: sender }
      - { zero_copy: both }
      - { mss: 1000, dscp: ef, congestion: reno, no_delay: on, affinity: "0", bind_device: on, source_port: 20000, streams: 2, bitrate: 50M }

  amount:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { bytes: 20M, omit: 100ms, streams: 2 }
    repeats: { min: 1, max: 1 }

  short:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { bytes: 2M, omit: 0s, streams: 1, bitrate: 300M }
    repeats: { min: 1, max: 1 }

  burst:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { bytes: 100K, omit: 0s, streams: 1 }
    repeats: { min: 1, max: 1 }

  fragments:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { protocol: udp, buffer: 4000, bitrate: 50M, duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }

  walled:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { protocol: udp, bitrate: 10M, duration: 500ms, omit: 0s }
    repeats: { min: 1, max: 1 }

  six:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
    cells:
      - { ip_version: 4 }
      - { ip_version: 6 }
      - { ip_version: 6, direction: bidir, zero_copy: both, affinity: auto, congestion: reno, dscp: af11, no_delay: on }

  cannot:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
    cells:
      - { congestion: nosuch }
      - { mss: 8000 }
      - { affinity: "900" }
P
has_ipv6=$(grep -c 'ip6:' "$LAB")
# without IPv6 no cell may ask for it
[ "$has_ipv6" -gt 0 ] || sed -i '/ip_version: 6/d' "$LAB"

# t COLUMNS WHERE: of the one test of the one cell
t() { q "select $1 from tests join cells using(cell_id) join configs using(config_id) where status='ok' and $2"; }

run 'plan' 0 plan "$LAB" ways amount --csv
is 'a line for each test' 9 "$(wc -l <"$WORK/out")"
has 'with the levels asked for' "$WORK/out" ',1000,1,46,reno,,0,1,20000$'

# What arrives of the cell with the options: with its mark, and without.
if command -v nft >/dev/null; then
	"$NETLAB" exec vm11 nft 'add table inet marks; add counter inet marks ef; add counter inet marks other; add chain inet marks in { type filter hook input priority -10; }; add rule inet marks in tcp sport 20000-20001 ip dscp ef counter name ef; add rule inet marks in tcp sport 20000-20001 ip dscp != ef counter name other'
fi
run 'run' 0 run "$LAB" ways amount --yes
is 'every cell is done' '8|8' "$(q "select sum(state='done'), (select count(*) from tests where status='ok') from cells")"

is 'datagrams: 200 Mbit/s as asked' 1 "$(t 'abs(throughput_bps / 2e8 - 1) < 0.05 and abs(sender_bps / 2e8 - 1) < 0.05' "protocol='udp' and reverse_bps is null")"
is 'sent are received or lost' 1 "$(t 'abs(datagrams_sent - datagrams_received - datagrams_lost) <= datagrams_sent * 0.05 and loss_pct < 5 and jitter_us > 0' "protocol='udp' and reverse_bps is null")"
is 'of each stream too' 1 "$(q "select count(*)=2 and sum(s.datagrams) = max(datagrams_received) from streams s join tests using(test_id) where status='ok' and datagrams_received>0 and reverse_bps is null")"

is 'requests: each after the answer to the one before' 1 "$(t 'transactions > 100 and abs(rr_per_s * rr_mean_us / 1e6 - 1) < 0.1' "mode='rr'")"
is 'percentiles go up' 1 "$(t 'rr_min_us <= rr_p50_us and rr_p50_us <= rr_p90_us and rr_p90_us <= rr_p99_us and rr_p99_us <= rr_p999_us and rr_p999_us <= rr_max_us' "mode='rr'")"
is 'the headline is that of the requests' 1 "$(t 'abs(throughput_bps / (rr_per_s * 8) - 1) < 0.1' "mode='rr'")"
is 'with no delay, as read back' 1 "$(t no_delay_actual "mode='rr'")"

is 'both directions at once: the uplink in each' 1 "$(t 'throughput_bps between 3e8 and 4.8e8 and reverse_bps between 3e8 and 4.8e8' "protocol='tcp' and reverse_bps>0")"
is 'each has its streams' '0:2 1:2' "$(q "select group_concat(direction || ':' || n, ' ') from (select direction, count(*) n from streams join tests using(test_id) join cells using(cell_id) join configs using(config_id) where status='ok' and protocol='tcp' and reverse_bps>0 group by 1 order by 1)")"
is 'intervals of each add up to its figure' 0 "$(q "select count(*) from tests t, (select 0 d union select 1) where status='ok' and reverse_bps>0 and abs((select sum(throughput_bps*(end_s-start_s))/sum(end_s-start_s) from intervals i where i.test_id=t.test_id and i.direction=d and stream=0 and omitted=0) / iif(d, reverse_bps, throughput_bps) - 1) > 0.001")"
is 'datagrams in both directions' 1 "$(t 'abs(throughput_bps / 5e7 - 1) < 0.05 and abs(reverse_bps / 5e7 - 1) < 0.05 and reverse_loss_pct < 5' "protocol='udp' and reverse_bps>0")"

is 'zero copy at the sender' 1 "$(t "src_method in ('splice', 'sendfile', 'msg_zerocopy') and dst_method like 'readv%'" "zero_copy='sender'")"
is 'and at both ends' 1 "$(t "src_method in ('splice', 'sendfile', 'msg_zerocopy') and dst_method='msg_trunc'" "zero_copy='both'")"
is 'options are read back' 'reno|1|46|0|0' "$(t "tcp_cc_actual, no_delay_actual, dscp_actual, src_affinity, dst_affinity" 'source_port=20000')"
if command -v nft >/dev/null; then
	"$NETLAB" exec vm11 nft list counters table inet marks >"$WORK/out"
	has 'the mark is on the wire' <(tr -d '\n' <"$WORK/out") 'counter ef \{[[:space:]]*packets [1-9][0-9]{2}'
	has 'of each packet' <(tr -d '\n' <"$WORK/out") 'counter other \{[[:space:]]*packets 0 '
	"$NETLAB" exec vm11 nft delete table inet marks
fi
cell=$(q 'select cell_id from cells join configs using(config_id) where source_port=20000')
both=$(q "select cell_id from cells join configs using(config_id) where bidir=1 and protocol='tcp'")
run 'show of the cell with the options' 0 show "$cell" --db "$DB"
for word in 'reno' 'dscp 46|dscp.*46' 'mss 1000'; do has "tells $word" "$WORK/out" "$word"; done
run 'show as JSON' 0 show "$cell" --db "$DB" --json
for word in '"tcp_cc_actual":"reno"' '"dscp_actual":46' '"no_delay_actual":1' '"src_affinity":"0"' '"source_port":20000'; do has "has $word" "$WORK/out" "$word"; done
run 'show of both directions' 0 show "$both" --db "$DB" --json
has 'has the way back' "$WORK/out" '"reverse_bps":[1-9]'
run 'matrix as CSV' 0 matrix --db "$DB" --csv --where 'dscp=ef,affinity=0'
is 'has the one cell' "2|1" "$(wc -l <"$WORK/out")|$(grep -c ',1000,1,46,reno,,0,1,20000,' "$WORK/out")"
run 'matrix of both directions' 0 matrix --db "$DB" --csv --where direction=bidir,protocol=tcp
is 'has both figures' 1 "$(python3 -c 'import csv,sys; r=list(csv.DictReader(sys.stdin)); print(int(len(r)==1 and min(float(r[0]["median_bps"]), float(r[0]["reverse_median_bps"])) > 3e8))' <"$WORK/out")"
is 'segments of 1000 bytes, less their time stamps' 1 "$(t 'tests.mss_bytes in (1000, 988)' 'source_port=20000')"
is 'from the ports asked for' '20000 20001' "$(q "select group_concat(src_port, ' ') from (select src_port from streams join tests using(test_id) join cells using(cell_id) join configs using(config_id) where status='ok' and source_port=20000 order by 1)")"
is '20M take as long as they take' 1 "$(t 'tests.bytes >= 20 << 20 and abs(throughput_bps * tests.duration_s / 8 / (20 << 20) - 1) < 0.05' 'configs.bytes=20 << 20')"
is 'what limited the senders is known' 0 "$(q "select count(*) from tests join cells using(cell_id) join configs using(config_id) where protocol='tcp' and mode='bulk' and (busy_us is null or rwnd_limited_us is null or sndbuf_limited_us is null or rtt_min_us is null)")"

run 'bytes that are too few for a figure' 0 run "$LAB" short --yes
has 'are told' "$WORK/err" 'below 0.1 s the start weighs most'
run 'bytes that go through in a burst' 2 run "$LAB" burst --yes
has 'are no figure' "$WORK/err" 'too fast for a figure: ask for more'
run 'datagrams larger than the MTU' 0 run "$LAB" fragments --yes
has 'go in fragments, which is told' "$WORK/err" 'datagrams of 4000 bytes are sent in fragments'
if [ "$has_ipv6" -gt 0 ]; then
	run 'IPv6 and IPv4, asked for' 0 run "$LAB" six --yes
	is 'measure' '1 1' "$(q "select group_concat(x, ' ') from (select throughput_bps > 4e8 and tests.mss_bytes=iif(ip_version=6, 1428, 1448) x from tests join cells using(cell_id) join configs using(config_id) where ip_version in (4, 6) and affinity is null)")"
	is 'several at once' 'reno|10|1|msg_trunc' "$(t "tcp_cc_actual, dscp_actual, throughput_bps > 3e8 and reverse_bps > 3e8, dst_method" "ip_version=6 and affinity='auto'")"
	is 'the second address is kept' 'fd77:0:0:1::13' "$(q "select distinct ip6 from run_nics join nics using(nic_id) join hosts using(host_id) where hosts.name='pc1' and nics.name='eth1'")"
else
	echo 'skipped: IPv6 (the kernel has none)'
fi

run 'what cannot be had' 4 run "$LAB" cannot --yes
is 'is failed at once' '3|3' "$(q "select count(*), (select count(*) from tests join cells using(cell_id) where run_id=(select max(run_id) from runs)) from cells where run_id=(select max(run_id) from runs) and state='failed'")"
for why in 'congestion.*nosuch' 'mss.*8000' 'affinity.*900'; do has "with the reason: $why" "$WORK/err" "$why"; done
if command -v nft >/dev/null; then
	"$NETLAB" exec vm11 nft 'add table inet wall; add chain inet wall in { type filter hook input priority 0; }; add rule inet wall in meta l4proto udp drop'
	run 'a firewall that lets only TCP through' 4 run "$LAB" walled --yes
	has 'is thought of' "$WORK/err" 'stalled: no datagram of pc1 arrived at vm11: does a firewall let UDP through'
else
	echo 'skipped: a firewall (there is no nft)'
fi
nothing_left 'all runs'
finish
