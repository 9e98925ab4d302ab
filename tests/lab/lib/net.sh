# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016,SC2153
# net.sh - network namespaces, switches, wires and their rates.
#
# Two networks that have nothing in common but the hosts:
#
#	management	PREFIX-mgmt:br0 -- every host's first NIC, PREFIX-ctl:eth0
#	test		PREFIX-core:br0 -- esx:vmnic1 = vSwitch1 -- vmk1, vmk2, its VMs' em0, vmx0
#				        -- pc:eth1
#
# A host that is behind another has its first NIC on that host's bridge `inside`
# instead, in a network lan-HOST; nothing is routed.
#
# Each wire is a veth: one end is the NIC, the other a port of a bridge. The
# table hosts/NAME/nics has a line for each:
#
#	NIC SEGMENT ADDRESS SWITCH-NAMESPACE PORT RATE
#
# SEGMENT is lan or lan-HOST (management), fast, emlab, or `uplink` for vmnic1, which
# has no address, and uplink0 for vmnic0 of an esxi. RATE shapes both directions: it is a tbf at both ends. NICs of the test
# network have an IPv6 address too (address6), where the kernel has IPv6 at all and
# NETLAB_IPV6 is not `no`.

NIC_MTU=1500  # as a fresh host has it
WIRE_MTU=9000 # what the switches let pass: `ip link set NIC mtu 9000` just works

declare -A BATCH=() TC_BATCH=() SUBNET=([lan]=0 [fast]=1 [emlab]=2)

address() { # SEGMENT NAME
	echo "$NET.${SUBNET[$1]}.${INDEX[$2]}"
}

# address6 SEGMENT NAME: its second address; nothing outside the test network.
address6() {
	case $1 in
	fast | emlab) [ "$IPV6" != yes ] || echo "fd77:0:0:${SUBNET[$1]}::${INDEX[$2]}" ;;
	esac
}

# mgmt_segment NAME: the segment of its management NIC.
mgmt_segment() {
	echo "lan${BEHIND[$1]:+-${BEHIND[$1]}}"
}

mgmt_address() { # NAME
	address "$(mgmt_segment "$1")" "$1"
}

