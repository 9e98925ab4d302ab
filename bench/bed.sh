# shellcheck shell=bash
# bed.sh - two network namespaces joined by a veth pair, and one test of each tool between them.
# Sourced by bench/engine and bench/truth, which set BUILD, congestion, omit_s, seconds and only before they
# call bed_up. The namespaces are this run's own (their names hold its process id) and go with it.
set -u
export LC_ALL=C
SOURCE=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
only='' omit_s=1 seconds=1 rounds=1 congestion='' runs='' # the benchmark's own follow
NS_A=vb$$a # sends
NS_B=vb$$b # receives
ADDRESS_A4=10.99.0.1 ADDRESS_B4=10.99.0.2
ADDRESS_A6=fd99::1 ADDRESS_B6=fd99::2
CORES=$(nproc)
BUSY_SHARE=${BUSY_SHARE:-0.03} # of the machine, taken by others: a round with more is thrown away

fail() {
	echo "$0: $*" >&2
	exit 1
}

# check_counts ROUNDS SECONDS OMIT
check_counts() {
	local number
	for number; do
		[[ $number =~ ^[0-9]{1,4}$ ]] || fail "'$number' is not a whole number below 10000"
	done
	if [ "$1" = 0 ] || [ "$2" = 0 ]; then
		fail "at least one round of at least one second"
	fi
}

# check_only KIND_PATTERN...: each word of --only is of one of them
check_only() {
	local word kind known
	for word in ${only//,/ }; do
		known=''
		for kind; do
			[[ ! $word =~ ^($kind)$ ]] || known=yes
		done
		[ -n "$known" ] || fail "--only does not know '$word'"
	done
}

# begin_runs ROUND_FIELD: what --runs FILE holds counts too; rounds go on after its last, `first` to `last`.
begin_runs() {
	: >"$WORK/runs"
	: >"$WORK/dropped"
	: >"$WORK/lost"
	: >"$WORK/failed"
	if [ -n "$runs" ] && [ -e "$runs" ]; then
		cat "$runs" >"$WORK/runs" || fail "cannot read $runs"
	fi
	first=$(awk -v field="$1" '$field > last { last = $field } END { print last + 1 }' "$WORK/runs")
	last=$((first + rounds - 1))
}

end_runs() {
	[ -z "$runs" ] || cat "$WORK/runs" >"$runs" || fail "cannot write $runs"
}

# wanted KIND_PATTERN WORD: WORD is named by --only, or nothing of its kind is
wanted() {
	local word any=''
	for word in ${only//,/ }; do
		[ "$word" != "$2" ] || return 0
		[[ ! $word =~ ^($1)$ ]] || any=yes
	done
	[ -z "$any" ]
}

bed_down() {
	ip netns del $NS_A 2>/dev/null
	ip netns del $NS_B 2>/dev/null
	rm -rf "$WORK"
}
WORK=$(mktemp -d /tmp/vnm-bench.XXXXXX) || exit 1
trap bed_down EXIT
trap 'exit 1' INT TERM HUP

bed_up() {
	local name
	BUILD=$(readlink -f "${BUILD:-$SOURCE/build/release}")
	AGENT=$BUILD/agent/vnm-agent
	PAIR=$BUILD/bench/bench_pair
	PEER=$BUILD/bench/bench_peer
	[ "$(id -u)" = 0 ] || fail "needs root to make network namespaces"
	for name in "$AGENT" "$PAIR" "$PEER"; do
		[ -x "$name" ] || fail "there is no $name: cmake --preset release && cmake --build --preset release"
	done
	command -v sqlite3 >/dev/null || fail "install sqlite3, which reads the JSON of iperf3"
	if ! { ip netns add $NS_A && ip netns add $NS_B &&
		ip link add veth0 netns $NS_A type veth peer name veth0 netns $NS_B; }; then
		fail "cannot make the namespaces"
	fi
	ip -n $NS_A addr add $ADDRESS_A4/24 dev veth0
	ip -n $NS_B addr add $ADDRESS_B4/24 dev veth0
	ip -n $NS_A addr add $ADDRESS_A6/64 dev veth0 nodad
	ip -n $NS_B addr add $ADDRESS_B6/64 dev veth0 nodad
	ip -n $NS_A link set lo up
	ip -n $NS_B link set lo up
	if [ -n "$congestion" ]; then
		for name in $NS_A $NS_B; do
			ip netns exec "$name" sysctl -qw net.ipv4.tcp_congestion_control="$congestion" 2>/dev/null ||
				fail "namespaces may not use congestion control '$congestion': modprobe tcp_$congestion;" \
					"sysctl -w net.ipv4.tcp_allowed_congestion_control='$(sysctl -n net.ipv4.tcp_allowed_congestion_control) $congestion'"
		done
	fi
	bed_mtu 1500
}

bed_mtu() {
	ip -n $NS_A link set veth0 mtu "$1" up || fail "cannot set the MTU to $1"
	ip -n $NS_B link set veth0 mtu "$1" up || fail "cannot set the MTU to $1"
}

# find_tools: what is here, as the array TOOLS of names without blanks; vnm is always the first.
find_tools() {
	local path version
	TOOLS=(vnm)
	for path in iperf3 "${IPERF3:-}"; do
		command -v "${path:-none given}" >/dev/null || continue
		version=$("$path" --version 2>/dev/null | awk 'NR == 1 { print $2 }')
		[ -n "$version" ] || fail "$path does not tell its version"
		[[ " ${TOOLS[*]} " != *" iperf3-$version "* ]] || continue
		TOOLS+=("iperf3-$version")
		IPERF_PATH[iperf3-$version]=$path
		if "$path" --help 2>&1 | grep -q -e --skip-rx-copy; then
			IPERF_SKIPS+=("iperf3-$version")
		fi
	done
	if command -v nuttcp >/dev/null; then
		TOOLS+=(nuttcp)
	fi
}
declare -A IPERF_PATH=()
IPERF_SKIPS=()

# tool_versions: a line each
tool_versions() {
	local tool
	for tool in "${TOOLS[@]}"; do
		case $tool in
		vnm) echo "$("$AGENT" --version), $(stat -c %s "$AGENT") bytes, ready $("$PAIR" --starts 21 "$AGENT" | value ready_ms) ms" \
			"after its start" ;;
		iperf3-*) echo "$tool (${IPERF_PATH[$tool]})" ;;
		nuttcp) nuttcp -V 2>&1 | head -n 1 ;;
		esac
	done
}

