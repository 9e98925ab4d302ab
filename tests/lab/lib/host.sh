# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# host.sh - what a host is besides its wires: files, SSH server, pid 1.

# Accounts of every host: root, and labuser, who is nobody special. The password of both
# is "lab"; by default only keys are let in.
# shellcheck disable=SC2016
PASSWORD='$6$labsalt$e.svQvk8jX0mQEPpLUGudMvFCNwOZ/CJK6NOYcVPXe7CEfTAvAHE/4QjVQRPpiwy.ZyFJYVD03OjeHrHcjTKj/'
USER_ID=47110

option() { # NAME OPTION DEFAULT
	attr "$1" "opt.$2" || echo "$3"
}

# auth_config NAME: who is let in, see fault_auth.
auth_config() {
	local pam=no keys=no password=no keyboard=no more=
	case $(option "$1" auth key) in
	key) keys=yes ;;
	cert)
		keys=yes
		more="AuthorizedKeysFile none"$'\n'"TrustedUserCAKeys /etc/ssh/ca.pub"
		;;
	password) password=yes ;;
	kbdint | rounds | lockout) pam=yes keyboard=yes ;;
	key+password) keys=yes password=yes more="AuthenticationMethods publickey,password" ;;
	key/kbdint) pam=yes keys=yes keyboard=yes ;;
	key+kbdint)
		pam=yes keys=yes keyboard=yes
		more="AuthenticationMethods publickey,keyboard-interactive"
		;;
	any) pam=yes keys=yes password=yes keyboard=yes ;;
	esac
	cat <<-CONFIG
		UsePAM $pam
		PubkeyAuthentication $keys
		PasswordAuthentication $password
		KbdInteractiveAuthentication $keyboard
		$more
	CONFIG
}

# sshd_config NAME: its SSH server's settings, from its options.
sshd_config() {
	local n=$1 key
	key=/etc/ssh/ssh_host_$(option "$n" hostkey ed25519)_key
	auth_config "$n"
	cat <<-CONFIG
		HostKey $key
		LogLevel VERBOSE
		PidFile /run/sshd.pid
		PermitRootLogin yes
		UseDNS no
		PrintMotd no
		MaxSessions $(option "$n" maxsessions 10)
		MaxAuthTries $(option "$n" tries 6)
		MaxStartups $(option "$n" maxstartups 10:30:100)
		RekeyLimit $(option "$n" rekey 'default none')
	CONFIG
	[ "$(option "$n" hostcert off)" = off ] || echo "HostCertificate $key-cert.pub"
	[ "$(option "$n" greeting off)" = off ] || echo "Banner /etc/ssh/greeting"
	[ "$(option "$n" locale off)" = off ] || echo "SetEnv $TRANSLATED"
	[ "$(option "$n" forwarding on)" = on ] || echo "AllowTcpForwarding no"
	[ "$(option "$n" nosftp off)" = on ] || echo "Subsystem sftp internal-sftp"
	[ "$(option "$n" slowauth off)" = off ] || cat <<-CONFIG
		AuthorizedKeysFile none
		AuthorizedKeysCommand /etc/ssh/slow-keys
		AuthorizedKeysCommandUser root
	CONFIG
	sim_sshd "$n"
}

# make_seed NAME: the files of its /etc and /root that are its own.
make_seed() {
	local n=$1 seed=$STATE/hosts/$1/seed type
	sim_options "$n"
	type=$(option "$n" hostkey ed25519)
	mkdir -p "$seed/etc/ssh" "$seed/etc/pam.d" "$seed/root/.ssh" || return 1
	ssh-keygen -q -t "$type" -N '' -C "$n" -f "$seed/etc/ssh/ssh_host_${type}_key" || return 1
	sshd_config "$n" >"$seed/etc/ssh/sshd_config"
	echo "$n" >"$seed/etc/hostname"
	: >"$seed/etc/motd"
	echo "127.0.0.1 localhost $n" >"$seed/etc/hosts"
	echo "$HOST_LINES" >>"$seed/etc/hosts"
	{
		printf '%s:'"$PASSWORD"':19000:0:99999:7:::\n' root labuser
		grep -v '^root:' /etc/shadow
	} >"$seed/etc/shadow"
	{
		cat /etc/passwd
		echo "labuser:x:$USER_ID:$USER_ID::/home/labuser:/bin/sh"
	} >"$seed/etc/passwd"
	pam_config kbdint >"$seed/etc/pam.d/sshd"
	cp "$STATE/client/ca.pub" "$seed/etc/ssh"
	cat "$STATE/client/id_lab.pub" ${NETLAB_KEYS:+"$NETLAB_KEYS"} >"$seed/root/.ssh/authorized_keys"
	[ ! -e "$STATE/client/id_rsa" ] || cat "$STATE/client/id_rsa.pub" >>"$seed/root/.ssh/authorized_keys"
	chmod 640 "$seed/etc/shadow"
	chmod 700 "$seed/root" "$seed/root/.ssh"
	chmod 600 "$seed/root/.ssh/authorized_keys"
	mkdir -p "$seed/etc/ssh/keys-root" && cp "$seed/root/.ssh/authorized_keys" "$seed/etc/ssh/keys-root"
	sim_seed "$n"
}

