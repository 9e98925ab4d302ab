# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# common.sh - messages, the files that describe a lab, and its processes.
#
# The state folder of a lab, all of it removed by `netlab down`:
#	netlab			marker: only a folder that holds it is ever removed
#	up			checksum of the spec, once the lab is complete
#	namespaces		name of each network namespace that up made, one a line
#	netns-made		there when /run/netns did not exist before
#	client/			what a client needs: key, known_hosts, ssh_config, lab.yaml
#	hosts/NAME/kind, on, behind	words of the spec
#	hosts/NAME/nics		table of wires, see net.sh
#	hosts/NAME/init		pid and start time of the host's pid 1, written by itself
#	hosts/NAME/seed/	files that the host copies when it starts
#	hosts/NAME/log		what its start printed
#	hosts/NAME/opt.*	settings of its SSH server that differ from the default

# Folders that are private to each host, writable and in memory; size in MiB.
# (/etc is private and writable too, see netlab-init.)
PRIVATE_FOLDERS="/run:16 /root:32 /tmp:32 /var/tmp:32 /dev/shm:32 /home:16 /opt:16 /mnt:16 /srv:16"

die() {
	echo "netlab: $*" >&2
	exit 1
}

note() {
	[ -n "${NETLAB_QUIET:-}" ] || echo "netlab: $*"
}

need_root() {
	[ "$(id -u)" = 0 ] || die "needs root: run it with sudo"
}

# need TOOL PACKAGE
need() {
	command -v "$1" >/dev/null 2>&1 || die "$1 is missing: install the package $2"
}

need_tools() {
	need ip iproute2
	need tc iproute2
	need bridge iproute2
	need ss iproute2
	need nft nftables
	need unshare util-linux
	need nsenter util-linux
	need mount mount
	need flock util-linux
	need setsid util-linux
	need awk mawk
	need ssh-keygen openssh-client
	need "$SSHD" openssh-server
	unshare -m -n -u -i -p -f true 2>/dev/null ||
		die "this machine lets nobody make namespaces (a container without --privileged?)"
}

# ---- files --------------------------------------------------------------------

# attr NAME FILE: a file of the host; nothing and false when it is not there.
attr() {
	cat "$STATE/hosts/$1/$2" 2>/dev/null
}

known() {
	[ -d "$STATE/hosts/$1" ] || die "no host '$1' in the lab (netlab status lists them)"
}

host_names() {
	local d
	for d in "$STATE"/hosts/*/; do
		[ -d "$d" ] && basename "$d"
	done
}

# ---- processes ----------------------------------------------------------------

# starttime PID: start time in clock ticks since boot; false when there is no such
# process or only its zombie. Together with the pid it names a process for good.
starttime() {
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	stat=${stat##*) } # the name in parentheses may hold anything
	# shellcheck disable=SC2086
	set -- $stat
	[ "$1" != Z ] && echo "${20}"
}

# alive FILE: the pid recorded in FILE, if it is still that process.
alive() {
	local pid start
	read -r pid start 2>/dev/null <"$1" || return 1
	[ -n "$start" ] && [ "$(starttime "$pid")" = "$start" ] && echo "$pid"
}

host_pid() {
	alive "$STATE/hosts/$1/init" || die "host '$1' is not running (netlab down, then up)"
}

all_alive() {
	local n
	for n in $(host_names); do
		alive "$STATE/hosts/$n/init" >/dev/null || return 1
	done
}

# enter NAME: ENTER becomes the command that runs another one as root on the host, in
# all its namespaces.
enter() {
	local pid
	pid=$(host_pid "$1") || exit 1
	ENTER=(nsenter -t "$pid" -m -u -n -p -i -- env HOME=/root USER=root PATH="$PATH:$FULL_USERLAND")
}

# in_host NAME CMD...
in_host() {
	enter "$1"
	shift
	"${ENTER[@]}" "$@"
}

# sh_host NAME SCRIPT [ARG...]: a sh script there; ARGs are its $1...
sh_host() {
	local name=$1 script=$2
	shift 2
	in_host "$name" sh -c "$script" netlab "$@"
}
