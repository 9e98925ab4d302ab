#!/bin/bash
# Faults of hosts: the run goes on without them, says why, and resume makes up for them.
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  quick: &quick
    pairs: [[pc1.eth1, esx1.vmk1], [pc1.eth1, vm11.vmx0], [vm11.vmx0, esx1.vmk1]]
    grid: { direction: [forward, reverse] }
    fixed: { mtu: 1500, streams: 1, window: default, duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }

  long:
    <<: *quick
    fixed: { mtu: 1500, streams: 1, window: default, duration: 4s, omit: 100ms }
P

# count STATE...: cells of the newest run in these states
count() {
	local list
	list=$(printf "'%s'," "$@")
	q "select count(*) from cells where run_id=(select max(run_id) from runs) and state in (${list%,})"
}
reason() { q "select reason from v_cells where run_id=(select max(run_id) from runs) and (src like '$1.%' or dst like '$1.%') and state<>'done' limit 1"; }
all_done() { is "$1: resume completes the same run" '6|1' "$(count 'done')|$(q 'select count(*) from runs')"; }
fresh() { rm -f "$DB" "$DB"-* "$DB".*; }

# in_test HOST: the run is in the middle of a test on that host
in_test() { q "select 1 from v_cells where state='running' and (src like '$1.%' or dst like '$1.%')" | grep -q 1; }
start() {
	V "$@" >"$WORK/out" 2>"$WORK/err" &
	pid=$!
}
ends() { # WHAT EXIT_CODE
	local rc=0
	wait "$pid" || rc=$?
	is "$1: exit $2" "$2" "$rc"
}

echo '# unreachable'
"$NETLAB" kill-sshd pc1 all
run 'a host without sshd' 2 run "$LAB" quick --yes
is 'costs only its own cells' '2|4' "$(count 'done')|$(count skipped)"
case $(reason pc1) in pc1\ is\ down\ since*refused*) ok 'with the reason' ;; *) bad "reason: $(reason pc1)" ;; esac
"$NETLAB" start-sshd pc1
run 'resume' 0 resume "$LAB"
all_done 'unreachable'
nothing_left 'unreachable'

echo '# no answer at all'
fresh
"$NETLAB" link pc1 mgmt block
run 'a host that does not answer' 2 run "$LAB" quick --yes
is 'costs only its own cells' '2|4' "$(count 'done')|$(count skipped)"
"$NETLAB" link pc1 mgmt unblock
run 'resume' 0 resume "$LAB"
all_done 'no answer'

echo '# wrong key'
fresh
ssh-keygen -q -t ed25519 -N '' -f "$WORK/other"
sed "s#key: [^,]*#key: $WORK/other#" "$LAB" >"$WORK/wrong.yaml"
run 'no host accepts the key' 4 run "$WORK/wrong.yaml" quick --yes
has 'says so' "$WORK/err" 'esx1: .*[Pp]ermission denied'
is 'every cell is skipped' 6 "$(count skipped)"
run 'check --hosts says it too' 4 check --hosts "$WORK/wrong.yaml"
has 'with the remedy' "$WORK/out" 'authorized_keys'

echo '# host keys'
fresh
"$NETLAB" new-hostkey vm11
run 'a changed host key' 2 run "$LAB" quick --yes
has 'is its own error with both fingerprints' "$WORK/err" 'vm11: .*SHA256:.*SHA256:'
is 'never passes' '2|4' "$(count 'done')|$(count skipped)"
"$NETLAB" old-hostkey vm11
run 'resume' 0 resume "$LAB"
all_done 'host key'
fresh
: >"$WORK/none"
sed "s#known_hosts: [^ }]*#known_hosts: $WORK/none#" "$LAB" >"$WORK/unknown.yaml"
run 'unknown host keys are refused' 4 run "$WORK/unknown.yaml" quick --yes
has 'and shown' "$WORK/err" 'esx1: .*SHA256:'
is 'known_hosts stays as it was' '' "$(cat "$WORK/none")"
sed -i 's#^\( *\)user: root$#&\n\1accept_new: true#' "$WORK/unknown.yaml"
fresh
run 'unless accept_new says otherwise' 0 run "$WORK/unknown.yaml" quick --yes
is 'then they are kept' 3 "$(grep -c . "$WORK/none")"

