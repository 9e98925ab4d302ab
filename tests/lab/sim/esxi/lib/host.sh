# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # used by the scripts that source this
# host.sh - what the commands of the simulated ESXi host have in common. Facts of interfaces
# come from the network namespace that the host is, and what is set there is really set; all
# else is kept in files. Sourced by commands whose PATH is /.sim/bin alone.
STATE=/.sim/state   # outlives a reboot, as ESXi's settings do
KERNEL=/.sim/kernel # what the programs of the host get to see, see sim_shim.c
IPERF=/usr/lib/vmware/vsan/bin/iperf3

# die TEXT...: esxcli's errors come on standard output.
die() {
	echo "$*"
	exit 1
}

# may_set: ends the command where the host was told to refuse (netlab refuse).
may_set() {
	[ ! -e /.sim/refuse ] ||
		die "Unable to complete Sysinfo operation.  Please see the VMkernel log file for more details.: Sysinfo error: BusySee VMkernel log for details."
}

# keep FILE VALUE: a setting, for the next start of the host too.
keep() {
	echo "$2" >"$STATE/$1"
}

kept() { # FILE DEFAULT
	cat "$STATE/$1" 2>/dev/null || echo "$2"
}

# replace FILE NAME VALUE: the line "NAME VALUE" of a list.
replace() {
	sed "s|^$2 .*|$2 $3|" "$STATE/$1" >"$STATE/new" && cat "$STATE/new" >"$STATE/$1"
}

truth() {
	case $1 in
	true | 1 | yes | t) echo true ;;
	false | 0 | no | f) echo false ;;
	*) return 1 ;;
	esac
}

# ---- interfaces: vmkN, vmnicN and the bridges vSwitchN ------------------------------------

link() { ip -o link show dev "$1" 2>/dev/null; }
mtu_of() { link "$1" | sed -n 's/.* mtu \([0-9]*\).*/\1/p'; }
mac_of() { link "$1" | sed -n 's|.*link/ether \([0-9a-f:]*\).*|\1|p'; }
has_carrier() { link "$1" | grep -q LOWER_UP; }
is_up() { link "$1" | grep -q '[<,]UP[,>]'; }
all() { ip -o link show | sed -n "s/^[0-9]*: \($1[0-9]*\)[@:].*/\1/p" | sort; } # PREFIX
ports() { ip -o link show master "$1" 2>/dev/null | sed 's/^[0-9]*: \([^@:]*\)[@:].*/\1/'; }
address_of() { ip -o -4 addr show dev "$1" | awk '{ print $4; exit }'; }

# switch_of PORT: the vSwitch of a vmk or vmnic. The port of vmkN is port-vmkN.
switch_of() {
	port=$1
	case $1 in vmk*) port=port-$1 ;; esac
	link "$port" | sed -n 's/.* master \([^ ]*\).*/\1/p'
}

# speed_of VMNIC: Mbit/s of its shaper; 10000 without one, as a card of that speed.
speed_of() {
	PROC_ROOT=/.sim/proc tc qdisc show dev "$1" 2>/dev/null | awk '
		/tbf/ {
			for (i = 1; i < NF; i++)
				if ($i == "rate") {
					rate = $(i + 1)
					mbit = rate + 0
					if (rate ~ /Gbit/) mbit *= 1000
					if (rate ~ /Kbit/) mbit /= 1000
				}
		}
		END { printf "%d\n", mbit ? mbit : 10000 }'
}

# switch_mtu NAME MTU: a frame that is larger vanishes at the port of the vSwitch that it comes
# to, whatever the MTU of the vmk or VM behind it, and nobody is told.
switch_mtu() {
	ip link set dev "$1" mtu "$2" || return 1
	{
		printf 'table netdev mtu_%s\ndelete table netdev mtu_%s\ntable netdev mtu_%s {\n' "$1" "$1" "$1"
		for port in $(ports "$1"); do
			echo "chain $(echo "$port" | tr - _) {"
			echo "type filter hook ingress device \"$port\" priority 0; meta length > $2 drop; }"
		done
		echo '}'
	} | nft -f -
}

# portgroup VMK: a port group for each network of the lab.
portgroup() {
	case $1 in
	vmk0) echo "Management Network" ;;
	vmk1) echo "fast" ;;
	*) echo "emlab" ;;
	esac
}

uptime_s() {
	echo $(($(date +%s) - $(cat /.sim/booted)))
}

# ---- the firewall -------------------------------------------------------------------------

# firewall_load: what the settings say, as rules of the namespace. Stateless, both ways, and only
# for what the host itself sends and gets: its VMs are not filtered.
firewall_load() {
	nft -f - <<-OFF
		table inet esxi_firewall
		delete table inet esxi_firewall
	OFF
	[ "$(kept firewall true)" = true ] && [ "$(kept firewall-action DROP)" = DROP ] || return 0
	{
		echo 'table inet esxi_firewall {'
		for way in input output; do
			echo "chain $way { type filter hook $way priority 0; policy drop;"
			echo "meta l4proto { 1, 58 } accept"
			[ $way = input ] && echo 'iif lo accept' || echo 'oif lo accept'
			firewall_rules $way
			echo '}'
		done
		echo '}'
	} | nft -f -
}

# rule_list: RULESET DIRECTION PROTOCOL PORT-TYPE FIRST LAST of each rule; a few of a real host's.
rule_list() {
	cat <<-RULES
		sshServer Inbound TCP Dst 22 22
		sshClient Outbound TCP Dst 22 22
		dhcp Inbound UDP Dst 68 68
		dhcp Outbound UDP Src 68 68
		dns Inbound UDP Src 53 53
		dns Outbound UDP Dst 53 53
		dns Outbound TCP Dst 53 53
		httpClient Outbound TCP Dst 80 80
		httpClient Outbound TCP Dst 443 443
		vSphereClient Inbound TCP Dst 902 902
		vSphereClient Inbound TCP Dst 443 443
	RULES
}

# firewall_rules input|output: each enabled rule lets its packets pass, and the answers to them.
firewall_rules() {
	rule_list | while read -r set direction protocol type first last; do
		grep -q "^$set true" "$STATE/rulesets" || continue
		case $protocol in TCP) protocol=tcp ;; *) protocol=udp ;; esac
		case $type in Dst) this=dport that=sport ;; *) this=sport that=dport ;; esac
		case $1:$direction in
		input:Outbound | output:Inbound) this=$that ;;
		esac
		echo "$protocol $this $first-$last accept"
	done
}

# ---- security domains ---------------------------------------------------------------------

# domain_load: while appDom is enforced, the iperf3 that is shipped may not listen. A copy of it
# has no label, and may.
domain_load() {
	if grep -q '^appDom enforcing' "$STATE/domains"; then
		echo $IPERF >$KERNEL/no-listen
	else
		: >$KERNEL/no-listen
	fi
}
