# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# client.sh - the files of STATE/client: SSH keys, known_hosts, ssh_config, lab.yaml.

# names KIND|KIND: the hosts of these kinds, in the order of the spec.
names() {
	local n
	for n in "${NAMES[@]}"; do
		[[ ! "|$1|" = *"|${KIND[$n]}|"* ]] || echo "$n"
	done
}

# list WORD...: "a, b, c"
list() {
	local IFS=,
	local joined="$*"
	echo "${joined//,/, }"
}

# jumps NAME: the hosts on the way to it, the first one first: "root@10.77.0.11,root@10.77.10.12"
jumps() {
	local before=${BEHIND[$1]}
	[ -z "${BEHIND[$before]}" ] || echo -n "$(jumps "$before"),"
	echo "root@$(mgmt_address "$before")"
}

# nics_of KIND NIC: "esx1.vmk1 esx2.vmk1" for all hosts of a kind
nics_of() {
	local n
	for n in $(names "$1"); do
		echo "$n.$2"
	done
}

# client_keys: a key that every host lets in (and id_rsa where there is an esxi: no ed25519), a certificate authority for users and hosts,
# and a key that counts by its certificate only.
client_keys() {
	local key
	if [ -n "$(names esxi)" ]; then
		ssh-keygen -q -t rsa -b 2048 -N '' -C "netlab id_rsa" -f "$STATE/client/id_rsa" ||
			die "cannot make a key"
	fi
	for key in id_lab ca id_cert; do
		ssh-keygen -q -t ed25519 -N '' -C "netlab $key" -f "$STATE/client/$key" ||
			die "cannot make a key"
	done
	ssh-keygen -q -s "$STATE/client/ca" -I netlab -n root,labuser "$STATE/client/id_cert.pub" ||
		die "cannot sign a key"
	echo "@cert-authority * $(cut -d' ' -f1,2 "$STATE/client/ca.pub")" >"$STATE/client/known_ca"
}

# ssh_files: known_hosts and ssh_config. (The keys are made before the hosts.)
ssh_files() {
	local dir=$STATE/client n key
	for n in "${NAMES[@]}"; do
		read -r key <"$STATE/hosts/$n/seed/etc/ssh/$(host_key "$n").pub"
		echo "$n,$(mgmt_address "$n") ${key% *}" >&3
		printf 'Host %s\n\tHostName %s\n' "$n" "$(mgmt_address "$n")"
		[ -z "${BEHIND[$n]}" ] || printf '\tProxyJump %s\n' "${BEHIND[$n]}"
		[ "${KIND[$n]}" != esxi ] || printf '\tIdentityFile %s/id_rsa\n' "$dir"
	done 3>"$dir/known_hosts" >"$dir/ssh_config"
	cat >>"$dir/ssh_config" <<-CONFIG
		Host *
			User root
			IdentityFile $dir/id_lab
			IdentitiesOnly yes
			UserKnownHostsFile $dir/known_hosts
			GlobalKnownHostsFile /dev/null
			StrictHostKeyChecking yes
			BatchMode yes
	CONFIG
}

# ---- lab.yaml -----------------------------------------------------------------

yaml_resource() { # NAME KIND RATE
	[ "$3" = none ] ||
		printf '  %-12s { kind: %s, speed: %s, frame_overhead: 14 }\n' \
			"$1:" "$2" "$(yaml_rate "$3")"
}

yaml_resources() {
	local n nic
	for n in $(names 'esx|esxi'); do
		yaml_resource "$n-uplink" link "${RATE[$n]}"
	done
	for n in $(names vm); do
		for nic in em0 vmx0; do
			yaml_resource "$n-$nic" port "${RATE[$n]}"
		done
	done
	for n in $(names pc); do
		yaml_resource "$n-eth1" port "${RATE[$n]}"
	done
	for n in $(names truenas); do
		for nic in em0 vmx0; do
			yaml_resource "$n-$nic" port "${RATE[$n]}"
		done
	done
}

