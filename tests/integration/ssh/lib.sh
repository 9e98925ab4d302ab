# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# lib.sh - what the SSH tests are written with: a lab of their own, vnm in it, verdicts.
# Sourced with the build folder as the argument of the test.

set -u
export LC_ALL=C NETLAB_QUIET=1
HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
export LSAN_OPTIONS=suppressions=$HERE/../lsan.supp:print_suppressions=0
NETLAB=$HERE/../../lab/netlab
BUILD=$(readlink -f "$1")
VNM=$BUILD/orchestrator/cli/vnm
MODULES=$BUILD/tests/support
FAILED=0

if ! reason=$("$NETLAB" check 2>&1); then
	echo "skipped: $reason"
	exit 77
fi
WORK=$(mktemp -d /tmp/ssh-test-XXXXXX) || exit 1
OUT=$WORK/out
export NETLAB_STATE=$WORK/lab NETLAB_PREFIX=sh$(($$ % 1000000))
CLIENT=$NETLAB_STATE/client
unset SSH_AUTH_SOCK SSH_AGENT_PID
AGENT_PID=

finish_test() {
	[ -z "$AGENT_PID" ] || kill "$AGENT_PID"
	lab down
	rm -rf "$WORK"
}
trap finish_test EXIT
trap 'exit 1' INT TERM HUP

lab() {
	"$NETLAB" "$@"
}

address() { # HOST: its management address
	awk '$2 ~ /^lan/ { print $3 }' "$NETLAB_STATE/hosts/$1/nics"
}

# start_agent [OPTION...]: an ssh-agent of this test's own.
start_agent() {
	eval "$(ssh-agent -a "$WORK/agent" "$@")" >/dev/null
	AGENT_PID=$SSH_AGENT_PID
	export SSH_AUTH_SOCK
}

fail() {
	FAILED=$((FAILED + 1))
	echo "FAIL  $1"
	[ -z "${2:-}" ] || echo "      ${2//$'\n'/$'\n      '}"
}

# says SENTENCE TEXT [FILE]: the output holds TEXT. mute: it does not.
says() {
	grep -qF -e "$2" "${3:-$OUT}" || fail "$1: '$2'" "$(tail -n 15 "${3:-$OUT}")"
}

mute() {
	! grep -qF -e "$2" "${3:-$OUT}" || fail "$1: '$2'" "$(grep -F -e "$2" "${3:-$OUT}" | head -n 5)"
}

is_clean() { # HOST: no agent, file or listener is left; what is, in $WORK/left-HOST
	local end=$((SECONDS + 5))
	until lab agents "$1" >"$WORK/left-$1" 2>&1 && lab leftovers "$1" >>"$WORK/left-$1" 2>&1 &&
		[ ! -s "$WORK/left-$1" ]; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
	rm -f "$WORK/left-$1"
}

# clean HOST...: side by side.
clean() {
	local n
	local -a looking=()
	for n in "$@"; do
		if [ ${#looking[@]} = 8 ]; then
			wait "${looking[0]}"
			looking=("${looking[@]:1}")
		fi
		is_clean "$n" &
		looking+=($!)
	done
	wait "${looking[@]}"
	for n in "$@"; do
		[ ! -e "$WORK/left-$n" ] || fail "nothing is left on $n" "$(cat "$WORK/left-$n")"
	done
}

finish() {
	[ $FAILED = 0 ] || echo "$FAILED failed"
	exit $((FAILED > 0))
}
