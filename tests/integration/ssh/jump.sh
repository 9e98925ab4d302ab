#!/bin/bash
# SPDX-License-Identifier: MIT
# jump.sh BUILD - hosts behind one jump host and behind two: how they are reached, what the
# user is told when they are not, who is lost with a jump host, and that nothing stays there.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
PROBE=$BUILD/tests/integration/link/link_probe
PIPE=$BUILD/tests/integration/ssh/jump_pipe
AGENT=$BUILD/agent/vnm-agent
TYPIST=$BUILD/tests/support/typist
CONFIG=$CLIENT/ssh_config
lab up "$HERE/../../lab/jump.spec" || exit 1
gate1=$(address gate1) gate2=$(address gate2) in1=$(address in1) in2=$(address in2)
deep1=$(address deep1)

# hosts NAME...: a list of them for the probe, by their names in ssh's configuration.
hosts() {
	for n in "$@"; do echo "$n $n 0"; done >"$WORK/hosts"
	echo "$WORK/hosts"
}

run_probe() {
	local code
	timeout 60 "$NETLAB" exec ctl "$PROBE" "$@" >"$OUT" 2>&1
	code=$?
	mute "no sanitizer speaks" "Sanitizer"
	return "$code"
}

# probe LIST OPTION...: with the lab's configuration of ssh unless another is given.
probe() {
	local list=$1
	shift
	run_probe -c "$CONFIG" "$@" "$AGENT" "$list"
}

# plain LIST OPTION...: with no configuration of ssh.
plain() {
	local list=$1
	shift
	run_probe -c none -u root -k "$CLIENT/known_hosts" "$@" "$AGENT" "$list"
}

# sessions HOST: how many SSH sessions it serves. outward HOST ADDRESS: its connections there.
sessions() {
	lab exec "$1" ss -Htn state established '( sport = :22 )' | wc -l
}
outward() {
	lab exec "$1" ss -Htn state established "( dport = :22 and dst $2 )" | wc -l
}

is() { # SENTENCE VALUE EXPECTED
	[ "$2" = "$3" ] || fail "$1: $2, not $3" "$(tail -n 15 "$OUT")"
}

