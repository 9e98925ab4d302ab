# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# fault.sh - breaks and mends hosts and wires: the verb x-y is the function fault_x_y,
# called with NAME and what follows. SSH's own faults are in fault_ssh.sh.

fault_usage() {
	cat <<-'U'
		faults; NAME is a host. DEV is one of its NICs, or mgmt, or test: what joins it to
		the test network (vmnic1 of an esx, all test NICs of a VM or PC). SSH: mgmt only.
		  link NAME [DEV] down|up|block|unblock   carrier lost | frames dropped (DEV: mgmt)
		  rate NAME [DEV] RATE|none               shape both directions (DEV: test)
		  mtu-blackhole NAME [DEV] MTU|off        larger frames vanish (DEV: test)
		  block-port NAME [drop|reject]           new TCP connections to its test NICs
		  unblock-port NAME
		  freeze NAME [sshd|agent|all]            SIGSTOP (sshd)
		  thaw NAME                               SIGCONT for all
		  kill-agent NAME [SIGNAL]                processes of vnm-agent (KILL)
		  agents NAME                             their pids on that host
		  leftovers NAME                          what an agent left: files, listeners
		  fill-tmp NAME, free-tmp NAME            /tmp is full
		  fill-all NAME, free-all NAME            every writable folder but /etc is full
		  noexec NAME [DIR...], exec-ok NAME [DIR...]   (/tmp /var/tmp /dev/shm; all)
	U
	fault_ssh_usage
}

# cmd_fault VERB NAME ARG...
cmd_fault() {
	local run=fault_${1//-/_}
	if ! declare -F "$run" >/dev/null || [[ $1 =~ _|usage$ ]]; then
		echo "netlab: no command '$1': see netlab help" >&2
		exit 2
	fi
	[ $# -ge 2 ] || die "$1 needs the name of a host"
	known "$2"
	shift
	"$run" "$@"
}

bad_use() {
	local verb=${FUNCNAME[1]#fault_}
	die "bad arguments of ${verb//_/-}: see netlab help"
}

# ---- wires --------------------------------------------------------------------

fault_link() {
	local name=$1 dev=mgmt action nic port sw
	shift
	[ $# -lt 2 ] || { dev=$1 && shift; }
	action=${1:-}
	[[ $action =~ ^(down|up|block|unblock)$ ]] || bad_use
	wires "$name" "$dev" >/dev/null || exit 1
	while read -r nic _ _ sw port _; do
		case $action in
		down) ip -n "$sw" link set dev "$port" down ;;
		up)
			ip -n "$sw" link set dev "$port" up &&
				wait_for 5 forwards "$sw" "$port" &&
				wait_for 5 forwards "$PREFIX-$name" "$nic"
			;;
		block) bridge -n "$sw" link set dev "$port" state 0 ;;
		unblock) bridge -n "$sw" link set dev "$port" state 3 ;;
		esac || die "$name $nic: cannot set it $action"
	done < <(wires "$name" "$dev")
}

# forwards NAMESPACE DEV: the kernel may take a second to notice a carrier.
forwards() {
	ip -n "$1" link show dev "$2" | grep -q 'state UP' &&
		! bridge -n "$1" link show dev "$2" | grep -q 'state disabled'
}

# set_rate NAMESPACE DEV RATE
set_rate() {
	if [ "$3" != none ]; then
		# shellcheck disable=SC2046
		tc -n "$1" qdisc replace dev "$2" root tbf $(tbf_args "$3")
	elif tc -n "$1" qdisc show dev "$2" root | grep -q tbf; then
		tc -n "$1" qdisc del dev "$2" root
	fi
}

fault_rate() {
	local name=$1 dev=test rate nic port sw table=$STATE/hosts/$1/nics
	shift
	[ $# -lt 2 ] || { dev=$1 && shift; }
	rate=${1:-}
	is_rate "$rate" || bad_use
	wires "$name" "$dev" >/dev/null || exit 1
	while read -r nic _ _ sw port _; do
		set_rate "$sw" "$port" "$rate" || die "$sw $port: cannot set its rate"
		set_rate "$PREFIX-$name" "$nic" "$rate" || die "$name $nic: cannot set its rate"
		sed -i "s/^\($nic .* \)[^ ]*\$/\1$rate/" "$table"
	done < <(wires "$name" "$dev")
}

# small_frames NAMESPACE DEV MTU|off: what arrives at DEV and is larger vanishes.
# Frames are cut to their true size before they leave the other end (gso_max_segs):
# a virtual wire would carry 64 KiB whatever its MTU.
small_frames() {
	local table=mtu_${2//-/_} segs=1
	nsenter --net="/run/netns/$1" nft -f - <<-NFT || return 1
		table netdev $table
		delete table netdev $table
	NFT
	if [ "$3" = off ]; then
		segs=65535
	else
		nsenter --net="/run/netns/$1" nft -f - <<-NFT || return 1
			table netdev $table {
				chain arriving {
					type filter hook ingress device "$2" priority 0
					meta length > $3 drop
				}
			}
		NFT
	fi
	ip -n "$1" link set dev "$2" gso_max_segs $segs
}

fault_mtu_blackhole() {
	local name=$1 dev=test mtu nic port sw
	shift
	[ $# -lt 2 ] || { dev=$1 && shift; }
	mtu=${1:-}
	[[ $mtu =~ ^([1-9][0-9]{2,4}|off)$ ]] || bad_use
	wires "$name" "$dev" >/dev/null || exit 1
	while read -r nic _ _ sw port _; do
		small_frames "$sw" "$port" "$mtu" || die "$sw $port: cannot limit its frames"
		small_frames "$PREFIX-$name" "$nic" "$mtu" ||
			die "$name $nic: cannot limit its frames"
	done < <(wires "$name" "$dev")
}

fault_block_port() {
	local name=$1 verdict=${2:-drop} nics
	case $verdict in
	drop) ;;
	reject) verdict='reject with tcp reset' ;;
	*) bad_use ;;
	esac
	nics=$(awk '$2 !~ /^lan/ && $2 != "uplink" { printf "%s\"%s\"", sep, $1; sep = ", " }' \
		"$STATE/hosts/$name/nics")
	fault_unblock_port "$name"
	nsenter --net="/run/netns/$PREFIX-$name" nft -f - <<-NFT || die "$name: nft failed"
		table inet netlab_ports {
			chain arriving {
				type filter hook input priority 0
				iifname { $nics } tcp flags & (syn | ack) == syn $verdict
			}
		}
	NFT
}

