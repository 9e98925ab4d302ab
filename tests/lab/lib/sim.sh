# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# sim.sh - the simulated hosts: kinds `esxi` and `truenas`. A host of them is one like all
# others, but its logins see a root folder of their own, by sshd's ChrootDirectory: the
# commands of sim/KIND, a shell of busybox or tcsh, and programs that load sim_shim.so. netlab's
# own verbs work in the host as it really is.
#
#	STATE/sims/KIND/	the root folder, from which each host gets a copy
#	its /.sim/bin		tools behind the scenes, see sim/KIND/lib/host.sh
#	its /.sim/state		its settings; /.sim/kernel: what sim_shim.so answers

SIM_ROOT=/run/netlab/root # on the host: netlab-init makes it
INSTALLED_GID=201         # of what may be executed, see sim_shim.c

# What the simulated commands themselves use of busybox.
SIM_APPLETS='[ awk cat cp cut date echo false grep head hostname mv nproc printf rm sed sh sha256sum sleep
	sort stat test touch tr true uname wc'

is_sim() { # KIND
	[[ $1 =~ ^(esxi|truenas)$ ]]
}

# What an ESXi has as names of its busybox: no ip, ifconfig, ss, pkill, pgrep.
ESXI_APPLETS='[ ash awk basename cat chgrp chmod chown cksum clear cmp cp cut date dd diff dirname
	du echo egrep env expr false fgrep find grep groups gunzip gzip head hexdump hostname id kill less ln
	logger ls md5sum mkdir mkfifo mknod mktemp more mv nc nohup nslookup od printf pwd readlink realpath rm
	rmdir sed seq setsid sh sha1sum sha256sum sleep sort stat stty sum sync tail tar tee test time timeout
	touch tr true uniq unzip usleep vi wc which who xargs yes zcat'
# In the place of FreeBSD's own, folder by folder: no setsid, timeout(1) is there, no sha256sum.
TRUENAS_APPLETS='bin:[ cat chmod cp date dd echo expr hostname kill ln ls mkdir mv pwd rm rmdir sh
	sleep stty sync test
	usr/bin:awk basename cksum clear cmp cut diff dirname du egrep env false fgrep find fold grep gunzip
	gzip head hexdump id less logger mkfifo mktemp more nice nohup od printf readlink realpath sed seq sort
	strings tail tar tee time timeout touch tr true tty uniq unzip vi wc which whoami xargs yes zcat
	usr/sbin:chown'

# need_sim KIND: what it takes beyond the lab's own tools.
need_sim() {
	need busybox busybox
	need iperf3 iperf3
	need ping iputils-ping
	need ethtool ethtool
	[ "$1" != truenas ] || need tcsh tcsh
	[ -n "${NETLAB_SHIM:-}" ] || need cc gcc
}

# put PROGRAM PATH: a copy of one of the machine's programs in the root folder $root, with the
# libraries that it needs.
put() {
	local from library
	from=$(readlink -f "$(command -v "$1")")
	{ mkdir -p "$root/${2%/*}" && cp "$from" "$root/$2"; } || die "cannot copy $1"
	chmod 755 "$root/$2"
	while read -r library; do
		[ -e "$root/$library" ] || { mkdir -p "$root/${library%/*}" && cp -L "$library" "$root/$library"; } ||
			die "cannot copy $library"
	done < <(ldd "$from" 2>/dev/null | grep -o '/[^ ]*')
}

# applets FOLDER NAME...: names of busybox there.
applets() {
	local folder=$root/$1 name
	shift
	mkdir -p "$folder"
	for name in "$@"; do
		ln -sf /.sim/bin/busybox "$folder/$name"
	done
}

sim_tools() {
	local tool
	put busybox .sim/bin/busybox
	ldd "$root/.sim/bin/busybox" >/dev/null 2>&1 ||
		die "busybox is linked statically: install the package busybox, not busybox-static"
	# shellcheck disable=SC2086
	applets .sim/bin $SIM_APPLETS
	for tool in ip tc ethtool nft ping; do
		put "$tool" ".sim/bin/$tool"
	done
}

sim_shim() {
	if [ -n "${NETLAB_SHIM:-}" ]; then
		cp "$NETLAB_SHIM" "$root/.sim/shim.so"
	else
		cc -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$root/.sim/shim.so" "$LAB_DIR/../support/sim_shim.c"
	fi || die "cannot make sim_shim.so"
	echo /.sim/shim.so >"$root/etc/ld.so.preload"
}