# within MS COMMAND...: it becomes true in time.
within() {
	local end=$(($(date +%s%3N) + $1))
	shift
	until "$@"; do
		[ "$(date +%s%3N)" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# begin LIST OPTION...: a probe that stays until finish_probe; returns when all are up.
begin() {
	: >"$OUT"
	"$NETLAB" exec ctl "$PROBE" -c "$CONFIG" -w 60000 -r 3 "${@:2}" "$AGENT" "$1" >"$OUT" 2>&1 &
	PROBE_PID=$!
	within 15000 grep -q settled "$OUT" || fail "they come up" "$(tail -n 15 "$OUT")"
	START=$(sed -n 's/.* start //p' "$OUT")
}
finish_probe() { # SENTENCE
	local freed
	kill -TERM "$PROBE_PID"
	wait "$PROBE_PID"
	mute "no sanitizer speaks" "Sanitizer"
	freed=$(sed -n 's/.*freed in \([0-9]*\) ms/\1/p' "$OUT")
	[ "${freed:-9999}" -lt 3300 ] || fail "$1: freed in ${freed:-?} ms" "$(tail -n 15 "$OUT")"
}
count() { # WORDS: lines of the output with them
	grep -cF -e "$1" "$OUT"
}
came() { # NUMBER WORDS: so many lines have them
	[ "$(count "$2")" -ge "$1" ]
}
down_within() { # MS SINCE HOST...: each was lost so soon after SINCE
	local limit=$1 since=$2 n ms
	shift 2
	for n in "$@"; do
		within 5000 came 1 " down $n " || fail "$n is lost" "$(tail -n 15 "$OUT")"
		ms=$(awk -v words="down $n " 'index($0, words) { print $1; exit }' "$OUT")
		ms=$((${ms:-99999} - since))
		[ "$ms" -lt "$limit" ] || fail "$n is lost within $limit ms: $ms"
	done
}
elapsed() {
	echo $(($(date +%s%3N) - START))
}
nothing_stays() {
	clean gate1 in1 in2 gate2 deep1 deep2
	for n in gate1 gate2; do
		within 5000 eval "[ \$(sessions $n) = 0 ]" || fail "no session stays on $n"
	done
}

reached() {
	probe "$(hosts gate1 in1 in2 gate2 deep1 deep2)" || fail "all are up" "$(tail -n 15 "$OUT")"
	says "an address says the way" " info in1 at $in1:22 through gate1 "
	says "and the whole chain" " info deep1 at $deep1:22 through gate1, gate2 "
	says "and none where there is none" " info gate1 at $gate1:22 key"
	cat >"$WORK/words" <<-W
		in1 $in1 22 root@$gate1
		deep1 $deep1 22 $gate1,root@$gate2:22
		deep2 $(address deep2) 22 ssh://root@$gate1:22,$gate2
	W
	plain "$WORK/words" -i "$CLIENT/id_lab" || fail "by the topology's words" "$(cat "$OUT")"
	nothing_stays
}

# Only the jump host knows the name; the whole way is refused, unreachable, closed.
not_reached() {
	lab exec gate1 sh -c "echo '$in2 inside' >>/etc/hosts"
	cat >"$WORK/bad" <<-W
		shut $in1 2222 root@$gate1
		shut2 $in2 2222 root@$gate1
		gone 10.77.10.99 22 root@$gate1
		name nosuch.invalid 22 root@$gate1
		deep $deep1 2222 root@$gate1,root@$gate2
		nojump $in1 22 root@$gate1:2222
	W
	plain "$WORK/bad" -i "$CLIENT/id_lab" -t 5000
	says "refused behind it" "shut: root@$gate1 cannot reach $in1:2222: connection refused: is sshd running there?"
	says "each has its own reason" "shut2: root@$gate1 cannot reach $in2:2222: connection refused"
	says "unreachable behind it" "gone: root@$gate1 cannot reach 10.77.10.99:22: no route to host"
	says "a name that nobody knows" "name: root@$gate1 cannot reach nosuch.invalid:22: "
	says "refused behind two" "deep: root@$gate2 cannot reach $deep1:2222: connection refused"
	says "the jump host refuses" "nojump: through root@$gate1:2222: connect to $gate1 port 2222: Connection refused"
	{ cat "$CLIENT/known_hosts"; sed -n "s/^in2,$in2/inside/p" "$CLIENT/known_hosts"; } >"$WORK/known"
	echo "in2 inside 22 root@$gate1" >"$WORK/inside"
	plain "$WORK/inside" -i "$CLIENT/id_lab" -k "$WORK/known" ||
		fail "a name that the jump host alone knows" "$(cat "$OUT")"

	lab forwarding gate1 off
	probe "$(hosts gate1 in1 deep1)"
	says "forwarding is off" "in1: gate1 does not forward connections to $in1:22 (open failed): allow it in its sshd_config: AllowTcpForwarding"
	says "and in a chain" "deep1: through gate2: gate1 does not forward connections to $gate2:22"
	says "the jump host itself is up" "settled 1 of 3 up"
	lab forwarding gate1 on

	grep -v "^gate1" "$CLIENT/known_hosts" >"$WORK/known"
	sed "s|$CLIENT/known_hosts|$WORK/known|" "$CONFIG" >"$WORK/config"
	probe "$(hosts in1 deep1)" -c "$WORK/config"
	says "an unknown key of the jump host" "in1: through gate1: host key is not known: "
	says "ends a chain" "deep1: through gate2: through gate1: host key is not known: "
	lab new-hostkey gate1
	probe "$(hosts in1)"
	says "a changed key of the jump host" "in1: through gate1: HOST KEY CHANGED: "
	lab old-hostkey gate1

	ssh-keygen -q -t ed25519 -N '' -f "$WORK/wrong"
	lab attempts gate1 forget
	for n in in1 in2 gate2; do echo "$n $(address "$n") 22 root@$gate1"; done >"$WORK/refused"
	echo "deep1 $deep1 22 root@$gate1,root@$gate2" >>"$WORK/refused"
	plain "$WORK/refused" -i "$WORK/wrong"
	says "a refused login at the jump host" "in1: through root@$gate1: permission denied for root"
	says "in a chain" "deep1: through root@$gate2: through root@$gate1: permission denied"
	is "is one attempt, whoever waits" "$(lab attempts gate1 | wc -l)" 1

	printf 'Host in1 a\n\tHostName %s\n\tProxyJump b\nHost b\n\tHostName %s\n\tProxyJump a\n' \
		"$in1" "$gate1" >"$WORK/loop"
	probe "$(hosts in1)" -c "$WORK/loop"
	says "a loop" "is reached through itself (ProxyJump "
	nothing_stays
}

lost() {
	local since
	# gate1 is a jump host only: one session there, and one connection to each behind it
	begin "$(hosts in1 in2 gate2 deep1 deep2)"
	is "one session a jump host" "$(sessions gate1) $(sessions gate2)" "1 2"
	lab kill-sshd in1 sessions
	within 5000 came 2 " up in1 " || fail "in1 comes back" "$(tail "$OUT")"
	is "through the same session" "$(sessions gate1)" 1
	within 2000 eval "[ \$(outward gate1 $in1) = 1 ]" || fail "its old channel is gone"
	is "nobody else is lost" "$(count ' down ')" 1

	since=$(elapsed)
	lab freeze gate2 sshd
	down_within 3000 "$since" gate2 deep1 deep2
	for n in deep1 deep2; do
		grep " down $n " "$OUT" | grep -q "gate2" || fail "$n: the jump host is named" "$(tail "$OUT")"
	done
	is "those beside it go on" "$(count ' down in')" 1
	lab thaw gate2
	for n in gate2 deep1 deep2; do
		within 8000 came 2 " up $n " || fail "$n comes back" "$(tail "$OUT")"
	done

	lab kill-sshd gate1 sessions
	within 1000 came 1 " down in2 " || fail "a killed session is noticed" "$(tail "$OUT")"
	says "with the jump host's name" "in2: through gate1: "
	says "and the chain's" "through gate2: through gate1: "
	within 8000 came 2 " up in2 " || fail "in2 comes back" "$(tail "$OUT")"
	within 8000 came 3 " up deep1 " || fail "deep1 comes back" "$(tail "$OUT")"

	lab link gate1 down
	within 3000 eval "[ \$(count ' down in2 ') = 2 ]" || fail "a cut is noticed within 3 s" "$(tail "$OUT")"
	finish_probe "with the jump host cut off"
	lab link gate1 up
	nothing_stays
}

# Much, both ways, to slow readers: whole, and without keeping it all in memory.
carries() {
	local kib
	lab exec in1 sh -c 'cat >/run/pipe && chmod 755 /run/pipe' <"$PIPE"
	lab exec in1 /run/pipe listen 7001 48 0 >"$WORK/listen" 2>&1 &
	within 5000 eval "lab exec in1 ss -Htln | grep -q :7001" || fail "the other end listens"
	ASAN_OPTIONS=quarantine_size_mb=1 timeout 60 "$NETLAB" exec ctl "$PIPE" "$CONFIG" gate1 "$in1" 7001 48 10 >"$OUT" 2>&1 ||
		fail "all comes, both ways" "$(cat "$OUT" "$WORK/listen")"
	wait $! || fail "at the other end too" "$(cat "$WORK/listen")"
	kib=$(awk '/VmHWM/ { print $2 }' "$OUT")
	echo "memory: ${kib:-?} KiB"
	# ThreadSanitizer keeps a shadow of its own
	grep -q __tsan_init "$PIPE" || [ "${kib:-99999}" -lt 40000 ] ||
		fail "96 MB take no more than 40 MB of memory"
	lab exec in1 rm /run/pipe
}

commands() {
	cat >"$WORK/config" <<-C
		Host in1
			HostName $in1
			ProxyCommand ssh -F $CONFIG -W %h:%p gate1
		Host fails
			ProxyCommand sh -c 'echo no way to %h >&2; exit 3'
		Host shut
			ProxyCommand ssh -F $CONFIG -W $in1:2222 gate1
		Host stubborn
			ProxyCommand sh -c 'trap "" TERM HUP; sleep 73219; sleep 73219'
		Match all
			Include $CONFIG
	C
	probe "$(hosts in1 fails shut stubborn)" -c "$WORK/config" -t 2000
	says "through a command" " info in1 at $in1 through ProxyCommand "
	says "its last words" "fails: the ProxyCommand ended with status 3: no way to fails"
	says "those of ssh -W" "shut: the ProxyCommand ended with status 255: "
	says "one that says nothing" "stubborn: SSH greeting and key exchange: stubborn through ProxyCommand did not answer in time"
	! pgrep -f 'sleep 7321[9]' >/dev/null || fail "commands are ended, also stubborn ones"
	begin "$(hosts in1)" -c "$WORK/config"
	lab exec ctl pkill -KILL -f "[s]sh -F $CONFIG -W $in1:22"
	within 2000 came 1 " down in1 " || fail "a command that is killed is noticed" "$(tail "$OUT")"
	says "and told" "in1: the ProxyCommand was ended by signal 9"
	within 5000 came 2 " up in1 " || fail "and started again" "$(tail "$OUT")"
	finish_probe "a command"
	nothing_stays
}

# A person who takes longer than the limit costs nobody the connection, and is asked once.
asked() {
	lab auth gate1 password
	for n in in1 in2; do echo "$n $(address "$n") 22 root@$gate1"; done >"$WORK/asked"
	echo "deep1 $deep1 22 root@$gate1,root@$gate2" >>"$WORK/asked"
	TYPIST_MS=2500 timeout 60 "$NETLAB" exec ctl "$TYPIST" password=lab -- "$PROBE" -c none -u root \
		-k "$CLIENT/known_hosts" -i "$CLIENT/id_lab" -a -t 2000 "$AGENT" "$WORK/asked" >"$OUT" 2>&1 ||
		fail "a password that is typed slowly" "$(tail -n 15 "$OUT")"
	is "one question for all behind it" "$(count 'password of root for')" 1
	lab attempts gate1 forget
	timeout 60 "$NETLAB" exec ctl "$TYPIST" password=bad -- "$PROBE" -c none -u root \
		-k "$CLIENT/known_hosts" -i "$CLIENT/id_lab" -a "$AGENT" "$WORK/asked" >"$OUT" 2>&1
	says "a wrong one" "in2: through root@$gate1: permission denied for root with password"
	is "is one attempt" "$(lab attempts gate1 | wc -l)" 1
	lab auth gate1 key
}

for part in reached not_reached asked lost carries commands; do
	at=$SECONDS
	$part
	echo "$part: $((SECONDS - at)) s"
done
finish