fault_unblock_port() {
	nsenter --net="/run/netns/$PREFIX-$1" nft -f - <<-NFT || die "$1: nft failed"
		table inet netlab_ports
		delete table inet netlab_ports
	NFT
}

# ---- processes ----------------------------------------------------------------

# For sh on the host: `processes sshd|agent|all` prints pids, never that of pid 1, of
# itself or of a zombie. Only processes of that host can be seen from there.
PROCESSES='
	processes() {
		for p in /proc/[0-9]*; do
			pid=${p#/proc/}
			[ "$pid" != 1 ] && [ "$pid" != $$ ] || continue
			exe=$(readlink "$p/exe") || continue
			read -r comm 2>/dev/null <"$p/comm" || continue
			case $1:$comm:${exe##*/} in
			all:* | sshd:sshd* | agent:vnm-agent* | agent:*:*vnm-agent*) echo "$pid" ;;
			esac
		done
	}
	signal() { # SIGNAL WHICH
		for pid in $(processes "$2"); do kill -s "$1" "$pid" 2>/dev/null || :; done
	}
'

fault_freeze() {
	local which=${2:-sshd}
	[[ $which =~ ^(sshd|agent|all)$ ]] || bad_use
	sh_host "$1" "$PROCESSES"'signal STOP "$1"' "$which"
}

fault_thaw() {
	sh_host "$1" "$PROCESSES"'signal CONT all'
}

fault_agents() {
	sh_host "$1" "$PROCESSES"'processes agent'
}

fault_kill_agent() {
	[[ ${2:-KILL} =~ ^[A-Z0-9]+$ ]] || bad_use
	sh_host "$1" "$PROCESSES"'signal "$1" agent' "${2:-KILL}"
}

# ---- files --------------------------------------------------------------------

# private_folders NAME: what its logins may write, but /etc.
private_folders() {
	local folder
	if is_sim "$(attr "$1" kind)"; then
		in_host "$1" awk -v root="$SIM_ROOT/" 'index($2, root) == 1 && $3 == "tmpfs" { print $2 }' /proc/mounts
		return
	fi
	for folder in $PRIVATE_FOLDERS; do
		echo "${folder%:*}"
	done
}

# Names with vnm in them, and programs, in every folder that the host may write;
# TCP listeners that are not the SSH server's. Nothing printed: nothing left.
fault_leftovers() {
	# shellcheck disable=SC2046
	sh_host "$1" '
		find "$@" -xdev -mindepth 1 -path /run/netlab -prune -o -name "*vnm*" -print \
			-o -type f -perm /111 -print 2>/dev/null
		find /etc -xdev -newer /run/netlab/start-sshd -name "*vnm*" 2>/dev/null
		ss -Hltnp | grep -v "((\"sshd" | sed "s/^/listens: /"
		:' $(private_folders "$1")
}

fill() { # NAME FOLDER...
	local name=$1
	shift
	sh_host "$name" '
		for d in "$@"; do
			[ ! -d "$d" ] || dd if=/dev/zero of="$d/.netlab-fill" bs=64k 2>/dev/null
		done
		:' "$@"
}

free() { # NAME FOLDER...
	local name=$1
	shift
	in_host "$name" rm -f "${@/%//.netlab-fill}"
}

fault_fill_tmp() { fill "$1" "$(root_of "$1")/tmp"; }
fault_free_tmp() { free "$1" "$(root_of "$1")/tmp"; }

fault_fill_all() {
	# shellcheck disable=SC2046
	fill "$1" $(private_folders "$1")
}

fault_free_all() {
	# shellcheck disable=SC2046
	free "$1" $(private_folders "$1")
}

remount() { # OPTION NAME [FOLDER...|all]
	local option=$1 name=$2 root
	shift 2
	root=$(root_of "$name")
	[ $# -gt 0 ] || set -- /tmp /var/tmp /dev/shm
	# shellcheck disable=SC2046
	if [ "$1" = all ]; then
		set -- $(private_folders "$name")
	else
		set -- "${@/#/$root}"
	fi
	sh_host "$name" '
		option=$1
		shift
		for d in "$@"; do
			[ ! -d "$d" ] || mount -o "remount,$option" "$d" || exit 1
		done' "$option" "$@"
}

fault_noexec() { remount noexec "$@"; }
fault_exec_ok() { remount exec "$@"; }
