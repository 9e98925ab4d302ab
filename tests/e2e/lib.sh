# shellcheck shell=bash
# lib.sh - what the end-to-end tests share: a lab of their own, vnm in it, and checks that count.
# usage in a test: . lib.sh BUILD_DIR; lab_up SPEC; ...; finish
#
# Every test has its own lab and its own folder, so they may run beside each other and beside a
# developer's lab. Exit 77 = skipped, with the reason.
set -u
export LC_ALL=C

BUILD=$(readlink -f "${1:?usage: $0 BUILD_DIR}")
SOURCE=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
VNM=$BUILD/orchestrator/cli/vnm
NETLAB=$SOURCE/tests/lab/netlab
export NETLAB_PREFIX=ve$((BASHPID % 1000000)) NETLAB_QUIET=1
export NETLAB_STATE=/run/vnm-e2e-$BASHPID
WORK=$(mktemp -d /tmp/vnm-e2e.XXXXXX)
LAB=$WORK/lab.yaml
DB=$WORK/results.db
passed=0
failed=0

if [ "$(id -u)" != 0 ]; then
	echo "skipped: needs root to make network namespaces"
	exit 77
fi
if ! "$NETLAB" check; then
	echo "skipped: this machine cannot hold the lab"
	exit 77
fi

cleanup() {
	local job
	for job in $(jobs -p); do kill -9 "$job" 2>/dev/null; done
	"$NETLAB" down >/dev/null 2>&1
	mountpoint -q "$WORK/disk" && umount "$WORK/disk"
	rm -rf "$WORK"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# The lab, and its topology with more profiles behind it (standard input).
lab_up() {
	"$NETLAB" up "$SOURCE/tests/lab/$1" || exit 1
	sed "s#^store: .*#store: $DB#" "$NETLAB_STATE/client/lab.yaml" >"$LAB"
	cat >>"$LAB"
}

# vnm where the lab's hosts can be reached
V() { "$NETLAB" exec ctl "$VNM" "$@"; }

# one value out of the database
q() { sqlite3 -cmd '.timeout 5000' "${QDB:-$DB}" "$1"; }

ok() {
	passed=$((passed + 1))
	echo "ok    $*"
}
bad() {
	failed=$((failed + 1))
	echo "FAIL  $*"
	[ ! -s "$WORK/out" ] || sed 's/^/      | /' "$WORK/out" | tail -n 15
	[ ! -s "$WORK/err" ] || sed 's/^/      ! /' "$WORK/err" | tail -n 15
}

# is WHAT WANTED GOT
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1: wanted '$2', got '$3'"; fi; }
# holds WHAT CMD...: the command succeeds
holds() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else bad "$what: $*"; fi
}
# has WHAT FILE REGEX: the file has a line like that
has() { if grep -qE -- "$3" "$2"; then ok "$1"; else bad "$1: no line like '$3'"; fi; }
hasnt() { if grep -qE -- "$3" "$2"; then bad "$1: there is a line like '$3'"; else ok "$1"; fi; }

# run WHAT EXIT_CODE ARGS...: vnm's output is in $WORK/out and $WORK/err
run() {
	local what=$1 code=$2 rc=0
	shift 2
	V "$@" >"$WORK/out" 2>"$WORK/err" || rc=$?
	is "$what: exit $code" "$code" "$rc"
}

# Nothing of an agent stays on any host. Agents may take a moment to notice.
nothing_left() {
	local what=$1 host left
	for _ in $(seq 1 50); do
		left=
		for host in "${HOSTS[@]}"; do left+=$("$NETLAB" agents "$host" 2>/dev/null)$("$NETLAB" leftovers "$host" 2>/dev/null); done
		[ -n "$left" ] || break
		sleep 0.1
	done
	is "$what: no agent, file or listener stays on a host" '' "$left"
}

# wait_for SECONDS CMD...: until the command succeeds
wait_for() {
	local limit=$(($1 * 20))
	shift
	for _ in $(seq 1 $limit); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