# add_subnet SEGMENT: a network of its own for it, unless it has one.
add_subnet() {
	[ -n "${SUBNET[$1]:-}" ] || SUBNET[$1]=$((${#SUBNET[@]} + 7)) # after lan, fast, emlab: 10, 11...
}

# ---- rates --------------------------------------------------------------------

# tbf_args RATE: what tc wants for it.
# burst: 4 ms, at least 256 KiB. A GSO frame (64 KiB and headers) must fit, and more
#   forgives a late CPU; but a full bucket adds to a short test: 4 ms are 0.4 % of 1 s.
# limit: what four streams can have in flight (tcp_wmem below), so that nothing is lost.
tbf_args() {
	local mbit=${1%?bit} burst
	[[ $1 = *gbit ]] && mbit=$((mbit * 1000))
	burst=$((mbit * 1000000 / 8 / 250)) # 4 ms
	[ $burst -ge 262144 ] || burst=262144
	echo "rate $1 burst $burst limit $TBF_LIMIT"
}
TBF_LIMIT=17000000

# yaml_rate RATE: the same as vnm's topology file writes it.
yaml_rate() {
	local rate=${1%bit}
	echo "${rate^^}"
}

# wires NAME SELECTOR: the lines of its table for a NIC, or for `mgmt` or `test`
# (what leads to the test network: the uplink of an esx, else all its test NICs).
wires() {
	local kind all
	kind=$(attr "$1" kind)
	all=$(cut -d' ' -f1 "$STATE/hosts/$1/nics" | tr '\n' ' ')
	awk -v want="$2" -v kind="$kind" '
		$1 == want || (want == "mgmt" && $2 ~ /^lan/) ||
		(want == "test" && (kind ~ /^esxi?$/ ? $2 == "uplink" : $2 !~ /^lan/))
	' "$STATE/hosts/$1/nics" | grep . ||
		die "no NIC '$2' on '$1' (${all}mgmt test)"
}

# ---- making -------------------------------------------------------------------

batch() { # NAMESPACE LINE: for ip -b, see run_batches
	BATCH[$1]+="$2"$'\n'
}

# add_bridge NAMESPACE NAME
add_bridge() {
	batch "$1" "link add name $2 mtu $WIRE_MTU type bridge forward_delay 0 mcast_snooping 0"
	batch "$1" "link set dev $2 up"
}

# add_veth NAMESPACE BRIDGE PORT PEER-NAMESPACE PEER PEER-MTU
add_veth() {
	batch "$1" "link add name $3 mtu $WIRE_MTU type veth peer name $5 netns $4 mtu $6"
	batch "$1" "link set dev $3 master $2 up"
}

# add_wire HOST NIC SEGMENT SWITCH-NAMESPACE BRIDGE PORT RATE
add_wire() {
	local ns=$PREFIX-$1 nic=$2 segment=$3 sw=$4 port=$6 rate=$7 mtu=$NIC_MTU ip=- ip6
	case $segment in
	uplink*) mtu=$WIRE_MTU ;;
	*) ip=$(address "$segment" "$1") ;;
	esac
	ip6=$(address6 "$segment" "$1")
	add_veth "$sw" "$5" "$port" "$ns" "$nic" $mtu
	if [ "$ip" = - ]; then
		batch "$ns" "link set dev $nic master vSwitch${nic#vmnic} up"
	else
		batch "$ns" "addr add $ip/24 dev $nic"
		[ -z "$ip6" ] || batch "$ns" "addr add $ip6/64 dev $nic nodad"
		batch "$ns" "link set dev $nic up"
	fi
	if [ "$rate" != none ]; then
		TC_BATCH[$sw]+="qdisc add dev $port root tbf $(tbf_args "$rate")"$'\n'
		TC_BATCH[$ns]+="qdisc add dev $nic root tbf $(tbf_args "$rate")"$'\n'
	fi
	echo "$nic $segment $ip $sw $port $rate" >>"$STATE/hosts/$1/nics"
}
VSWITCH=vSwitch1

# add_mgmt_wire NAME NIC [SEGMENT]
add_mgmt_wire() {
	local before=${BEHIND[$1]} segment=${3:-$(mgmt_segment "$1")}
	if [ -z "$before" ]; then
		add_wire "$1" "$2" "$segment" "$PREFIX-mgmt" br0 "$1" none
	else
		add_wire "$1" "$2" "$segment" "$PREFIX-$before" inside "$1-$2" none
	fi
}

# true_frames NAMESPACE DEV: what goes to the vSwitch of an esxi has its true size, since that
# is what its MTU is held against.
true_frames() {
	batch "$1" "link set dev $2 gso_max_segs 1"
}

# add_inside NAME: the network of its own of a host that others are behind.
add_inside() {
	[ -n "${SUBNET[lan-$1]:-}" ] || return 0
	add_bridge "$PREFIX-$1" inside
	batch "$PREFIX-$1" "addr add $NET.${SUBNET[lan-$1]}.1/24 dev inside"
}

# host_wires NAME: all wires of a host; a VM's hypervisor must be done already.
host_wires() {
	local n=$1 own=$PREFIX-$1 core=$PREFIX-core esx=$PREFIX-${ON[$1]}
	add_inside "$n"
	case ${KIND[$n]} in
	esx)
		add_bridge "$own" $VSWITCH
		add_mgmt_wire "$n" vmk0
		add_wire "$n" vmnic1 uplink "$core" br0 "$n" "${RATE[$n]}"
		add_wire "$n" vmk1 fast "$own" $VSWITCH port-vmk1 none
		add_wire "$n" vmk2 emlab "$own" $VSWITCH port-vmk2 none
		;;
	esxi)
		add_bridge "$own" vSwitch0
		add_bridge "$own" $VSWITCH
		add_mgmt_wire "$n" vmnic0 uplink0
		add_wire "$n" vmk0 "$(mgmt_segment "$n")" "$own" vSwitch0 port-vmk0 none
		add_wire "$n" vmnic1 uplink "$core" br0 "$n" "${RATE[$n]}"
		true_frames "$core" "$n"
		add_wire "$n" vmk1 fast "$own" $VSWITCH port-vmk1 none
		add_wire "$n" vmk2 emlab "$own" $VSWITCH port-vmk2 none
		;;
	truenas)
		add_mgmt_wire "$n" igb0
		add_wire "$n" em0 emlab "$core" br0 "$n-em0" "${RATE[$n]}"
		add_wire "$n" vmx0 fast "$core" br0 "$n-vmx0" "${RATE[$n]}"
		;;
	vm)
		add_mgmt_wire "$n" eth0
		add_wire "$n" em0 emlab "$esx" $VSWITCH "$n-em0" "${RATE[$n]}"
		add_wire "$n" vmx0 fast "$esx" $VSWITCH "$n-vmx0" "${RATE[$n]}"
		if [ "${KIND[${ON[$n]}]}" = esxi ]; then
			true_frames "$own" em0
			true_frames "$own" vmx0
		fi
		;;
	pc)
		add_mgmt_wire "$n" eth0
		add_wire "$n" eth1 fast "$core" br0 "$n" "${RATE[$n]}"
		;;
	box) add_mgmt_wire "$n" eth0 ;;
	esac
}

