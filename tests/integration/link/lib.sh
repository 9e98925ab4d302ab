# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# lib.sh - what the link tests are written with: a lab of their own, the probe in it,
# verdicts. Sourced with PROBE and AGENT as arguments of the test.

set -u
export LC_ALL=C NETLAB_QUIET=1
HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
export LSAN_OPTIONS=suppressions=$HERE/../lsan.supp:print_suppressions=0
NETLAB=$HERE/../../lab/netlab
PROBE=$1 AGENT=$2
FAILED=0

if ! reason=$("$NETLAB" check 2>&1); then
	echo "skipped: $reason"
	exit 77
fi
WORK=$(mktemp -d /tmp/link-test-XXXXXX) || exit 1
OUT=$WORK/out
export NETLAB_STATE=$WORK/lab NETLAB_PREFIX=lk$(($$ % 1000000))
CLIENT=$NETLAB_STATE/client
trap 'lab down; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

lab() {
	"$NETLAB" "$@"
}

lab_up() { # SPEC
	lab up "$HERE/../../lab/$1" || exit 1
	awk '/^  (esx|vm|pc)[0-9]*:/ { sub(":", "", $1); name = $1 }
		$1 == "mgmt:" { print name, $2, 22 }' "$CLIENT/lab.yaml" >"$WORK/all"
	mapfile -t HOSTS < <(cut -d' ' -f1 "$WORK/all")
}

address() { # HOST
	awk -v n="$1" '$1 == n { print $2 }' "$WORK/all"
}

# only HOST...: prints the name of a list with these alone.
only() {
	local list=$WORK/only-$1
	for n in "$@"; do grep "^$n " "$WORK/all"; done >"$list"
	echo "$list"
}

# probe LIST OPTION...: into OUT; with the lab's key and known_hosts unless others are given.
probe() {
	local list=$1
	shift
	timeout 60 "$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" "$@" \
		"$AGENT" "$list" >"$OUT" 2>&1
}

# bare LIST OPTION...: without them.
bare() {
	local list=$1
	shift
	timeout 60 "$NETLAB" exec ctl "$PROBE" "$@" "$AGENT" "$list" >"$OUT" 2>&1
}

fail() {
	FAILED=$((FAILED + 1))
	echo "FAIL  $1"
	sed 's/^/      /' "$OUT" | grep -v ' fact ' | tail -n 30
}

# says SENTENCE TEXT: OUT holds TEXT. mute SENTENCE TEXT: it does not.
says() {
	grep -qF -e "$2" "$OUT" || fail "$1: '$2'"
}

mute() {
	! grep -qF -e "$2" "$OUT" || fail "$1: '$2'"
}

at_ms() { # WORD... : when the first line with these words came, ms after the start
	awk -v words="$*" 'index($0, words) { print $1; exit }' "$OUT"
}

clean_host() { # HOST
	[ -z "$(lab agents "$1")$(lab leftovers "$1")" ]
}

# clean SENTENCE HOST...: within five seconds there is no agent, file or listener on them.
clean() {
	local sentence=$1 n end
	shift
	for n in "$@"; do
		end=$((SECONDS + 5))
		until clean_host "$n"; do
			if [ $SECONDS -ge $end ]; then
				lab agents "$n" >"$OUT" 2>&1
				lab leftovers "$n" >>"$OUT" 2>&1
				fail "$sentence: left on $n"
				break
			fi
			sleep 0.2
		done
	done
}

finish() {
	[ $FAILED = 0 ] || echo "$FAILED failed"
	exit $((FAILED > 0))
}