machine() {
	awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo
	echo "$CORES cores, Linux $(uname -r), congestion control $(ip netns exec $NS_A sysctl -n net.ipv4.tcp_congestion_control)"
}

# value KEY: of the last line of key=value on standard input
value() { awk -v key="$1" '{ for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) v = substr($i, length(key) + 2) } END { print v }'; }

# run_tool NAME VARIANT FAMILY STREAMS LENGTH: one test; VARIANT is copy, sender, both or udp, FAMILY 4 or
# 6, LENGTH bytes a write or "default". Prints, with blanks between: bit/s of the receiver in the measured
# time, payload bytes of the whole test, CPU s of sender, of receiver, of the machine, wall s, steal s,
# foreign s, resident KiB of sender, of receiver, retransmits (udp: % lost) or "-".
run_tool() {
	local tool=$1
	shift
	case $tool in
	vnm) run_vnm "$@" ;;
	iperf3-*) run_iperf3 "${IPERF_PATH[$tool]}" "$@" ;;
	nuttcp) run_nuttcp "$@" ;;
	esac
}

# print_run BPS BYTES RETRANSMITS <key=value
print_run() {
	awk -v bps="$1" -v bytes="$2" -v retransmits="$3" '
		{ for (i = 1; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) } }
		END {
			if (bps + 0 <= 0 || bytes + 0 <= 0 || v["wall_s"] == "") exit 1
			print bps, bytes, v["sender_s"], v["receiver_s"], v["machine_s"], v["wall_s"], v["steal_s"], v["foreign_s"],
				v["sender_kib"], v["receiver_kib"], retransmits
		}'
}