# Settings of each namespace, before any interface is made. The lab is the same on
# every machine: a namespace may inherit the machine's own choices.
# arp_*: NICs of one host share a bridge; each answers for its own address only.
# Congestion control: cubic, or reno where the machine does not allow it in a
# namespace; both fill the shaped links without loss.
# IPv6: what was given by hand and nothing else; no link-local address, no router asked.
# $1: 1 switches it off.
NS_SETTINGS='
	no_ipv6=$1
	set_to() {
		[ ! -w "/proc/sys/net/$1" ] || echo "$2" 2>/dev/null >"/proc/sys/net/$1" || :
	}
	for c in all default; do
		set_to ipv4/conf/$c/arp_ignore 1
		set_to ipv4/conf/$c/arp_announce 2
		set_to ipv4/conf/$c/rp_filter 0
	done
	for f in arptables iptables ip6tables; do set_to bridge/bridge-nf-call-$f 0; done
	set_to ipv4/ip_forward 0
	set_to ipv4/tcp_congestion_control reno
	set_to ipv4/tcp_congestion_control cubic
	set_to ipv4/tcp_rmem "4096 131072 6291456"
	set_to ipv4/tcp_wmem "4096 16384 4194304"
	for c in all default; do
		set_to ipv6/conf/$c/disable_ipv6 "$no_ipv6"
		set_to ipv6/conf/$c/addr_gen_mode 1
		set_to ipv6/conf/$c/accept_ra 0
		set_to ipv6/conf/$c/router_solicitations 0
	done
	set_to ipv6/conf/lo/disable_ipv6 1 # after `all`, which sets every interface
'

# make_namespaces NAME...: creates PREFIX-NAME for each.
make_namespaces() {
	local n made='' taken no_ipv6=0
	[ "$IPV6" = yes ] || no_ipv6=1
	taken=$(ip netns list)
	for n in "$@"; do
		! grep -q "^$PREFIX-$n\( \|\$\)" <<<"$taken" ||
			die "namespace $PREFIX-$n is there already:" \
				"is another lab using this prefix? (set NETLAB_PREFIX)"
		made+="netns add $PREFIX-$n"$'\n'
	done
	[ -d /run/netns ] || : >"$STATE/netns-made"
	printf "$PREFIX-%s\n" "$@" >"$STATE/namespaces"
	ip -b - <<<"$made" || die "cannot make network namespaces"
	for n in "$@"; do
		nsenter --net="/run/netns/$PREFIX-$n" sh -c "$NS_SETTINGS" sh $no_ipv6 ||
			die "$PREFIX-$n: cannot set it up"
		batch "$PREFIX-$n" "link set dev lo up"
	done
}

# make_networks: both networks and the wires of every host in NAMES.
make_networks() {
	local n ns
	make_namespaces mgmt core ctl "${NAMES[@]}"
	add_bridge "$PREFIX-mgmt" br0
	add_bridge "$PREFIX-core" br0
	add_veth "$PREFIX-mgmt" br0 ctl "$PREFIX-ctl" eth0 $NIC_MTU
	batch "$PREFIX-ctl" "addr add $NET.0.2/24 dev eth0"
	batch "$PREFIX-ctl" "link set dev eth0 up"
	for n in "${NAMES[@]}"; do
		host_wires "$n"
	done
	# a NIC appears when its switch's end is made: switches, then hypervisors, then the rest
	for n in mgmt core "${NAMES[@]}" ctl; do
		ns=$PREFIX-$n
		ip -n "$ns" -b - <<<"${BATCH[$ns]}" || die "$ns: cannot make its interfaces"
	done
	for ns in "${!TC_BATCH[@]}"; do
		tc -n "$ns" -b - <<<"${TC_BATCH[$ns]}" ||
			die "$ns: cannot shape its interfaces (kernel without sch_tbf?)"
	done
}

# remove_networks: deletes the namespaces that this lab made.
remove_networks() {
	local ns
	[ -f "$STATE/namespaces" ] || return 0
	while read -r ns; do
		[ ! -e "/run/netns/$ns" ] || ip netns del "$ns"
	done <"$STATE/namespaces"
	# iproute2 makes /run/netns a mount of its own; in use by others it stays (busy)
	if [ -e "$STATE/netns-made" ] && [ -z "$(ls -A /run/netns)" ]; then
		umount /run/netns 2>/dev/null && rmdir /run/netns 2>/dev/null
	fi
	return 0
}