echo '# folders'
fresh
"$NETLAB" fill-tmp vm11
"$NETLAB" noexec esx1 /tmp
run 'full and noexec /tmp are got round' 0 run "$LAB" quick --yes
is 'all is measured' 6 "$(count 'done')"
"$NETLAB" free-tmp vm11
"$NETLAB" exec-ok esx1
nothing_left 'folders'
fresh
"$NETLAB" fill-all vm11
run 'no room anywhere' 2 run "$LAB" quick --yes
case $(reason vm11) in *No\ space*) ok 'is told' ;; *) bad "reason: $(reason vm11)" ;; esac
"$NETLAB" free-all vm11
run 'resume' 0 resume "$LAB"
all_done 'no room'
nothing_left 'no room'

echo '# the agent dies'
fresh
start run "$LAB" long --yes
wait_for 20 in_test vm11 || bad 'no test on vm11'
"$NETLAB" kill-agent vm11
ends 'agent killed in mid-test: the test is repeated' 0
is 'all is measured' 6 "$(count 'done')"
is 'one attempt failed' 1 "$(q "select count(*) from tests where status<>'ok'")"
nothing_left 'agent killed'

echo '# sshd freezes'
fresh
start run "$LAB" long --yes
wait_for 20 in_test vm11 || bad 'no test on vm11'
t0=$EPOCHREALTIME
"$NETLAB" freeze vm11 all
wait_for 5 grep -q 'vm11: .*sign of life' "$WORK/err" || bad 'freeze not noticed'
took=$(awk "BEGIN { printf \"%d\", 1000 * ($EPOCHREALTIME - $t0) }")
holds "a frozen host is noticed within 3 s ($took ms with the checks)" [ "$took" -le 3600 ]
ends 'the run goes on without it' 2
is 'its cells are skipped, the others measured' 2 "$(count 'done')"
"$NETLAB" thaw vm11
nothing_left 'frozen host'
run 'resume' 0 resume "$LAB"
all_done 'frozen host'

echo '# the management link is cut'
fresh
start run "$LAB" long --yes
wait_for 20 in_test pc1 || bad 'no test on pc1'
"$NETLAB" link pc1 mgmt block
wait_for 6 grep -q 'pc1: .*sign of life' "$WORK/err" || bad 'cut link not noticed'
"$NETLAB" link pc1 mgmt unblock
ends 'a link that comes back in time costs nothing' 0
is 'all is measured' 6 "$(count 'done')"

echo '# data port blocked'
fresh
"$NETLAB" block-port esx1 drop
run 'a firewall drops' 2 run "$LAB" quick --yes
case $(reason esx1) in *firewall*) ok 'is named' ;; *) bad "reason: $(reason esx1)" ;; esac
is 'cells without esx1 are measured' 2 "$(count 'done')"
run 'check --hosts sees it too' 2 check --hosts "$LAB" quick
has 'and names the pair' "$WORK/out" 'pc1.eth1 -> esx1.vmk1: .*firewall'
"$NETLAB" unblock-port esx1
"$NETLAB" block-port esx1 reject
run 'a firewall rejects' 2 check --hosts "$LAB" quick
has 'which is told apart' "$WORK/out" 'pc1.eth1 -> esx1.vmk1: .*refused'
"$NETLAB" unblock-port esx1
run 'resume' 0 resume "$LAB"
all_done 'data port'
nothing_left 'data port'

echo '# two hosts share no fate: the last one standing'
fresh
"$NETLAB" kill-sshd esx1 all
"$NETLAB" kill-sshd vm11 all
run 'no pair is whole' 4 run "$LAB" quick --yes
is 'every cell is skipped' 6 "$(count skipped)"
"$NETLAB" start-sshd esx1
"$NETLAB" start-sshd vm11
run 'resume' 0 resume "$LAB"
all_done 'no pair'
nothing_left 'all faults'
finish
