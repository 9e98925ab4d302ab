#!/bin/bash
# The main job from end to end: check, plan, run, list, matrix, show, sql, --only, settings that
# would have to change.
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  jumbo:
    pairs: [[pc1.eth1, vm11.vmx0]]
    grid: { mtu: [1500, 9000], tso: [unchanged, off] }
    fixed: { streams: 1, window: default, duration: 500ms, omit: 100ms, direction: forward }
    repeats: { min: 1, max: 1 }

  window:
    pairs: [[pc1.eth1, vm11.vmx0]]
    grid: { window: [64K, 12M] }
    fixed: { mtu: 1500, streams: 1, duration: 500ms, omit: 100ms, direction: forward }
    repeats: { min: 1, max: 1 }

  six:
    pairs: [[pc1.eth1, vm11.vmx0]]
    fixed: { mtu: 1500, streams: 2, window: 64K, duration: 500ms, omit: 100ms, direction: reverse }
    repeats: { min: 6, max: 6 }
P

run 'check' 0 check "$LAB"
has 'check tells what is in the file' "$WORK/out" '3 hosts'
run 'check --hosts' 0 check --hosts "$LAB"
for host in "${HOSTS[@]}"; do has "check --hosts has a line for $host" "$WORK/out" "^$host .*10\.77\.0\."; done
nothing_left 'check --hosts'
is 'check makes no database' no "$([ -e "$DB" ] && echo yes || echo no)"
run 'plan' 0 plan "$LAB" grid
has 'plan tells cells and tests' "$WORK/out" '12'
is 'plan makes no database' no "$([ -e "$DB" ] && echo yes || echo no)"

run 'run of one cell' 0 run "$LAB" smoke --yes
is 'the cell is done' 'done|1' "$(q "select state, n from v_cells")"
is 'within 3 % of 1 Gbit/s x 1448/1514' 1 "$(q "select abs(bps / (1e9 * 1448 / 1514) - 1) < 0.03 from v_cells")"
is 'and so is its share of the line rate' 1 "$(q "select line_rate_pct between 97 and 100.5 from v_cells")"
is 'the run is complete' complete "$(q 'select status from runs')"
is 'facts are kept before and after' 'after|before' "$(q 'select group_concat(phase, "|") from (select distinct phase from facts order by 1)')"
is 'they are the same' 0 "$(q "select count(*) from facts a join facts b using(run_id, host_id, key) where a.nic_id is b.nic_id and a.phase='before' and b.phase='after' and a.value<>b.value and a.key not like '%mhz%' and a.key not like '%uptime%'")"
nothing_left 'run'

run 'run --json' 0 run "$LAB" grid --yes --json
is 'it is JSON' 1 "$(sqlite3 :memory: "select json_valid(readfile('$WORK/out'))")"
is 'with all 12 cells' 12 "$(sqlite3 :memory: "select json_array_length(readfile('$WORK/out'), '\$.cells')")"
is 'all are done with ok tests only' '12|0' "$(q "select count(*), (select count(*) from tests where status<>'ok') from cells where run_id=2 and state='done'")"
is 'intervals add up to the result' 0 "$(q "
	select count(*) from tests t where t.status='ok' and abs(t.throughput_bps * t.duration_s -
	  (select sum(i.throughput_bps * (i.end_s - i.start_s)) from intervals i where i.test_id=t.test_id and i.stream=0 and i.omitted=0)) > t.throughput_bps * 1e-6")"
is 'streams add up to the result' 0 "$(q "select count(*) from tests t where abs(t.throughput_bps - (select sum(throughput_bps) from streams s where s.test_id=t.test_id)) > t.throughput_bps * 1e-6")"
is 'sender and receiver have what they know' 0 "$(q "select count(*) from tests where retransmits is null or rtt_base_us is null or rtt_loaded_us is null or src_cpu_pct is null or dst_cpu_pct is null or mss_bytes<>1448 or path_mtu_bytes<>1500")"
is 'the intended NIC carried the bytes' 0 "$(q "select count(*) from tests where nic_byte_match_pct not between 97 and 108")"
is 'both directions are there' '6|6' "$(q "select sum(initiator='src'), sum(initiator='dst') from cells where run_id=2")"

