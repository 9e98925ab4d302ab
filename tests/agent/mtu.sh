#!/bin/sh
# SPDX-License-Identifier: MIT
# mtu.sh - a test between agents where the loopback has the MTU of Ethernet.
#
# usage: mtu.sh TEST AGENT
# Exit: that of TEST; 77: this system has no network namespaces for us.
set -u
[ $# -eq 2 ] || exit 2
unshare -rn true 2>/dev/null || {
	echo "no user namespaces here"
	exit 77
}
# shellcheck disable=SC2016 # the inner shell expands
exec unshare -rn sh -c 'ip link set lo mtu 1500 up && exec "$1" "$2"' sh "$1" "$2"