# wait_for SECONDS CMD...: until CMD is true; false when it never is.
wait_for() {
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@" >/dev/null 2>&1; do
		[ ${EPOCHREALTIME/./} -lt $end ] || return 1
		sleep 0.02
	done
}

# start_host NAME: starts its pid 1 and waits until its SSH server is started.
start_host() {
	local dir=$STATE/hosts/$1
	make_seed "$1" || return 1
	NETLAB_HOST=$1 NETLAB_DIR=$dir NETLAB_FOLDERS=$PRIVATE_FOLDERS NETLAB_SSHD=$SSHD \
		NETLAB_USER=$USER_ID NETLAB_SIM=$(is_sim "${KIND[$1]}" && echo "${KIND[$1]}") setsid -f ip netns exec "$PREFIX-$1" \
		unshare -m -u -p -i -f --propagation private "$LAB_DIR/netlab-init" \
		>"$dir/log" 2>&1 </dev/null 7<&-
	wait_for 10 started "$1"
}

# started NAME: or it never will be.
started() {
	local dir=$STATE/hosts/$1
	[ -s "$dir/ready" ] || { [ -s "$dir/init" ] && host_gone "$1"; }
}

# start_hosts: all of NAMES, side by side.
start_hosts() {
	local n
	HOST_LINES=$(for n in "${NAMES[@]}"; do echo "$(mgmt_address "$n") $n"; done)
	for n in "${NAMES[@]}"; do
		start_host "$n" &
	done
	wait
	for n in "${NAMES[@]}"; do
		if [ ! -s "$STATE/hosts/$n/ready" ] || host_gone "$n" >/dev/null; then
			die "host '$n' did not start: $(tail -n 3 "$STATE/hosts/$n/log")"
		fi
	done
}

# stop_hosts: kills each host's pid 1; the kernel ends all else on that host, also
# what is stopped. Nothing but a recorded process is ever killed.
stop_hosts() {
	local n pid
	for n in $(host_names); do
		# a start that was cut short: its pid 1 is about to say who it is
		[ ! -e "$STATE/hosts/$n/log" ] || wait_for 1 test -s "$STATE/hosts/$n/init"
		! pid=$(alive "$STATE/hosts/$n/init") || kill -KILL "$pid"
	done
	for n in $(host_names); do
		wait_for 10 host_gone "$n" ||
			die "host '$n' does not end (pid $(cat "$STATE/hosts/$n/init"))"
	done
}

host_gone() {
	! alive "$STATE/hosts/$1/init"
}

# wait_ssh NAME...: until each SSH server greets over the management network.
wait_ssh() {
	local n nic segment address before
	local -A at=() # namespace from which a host is reached: addresses
	for n in "$@"; do
		while read -r nic segment address _; do
			[[ $segment = lan* ]] || continue
			before=${segment#lan}
			at[${before:--ctl}]+=" $address"
		done <"$STATE/hosts/$n/nics"
	done
	for n in "${!at[@]}"; do
		# shellcheck disable=SC2086
		greets "$PREFIX$n" ${at[$n]} || return 1
	done
}

# greets NAMESPACE ADDRESS...
greets() {
	local namespace=$1
	shift
	# shellcheck disable=SC2016
	nsenter --net="/run/netns/$namespace" bash -c '
		greets() {
			for try in {1..200}; do
				( exec 3<>"/dev/tcp/$1/22" && read -t 3 -r line <&3 ) 2>/dev/null &&
					return
				sleep 0.03
			done
			echo "no SSH server answers at $1" >&2
			return 1
		}
		status=0 jobs=
		for a in "$@"; do greets "$a" & jobs="$jobs $!"; done
		for j in $jobs; do wait "$j" || status=1; done
		exit $status' netlab "$@"
}
