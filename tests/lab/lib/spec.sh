# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# spec.sh - reads a lab's spec: one host a line,
#
#	esx NAME [uplink=RATE]		a hypervisor: vSwitch1 with an uplink
#	vm NAME on=ESX [port=RATE]	a VM on a hypervisor that stands above it
#	pc NAME [port=RATE]		a machine beside them
#	box NAME			a machine with a management NIC only: cheap
#	esxi NAME [uplink=RATE]		a simulated ESXi 8: as esx, but vSwitch1 has MTU 1500
#	truenas NAME [port=RATE]	a simulated TrueNAS CORE 13 beside them, see sim.sh
#
# Each may be `behind=HOST`, one that stands above it: its management NIC is then in a
# network of that host's own, reached through SSH there and in no other way. NAME may
# be a range, like h1..64, for as many hosts of the same kind. RATE as tc writes it
# (500mbit, 1gbit) or `none`. # begins a comment.

MAX_HOSTS=240 # the last byte of an address is 10 + the number of the host
UPLINK_RATE=500mbit
PORT_RATE=1gbit

declare -a NAMES=()
declare -A KIND=() ON=() BEHIND=() RATE=() INDEX=()

is_rate() {
	[[ $1 =~ ^([1-9][0-9]{0,3}[mg]bit|none)$ ]]
}

# spec_word WHERE NAME WORD
spec_word() {
	local where=$1 name=$2 word=$3 kind=${KIND[$2]}
	case $kind:$word in
	esx:uplink=* | esxi:uplink=* | vm:port=* | pc:port=* | truenas:port=*)
		RATE[$name]=${word#*=}
		is_rate "${RATE[$name]}" ||
			die "$where: bad rate in '$word' (like 500mbit, 1gbit, none)"
		;;
	*:behind=*)
		BEHIND[$name]=${word#*=}
		[ -n "${KIND[${BEHIND[$name]:-?}]:-}" ] && [ "${BEHIND[$name]}" != "$name" ] ||
			die "$where: '$word': no host of that name above this line"
		add_subnet "lan-${BEHIND[$name]}"
		;;
	vm:on=*)
		ON[$name]=${word#*=}
		[[ ${KIND[${ON[$name]:-?}]:-} =~ ^esxi?$ ]] ||
			die "$where: '$word': no esx of that name above this line"
		;;
	*) die "$where: unknown word '$word' for $kind '$name'" ;;
	esac
}

# spec_hosts WHERE KIND NAME|RANGE WORD...
spec_hosts() {
	local where=$1 kind=$2 range=${3:-} i last
	if [[ ! $range =~ ^([a-z]*)([0-9]{1,3})\.\.([0-9]{1,3})$ ]]; then
		spec_host "$@"
		return
	fi
	shift 3
	i=${BASH_REMATCH[2]} last=${BASH_REMATCH[3]}
	for (( ; i <= last; i++)); do
		spec_host "$where" "$kind" "${range%%[0-9]*}$i" "$@"
	done
}

# spec_host WHERE KIND NAME WORD...
spec_host() {
	local where=$1 kind=$2 name=${3:-} word
	# NAME-vmx0 must fit into the 15 characters of an interface's name
	[[ $name =~ ^[a-z][a-z0-9]{0,9}$ ]] ||
		die "$where: bad name '$name' (a-z, then a-z and 0-9, 10 characters at most)"
	[[ ! $name =~ ^(core|mgmt|ctl)$ ]] || die "$where: the name '$name' is taken by the lab"
	[ -z "${KIND[$name]:-}" ] || die "$where: '$name' is there twice"
	case $kind in
	esx | esxi) RATE[$name]=$UPLINK_RATE ;;
	vm | pc | truenas) RATE[$name]=$PORT_RATE ;;
	box) RATE[$name]=none ;;
	*) die "$where: unknown kind '$kind' (esx, vm, pc, box, esxi, truenas)" ;;
	esac
	KIND[$name]=$kind
	ON[$name]=
	BEHIND[$name]=
	INDEX[$name]=$((${#NAMES[@]} + 11))
	NAMES+=("$name")
	[ ${#NAMES[@]} -le $MAX_HOSTS ] || die "$where: more than $MAX_HOSTS hosts"
	shift 3
	for word in "$@"; do
		spec_word "$where" "$name" "$word"
	done
	[ "$kind" != vm ] || [ -n "${ON[$name]}" ] || die "$where: vm '$name' needs on=ESX"
}

# spec_read FILE: fills NAMES, KIND, ON, BEHIND, RATE, INDEX.
spec_read() {
	local line number=0
	local -a words
	while read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		read -r -a words <<<"${line%%#*}"
		[ ${#words[@]} -eq 0 ] || spec_hosts "$1:$number" "${words[@]}"
	done <"$1"
	[ ${#NAMES[@]} -gt 0 ] || die "$1: no hosts in it"
}