# uses NAME NIC: the resources of a NIC, as ", uses: [...]"; nothing if unshaped.
uses() {
	local n=$1 esx=${ON[$1]:-$1}
	local -a used=()
	[[ ! ${KIND[$esx]} =~ ^esxi?$ ]] || [ "${RATE[$esx]}" = none ] || used+=("$esx-uplink")
	[[ ${KIND[$n]} =~ ^esxi?$ ]] || [ "${RATE[$n]}" = none ] || used+=("$n-$2")
	[ ${#used[@]} -eq 0 ] || echo ", uses: [$(list "${used[@]}")]"
}

yaml_nic() { # NAME NIC SEGMENT ROLE MORE
	local ip6
	ip6=$(address6 "$3" "$1")
	printf '      %-5s { ip: %s,%s segment: %s, role: %s%s }\n' \
		"$2:" "$(address "$3" "$1")" "${ip6:+ ip6: \"$ip6\",}" "$3" "$4" "${5:-}"
}

yaml_nics() { # NAME
	local n=$1 port=", vswitch: $VSWITCH"
	case ${KIND[$n]} in
	esx | esxi)
		yaml_nic "$n" vmk0 "$(mgmt_segment "$n")" mgmt
		yaml_nic "$n" vmk1 fast test "$port, uplink: vmnic1$(uses "$n" vmk1)"
		yaml_nic "$n" vmk2 emlab test "$port, uplink: vmnic1$(uses "$n" vmk2)"
		;;
	vm)
		yaml_nic "$n" eth0 "$(mgmt_segment "$n")" mgmt
		yaml_nic "$n" em0 emlab test \
			", driver: em$port, portgroup: emlab$(uses "$n" em0)"
		yaml_nic "$n" vmx0 fast test \
			", driver: vmxnet3$port, portgroup: fast$(uses "$n" vmx0)"
		;;
	pc)
		yaml_nic "$n" eth0 "$(mgmt_segment "$n")" mgmt
		yaml_nic "$n" eth1 fast test "$(uses "$n" eth1)"
		;;
	truenas)
		yaml_nic "$n" igb0 "$(mgmt_segment "$n")" mgmt
		yaml_nic "$n" em0 emlab test ", driver: em$(uses "$n" em0)"
		yaml_nic "$n" vmx0 fast test ", driver: vmxnet3$(uses "$n" vmx0)"
		;;
	box) yaml_nic "$n" eth0 "$(mgmt_segment "$n")" mgmt ;;
	esac
}

# yaml_ssh NAME: how its login differs from the others'.
yaml_ssh() {
	local more=''
	[ -z "${BEHIND[$1]}" ] || more=", jump: \"$(jumps "$1")\""
	[ "${KIND[$1]}" != esxi ] || more+=", key: $STATE/client/id_rsa"
	[ -z "$more" ] || echo "    ssh: { ${more#, } }"
}

yaml_hosts() {
	local n
	local -A kinds=([esx]=esxi [esxi]=esxi [vm]=vm) systems=([esxi]=esxi [truenas]=freebsd)
	for n in "${NAMES[@]}"; do
		echo "  $n:"
		echo "    kind: ${kinds[${KIND[$n]}]:-baremetal}"
		[ -z "${ON[$n]}" ] || echo "    runs_on: ${ON[$n]}"
		echo "    os: ${systems[${KIND[$n]}]:-linux}"
		echo "    mgmt: $(mgmt_address "$n")"
		yaml_ssh "$n"
		echo "    nics:"
		yaml_nics "$n"
	done
}

# yaml_insides: the management networks of hosts that others are behind.
yaml_insides() {
	local n
	for n in "${NAMES[@]}"; do
		[ -z "${SUBNET[lan-$n]:-}" ] ||
			echo "  lan-$n: { subnet: $NET.${SUBNET[lan-$n]}.0/24, max_mtu: $NIC_MTU }"
	done
}

