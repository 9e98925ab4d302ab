# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # o_*: set by options() of esxcli, which sources this
# cli_system.sh - esxcli system and hardware.

build() {
	uname -v | sed 's/.*build-\([0-9]*\).*/\1/'
}

cli_system_version_get() {
	options "" "$@"
	release=$(uname -r)
	{
		record
		field Product "VMware ESXi"
		field Version "$release"
		field Build "Releasebuild-$(build)"
		field Update "${release##*.}"
		field Patch 0
	} | show one Version
}

cli_system_hostname_get() {
	options "" "$@"
	{
		record
		field "Domain Name" lab.example
		field "Fully Qualified Domain Name" "$(hostname).lab.example"
		field "Host Name" "$(hostname)"
	} | show one HostName
}

cli_system_stats_uptime_get() { # microseconds
	options "" "$@"
	echo "$(uptime_s)000000"
}

# ---- options of the whole host: PATH|TYPE|VALUE|DEFAULT|MIN|MAX|DESCRIPTION ------------------

cli_system_settings_advanced_list() {
	options "o=option t=tree d=delta" "$@"
	[ -z "$o_option" ] || grep -q -F "$o_option|" "$STATE/options" || die "Unable to find option ${o_option##*/}"
	while IFS='|' read -r path type value default min max what; do
		[ -z "$o_option" ] || [ "$path" = "$o_option" ] || continue
		record
		field Path "$path"
		field Type "$type"
		field "Int Value" "$value"
		field "Default Int Value" "$default"
		field "Min Value" "$min"
		field "Max Value" "$max"
		field "String Value" ""
		field "Default String Value" ""
		field "Valid Characters" ""
		field Description "$what"
	done <"$STATE/options" | show blocks Option
}

cli_system_settings_advanced_set() {
	restore=
	for word; do
		shift
		case $word in
		-d | --default) restore=yes ;;
		*) set -- "$@" "$word" ;;
		esac
	done
	options "o=option i=int-value s=string-value" "$@"
	needed o option "$o_option"
	line=$(grep -F "$o_option|" "$STATE/options") || die "Unable to find option ${o_option##*/}"
	IFS='|' read -r _ _ _ default min max _ <<-LINE
		$line
	LINE
	[ -z "$restore" ] || o_int_value=$default
	[ "$o_int_value" -ge "$min" ] 2>/dev/null && [ "$o_int_value" -le "$max" ] ||
		die "Unable to set option $o_option: Invalid value '$o_int_value'"
	may_set
	awk -F'|' -v OFS='|' -v path="$o_option" -v value="$o_int_value" '$1 == path { $3 = value } { print }' \
		"$STATE/options" >"$STATE/new" && cat "$STATE/new" >"$STATE/options"
	case $o_option in
	/User/execInstalledOnly) echo "$o_int_value" >$KERNEL/exec-installed ;;
	/Net/TcpipDefLROEnabled) # the nearest that a veth has
		for vmk in $(all vmk); do
			ethtool -K "$vmk" gro "$([ "$o_int_value" = 1 ] && echo on || echo off)"
		done
		;;
	esac
}

# ---- security domains ---------------------------------------------------------------------

cli_system_secpolicy_domain_list() {
	options "" "$@"
	while read -r name level; do
		record
		field "Domain Name" "$name"
		field "Enforcement Level" "$level"
	done <"$STATE/domains" | show table Domain
}

cli_system_secpolicy_domain_set() {
	options "n=name l=level a=all-domains" "$@"
	needed n name "$o_name"
	case $o_level in
	enforcing | warning | disabled) ;;
	*) die "Error: Invalid value for --level: $o_level" ;;
	esac
	grep -q "^$o_name " "$STATE/domains" || die "Error: Unable to find the domain $o_name"
	may_set
	replace domains "$o_name" "$o_level"
	domain_load
}

# ---- hardware -----------------------------------------------------------------------------

cpu_field() { # NAME of /proc/cpuinfo
	sed -n "s/^$1[[:blank:]]*: //p" /.sim/proc/cpuinfo | head -n 1
}

cli_hardware_cpu_global_get() {
	options "" "$@"
	{
		record
		field "CPU Packages" 1
		field "CPU Cores" "$(nproc)"
		field "CPU Threads" "$(nproc)"
		field "Hyperthreading Active" false
		field "Hyperthreading Supported" false
		field "Hyperthreading Enabled" true
		field "HV Support" 3
	} | show one CpuGlobal
}

cli_hardware_cpu_list() {
	options "" "$@"
	n=0
	while [ $n -lt "$(nproc)" ]; do
		record "CPU:$n"
		field Id $n
		field "Package Id" 0
		field Family "$(cpu_field "cpu family")"
		field Model "$(cpu_field model)"
		field Type 0
		field Stepping "$(cpu_field stepping)"
		field Brand "$(cpu_field vendor_id)"
		field "Core Speed" "$(cpu_field "cpu MHz" | awk '{ printf "%.0f", $1 * 1000000 }')"
		n=$((n + 1))
	done | show list Cpu
}

cli_hardware_memory_get() {
	options "" "$@"
	{
		record
		field "Physical Memory" "$(awk '/^MemTotal/ { printf "%.0f Bytes", $2 * 1024 }' /.sim/proc/meminfo)"
		field "Reliable Memory" "0 Bytes"
		field "NUMA Node Count" 1
	} | show one Memory
}
