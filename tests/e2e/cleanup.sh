#!/bin/bash
# SPDX-License-Identifier: MIT
# `vnm cleanup`: what runs that were killed have left is found and removed, and nothing else.
# shellcheck disable=SC2016  # the hosts expand it
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  long:
    pairs: [[pc1.eth1, esx1.vmk1]]
    fixed: { mtu: 1500, streams: 1, window: default, duration: 4s, omit: 100ms, direction: forward }
    repeats: { min: 1, max: 1 }
P
sed 's/user: root/user: labuser/' "$LAB" >"$WORK/labuser.yaml"
on() { "$NETLAB" exec "$@"; }
json() { sqlite3 :memory: "select json_extract(cast(readfile('$WORK/out') as text), '\$.$1')"; }
type_of() { sqlite3 :memory: "select json_type(cast(readfile('$WORK/out') as text), '\$.$1')"; }
A=.vnm-aaaaaaaaaaaaaaaa B=.vnm-bbbbbbbbbbbbbbbb
old() { on "$1" touch -d '10 minutes ago' "${@:2}"; }
there() { on "$@" 2>/dev/null; } # HOST test -e PATH

run 'a clean lab' 0 cleanup "$LAB"
is 'is told so' "$(printf '%s: nothing left\n' esx1 vm11 pc1)" "$(cat "$WORK/out")"

echo '# folders'
on esx1 sh -c "mkdir /tmp/$A /var/tmp/$B; cp /bin/true /tmp/$A/vnm-agent"
old esx1 /tmp/$A/vnm-agent /tmp/$A /var/tmp/$B
# Others' names, or no folders.
on vm11 sh -c "mkdir /tmp/.vnm-abc /tmp/.vnm-AAAAAAAAAAAAAAAA /tmp/.vnm-aaaaaaaaaaaaaaaaa /tmp/x$A /tmp/dir; touch /tmp/$A; ln -s /tmp/dir /tmp/$B"
old vm11 /tmp/.vnm-abc /tmp/.vnm-AAAAAAAAAAAAAAAA /tmp/.vnm-aaaaaaaaaaaaaaaaa /tmp/x$A /tmp/dir /tmp/$A
names=$(on vm11 sh -c 'ls -A /tmp | sort')
run 'nobody to ask' 1 cleanup "$LAB" </dev/null
has 'says what to do' "$WORK/err" '--yes'
run 'as JSON' 2 cleanup --json "$LAB"
is 'JSON lists' "esx1|/tmp/$A|lost|0" "$(json 'hosts[0].host')|$(json 'hosts[0].leftovers[0].folder')|$(json 'hosts[0].leftovers[0].state')|$(json 'hosts[0].leftovers[0].removed')"
is 'its age' 1 "$(sqlite3 :memory: "select $(json 'hosts[0].leftovers[0].age_s') between 595 and 700")"
holds 'neither removes' there esx1 test -d /tmp/$A
script -qec "'$NETLAB' exec ctl '$VNM' cleanup '$LAB'" /dev/null <<<n >"$WORK/out"
has 'a terminal is asked' "$WORK/out" 'Remove 2 leftovers of 1 host\? \[y/N\]'
holds 'no means no' there esx1 test -d /tmp/$A
script -qec "'$NETLAB' exec ctl '$VNM' cleanup '$LAB'" /dev/null <<<y >"$WORK/out"
has 'yes means yes' "$WORK/out" '2 leftovers removed'
is 'they are gone' '' "$(on esx1 sh -c "ls -d /tmp/$A /var/tmp/$B 2>/dev/null")"
is 'foreign names stay' "$names" "$(on vm11 sh -c 'ls -A /tmp | sort')"
on vm11 sh -c "rm -rf /tmp/.vnm-* /tmp/x$A /tmp/dir"
run 'the second time' 0 cleanup "$LAB"
is 'nothing is found' 3 "$(grep -c ': nothing left' "$WORK/out")"

