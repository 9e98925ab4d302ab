#!/bin/bash
# Faults of this machine: the database is locked, its disk is full, somebody else uses it; the user
# stops the run.
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  quick:
    pairs: [[pc1.eth1, esx1.vmk1], [pc1.eth1, vm11.vmx0], [vm11.vmx0, esx1.vmk1]]
    grid: { streams: [1, 2], direction: [forward, reverse] }
    fixed: { mtu: 1500, window: default, duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
P
tests() { q "select count(*) from tests where status='ok'"; }
some_tests() { [ "$(tests 2>/dev/null || echo 0)" -ge "$1" ]; }
start() {
	V "$@" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
}
ends() {
	local rc=0
	wait "$pid" || rc=$?
	is "$1: exit $2" "$2" "$rc"
}
fresh() { rm -f "$DB" "$DB"-* "$DB".*; }
# hold SECONDS: a writer keeps the database locked
hold() { { echo 'BEGIN IMMEDIATE;'; sleep "$1"; echo 'ROLLBACK;'; } | sqlite3 "$DB" & }
vnm_pid() { pgrep -x vnm -P "$pid" || echo "$pid"; }

echo '# locked'
start run "$LAB" quick --yes
wait_for 20 some_tests 2 || bad 'no tests'
hold 3
ends 'a lock of 3 s is waited for' 0
is 'all is kept' 12 "$(tests)"
fresh
start run "$LAB" quick --yes
wait_for 20 some_tests 2 || bad 'no tests'
hold 25
lock=$!
ends 'a lock that stays ends the run' 6
has 'with the reason' "$WORK/err" 'locked'
kept=$(tests)
holds 'what was kept stays' [ "$kept" -ge 2 ]
wait "$lock"
nothing_left 'locked'
run 'resume' 0 resume "$LAB"
is 'it completes the same run' '12|1' "$(q "select (select count(*) from cells where state='done'), count(*) from runs")"
is 'no test was done twice' 12 "$(tests)"

echo '# disk full'
mkdir "$WORK/disk"
mount -t tmpfs -o size=8m tmpfs "$WORK/disk"
export QDB=$WORK/disk/r.db
start run "$LAB" quick --yes --db "$QDB"
wait_for 20 some_tests 1 || bad 'no tests'
dd if=/dev/zero of="$WORK/disk/fill" bs=1k >/dev/null 2>&1
ends 'a full disk ends the run' 6
has 'with the reason' "$WORK/err" '[Nn]o space|full'
hasnt 'and not that of the user' "$WORK/err" 'by the user'
hasnt 'the run is not said to go on' "$WORK/out" '^run 1 running'
is 'the file is whole' ok "$(q 'pragma integrity_check')"
kept=$(tests)
holds 'what was kept stays' [ "$kept" -ge 1 ]
rm "$WORK/disk/fill"
run 'resume' 0 resume "$LAB" --db "$QDB"
is 'it completes the same run' '12|1|12' "$(q "select (select count(*) from cells where state='done'), count(*), (select count(*) from tests where status='ok') from runs")"
unset QDB
nothing_left 'disk full'

echo '# a second vnm'
fresh
start run "$LAB" quick --yes
wait_for 20 some_tests 1 || bad 'no tests'
rc=0
V run "$LAB" quick --yes >"$WORK/out2" 2>"$WORK/err2" || rc=$?
is 'a second run on the same database is refused: exit 1' 1 "$rc"
has 'and names the first' "$WORK/err2" 'pid [0-9]+'
V matrix --db "$DB" >"$WORK/out2" 2>"$WORK/err2"
is "reading meanwhile works" 0 $?
ends 'the first is not disturbed' 0
is 'all is kept' 12 "$(tests)"

echo '# Ctrl-C'
fresh
start run "$LAB" quick --yes
wait_for 20 some_tests 2 || bad 'no tests'
kill -INT "$(vnm_pid)"
ends 'once' 130
has 'says how to go on' "$WORK/err" 'vnm resume'
is 'the run is interrupted' interrupted "$(q 'select status from runs')"
is 'no test was lost' 0 "$(q "select count(*) from tests where status<>'ok'")"
nothing_left 'Ctrl-C'
run 'resume' 0 resume "$LAB"
is 'exactly the missing cells' '12|12' "$(q "select (select count(*) from cells where state='done'), (select count(*) from tests)")"
fresh
sed 's/duration: 500ms/duration: 20s/' "$LAB" >"$WORK/slow.yaml"
start run "$WORK/slow.yaml" quick --yes
wait_for 20 test -n "$(sleep 1.5; q "select 1 from cells where state='running'")" || bad 'no test runs'
t0=$SECONDS
kill -INT "$(vnm_pid)"
sleep 0.3
kill -INT "$(vnm_pid)"
ends 'twice' 130
holds 'ends at once' [ $((SECONDS - t0)) -le 5 ]
is 'the stopped test does not count' 'cancelled' "$(q 'select group_concat(distinct status) from tests')"
nothing_left 'Ctrl-C twice'
fresh
start run "$LAB" quick --yes
wait_for 20 some_tests 1 || bad 'no tests'
kill -TERM "$(vnm_pid)"
ends 'TERM' 130
nothing_left 'TERM'

echo '# files that are none'
fresh
echo 'not a database' >"$DB"
run 'a file that is no database' 1 run "$LAB" quick --yes
is 'is left alone' 'not a database' "$(cat "$DB")"
run 'a folder that is not there' 6 run "$LAB" quick --yes --db "$WORK/none/r.db"
run 'no database to resume from' 1 resume "$LAB" --db "$WORK/none.db"
run 'no topology file' 1 run "$WORK/none.yaml"
has 'is named' "$WORK/err" 'none.yaml'
finish
