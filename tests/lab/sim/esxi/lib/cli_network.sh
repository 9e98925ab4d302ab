# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # o_*: set by options() of esxcli, which sources this
# cli_network.sh - esxcli network nic, ip and vm.

# need_nic NAME
need_nic() {
	needed n nic-name "$1"
	case $1 in
	vmnic*) ! link "$1" >/dev/null || return 0 ;;
	esac
	die "Error: Unable to find the NIC $1"
}

cli_network_nic_list() {
	options "" "$@"
	bus=2
	for nic in $(all vmnic); do
		record
		field Name "$nic"
		field "PCI Device" "0000:0$bus:00.0"
		field Driver ixgben
		field "Admin Status" Up
		if has_carrier "$nic"; then
			field "Link Status" Up
			field Speed "$(speed_of "$nic")"
			field Duplex Full
		else
			field "Link Status" Down
			field Speed 0
			field Duplex Half
		fi
		field "MAC Address" "$(mac_of "$nic")"
		field MTU "$(mtu_of "$(switch_of "$nic")")"
		field Description "Intel(R) Ethernet Controller X550"
		bus=$((bus + 1))
	done | show table PhysicalNIC
}

cli_network_nic_get() {
	options "n=nic-name" "$@"
	need_nic "$o_nic_name"
	# The blanks at the ends of lines are the real one's.
	cat <<-NIC | sed 's/~$/ /'
		   Advertised Auto Negotiation: true
		   Advertised Link Modes: Auto, 10000BaseT/Full
		   Auto Negotiation: true
		   Backing DPUId: N/A
		   Cable Type: Twisted Pair
		   Current Message Level: 0
		   Driver Info:~
		         Bus Info: 0000:02:00:0
		         Driver: ixgben
		         Firmware Version: 0x80000aee, 1.1824.0
		         Version: 1.15.1.0
		   Link Detected: $(has_carrier "$o_nic_name" && echo true || echo false)
		   Link Status: $(has_carrier "$o_nic_name" && echo Up || echo Down)~
		   Name: $o_nic_name
		   PHYAddress: 0
		   Pause Autonegotiate: false
		   Pause RX: false
		   Pause TX: false
		   Supported Ports: TP
		   Supports Auto Negotiation: true
		   Supports Pause: true
		   Supports Wakeon: false
		   Transceiver:~
		   Virtual Address: 00:50:56:5e:53:95
		   Wakeon: None
	NIC
}

# counters NIC: packets and bytes of the interface since it was made.
counters() {
	ip -o -s link show dev "$1" | tr '\\' '\n' | awk '
		seen == "RX:" && NF > 4 { rx = $2; rx_bytes = $1; rx_errors = $3; rx_drops = $4; seen = "" }
		seen == "TX:" && NF > 4 { print rx, $2, rx_bytes, $1, rx_drops, $4, rx_errors, $3; exit }
		$1 == "RX:" || $1 == "TX:" { seen = $1 }'
}

cli_network_nic_stats_get() {
	options "n=nic-name" "$@"
	need_nic "$o_nic_name"
	counters "$o_nic_name" | while read -r rx tx rx_bytes tx_bytes rx_drops tx_drops rx_errors tx_errors; do
		echo "NIC statistics for $o_nic_name"
		echo "   Packets received: $rx"
		echo "   Packets sent: $tx"
		echo "   Bytes received: $rx_bytes"
		echo "   Bytes sent: $tx_bytes"
		echo "   Receive packets dropped: $rx_drops"
		echo "   Transmit packets dropped: $tx_drops"
		echo "   Total receive errors: $rx_errors"
		for what in length over CRC frame FIFO missed; do
			echo "   Receive $what errors: 0"
		done
		echo "   Total transmit errors: $tx_errors"
		for what in aborted carrier FIFO heartbeat window; do
			echo "   Transmit $what errors: 0"
		done
	done
}

ring_record() { # PREFIX RX TX
	record
	field "${1}RX" "$2"
	field "${1}RX Mini" 0
	field "${1}RX Jumbo" 0
	field "${1}TX" "$3"
}

cli_network_nic_ring_preset_get() {
	options "n=nic-name" "$@"
	need_nic "$o_nic_name"
	ring_record "Max " 4096 4096 | show one RingPreset
}

cli_network_nic_ring_current_get() {
	options "n=nic-name" "$@"
	need_nic "$o_nic_name"
	read -r rx tx <"$STATE/ring-$o_nic_name"
	ring_record "" "$rx" "$tx" | show one Ring
}

cli_network_nic_ring_current_set() {
	options "n=nic-name r=rx t=tx" "$@"
	need_nic "$o_nic_name"
	may_set
	read -r rx tx <"$STATE/ring-$o_nic_name"
	for size in "${o_rx:=$rx}" "${o_tx:=$tx}"; do
		[ "$size" -ge 64 ] 2>/dev/null && [ "$size" -le 4096 ] ||
			die "Unable to set ring size: Invalid argument: $size"
	done
	keep "ring-$o_nic_name" "$o_rx $o_tx"
}