yaml_group() { # NAME NIC...
	local group=$1
	shift
	[ $# -eq 0 ] || echo "  $group: [$(list "$@")]"
}

yaml_groups() {
	# shellcheck disable=SC2046
	{
		yaml_group esxi $(nics_of 'esx|esxi' vmk1)
		yaml_group truenas $(nics_of truenas vmx0)
		yaml_group vms $(nics_of vm vmx0)
		yaml_group em $(nics_of vm em0)
		yaml_group metal $(nics_of pc eth1)
	}
}

# choose_vms: the first VM and its partners: one on the same hypervisor, one elsewhere.
choose_vms() {
	local v
	FIRST_VM='' SAME_VM='' CROSS_VM=''
	for v in $(names vm); do
		if [ -z "$FIRST_VM" ]; then
			FIRST_VM=$v
		elif [ "${ON[$v]}" = "${ON[$FIRST_VM]}" ]; then
			SAME_VM=${SAME_VM:-$v}
		else
			CROSS_VM=${CROSS_VM:-$v}
		fi
	done
}

# yaml_pairs: one pair for each class of path that this lab has, with the class.
yaml_pairs() {
	local -a esx pc nas
	local far=${CROSS_VM:-$FIRST_VM} # the PC's VM: not the one that all others use
	mapfile -t esx < <(names 'esx|esxi')
	mapfile -t pc < <(names pc)
	mapfile -t nas < <(names truenas)
	[ ${#esx[@]} -lt 2 ] || yaml_pair host-host "${esx[0]}.vmk1" "${esx[1]}.vmk1"
	[ -z "$SAME_VM" ] || yaml_pair vm-vm-same-host "$FIRST_VM.vmx0" "$SAME_VM.vmx0"
	[ -z "$CROSS_VM" ] || yaml_pair vm-vm-cross-host "$FIRST_VM.vmx0" "$CROSS_VM.vmx0"
	if [ ${#pc[@]} -gt 0 ]; then
		[ ${#esx[@]} -lt 1 ] || yaml_pair baremetal-host "${pc[0]}.eth1" "${esx[0]}.vmk1"
		[ -z "$far" ] || yaml_pair baremetal-vm "${pc[0]}.eth1" "$far.vmx0"
		[ ${#pc[@]} -lt 2 ] || yaml_pair baremetal-baremetal "${pc[0]}.eth1" "${pc[1]}.eth1"
		[ ${#nas[@]} -eq 0 ] || yaml_pair baremetal-baremetal "${pc[0]}.eth1" "${nas[0]}.vmx0"
	fi
	[ -z "$FIRST_VM" ] || yaml_pair vm-own-host "$FIRST_VM.vmx0" "${ON[$FIRST_VM]}.vmk1"
}

yaml_pair() { # CLASS A B
	printf '      - %-26s # %s\n' "[$2, $3]" "$1"
}

# yaml_box_pairs: each box with its neighbour of the same network, over their only NICs.
yaml_box_pairs() {
	local n segment
	local -A waits=() met=()
	for n in $(names box); do
		segment=$(mgmt_segment "$n")
		if [ -n "${waits[$segment]:-}" ]; then
			yaml_pair "$segment" "${waits[$segment]}.eth0" "$n.eth0"
			met[$segment]=$n waits[$segment]=''
		else
			waits[$segment]=$n
		fi
	done
	for segment in "${!waits[@]}"; do # an odd one
		[ -z "${waits[$segment]}" ] || [ -z "${met[$segment]:-}" ] ||
			yaml_pair "$segment" "${waits[$segment]}.eth0" "${met[$segment]}.eth0"
	done
}

# What every profile of the lab leaves alone.
FIXED='mtu: 1500, buffer: default, lro: unchanged, tso: unchanged, duration: 1s, omit: 300ms'

yaml_profiles() {
	local pairs
	pairs=$(yaml_box_pairs)
	[ -z "$pairs" ] || cat <<-PROFILES
		  boxes:                 # the hosts with management alone
		    pairs:
		$pairs
		    fixed: { window: default, streams: 1, direction: forward, $FIXED }
		    repeats: { min: 1, max: 1 }
	PROFILES
	pairs=$(yaml_pairs)
	if [ -z "$pairs" ]; then
		return
	fi
	cat <<-PROFILES
		  smoke:                 # one cell
		    pairs:
		$(tail -n 1 <<<"$pairs")
		    fixed: { window: default, streams: 1, direction: forward, $FIXED }
		    repeats: { min: 1, max: 1 }

		  grid:                  # every class of path, few settings
		    pairs:
		$pairs
		    grid: { streams: [1, 4], direction: [forward, reverse] }
		    fixed: { window: default, $FIXED }
		    repeats: { min: 1, max: 1 }

		  demo: &demo            # every class of path, windows and streams, both ways
		    pairs:
		$pairs
		    grid:
		      window: [default, 64K, 192K]
		      streams: [1, 4]
		      direction: [forward, reverse]
		    fixed: { $FIXED }
		    repeats: { min: 1, max: 1 }

		  demo-full:             # the same, often enough for an interval
		    <<: *demo
		    repeats: { min: 6, max: 6 }
	PROFILES
	[ -z "$SAME_VM" ] || cat <<-PROFILES

		  drivers:               # the two NICs of a VM against each other
		    pairs: [[$FIRST_VM, $SAME_VM]]
		    grid: { driver: [em, vmxnet3] }
		    fixed: { window: default, streams: 1, direction: forward, $FIXED }
		    repeats: { min: 1, max: 1 }
	PROFILES
}

# or_nothing CMD: what it prints, or an empty mapping.
or_nothing() {
	local said
	said=$("$1")
	printf '%s\n' "${said:-"  {}"}"
}

yaml_file() {
	cat <<-YAML
		# made by netlab
		version: 1
		name: $PREFIX
		store: $STORE

		defaults:
		  ssh:
		    user: root
		    key: $STATE/client/id_lab
		    known_hosts: $STATE/client/known_hosts
		  ports: 5201-5299

		# Shapers of the lab; tc counts 14 bytes beyond the MTU for each frame. A link is
		# crossed by what leaves the hypervisor, a port by all that its NIC sends or gets.
		resources:
		$(or_nothing yaml_resources)

		segments:
		  lan:   { subnet: $NET.${SUBNET[lan]}.0/24, max_mtu: $NIC_MTU }
		  fast:  { subnet: $NET.${SUBNET[fast]}.0/24, max_mtu: $WIRE_MTU }
		  emlab: { subnet: $NET.${SUBNET[emlab]}.0/24, max_mtu: $WIRE_MTU }
		$(yaml_insides)
		hosts:
		$(yaml_hosts)

		groups:
		$(or_nothing yaml_groups)

		design:
		  duration: 1s
		  omit: 300ms
		  repeats: { min: 1, max: 1 }
		  seed: 20261130

		axes:
		  mtu:       [1500, 9000]
		  window:    [default, 64K, 192K]
		  streams:   [1, 4]
		  direction: [forward, reverse]
		  driver:    [em, vmxnet3]

		profiles:
		$(or_nothing yaml_profiles)
	YAML
}

client_files() {
	choose_vms
	ssh_files
	yaml_file >"$STATE/client/lab.yaml"
}
