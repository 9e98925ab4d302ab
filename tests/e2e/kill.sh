#!/bin/bash
# kill -9 of vnm at random moments: resume gives the full matrix of the same run each time, no kept
# result is lost, nothing stays on a host. usage: kill.sh BUILD_DIR [TIMES]
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
times=${2:-10}
lab_up pair.spec <<'P'

  quick:
    pairs: [[pc1.eth1, esx1.vmk1], [pc1.eth1, vm11.vmx0], [vm11.vmx0, esx1.vmk1]]
    grid: { direction: [forward, reverse] }
    fixed: { mtu: 1500, streams: 2, window: default, duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
P

# The moments lie anywhere in a run of about 6 s: reaching hosts, deploying, measuring, the end.
RANDOM=${SEED:-$((EPOCHSECONDS % 32768))}
echo "# seed $RANDOM (SEED=... repeats it)"
for _ in $(seq 1 "$times"); do
	rm -f "$DB" "$DB"-* "$DB".*
	after=$(awk "BEGIN { printf \"%.3f\", 0.02 + $RANDOM / 32768 * 5.5 }")
	V run "$LAB" quick --yes >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	sleep "$after"
	kill -9 "$(pgrep -x vnm -P "$pid" || echo "$pid")" 2>/dev/null
	wait "$pid" 2>/dev/null
	kept=$(q "select count(*) from tests where status='ok'" 2>/dev/null || echo 0)
	nothing_left "killed after $after s"
	if [ -e "$DB" ] && [ "$(q "select count(*) from sqlite_master where name='runs'")" = 1 ] &&
		[ "$(q "select count(*) from runs where status<>'complete'")" != 0 ]; then
		run "resume after $after s" 0 resume "$LAB"
	elif [ ! -e "$DB" ] || [ "$(q "select count(*) from sqlite_master where name='runs'")" != 1 ] || [ "$(q 'select count(*) from runs')" = 0 ]; then
		run "killed before anything was kept ($after s): run again" 0 run "$LAB" quick --yes
	fi
	is "the full matrix of one run, $kept tests kept before" '6|1|6|ok' \
		"$(q "select (select count(*) from cells where state='done'), (select count(*) from runs), (select count(*) from tests where status='ok')")|$(q 'pragma integrity_check')"
done
nothing_left 'all kills'
finish
