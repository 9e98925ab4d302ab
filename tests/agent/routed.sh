#!/bin/sh
# SPDX-License-Identifier: MIT
# routed.sh - datagrams across a router: behind it a link with a smaller MTU, then a shaper that drops.
#
# usage: routed.sh PAIR AGENT      PAIR is bench/pair.c
# Exit: 77: this system has no namespaces for us.
set -u
[ $# -eq 2 ] || exit 2
unshare -rnm true 2>/dev/null || {
	echo "no user namespaces here"
	exit 77
}
if [ -z "${ROUTED_INSIDE:-}" ]; then
	ROUTED_INSIDE=yes exec unshare -rnm "$0" "$1" "$2"
fi
pair=$1 agent=$2
mount -t tmpfs none /run && mkdir -p /run/netns || exit 77 # all of it goes with the last process
for ns in near router far; do
	ip netns add $ns || exit 1
	ip netns exec $ns sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/dad_transmits'
	ip -n $ns link set lo up
done

# link NS NIC MTU NET NS NIC: .1 and ::1 are the first's, .2 and ::2 the router's
link() {
	ip link add "$2" netns "$1" mtu "$3" type veth peer name "$6" mtu "$3" netns "$5" || exit 1
	ip -n "$1" addr add "10.77.$4.1/24" dev "$2"
	ip -n "$5" addr add "10.77.$4.2/24" dev "$6"
	ip -n "$1" addr add "fd77:$4::1/64" dev "$2" nodad
	ip -n "$5" addr add "fd77:$4::2/64" dev "$6" nodad
	ip -n "$1" link set "$2" up
	ip -n "$5" link set "$6" up
	ip -n "$1" route add default via "10.77.$4.2"
	ip -n "$1" route add default via "fd77:$4::2"
}
link near near0 9000 1 router router1
link far far0 1400 2 router router2
ip netns exec router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward
	echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'

wrong=0
said=''
fault() {
	echo "$*: $said" >&2
	wrong=1
}

# field NAME: of what the last test said
field() {
	echo "$said" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

# measure VERSION ARGUMENT...: near sends to far
measure() {
	if [ "$1" = 4 ]; then
		to=10.77.2.1 from=10.77.1.1
	else
		to=fd77:2::1 from=fd77:1::1
	fi
	shift
	said=$("$pair" --listener-ns far --connector-ns near --address $to --peer $from --omit-ms 0 \
		--option protocol=udp "$@" "$agent" 2>&1) || fault "it failed"
}

# expect_size WHAT BYTES: of each datagram, and none was lost
expect_size() {
	count=$(field datagrams)
	if [ "${count:-0}" -eq 0 ] || [ "$(field measured_bytes)" != $((count * $2)) ]; then
		fault "$1: datagrams should have $2 bytes"
	fi
	[ "$(field lost_percent)" = 0.000 ] || fault "$1: some were lost"
}

# shellcheck disable=SC2016 # awk expands
fragments_made() { # VERSION: by the sender
	if [ "$1" = 4 ]; then
		ip netns exec near awk '/^Ip:/ && !n++ { split($0, name) }
			/^Ip:/ { for (i in name) if (name[i] == "FragCreates") made = $i } END { print made }' \
			/proc/net/snmp
	else
		ip netns exec near awk '$1 == "Ip6FragCreates" { print $2 }' /proc/net/snmp6
	fi
}

# The sender's own link takes 9000 bytes: only the router knows better.
for version in 4 6; do
	headers=$((version == 4 ? 28 : 48))
	measure $version --duration-ms 500 --option rate_bps=10000000
	# Agents of one datagram a call cannot ask for the MTU; the size follows the segments of TCP.
	[ "$(field send)" != send ] || headers=$((headers + 12))
	expect_size "IPv$version, the size is the agent's" $((1400 - headers))
	[ "$(fragments_made $version)" = 0 ] || fault "IPv$version: fragments that nobody asked for"
	measure $version --duration-ms 500 --option rate_bps=10000000 --buffer 4000
	expect_size "IPv$version, 4000 bytes are asked for" 4000
	[ "$(fragments_made $version)" -gt 0 ] || fault "IPv$version: 4000 bytes without fragments"
done

# Twice what the shaper lets through, one datagram a call; all of it is measured, so what is lost is
# what the kernel counted as dropped, but for the connection's own packets among it.
tc -n router qdisc add dev router2 root tbf rate 10mbit burst 10k limit 20k || {
	echo "no tbf here"
	exit $((wrong ? 1 : 77))
}
measure 4 --duration-ms 8000 --option rate_bps=20000000 --option bytes=2500000 --buffer 1000
drops=$(tc -n router -s qdisc show dev router2 | sed -n 's/.*dropped \([0-9]*\),.*/\1/p')
lost=$((2500 - $(field datagrams)))
echo "dropped by the shaper: $drops; lost: $lost of 2500, $(field lost_percent) %"
[ "${drops:-0}" -gt 500 ] || fault "the shaper dropped only $drops"
if [ "$lost" -gt "$drops" ] || [ "$lost" -lt $((drops - 20)) ]; then
	fault "$lost lost, $drops dropped"
fi
awk -v told="$(field lost_percent)" -v lost=$lost 'BEGIN {
	off = told - lost / 25; exit !(told != "" && off < 0.01 && off > -0.01) }' ||
	fault "$lost of 2500 lost, told as $(field lost_percent) %"
exit $wrong
