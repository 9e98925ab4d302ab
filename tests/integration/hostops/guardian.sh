#!/bin/bash
# The guardian's text in every shell that a host may have as /bin/sh; settings are files.
# usage: guardian.sh GUARDIAN.SH [SHELLS]
set -u
export LC_ALL=C
# shellcheck disable=SC2016 # it is for another shell
EVAL='eval "$(cat)"' # as a session's shell gets a text
TEXT=$(cat "${1:?usage: $0 GUARDIAN.SH}") || exit 2
T=$(mktemp -d /tmp/vnm-guardian.XXXXXX)
passed=0 failed=0

cleanup() {
	local pid
	for pid in "$T"/*/d/pid; do [ -f "$pid" ] && kill -9 "$(cat "$pid")" 2>/dev/null; done
	rm -rf "$T"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

is() { # WHAT WANTED GOT
	# shellcheck disable=SC2053 # a pattern
	if [[ $3 == $2 ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$name: $1: wanted '$2', got '$3'"
	fi
}

# as_host VERB ARGUMENTS: one command of a session, as the host's shell gets it. Answers in $said.
as_host() {
	said=$(printf 'm=MARK; D=%s\n%s\n%s\n' "$W/d" "$TEXT" "$*" |
		timeout 30 "${sh[@]}" -c "$EVAL" 2>"$W/err" | sed -n 's/^MARK guard //p')
	is 'no complaint of the shell' '' "$(cat "$W/err")"
}

keep() { # N NAME BEFORE WANTED: the undo of the setting that is the file NAME
	said=$({
		printf 'm=MARK; D=%s\n%s\nguard_keep TOKEN %s <<"END"\n' "$W/d" "$TEXT" "$1"
		printf '%s\ncat %s\n%s\n%s\necho %s >%s\nEND\n' "$2" "$W/$2" "$3" "$4" "$3" "$W/$2"
	} | timeout 30 "${sh[@]}" -c "$EVAL" 2>&1 | sed -n 's/^MARK guard //p')
	is "keeps $2" "kept $1" "$said"
}

value() { cat "$W/$1"; }

# wait_for NAME VALUE SECONDS: until a setting has it
wait_for() {
	local until=$((SECONDS + $3))
	while [ "$(value "$1")" != "$2" ] && [ $SECONDS -le $until ]; do sleep 0.1; done
	is "$1 comes to be" "$2" "$(value "$1")"
}

gone() { # PID: ended, or a zombie
	[ ! -d "/proc/$1" ] || [ "$(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null)" = Z ]
}

fresh() {
	rm -rf "$W/d"
	echo 1500 >"$W/mtu"
	echo on >"$W/tso"
}

restores_when_asked() {
	fresh
	as_host guard_arm TOKEN 30 15 0 0 'vnm on here'
	is 'arms' "armed $W/d *" "$said"
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	keep 2 tso on off
	echo off >"$W/tso"
	as_host guard_state
	is 'watches' $'watching vnm on here\nholds 1 mtu\nholds 2 tso' "$said"
	as_host guard_end TOKEN
	is 'does not end while something is changed' 'left something' "$said"
	as_host guard_arm OTHER 30 15 0 0 'vnm on there'
	is 'lets no second one in' 'busy vnm on here' "$said"
	as_host guard_restore OTHER
	is 'obeys its token alone' stranger "$said"
	as_host guard_restore TOKEN
	is 'restores the last first' \
		$'restored 2 tso off to on\nrestored 1 mtu 9000 to 1500\nclean' "$said"
	is mtu 1500 "$(value mtu)"
	is tso on "$(value tso)"
	local pid
	pid=$(cat "$W/d/pid")
	as_host guard_end TOKEN
	is 'ends' ended "$said"
	is 'leaves no folder' no "$([ -e "$W/d" ] && echo yes || echo no)"
	for _ in {1..30}; do gone "$pid" && break; sleep 0.1; done
	is 'leaves no process' gone "$(gone "$pid" && echo gone)"
	as_host guard_state
	is 'none is there' none "$said"
}

foreign_values_stay() {
	fresh
	as_host guard_arm TOKEN 30 15 0 0 me
	keep 1 mtu 1500 9000
	keep 2 tso on off
	echo 4000 >"$W/mtu"
	as_host guard_restore TOKEN
	is 'tells both' $'same 2 tso is on\nforeign 1 mtu is 4000*\nclean' "$said"
	is 'a foreign value stays' 4000 "$(value mtu)"
	keep 1 mtu 1500 '9000 4000'
	as_host guard_restore TOKEN
	is 'any of those asked for is ours' $'restored 1 mtu 4000 to 1500\nclean' "$said"
	keep 1 mtu 1500 9000
	rm "$W/mtu"
	as_host guard_restore TOKEN
	is 'what cannot be read is left' $'failed 1 mtu cannot be read\nleft 1' "$said"
	echo 1500 >"$W/mtu"
	as_host guard_restore TOKEN
	is 'until it can' $'same 1 mtu is 1500\nclean' "$said"
	as_host guard_end TOKEN
}

fires_without_a_sign_of_life() {
	fresh
	as_host guard_arm TOKEN 3 2 0 0 me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	for i in 1 2 3 4 5; do
		sleep 1
		echo "0 $i" >"$W/d/lease"
	done
	is 'a heartbeat holds it off' 9000 "$(value mtu)"
	for i in 1 2 3 4 5; do
		sleep 1
		as_host guard_beat TOKEN "$i"
		is 'takes the beat of a session without an agent' alive "$said"
	done
	is 'which holds it off, too' 9000 "$(value mtu)"
	as_host guard_beat OTHER 9
	is 'but not of just any session' stranger "$said"
	wait_for mtu 1500 8
	sleep 1
	as_host guard_state
	is 'tells why' 'fired no sign of life for 3 s' "$said"
	as_host guard_beat TOKEN 10
	is 'which a late beat is told, too' 'fired no sign of life for 3 s' "$said"
	keep_after_fire
	as_host guard_arm NEW 30 15 0 0 you
	is 'does not stand in the way of the next' "armed *" "$said"
	as_host guard_end NEW
}

keep_after_fire() {
	said=$(printf 'm=MARK; D=%s\n%s\nguard_keep TOKEN 1 </dev/null\n' "$W/d" "$TEXT" |
		"${sh[@]}" -c "$EVAL" | sed -n 's/^MARK guard //p')
	is 'takes no more after it' 'fired no sign of life for 3 s' "$said"
}

fires_when_the_agent_is_gone() {
	local agent
	fresh
	sleep 60 &
	agent=$!
	as_host guard_arm TOKEN 30 2 "$(id -u)" $agent me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	sleep 3
	is 'an agent that lives holds it off' 9000 "$(value mtu)"
	kill -9 $agent
	wait $agent 2>/dev/null
	sleep 1.2
	as_host guard_renew TOKEN "$(id -u)" $$
	is 'another session may take over' $'watching me\nholds 1 mtu' "$said"
	is 'so nothing is put back' 9000 "$(value mtu)"
	echo grace >"$W/d/lease"
	wait_for mtu 1500 8
	sleep 1
	as_host guard_state
	is 'tells why' 'fired the connection is gone for 2 s' "$said"
}

restores_when_told_to_end() {
	fresh
	as_host guard_arm TOKEN 30 15 0 0 me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	kill "$(cat "$W/d/pid")"
	wait_for mtu 1500 4
}

ends_when_the_folder_is_anothers() {
	local pid
	fresh
	as_host guard_arm TOKEN 30 15 0 0 me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	pid=$(cat "$W/d/pid")
	echo OTHER >"$W/d/token"
	for _ in {1..40}; do gone "$pid" && break; sleep 0.1; done
	is 'ends' gone "$(gone "$pid" && echo gone)"
	is 'and touches nothing' '9000 yes' "$(value mtu) $([ -f "$W/d/undo.1" ] && echo yes)"
}

leftovers_are_undone_first() {
	fresh
	as_host guard_arm TOKEN 30 15 0 0 me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	kill -9 "$(cat "$W/d/pid")"
	as_host guard_state
	is 'tells that nobody watches' $'dead me\nholds 1 mtu' "$said"
	as_host guard_arm NEW 30 15 0 0 you
	is 'puts back what was left, then arms' \
		$'restored 1 mtu 9000 to 1500\narmed *' "$said"
	is 'so it is as before' 1500 "$(value mtu)"
	as_host guard_end NEW
}

asks_again_where_the_host_refuses() {
	fresh
	as_host guard_arm TOKEN 2 2 0 0 me
	keep 1 mtu 1500 9000
	echo 9000 >"$W/mtu"
	sed -i "5s|.*|test -e $W/allowed \&\& echo 1500 >$W/mtu|" "$W/d/undo.1"
	for _ in {1..80}; do [ -f "$W/d/fired" ] && break; sleep 0.1; done
	as_host guard_restore TOKEN
	is 'tells what is refused' $'failed 1 mtu is 9000, should be 1500: *\nleft 1' "$said"
	: >"$W/allowed"
	wait_for mtu 1500 12
	rm -f "$W/allowed"
}

refuses_where_it_cannot_work() {
	fresh
	echo a file >"$W/d"
	as_host guard_arm TOKEN 30 15 0 0 me
	is 'no folder' 'refused *' "$said"
	rm -f "$W/d"
	ln -s /tmp "$W/d"
	as_host guard_arm TOKEN 30 15 0 0 me
	is "somebody's link" 'refused * is not ours' "$said"
	rm -f "$W/d"
	as_host guard_arm TOKEN 30 15 0 0 me
	said=$(printf 'm=MARK; D=%s\n%s\nguard_keep TOKEN 1 <<E\none line\nE\n' "$W/d" "$TEXT" |
		"${sh[@]}" -c "$EVAL" | sed -n 's/^MARK guard //p')
	is 'half an entry is none' 'refused no room in *' "$said"
	as_host guard_end TOKEN
	is 'and nothing is held' ended "$said"
}

in_shell() {
	name=$1
	shift
	sh=("$@")
	W=$T/$name
	mkdir "$W"
	restores_when_asked
	foreign_values_stay
	fires_without_a_sign_of_life
	fires_when_the_agent_is_gone
	restores_when_told_to_end
	ends_when_the_folder_is_anothers
	leftovers_are_undone_first
	asks_again_where_the_host_refuses
	refuses_where_it_cannot_work
	echo "$name: $passed ok, $failed not" >"$W/sum"
	[ "$failed" = 0 ] && [ "$passed" -gt 40 ]
}

read -r -a shells <<<"${2:-dash busybox bash mksh ksh zsh}"
jobs=()
for s in "${shells[@]}"; do
	command -v "$s" >/dev/null || continue
	case $s in
	busybox) in_shell "$s" busybox sh & ;;
	bash) in_shell "$s" bash --posix & ;;
	zsh) in_shell "$s" zsh --emulate sh & ;;
	*) in_shell "$s" "$s" & ;;
	esac
	jobs+=($!)
done
bad=0
for j in "${jobs[@]}"; do wait "$j" || bad=$((bad + 1)); done
cat "$T"/*/sum
echo "${#jobs[@]} shells, $bad with faults"
[ ${#jobs[@]} -gt 0 ] && [ $bad = 0 ]
