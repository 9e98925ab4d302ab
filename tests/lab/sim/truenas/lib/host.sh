# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # used by the scripts that source this
# host.sh - what the commands of the simulated TrueNAS CORE host have in common: its NICs are
# those of the network namespace that it is. Sourced by commands whose PATH is /.sim/bin alone.
STATE=/.sim/state # emptied at each start: nothing that is set by hand outlives one

# Capabilities of each NIC by the bits of FreeBSD's net/if.h, and those that are on after a start.
# 0x800000 has no name in the text. vmx0: as published of CORE 13, with LRO and TSO on.
capabilities() {
	case $1 in
	vmx*) echo $((0xe407bb)) ;;
	em*) echo $((0x481259b)) ;;
	igb*) echo $((0x4e527bb)) ;;
	lo0) echo $((0x680003)) ;;
	esac
}
defaults() {
	case $1 in
	em*) echo $((0x481249b)) ;;
	*) capabilities "$1" ;;
	esac
}

# What ifconfig can switch: the bits that a word is, and the feature of the interface that is
# really switched with it; "-": none is, the bit alone is kept.
switch_bits() {
	case $1 in
	rxcsum) echo $((0x1)) ;;
	txcsum) echo $((0x2)) ;;
	tso4) echo $((0x100)) ;;
	tso6) echo $((0x200)) ;;
	tso) echo $((0x300)) ;;
	lro) echo $((0x400)) ;;
	rxcsum6) echo $((0x200000)) ;;
	txcsum6) echo $((0x400000)) ;;
	*) return 1 ;;
	esac
}

nics() { ip -o link show | sed -n 's/^[0-9]*: \([^@:]*\)[@:].*/\1/p' | grep -E '^(em|vmx|igb)[0-9]+$'; }
of_linux() { case $1 in lo0) echo lo ;; *) echo "$1" ;; esac; }
exists() { case $1 in lo0) ;; *) nics | grep -q -x -e "$1" ;; esac; }
link() { ip -o link show dev "$(of_linux "$1")" 2>/dev/null; }
mtu_of() { link "$1" | sed -n 's/.* mtu \([0-9]*\).*/\1/p'; }
options_of() { cat "$STATE/options-$1" 2>/dev/null || defaults "$1"; }

# mtu_max NIC: as the driver takes it.
mtu_max() {
	case $1 in
	em*) echo 16110 ;;
	vmx*) echo 9000 ;;
	lo0) echo 65535 ;;
	*) echo 9216 ;;
	esac
}

# set_options NIC BITS: keeps them and makes the interface follow.
# A veth has no LRO; GRO is the nearest.
set_options() {
	echo "$2" >"$STATE/options-$1"
	on_off() { [ $(($1 & $2)) -ne 0 ] && echo on || echo off; }
	ethtool -K "$1" rx "$(on_off "$2" 0x1)" tx "$(on_off "$2" 0x2)" >/dev/null 2>&1
	ethtool -K "$1" gro "$(on_off "$2" 0x400)" tso "$(on_off "$2" 0x300)" >/dev/null 2>&1
}
