#!/bin/bash
# SPDX-License-Identifier: MIT
# tunable.sh TUNABLE_LINE - Linux' settings, really changed on a veth in a namespace of its own, by
# the lines of hostops/tunable.h in several shells: each takes effect, and its undo leaves
# `ethtool -k`, the link, its addresses and routes as they were, byte for byte.
set -u
export LC_ALL=C
LINE=$1 FAILED=0 CHECKS=0
NS=tun$$
[ "$(id -u)" = 0 ] || {
	echo 'skipped: not root'
	exit 77
}
for tool in ip ethtool; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done
reason=$(ip netns add $NS 2>&1) || {
	echo "skipped: no network namespaces here: $reason"
	exit 77
}
WORK=$(mktemp -d /tmp/tunable-test-XXXXXX) || exit 1
trap 'ip netns del $NS; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP
in_ns() { ip netns exec $NS "$@"; }
ip -n $NS link add va type veth peer name vb || exit 1
# Addresses that the kernel makes come when they like: only those given here.
in_ns sh -c 'echo 1 >/proc/sys/net/ipv6/conf/va/addr_gen_mode; echo 0 >/proc/sys/net/ipv6/conf/va/accept_dad'
ip -n $NS link set va up
ip -n $NS link set vb up
ip -n $NS addr add 192.0.2.1/24 dev va
ip -n $NS addr add 2001:db8::1/64 dev va nodad
ip -n $NS route add 198.51.100.0/24 via 192.0.2.2

state() { # all that must be as before
	in_ns ethtool -k va
	ip -n $NS -j addr show dev va
	ip -n $NS -j -d link show dev va
	ip -n $NS -j route
	ip -n $NS -6 -j route
}
is() { # SENTENCE WANTED GOT
	CHECKS=$((CHECKS + 1))
	[ "$2" = "$3" ] && return
	FAILED=$((FAILED + 1))
	printf 'FAIL  %s: wanted:\n%s\ngot:\n%s\n' "$1" "$2" "$3"
}
# try SHELL SETTING VALUE SET_LINE: away and back
try() {
	local shell=$1 setting=$2 value=$3 before set_line undo
	before=$(state)
	# shellcheck disable=SC2086 # the shell's applet
	in_ns $shell -c "$("$LINE" probe "$setting" va)" >"$WORK/said" 2>"$WORK/errors"
	is "$shell: the probe of $setting is quiet" '' "$(cat "$WORK/errors")"
	set_line=$("$LINE" set "$setting" va "$value" <"$WORK/said")
	is "$shell: how $setting is set" "$4" "$set_line"
	undo=$("$LINE" undo "$setting" va <"$WORK/said")
	# shellcheck disable=SC2086
	in_ns $shell -c "$set_line" >/dev/null 2>"$WORK/errors" || is "$shell: $set_line" '' "$(cat "$WORK/errors")"
	# shellcheck disable=SC2086
	is "$shell: $set_line: the value read" "$value" "$(in_ns $shell -c "$("$LINE" read "$setting" va)")"
	# shellcheck disable=SC2086
	in_ns $shell -c "$undo" >/dev/null 2>"$WORK/errors" || is "$shell: $undo" '' "$(cat "$WORK/errors")"
	is "$shell: $undo: all is as before" "$before" "$(state)"
	# A guardian that is not sure may say it twice.
	# shellcheck disable=SC2086
	in_ns $shell -c "$undo" >/dev/null 2>"$WORK/errors" || is "$shell: $undo, again" '' "$(cat "$WORK/errors")"
	is "$shell: $undo, again: all is as before" "$before" "$(state)"
}
try_all() { # SHELL
	try "$1" mtu 9000 'ip link set dev va mtu 9000'
	try "$1" mtu 1400 'ip link set dev va mtu 1400'
	try "$1" gro "$GRO" "ethtool -K va gro $GRO"
	try "$1" gso off 'ethtool -K va gso off'
	try "$1" rx_checksum off 'ethtool -K va rx off'
	try "$1" tx_checksum off 'ethtool -K va tx off'
	try "$1" tso off "ethtool -K va tso off$NEWER"
}
GRO=on NEWER=
in_ns ethtool -k va | grep -q '^generic-receive-offload: on' && GRO=off
in_ns ethtool -k va | grep -q 'tx-tcp-accecn-segmentation: on$' && NEWER=' tx-tcp-accecn-segmentation off'
for shell in dash 'busybox sh' 'bash --posix'; do
	command -v "${shell%% *}" >/dev/null && try_all "$shell"