run_vnm() {
	local variant=$1 family=$2 streams=$3 length=$4 to from options=() lost=retransmits
	to=ADDRESS_B$family from=ADDRESS_A$family
	[ "$length" = default ] || options+=(--buffer "$length")
	case $variant in
	sender | both) options+=(--option "zero_copy=$variant") ;;
	udp) options+=(--option protocol=udp) lost=lost_percent ;;
	esac
	"$PAIR" --listener-ns $NS_B --connector-ns $NS_A --address "${!to}" --peer "${!from}" --streams "$streams" \
		--omit-ms $((omit_s * 1000)) --duration-ms $((seconds * 1000)) "${options[@]}" "$AGENT" >"$WORK/said" || return 1
	print_run "$(value bps <"$WORK/said")" "$(value bytes <"$WORK/said")" "$(value $lost <"$WORK/said")" <"$WORK/said"
}

# json EXPRESSION: of $WORK/json, by SQLite's JSON functions over `j`
json() { sqlite3 :memory: "with t(j) as (select readfile('$WORK/json')) select $1 from t"; }

run_iperf3() {
	local path=$1 variant=$2 family=$3 streams=$4 length=$5 to server=() client=()
	to=ADDRESS_B$family
	[ "$length" = default ] || client+=(-l "$length")
	case $variant in
	sender) client+=(-Z) ;;
	both) client+=(-Z --skip-rx-copy) ;;
	udp) client+=(-u -b 0) ;;
	esac
	server=("$path" -s -1 -p 5201)
	client=("$path" -c "${!to}" -p 5201 -t "$seconds" -O "$omit_s" -P "$streams" -J "${client[@]}")
	"$PEER" $NS_B $NS_A 5201 $((omit_s + seconds + 15)) "${server[@]}" -- "${client[@]}" >"$WORK/said" || return 1
	sed '$d' "$WORK/said" >"$WORK/json"
	if [ "$variant" = udp ]; then # 3.12 has no receiver's sum for it
		tail -n 1 "$WORK/said" | print_run "$(json "json_extract(j, '\$.end.sum.bits_per_second') *
			(1 - json_extract(j, '\$.end.sum.lost_percent') / 100)")" \
			"$(json "json_extract(j, '\$.end.sum.bytes') * (1 - json_extract(j, '\$.end.sum.lost_percent') / 100)")" \
			"$(json "round(json_extract(j, '\$.end.sum.lost_percent'), 3)")"
		return
	fi
	tail -n 1 "$WORK/said" | print_run "$(json "json_extract(j, '\$.end.sum_received.bits_per_second')")" \
		"$(json "(select sum(json_extract(value, '\$.sum.bytes')) from json_each(j, '\$.intervals'))")" \
		"$(json "ifnull(json_extract(j, '\$.end.sum_sent.retransmits'), '-')")"
}

# nuttcp has no omit: its intervals of the omitted time are taken off its total.
run_nuttcp() {
	local variant=$1 family=$2 streams=$3 length=$4 to options=()
	to=ADDRESS_B$family
	[ "$variant" = copy ] || return 1
	[ "$length" = default ] || options+=("-l$length")
	[ "$streams" = 1 ] || options+=("-N$streams")
	[ "$omit_s" = 0 ] || options+=("-i$omit_s")
	"$PEER" $NS_B $NS_A 5000 $((omit_s + seconds + 15)) nuttcp -1 --nofork "-$family" -- \
		nuttcp "-$family" "-T$((omit_s + seconds))" -fparse "${options[@]}" "${!to}" >"$WORK/said" || return 1
	awk -v omit="$omit_s" '
		{ for (i = 1; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) } }
		/real_sec=/ && !first { first = v["megabytes"]; first_s = v["real_sec"] }
		/real_seconds=/ {
			if (omit > 0 && !first) exit 1
			print (v["megabytes"] - first) * 8388608 / (v["real_seconds"] - first_s), v["megabytes"] * 1048576,
				("retrans" in v) ? v["retrans"] : "-"
		}' "$WORK/said" >"$WORK/figures"
	read -r -a figures <"$WORK/figures" || return 1
	tail -n 1 "$WORK/said" | print_run "${figures[@]}"
}

# is_busy <a line of run_tool: true when others took more than BUSY_SHARE of the machine, or the hypervisor did
is_busy() { awk -v share="$BUSY_SHARE" -v cores="$CORES" '{ exit !($7 + $8 > share * cores * $6) }'; }

# taken <lines of run_tool: the greatest share that others and the hypervisor had, in per cent
taken() { awk -v cores="$CORES" '{ s = 100 * ($7 + $8) / cores / $6; if (s > most) most = s } END { printf "%.1f %%", most }'; }
