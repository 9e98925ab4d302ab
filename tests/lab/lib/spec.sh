# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# spec.sh - reads a lab's spec: one host a line,
#
#	esx NAME [uplink=RATE]		a hypervisor: vSwitch1 with an uplink
#	vm NAME on=ESX [port=RATE]	a VM on a hypervisor that stands above it
#	pc NAME [port=RATE]		a machine beside them
#
# RATE as tc writes it (500mbit, 1gbit) or `none`. # begins a comment.

MAX_HOSTS=240 # the last byte of an address is 10 + the number of the host
UPLINK_RATE=500mbit
PORT_RATE=1gbit

declare -a NAMES=()
declare -A KIND=() ON=() RATE=() INDEX=()

is_rate() {
	[[ $1 =~ ^([1-9][0-9]{0,3}[mg]bit|none)$ ]]
}

# spec_word WHERE NAME WORD
spec_word() {
	local where=$1 name=$2 word=$3 kind=${KIND[$2]}
	case $kind:$word in
	esx:uplink=* | vm:port=* | pc:port=*)
		RATE[$name]=${word#*=}
		is_rate "${RATE[$name]}" ||
			die "$where: bad rate in '$word' (like 500mbit, 1gbit, none)"
		;;
	vm:on=*)
		ON[$name]=${word#*=}
		[ "${KIND[${ON[$name]:-?}]:-}" = esx ] ||
			die "$where: '$word': no esx of that name above this line"
		;;
	*) die "$where: unknown word '$word' for $kind '$name'" ;;
	esac
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
	esx) RATE[$name]=$UPLINK_RATE ;;
	vm | pc) RATE[$name]=$PORT_RATE ;;
	*) die "$where: unknown kind '$kind' (esx, vm, pc)" ;;
	esac
	KIND[$name]=$kind
	ON[$name]=
	INDEX[$name]=$((${#NAMES[@]} + 11))
	NAMES+=("$name")
	[ ${#NAMES[@]} -le $MAX_HOSTS ] || die "$where: more than $MAX_HOSTS hosts"
	shift 3
	for word in "$@"; do
		spec_word "$where" "$name" "$word"
	done
	[ "$kind" != vm ] || [ -n "${ON[$name]}" ] || die "$where: vm '$name' needs on=ESX"
}

# spec_read FILE: fills NAMES, KIND, ON, RATE, INDEX.
spec_read() {
	local line number=0
	local -a words
	while read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		read -r -a words <<<"${line%%#*}"
		[ ${#words[@]} -eq 0 ] || spec_host "$1:$number" "${words[@]}"
	done <"$1"
	[ ${#NAMES[@]} -gt 0 ] || die "$1: no hosts in it"
}