done

# Features that somebody has turned off one by one stay off, and one that waits goes on waiting.
in_ns ethtool -K va tx-tcp-ecn-segmentation off tx-tcp6-segmentation off tx-checksum-sctp off >/dev/null
try_all dash
in_ns ethtool -K va tx-tcp-ecn-segmentation on tx-tcp6-segmentation on tx-checksum-sctp on tx-tcp-mangleid-segmentation off >/dev/null
try dash tso off "ethtool -K va tso off$NEWER"
in_ns ethtool -K va tx off >/dev/null
in_ns dash -c "$("$LINE" probe tso va)" >"$WORK/said"
in_ns dash -c "$("$LINE" undo tso va <"$WORK/said")" >/dev/null 2>&1
in_ns ethtool -K va tx on >/dev/null
is 'a feature that was asked for and held is asked for still' 'tx-tcp-segmentation: on' \
	"$(in_ns ethtool -k va | sed -n 's/^\t\(tx-tcp-segmentation: .*\)/\1/p')"

# Limits are the kernel's own.
in_ns dash -c "$("$LINE" probe mtu va)" >"$WORK/said"
is 'limits of the MTU where IPv6 is on' '1280 65535' "$("$LINE" limits mtu va <"$WORK/said")"
is 'a lower one is refused' 'mtu 1279 is below 1280: IPv6 is on, and would lose its addresses for good' \
	"$("$LINE" set mtu va 1279 <"$WORK/said")"
in_ns sh -c 'echo 1 >/proc/sys/net/ipv6/conf/va/disable_ipv6'
in_ns dash -c "$("$LINE" probe mtu va)" >"$WORK/said"
is 'and where it is off' '68 65535' "$("$LINE" limits mtu va <"$WORK/said")"
in_ns dash -c "$("$LINE" probe lro va)" >"$WORK/said"
is 'an offload that the driver does not have' 'lro cannot be changed: the driver of va has it fixed at off' \
	"$("$LINE" set lro va on <"$WORK/said")"
in_ns dash -c "$("$LINE" probe mtu none)" >"$WORK/said" 2>"$WORK/errors"
is 'a NIC that is not there' 'mtu of none cannot be read, so it is not changed' \
	"$("$LINE" set mtu none 9000 <"$WORK/said")"
is 'is asked for quietly' '' "$(cat "$WORK/errors")"

# The driver's name, of NICs of this machine: they are only asked.
for driver in /sys/class/net/*/device/driver; do
	[ -L "$driver" ] || continue
	nic=${driver#/sys/class/net/}
	nic=${nic%%/*}
	is "the driver of a NIC" "tun 0 driver $(basename "$(readlink "$driver")")" \
		"$(dash -c "$("$LINE" probe mtu "$nic")" | sed -n 's/.* \(tun 0 driver .*\)/\1/p')"
	break
done

# Without the tools: the MTU is read from /sys, and set by ifconfig or busybox.
mkdir "$WORK/bin"
for tool in cat sed cut readlink; do ln -s "$(command -v $tool)" "$WORK/bin/$tool"; done
in_ns dash -c "PATH=$WORK/bin; $("$LINE" probe mtu va | sed 's/PATH=[^;]*; export PATH; //')" >"$WORK/said"
is 'without ip(8)' 'ifconfig va mtu 9000' "$("$LINE" set mtu va 9000 <"$WORK/said")"
in_ns dash -c "PATH=$WORK/bin; $("$LINE" probe tso va | sed 's/PATH=[^;]*; export PATH; //')" >"$WORK/said"
is 'without ethtool' 1 "$("$LINE" set tso va off <"$WORK/said" | grep -c 'install the package ethtool')"
for ip in 'busybox ifconfig' 'ifconfig' 'busybox ip'; do
	command -v "${ip%% *}" >/dev/null || continue
	if [ "$ip" = 'busybox ip' ]; then line='busybox ip link set dev va mtu 2000'; else line="$ip va mtu 2000"; fi
	# shellcheck disable=SC2086
	in_ns $line
	is "$line" 2000 "$(in_ns dash -c "$("$LINE" read mtu va)")"
	ip -n $NS link set va mtu 1500
done
echo "$CHECKS checks, $FAILED failed"
exit $((FAILED > 0))