run 'list' 0 list --db "$DB"
has 'list shows both runs' "$WORK/out" '^ *2 '
run 'matrix' 0 matrix --db "$DB"
has 'matrix has senders and receivers' "$WORK/out" '^from . to +esx1 +pc1 +vm11'
run 'matrix of run 1' 0 matrix 1 --db "$DB"
run 'show' 0 show 1 --db "$DB"
has 'show tells the test' "$WORK/out" 'vm11.vmx0'
run 'sql' 0 sql 'select count(*) as n from cells' --db "$DB"
has 'sql prints the value' "$WORK/out" '^ *13'
run 'sql that writes is refused' 1 sql 'delete from runs' --db "$DB"
is 'and nothing is gone' 2 "$(q 'select count(*) from runs')"

run 'run --only' 0 run "$LAB" grid --yes --quiet --only src=pc1.eth1,streams=4
is 'only those cells' '2|2' "$(q "select count(*), sum(src='pc1.eth1' and streams=4) from v_cells where run_id=3")"
is 'quiet is quiet' '' "$(cat "$WORK/out" "$WORK/err")"

run 'settings that would have to change are skipped by choice' 0 run "$LAB" jumbo --yes
is 'what the hosts have is measured' 1 "$(q "select count(*) from v_cells where run_id=4 and state='done'")"
is 'the rest is skipped with the reason' 3 "$(q "select count(*) from v_cells where run_id=4 and state='skipped' and reason like 'not changed: %not in _change_ of _safety_ in the topology%'")"

run 'a window that the system clamps is invalid' 2 run "$LAB" window --yes
is 'and says what to type' 1 "$(q "select count(*) from v_cells where run_id=5 and window='12M' and state='invalid' and reason like '%window asked 12M, got%sysctl -w net.core.%mem_max=12582912'")"
is 'the other is measured' 1 "$(q "select count(*) from v_cells where run_id=5 and window='64K' and state='done'")"

if command -v iperf3 >/dev/null; then
	# Both are ended by vnm's lab or by themselves; the load outlasts three attempts.
	"$NETLAB" exec vm11 timeout 30 iperf3 -s -1 >/dev/null 2>&1 &
	sleep 0.5
	"$NETLAB" exec pc1 timeout 25 iperf3 -c "$(q "select ip from run_nics join nics using(nic_id) join hosts using(host_id) where hosts.name='vm11' and nics.name='vmx0' limit 1")" -t 15 >/dev/null 2>&1 &
	load=$!
	sleep 1
	run 'foreign traffic beside a test' 2 run "$LAB" window --yes --only window=64K --db "$WORK/load.db"
	QDB=$WORK/load.db
	is 'makes it invalid, with the reason' 'unstable|3' "$(q "select state, (select count(*) from tests where status='invalid' and reason like '%other traffic ran beside it') from v_cells")"
	unset QDB
	kill "$load" 2>/dev/null
	wait "$load" 2>/dev/null
else
	echo 'skipped: foreign traffic (there is no iperf3)'
fi

run 'six repeats' 0 run "$LAB" six --yes
is 'have an exact interval' 1 "$(q "select n=6 and ci_lo_bps=(select min(throughput_bps) from tests where cell_id=v.cell_id and status='ok') and ci_hi_bps=(select max(throughput_bps) from tests where cell_id=v.cell_id and status='ok') from v_cells v where run_id=6")"
is 'from six blocks' 6 "$(q 'select count(distinct block) from tests join cells using(cell_id) where run_id=6')"

run 'resume looks at the invalid cell again' 2 resume "$LAB"
is 'and at nothing else' '2|1' "$(q "select count(*), (select count(*) from tests join cells using(cell_id) where run_id=5 and window_requested_bytes=65536) from tests join cells using(cell_id) where run_id=5 and window_requested_bytes>65536")"
run 'a profile that is not there' 1 run "$LAB" grdi --yes
has 'is told with its neighbour' "$WORK/err" 'grid'
nothing_left 'all runs'
finish