echo '# killed in mid-upload'
# signal NAME: to every process on esx1 that names a folder of ours, once there is one
signal() {
	on esx1 timeout 10 sh -c 'until ls -d /tmp/.vnm-* >/dev/null 2>&1; do :; done
		for p in $(grep -l -s -F -e .vnm- /proc/[0-9]*/cmdline); do
			p=${p#/proc/} p=${p%/cmdline}
			[ $p = $$ ] || [ $p = $PPID ] || kill -$0 $p
		done' "$1"
}
uploading() { on esx1 sh -c 'ls -d /tmp/.vnm-*' >/dev/null 2>&1; }
"$NETLAB" rate esx1 mgmt 1mbit # so that there is time
"$NETLAB" exec ctl "$VNM" check --hosts "$LAB" long >/dev/null 2>&1 &
driver=$!
signal STOP
"$NETLAB" rate esx1 mgmt none
holds 'the upload has begun' uploading
run 'while it goes on' 0 cleanup --yes "$LAB"
has 'it is in use' "$WORK/out" 'esx1: /tmp/\.vnm-[0-9a-f]+, .*: in use by a run, left alone'
holds 'and stays' uploading
signal KILL
kill -9 $driver
wait $driver 2>/dev/null
holds 'kill -9 of everything leaves the folder' uploading
run 'at once' 0 cleanup --yes "$LAB"
has 'it may be too early' "$WORK/out" 'left alone: too young'
holds 'so it stays' uploading
on esx1 sh -c 'touch -d "2 minutes ago" /tmp/.vnm-*/* /tmp/.vnm-*'
run 'later' 0 cleanup --yes "$LAB"
has 'it is removed' "$WORK/out" '^1 leftover removed'
nothing_left 'mid-upload'

echo '# agents'
V run "$LAB" long --yes >"$WORK/run.out" 2>&1 &
driver=$!
has_agent() { [ -n "$("$NETLAB" agents esx1)" ]; }
wait_for 10 has_agent || bad 'an agent runs'
run 'during a run' 0 cleanup --yes "$LAB"
has 'its agents are in use' "$WORK/out" 'esx1: agent [0-9]+ of \.vnm-[0-9a-f]+, started .* ago: in use by a run, left alone'
rc=0
wait $driver || rc=$?
is 'the run is not disturbed' 0 $rc
nothing_left 'a run'
"$NETLAB" exec ctl "$VNM" run "$LAB" long --yes >/dev/null 2>&1 &
driver=$!
wait_for 10 has_agent || bad 'an agent runs'
"$NETLAB" freeze esx1 agent
kill -9 $driver
wait $driver 2>/dev/null
adopted() { on esx1 sh -c 'for p in $(pgrep vnm-agent); do read -r a b c ppid rest </proc/$p/stat; [ $ppid = 1 ] && exit 0; done; exit 1'; }
wait_for 10 adopted || bad 'the session ends, the frozen agent stays'
run 'a frozen agent of a killed run' 0 cleanup --yes "$LAB"
has 'is left behind' "$WORK/out" 'esx1: agent [0-9]+ of .*: left behind: its SSH session has ended'
has 'and ended' "$WORK/out" '^1 leftover removed'
nothing_left 'agents'

echo '# two accounts'
on esx1 sh -c "mkdir /tmp/$A /var/tmp/$B; chown labuser /tmp/$A"
old esx1 /tmp/$A /var/tmp/$B
run 'root' 0 cleanup --yes "$LAB"
has 'leaves what is another account'\''s' "$WORK/out" "/tmp/$A, .*: of another account, left alone"
is 'and removes its own' "/tmp/$A" "$(on esx1 sh -c "ls -d /tmp/$A /var/tmp/$B 2>/dev/null")"
on esx1 sh -c "mkdir /var/tmp/$B; touch -d '10 minutes ago' /var/tmp/$B"
run 'that account' 0 cleanup --yes "$WORK/labuser.yaml"
is 'the other way round' "/var/tmp/$B" "$(on esx1 sh -c "ls -d /tmp/$A /var/tmp/$B 2>/dev/null")"

echo '# what goes wrong'
"$NETLAB" readonly esx1 /var/tmp
run 'a folder that cannot be removed' 2 cleanup --yes "$LAB"
has 'is told with the reason' "$WORK/out" "/var/tmp/$B, .*: not removed: .*Read-only file system"
"$NETLAB" writable esx1 /var/tmp
"$NETLAB" kill-sshd pc1 all
run 'a host that is away' 2 cleanup --yes "$LAB"
has 'is told' "$WORK/out" '^pc1: .*refused'
run 'as JSON' 2 cleanup --json "$LAB"
is 'what is left there is not known' 'pc1|null|null|array' "$(json 'hosts[2].host')|$(type_of 'hosts[2].leftovers')|$(type_of 'hosts[2].more')|$(type_of 'hosts[0].leftovers')"
is 'and the others are clean' '' "$(on esx1 sh -c "ls -d /var/tmp/$B 2>/dev/null")"
"$NETLAB" kill-sshd esx1 all
"$NETLAB" kill-sshd vm11 all
run 'no host at all' 4 cleanup "$LAB"
run 'a file that is not there' 1 cleanup "$WORK/nothing.yaml"
for host in "${HOSTS[@]}"; do "$NETLAB" start-sshd "$host"; done
nothing_left 'cleanup'
finish
