# shellcheck shell=bash
# lib.sh - what the benchmarks share: a lab of their own, statistics, a look at the machine's load.
set -u
export LC_ALL=C
SOURCE=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
BUILD=$(readlink -f "${1:-$SOURCE/build/release}")
VNM=$BUILD/orchestrator/cli/vnm
NETLAB=$SOURCE/tests/lab/netlab
export NETLAB_PREFIX=vb$((BASHPID % 1000000)) NETLAB_QUIET=1
export NETLAB_STATE=/run/vnm-bench-$BASHPID
WORK=$(mktemp -d /tmp/vnm-bench.XXXXXX)

if [ "$(id -u)" != 0 ]; then
	echo "$0: needs root to make network namespaces" >&2
	exit 1
fi
if [ ! -x "$VNM" ]; then
	echo "$0: there is no $VNM: cmake --preset release && cmake --build --preset release" >&2
	exit 1
fi
cleanup() {
	"$NETLAB" down >/dev/null 2>&1
	rm -rf "$WORK"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# median, min and max of the numbers on standard input
spread() { sort -g | awk '{ v[NR] = $1 } END { if (NR == 0) { print "-"; exit } m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "%.4g (%.4g to %.4g, n=%d)", m, v[1], v[NR], NR }'; }

# Seconds of CPU that others used since the last call, as a share of the machine: above 10 % no
# figure is worth reading.
warn_when_busy() {
	local load
	load=$(awk '{ print $1 }' /proc/loadavg)
	if awk "BEGIN { exit !($load > $(nproc)) }"; then
		echo "caution: the load average is $load on $(nproc) cores; these figures are not worth much"
	fi
}
