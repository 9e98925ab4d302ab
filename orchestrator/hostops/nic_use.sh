#!/bin/sh
# SPDX-License-Identifier: MIT
# nic_use.sh - what a Linux host uses its NICs for, and how they stand; reads only.
#
# Before this text stands `m`, the marker. nic_use.h tells what is asked of it; its answers are
# "use INDEX WORD TEXT".
# shellcheck disable=SC2154 # m: see above
use_say() { printf '%s\n' "$m use $*"; } # some echo would read backslashes

# The device and all that it stands on, a line each.
use_below() {
	echo "$1"
	for u in "/sys/class/net/$1"/lower_*; do
		if test -e "$u"; then use_below "${u##*/lower_}"; fi
	done
}

# Names of devices in, those and what they stand on out: one line.
use_all_below() {
	while read -r d; do use_below "$d"; done | tr '\n' ' '
}

use_way_to() { # ADDRESS: the device on the way there
	ip route get "$1" 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | sed 1q
}

# "CLIENT PORT SERVER PORT" of the SSH session that we are in. sudo does not hand the variable
# on, so the environment of those who have started us is looked at.
use_session() {
	c=${SSH_CONNECTION:-} p=$PPID k=0
	while test -z "$c" && test "${p:-0}" -gt 1 && test $k -lt 9; do
		c=$({ tr '\0' '\n' <"/proc/$p/environ"; } 2>/dev/null | sed -n 's/^SSH_CONNECTION=//p')
		p=$({ sed 's/.*) //' <"/proc/$p/stat"; } 2>/dev/null | cut -d ' ' -f 2)
		k=$((k + 1))
	done
	echo "$c"
}

# The devices that SSH comes and goes by.
use_of_ssh() {
	read -r client _ server _ || return 0
	test -n "$server" || return 0
	use_way_to "$client"
	ip -o addr show 2>/dev/null | sed -n "s,^[0-9]*: *\([^ ]*\) .*inet6* ${server%%%*}/.*,\1,p"
}

use_of_default() {
	{ ip route show table all && ip -6 route show table all; } 2>/dev/null |
		sed -n 's/^default .*dev \([^ ]*\).*/\1/p'
}

# Mounts and iSCSI by the addresses of their servers.
use_of_storage() {
	while read -r what _ type options _; do
		case $type in
		nfs | nfs4 | cifs | smb3) a=$(echo ",$options," | sed -n 's/.*,addr=\([^,]*\),.*/\1/p') ;;
		ceph) a=${what%%:*} ;;
		*) continue ;;
		esac
		if test -n "$a"; then use_way_to "$a"; fi
	done </proc/mounts
	for f in /sys/class/iscsi_connection/*/address; do
		if test -r "$f" && read -r a <"$f"; then use_way_to "$a"; fi
	done
}

use_begin() {
	ssh=$(use_session | use_of_ssh | use_all_below)
	default=$(use_of_default | use_all_below)
	storage=$(use_of_storage | use_all_below)
}

use_nic() { # INDEX NAME
	if test -n "$ssh"; then use_say "$1 session"; fi
	case " $ssh " in *" $2 "*) use_say "$1 ssh" ;; esac
	if test -L "/sys/class/net/$2/master"; then
		u=$(readlink "/sys/class/net/$2/master")
		use_say "$1 busy it is a member of ${u##*/}"
	fi
	for u in "/sys/class/net/$2"/upper_*; do
		if test -e "$u"; then use_say "$1 busy ${u##*/upper_} stands on it"; fi
	done
	case " $default " in *" $2 "*) use_say "$1 busy the default route goes by it" ;; esac
	case " $storage " in *" $2 "*) use_say "$1 busy a network mount or iSCSI goes by it" ;; esac
	for f in "/proc/sys/net/ipv4/conf/$2/forwarding" "/proc/sys/net/ipv6/conf/$2/forwarding"; do
		if test -r "$f" && test "$(cat "$f")" = 1; then use_say "$1 router"; fi
	done
	use_say "$1 end"
}

# Carrier, addresses and routes, without what changes by itself.
use_state() { # INDEX NAME
	c=$(cat "/sys/class/net/$2/carrier" 2>/dev/null) || c=0
	use_say "$1 carrier $c"
	{
		ip -o addr show dev "$2" | sed -e 's/^[0-9]*: *//' -e 's/\\.*//'
		ip route show table all dev "$2" | sed 's/^/route /'
		ip -6 route show table all dev "$2" | sed 's/^/route /'
	} 2>/dev/null | sed 's/ expires [0-9]*sec//' | sort | while read -r l; do
		case $l in *" tentative"*) use_say "$1 tentative" ;; esac
		use_say "$1 has ${l%% tentative*}"
	done
	use_say "$1 end"
}