# make_sim KIND: its root folder. Whatever can be executed is marked as installed.
make_sim() {
	local kind=$1 root=$STATE/sims/$1 folder='' list home=/root shell=/bin/csh
	mkdir -p "$root"/{etc,dev/pts,tmp,var/tmp,root,.sim/{state,kernel,proc}}
	sim_tools
	sim_shim
	cp -a "$LAB_DIR/sim/$kind/root/." "$root"
	cp -a "$LAB_DIR/sim/$kind/lib" "$root/.sim/lib"
	cp "$LAB_DIR/sim/$kind/boot" "$root/.sim/boot"
	cp "$root/.sim/lib/uname" "$root/.sim/kernel/uname"
	if [ "$kind" = esxi ]; then
		home=/ shell=/bin/sh
		# shellcheck disable=SC2086
		applets bin $ESXI_APPLETS
		cp -a "$LAB_DIR/sim/$kind/root/bin/." "$root/bin"
		ln -s esxcli "$root/bin/localcli"
		mkdir -p "$root/vmfs/volumes/datastore1"
		ln -s /vmfs/volumes/datastore1 "$root/scratch"
		put scp bin/scp
		put iperf3 usr/lib/vmware/vsan/bin/iperf3
		: >"$root/.sim/kernel/no-tcp-info"
	else
		for list in $TRUENAS_APPLETS; do
			[[ $list != *:* ]] || folder=${list%%:*}
			applets "$folder" "${list#*:}"
		done
		put tcsh bin/csh
		ln -s csh "$root/bin/tcsh"
		put iperf3 usr/local/bin/iperf3
		mkdir -p "$root/mnt/tank"
	fi
	printf 'root:x:0:0:Administrator:%s:%s\nlabuser:x:%s:%s::/:/bin/sh\n' "$home" "$shell" "$USER_ID" "$USER_ID" >"$root/etc/passwd"
	printf '%s\n' root:x:0: "installed:x:$INSTALLED_GID:" "labuser:x:$USER_ID:" >"$root/etc/group"
	printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
	find "$root" -type f -perm /111 -exec chgrp $INSTALLED_GID {} +
}

# make_sims: the root folders that this lab needs, side by side.
make_sims() {
	local kind jobs='' job
	for kind in esxi truenas; do
		[ -n "$(names $kind)" ] || continue
		need_sim $kind
		make_sim $kind &
		jobs+=" $!"
	done
	for job in $jobs; do
		wait "$job" || return 1
	done
}

# sim_options NAME: its SSH server differs so from that of other hosts.
sim_options() {
	case ${KIND[$1]} in
	esxi)
		set_option "$1" auth key/kbdint
		set_option "$1" hostkey ecdsa
		set_option "$1" nosftp on
		set_option "$1" forwarding off
		set_option "$1" greeting on
		;;
	truenas) set_option "$1" hostkey ecdsa ;;
	esac
}

# sim_seed NAME: files of its own. The account's home and shell are those of its root folder.
sim_seed() {
	local seed=$STATE/hosts/$1/seed vm id=0
	is_sim "${KIND[$1]}" || return 0
	mkdir "$seed/sim" || return 1
	sed -i "s|^root:.*|$(sed -n 's/^\(root:.*\)/\1/p' "$STATE/sims/${KIND[$1]}/etc/passwd")|" "$seed/etc/passwd"
	echo >"$seed/etc/ssh/greeting" # ESXi's /etc/issue is a blank line
	for vm in $(names vm); do
		id=$((id + 1))
		[ "${ON[$vm]}" != "$1" ] || echo "$vm $id"
	done >"$seed/sim/vms"
}

# sim_sshd NAME: more of its SSH server's settings.
sim_sshd() {
	local kind ec=ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521 dh=diffie-hellman-group
	kind=$(attr "$1" kind)
	is_sim "$kind" || return 0
	echo "ChrootDirectory $SIM_ROOT"
	if [ "$kind" = truenas ]; then
		echo "SetEnv PATH=/sbin:/bin:/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
		return
	fi
	# FIPS mode: no ed25519, no chacha20, no curve25519.
	cat <<-FIPS
		SetEnv PATH=/usr/bin:/bin:/usr/sbin:/sbin
		AuthorizedKeysFile /etc/ssh/keys-%u/authorized_keys
		PubkeyAcceptedAlgorithms $ec,rsa-sha2-256,rsa-sha2-512
		HostKeyAlgorithms $ec,rsa-sha2-256,rsa-sha2-512
		MACs hmac-sha2-256,hmac-sha2-512
		Ciphers aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr,aes192-ctr,aes128-ctr
		KexAlgorithms ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,${dh}-exchange-sha256,${dh}16-sha512,${dh}18-sha512,${dh}14-sha256
	FIPS
}

# ---- verbs ----------------------------------------------------------------------------------

fault_sim_usage() {
	cat <<-'U'
		simulated hosts (kinds esxi and truenas)
		  refuse NAME on|off                      no setting can be changed any more
		  reboot NAME                             all sessions end, /tmp is empty; settings of ESXi
		                                          are as before, those of TrueNAS as after a fresh start
	U
}

need_sim_host() {
	is_sim "$(attr "$1" kind)" || die "$1 is no simulated host"
}

need_full_host() { # where a verb puts the machine's own programs
	! is_sim "$(attr "$1" kind)" || die "$1 is a simulated host: its shell and tools are those that it has"
}

# root_of NAME: the folder on the host that its logins take for their root; nothing where it is.
root_of() {
	! is_sim "$(attr "$1" kind)" || echo $SIM_ROOT
}

home_of() { # NAME: root's, as netlab sees it
	case $(attr "$1" kind) in
	esxi) echo $SIM_ROOT ;;
	truenas) echo $SIM_ROOT/root ;;
	*) echo /root ;;
	esac
}

fault_refuse() {
	need_sim_host "$1"
	case ${2:-} in
	on) in_host "$1" touch $SIM_ROOT/.sim/refuse ;;
	off) in_host "$1" rm -f $SIM_ROOT/.sim/refuse ;;
	*) bad_use ;;
	esac
}

# Its SSH server starts after the settings are in place.
fault_reboot() {
	need_sim_host "$1"
	[ $# = 1 ] || bad_use
	sh_host "$1" "$PROCESSES"'signal KILL all; :'
	in_host "$1" chroot $SIM_ROOT /.sim/boot || die "$1: its start failed"
	fault_start_sshd "$1"
}
