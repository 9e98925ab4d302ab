# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016,SC2034
# test.sh - what netlab-test is written with: verdicts, ways into the lab, traces.
# Sentences say what should be; what a failed call printed is shown with it.

passed=0 failed=0

# is SENTENCE CMD...: CMD is true; isnt: it is not.
is() {
	verdict 0 "$@"
}

isnt() {
	verdict 1 "$@"
}

verdict() {
	local want=$1 sentence=$2 got=0
	shift 2
	"$@" >"$OUT" 2>&1 || got=1
	if [ $got = "$want" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL  $sentence: $(tail -c 400 "$OUT")"
	fi
}

# prints WORD CMD...: CMD is true and says WORD.
prints() {
	local word=$1 said
	shift
	said=$("$@" 2>&1) || return 1
	echo "$said"
	grep -qF -e "$word" <<<"$said"
}

# fails_with WORD CMD...: CMD is false and says WORD.
fails_with() {
	local word=$1 said
	shift
	said=$("$@" 2>&1) && return 1
	echo "$said"
	grep -qF -e "$word" <<<"$said"
}

silent() {
	local said
	said=$("$@" 2>&1) || return 1
	echo "$said"
	[ -z "$said" ]
}

lab() {
	./netlab "$@"
}

on() { # NAME SCRIPT: on that host, not through SSH
	lab exec "$1" sh -c "$2"
}

S() { # HOST CMD: through SSH, as a client of the lab does it
	timeout "${T:-5}" ./netlab exec ctl \
		ssh -F "$LAB/client/ssh_config" -o ConnectTimeout="${CT:-1}" "$@"
}

# reaches FROM ADDRESS: an SSH server greets there.
reaches() {
	timeout 2 ./netlab exec "$1" bash -c \
		'exec 3<>"/dev/tcp/$0/22" && read -r -t 1 line <&3 && [[ $line = SSH-* ]]' "$2"
}

ip_of() { # NAME NIC
	awk -v nic="$2" '$1 == nic { print $3 }' "$LAB/hosts/$1/nics"
}

# soon CMD...: true within five seconds (a lost neighbour is asked for once a second).
soon() {
	local end=$((SECONDS + 5))
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# bulk FROM ADDRESS BYTES: so many bytes come over the test network, by SSH.
bulk() {
	local got
	got=$(timeout "${T:-5}" ./netlab exec "$1" ssh -o StrictHostKeyChecking=no \
		-o LogLevel=ERROR -o ConnectTimeout=1 "$2" head -c "$3" /dev/zero | wc -c)
	[ "$got" = "$3" ]
}

took_ms() { # CMD...: prints how long it took
	local start=${EPOCHREALTIME/./}
	"$@" >/dev/null 2>&1
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}

between() { # LOW VALUE HIGH
	echo "$2"
	[ "$2" -ge "$1" ] && [ "$2" -le "$3" ]
}

# ---- traces -------------------------------------------------------------------

pid_namespaces() { # of all hosts of both labs
	local f pid
	for f in "$LAB"/hosts/*/init "${LAB}b"/hosts/*/init; do
		[ ! -e "$f" ] || { read -r pid _ <"$f" && readlink "/proc/$pid/ns/pid"; }
	done
}

# no_trace [PID-NAMESPACE...]: nothing of our labs is left on the machine.
no_trace() {
	local p ns
	! ip netns list | grep "^$NETLAB_PREFIX" || return 1
	! grep "$NETLAB_PREFIX" /proc/mounts || return 1
	! ls -d "$LAB"* 2>/dev/null || return 1
	# without any named namespace the mount of /run/netns is as it was before
	[ -n "$(ip netns list)" ] || [ "$(netns_mounts)" = "$NETNS_BEFORE" ] || return 1
	[ "$(link_names)" = "$LINKS_BEFORE" ] || return 1
	for p in /proc/[0-9]*; do
		echo "process ${p#/proc/}"
		! grep -qz "^NETLAB_DIR=$LAB" "$p/environ" 2>/dev/null || return 1
		for ns in "$@"; do
			[ "$(readlink "$p/ns/pid" 2>/dev/null)" != "$ns" ] || return 1
		done
	done
}

netns_mounts() {
	grep -c ' /run/netns ' /proc/mounts
}

link_names() { # of the machine itself
	ip -o link | cut -d: -f2
}

NETNS_BEFORE=$(netns_mounts)
LINKS_BEFORE=$(link_names)