# ---- VMkernel interfaces ------------------------------------------------------------------

cli_network_ip_interface_list() {
	options "" "$@"
	id=33554436
	for vmk in $(all vmk); do
		record "$vmk"
		field Name "$vmk"
		field "MAC Address" "$(mac_of "$vmk")"
		field Enabled "$(is_up "$vmk" && echo true || echo false)"
		field Portset "$(switch_of "$vmk")"
		field Portgroup "$(portgroup "$vmk")"
		field "Netstack Instance" defaultTcpipStack
		for key in "VDS Name" "VDS UUID" "VDS Port"; do field "$key" N/A; done
		field "VDS Connection" -1
		for key in "Opaque Network ID" "Opaque Network Type" "External ID"; do field "$key" N/A; done
		field MTU "$(mtu_of "$vmk")"
		field "TSO MSS" 65535
		field "RXDispQueue Size" 1
		field "Port ID" $id
		id=$((id + 1))
	done | show list VmkernelInterface
}

# need_mtu NUMBER: 1280 to 9000.
need_mtu() {
	[ "$1" -ge 1280 ] 2>/dev/null && [ "$1" -le 9000 ] ||
		die "Unable to set MTU: Invalid argument: $1"
}

cli_network_ip_interface_set() {
	options "i=interface-name m=mtu e=enabled" "$@"
	needed i interface-name "$o_interface_name"
	case $o_interface_name in vmk*) link "$o_interface_name" >/dev/null ;; *) false ;; esac ||
		die "Error: Unable to find the VMkernel interface $o_interface_name"
	may_set
	if [ -n "$o_mtu" ]; then
		need_mtu "$o_mtu"
		ip link set dev "$o_interface_name" mtu "$o_mtu" || exit 1
		keep "mtu-$o_interface_name" "$o_mtu"
	fi
	[ -n "$o_enabled" ] || return 0
	o_enabled=$(truth "$o_enabled") || die "Error: Invalid value for --enabled"
	if [ "$o_enabled" = true ]; then
		ip link set dev "$o_interface_name" up
	else
		ip link set dev "$o_interface_name" down
	fi
}

# dotted NUMBER: as an IPv4 address.
dotted() {
	echo "$(($1 >> 24 & 255)).$(($1 >> 16 & 255)).$(($1 >> 8 & 255)).$(($1 & 255))"
}

# host_bits PREFIX-LENGTH, number_of ADDRESS
host_bits() { echo $(((1 << (32 - $1)) - 1)); }
number_of() { echo "$1" | awk -F. '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

cli_network_ip_interface_ipv4_get() {
	options "i=interface-name" "$@"
	for vmk in $(all vmk); do
		[ -z "$o_interface_name" ] || [ "$vmk" = "$o_interface_name" ] || continue
		address=$(address_of "$vmk")
		host=$(host_bits "${address#*/}")
		record
		field Name "$vmk"
		field "IPv4 Address" "${address%/*}"
		field "IPv4 Netmask" "$(dotted $((0xffffffff & ~host)))"
		field "IPv4 Broadcast" "$(dotted $(($(number_of "${address%/*}") | host)))"
		field "Address Type" STATIC
		field Gateway 0.0.0.0
		field "DHCP DNS" false
	done | show table IPv4Interface
}

cli_network_ip_interface_ipv4_address_list() { cli_network_ip_interface_ipv4_get "$@"; }

# ---- VMs: "NAME VMID" lines, ports NAME-NIC of the vSwitch --------------------------------

cli_network_vm_list() {
	options "" "$@"
	{
		[ -s /.sim/vms ] || printf 'World ID\t\nName\t\nNum Ports\t\nNetworks\t\n'
		while read -r name vmid; do
			record
			field "World ID" $((2100000 + vmid))
			field Name "$name"
			field "Num Ports" "$(ports vSwitch1 | grep -c "^$name-")"
			field Networks "emlab, fast"
		done </.sim/vms
	} | show table VM
}

cli_network_vm_port_list() {
	options "w=world-id" "$@"
	needed w world-id "$o_world_id"
	name=$(awk -v world="$o_world_id" '2100000 + $2 == world { print $1 }' /.sim/vms)
	[ -n "$name" ] || die "Error: Unable to find a world with the id $o_world_id"
	id=67108870
	for port in $(ports vSwitch1 | grep "^$name-"); do
		record
		field "Port ID" $id
		field vSwitch vSwitch1
		field Portgroup "$(case $port in *-em0) echo emlab ;; *) echo fast ;; esac)"
		field "DVPort ID" ""
		field "MAC Address" "$(mac_of "$port")"
		field "IP Address" 0.0.0.0
		field "Team Uplink" vmnic1
		field "Uplink Port ID" 67108866
		field "Active Filters" ""
		id=$((id + 1))
	done | show blocks VMPort
}
