#!/bin/bash
# SPDX-License-Identifier: MIT
# Settings of hosts are changed for the cells that ask for them, proven, and put back: what `ip`
# and `ethtool` tell of every interface is the same afterwards, also when vnm is killed meanwhile.
. "$(dirname "$0")/lib.sh"
HOSTS=(vm11 pc1)
command -v ethtool >/dev/null || {
	echo 'skipped: ethtool is not installed'
	exit 77
}
lab_up pair.spec <<'P'

  settings:
    pairs: [[pc1.eth1, vm11.vmx0]]
    grid: { mtu: [1500, 9000], tso: [on, off], direction: [forward, reverse] }
    fixed: { streams: 1, window: default, duration: 500ms, omit: 100ms }
    repeats: { min: 2, max: 2 }

safety:
  change: [mtu, tso]
  dead_man: 10s
P
on() { "$NETLAB" exec "$@"; }
everything() {
	on pc1 sh -c 'ip -j addr; ip -j route; ip -j -6 route; ethtool -k eth1; ethtool -k eth0 2>&1'
	on vm11 sh -c 'ip -j addr; ip -j route; ip -j -6 route; ethtool -k vmx0; ethtool -k eth0 2>&1'
} # nothing of it counts down in this lab
states() { q "select group_concat(distinct state) from setting_changes"; }

before=$(everything)
run 'nobody agrees' 1 run "$LAB" settings
has 'it is told' "$WORK/err" 'settings of hosts would be changed: --yes agrees to it'
is 'nothing is changed' "$before" "$(everything)"
run 'who forbids it' 0 run "$LAB" settings --yes --no-change
is 'gets what is there' 2 "$(q "select count(*) from cells where state='done'")"
is 'and no row' 0 "$(q 'select count(*) from setting_changes')"

run 'a run that changes' 0 run "$LAB" settings --yes
is 'measures every cell' '8|16' "$(q "select (select count(*) from v_cells where run_id=2 and state='done'), (select count(*) from v_tests where run_id=2 and status='ok')")"
is 'with the MSS of its MTU' '1448 8948' "$(q "select group_concat(mss, ' ') from (select distinct mss_bytes as mss from tests where status='ok' and run_id=2 order by 1)")"
is 'puts everything back' "$before" "$(everything)"
is 'says so in the journal' restored "$(states)"
run 'nothing is open' 0 restore --db "$DB"
for host in pc1 vm11; do
	is "no guardian on $host" '' "$(on "$host" sh -c 'ls -d /run/vnm-guard 2>/dev/null')"
done

echo '# vnm is killed while something is changed'
V run "$LAB" settings --yes >"$WORK/out" 2>"$WORK/err" &
pid=$!
for _ in $(seq 100); do
	[ "$(on pc1 cat /sys/class/net/eth1/mtu)" = 9000 ] && break
	sleep 0.1
done
is 'it is changed' 9000 "$(on pc1 cat /sys/class/net/eth1/mtu)"
kill -9 "$(pgrep -x vnm -P "$pid" || echo "$pid")" 2>/dev/null
wait "$pid" 2>/dev/null
run 'the check' 5 restore --check --db "$DB"
run 'restore' 0 restore --db "$DB"
is 'puts everything back' "$before" "$(everything)"
is 'closes all rows' 0 "$(q 'select count(*) from v_unrestored')"

echo '# nobody restores: the guardians do'
# Those of the run before have 10 s more, since their connections are gone.
sleep 14
V run "$LAB" settings --yes >"$WORK/out" 2>"$WORK/err" &
pid=$!
for _ in $(seq 150); do
	[ "$(on pc1 cat /sys/class/net/eth1/mtu)" = 9000 ] && break
	sleep 0.1
done
is 'it is changed' 9000 "$(on pc1 cat /sys/class/net/eth1/mtu)"
kill -9 "$(pgrep -x vnm -P "$pid" || echo "$pid")" 2>/dev/null
wait "$pid" 2>/dev/null
sleep 18
is 'as before within the dead man' "$before" "$(everything)"
run 'restore finds it so' 0 restore --db "$DB"
is 'closes all rows' 0 "$(q 'select count(*) from v_unrestored')"
nothing_left 'the kills'
finish
