# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # o_*: set by options() of esxcli, which sources this
# cli_switch.sh - esxcli network vswitch and firewall.

uplinks() { # SWITCH: "vmnic0, vmnic1"
	ports "$1" | grep '^vmnic' | sort | tr '\n' ' ' | sed 's/ $//; s/ /, /g'
}

cli_network_vswitch_standard_list() {
	options "v=vswitch-name" "$@"
	for switch in $(all vSwitch); do
		[ -z "$o_vswitch_name" ] || [ "$switch" = "$o_vswitch_name" ] || continue
		record "$switch"
		field Name "$switch"
		field Class cswitch
		field "Num Ports" 10496
		field "Used Ports" $(($(ports "$switch" | wc -l) + 1))
		field "Configured Ports" 128
		field MTU "$(mtu_of "$switch")"
		field "CDP Status" listen
		field "Beacon Enabled" false
		field "Beacon Interval" 1
		field "Beacon Threshold" 3
		field "Beacon Required By" ""
		field Uplinks "$(uplinks "$switch")"
		field Portgroups "$([ "$switch" = vSwitch0 ] && echo "VM Network, Management Network" || echo "emlab, fast")"
	done | show list VirtualSwitch
}

cli_network_vswitch_standard_set() {
	options "v=vswitch-name m=mtu c=cdp-status" "$@"
	needed v vswitch-name "$o_vswitch_name"
	case $o_vswitch_name in vSwitch*) link "$o_vswitch_name" >/dev/null ;; *) false ;; esac ||
		die "Error: Unable to find the vSwitch $o_vswitch_name"
	may_set
	[ -n "$o_mtu" ] || return 0
	need_mtu "$o_mtu"
	switch_mtu "$o_vswitch_name" "$o_mtu" || exit 1
	keep "mtu-$o_vswitch_name" "$o_mtu"
}

cli_network_vswitch_standard_portgroup_list() {
	options "" "$@"
	while read -r name switch clients; do
		record
		field Name "$(echo "$name" | tr _ ' ')"
		field "Virtual Switch" "$switch"
		field "Active Clients" "$clients"
		field "VLAN ID" 0
	done <<-GROUPS | show table PortGroup
		Management_Network vSwitch0 1
		VM_Network vSwitch0 0
		emlab vSwitch1 $(ports vSwitch1 | grep -c -e '-em0$' -e vmk2)
		fast vSwitch1 $(ports vSwitch1 | grep -c -e '-vmx0$' -e vmk1)
	GROUPS
}

# ---- firewall -----------------------------------------------------------------------------

cli_network_firewall_get() {
	options "" "$@"
	{
		record
		field "Default Action" "$(kept firewall-action DROP)"
		field Enabled "$(kept firewall true)"
		field Loaded true
	} | show one Firewall
}

cli_network_firewall_set() {
	options "e=enabled d=default-action" "$@"
	[ -n "$o_enabled$o_default_action" ] || die "Error: Must specify at least one of --enabled, --default-action"
	may_set
	if [ -n "$o_enabled" ]; then
		value=$(truth "$o_enabled") || die "Error: Invalid value for --enabled: $o_enabled"
		keep firewall "$value"
	fi
	if [ -n "$o_default_action" ]; then
		value=$(truth "$o_default_action") || die "Error: Invalid value for --default-action: $o_default_action"
		[ "$value" = true ] && keep firewall-action PASS || keep firewall-action DROP
	fi
	firewall_load
}

cli_network_firewall_refresh() {
	options "" "$@"
	firewall_load
}

cli_network_firewall_ruleset_list() {
	options "r=ruleset-id" "$@"
	[ -z "$o_ruleset_id" ] || need_ruleset
	while read -r name enabled; do
		[ -z "$o_ruleset_id" ] || [ "$name" = "$o_ruleset_id" ] || continue
		record
		field Name "$name"
		field Enabled "$enabled"
	done <"$STATE/rulesets" | show table Ruleset
}

need_ruleset() {
	needed r ruleset-id "$o_ruleset_id"
	grep -q "^$o_ruleset_id " "$STATE/rulesets" ||
		die "Error: Unable to find the ruleset with the ID $o_ruleset_id"
}

cli_network_firewall_ruleset_set() {
	options "r=ruleset-id e=enabled a=allowed-all" "$@"
	need_ruleset
	value=$(truth "$o_enabled") || die "Error: Invalid value for --enabled: $o_enabled"
	may_set
	replace rulesets "$o_ruleset_id" "$value"
	firewall_load
}

cli_network_firewall_ruleset_rule_list() {
	options "r=ruleset-id" "$@"
	rule_list | while read -r set direction protocol type first last; do
		[ -z "$o_ruleset_id" ] || [ "$set" = "$o_ruleset_id" ] || continue
		record
		field Ruleset "$set"
		field Direction "$direction"
		field Protocol "$protocol"
		field "Port Type" "$type"
		field "Port Begin" "$first"
		field "Port End" "$last"
	done | show table Rule
}
