# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# fault_ssh.sh - faults and peculiarities of a host's SSH server.

fault_ssh_usage() {
	cat <<-'U'
		SSH
		  kill-sshd NAME [all|sessions|master]    SIGKILL (all)
		  start-sshd NAME
		  slow-auth NAME SECONDS|off              each key is looked up for so long
		  max NAME SESSIONS STARTUPS              MaxSessions, MaxStartups (10 10:30:100)
		  tries NAME N                            MaxAuthTries (6)
		  rekey NAME 'BYTES TIME'|off             RekeyLimit
		  no-sftp NAME on|off
		  forwarding NAME on|off                  may it be a jump host? (on)
	U
	fault_login_usage
	fault_shell_usage
	fault_sim_usage
}

# reload NAME: new settings from its options; sessions stay. Returns when the new
# server listens (its log tells), so that the next login meets the new settings.
reload() {
	if [ -n "${LATER:-}" ]; then # in a batch
		NEEDS_RELOAD=yes
		return
	fi
	sshd_config "$1" | in_host "$1" tee /etc/ssh/sshd_config >/dev/null || exit 1
	sh_host "$1" '
		read -r pid </run/sshd.pid && kill -0 "$pid" 2>/dev/null || exit 0
		listening() { grep -c "^Server listening" /run/netlab/sshd.log; }
		before=$(listening)
		kill -HUP "$pid"
		for try in $(seq 200); do
			[ "$(listening)" = "$before" ] || exit 0
			sleep 0.02
		done
		exit 1' || die "$1: its SSH server does not reload (frozen?)"
	wait_ssh "$1"
}

set_option() { # NAME OPTION VALUE
	echo "$3" >"$STATE/hosts/$1/opt.$2"
}

set_switch() { # NAME OPTION on|off
	[[ $3 =~ ^(on|off)$ ]] || die "$2 takes on or off"
	set_option "$@"
	reload "$1"
}

fault_no_sftp() { set_switch "$1" nosftp "${2:-}"; }
fault_forwarding() { set_switch "$1" forwarding "${2:-}"; }

fault_max() {
	[[ ${2:-}:${3:-} =~ ^[0-9]+:[0-9:]+$ ]] || bad_use
	set_option "$1" maxsessions "$2"
	set_option "$1" maxstartups "$3"
	reload "$1"
}

fault_tries() {
	[[ ${2:-} =~ ^[0-9]+$ ]] || bad_use
	set_option "$1" tries "$2"
	reload "$1"
}

fault_rekey() {
	[[ ${2:-} =~ ^[0-9a-zA-Z\ ]+$ ]] || bad_use
	if [ "$2" = off ]; then
		rm -f "$STATE/hosts/$1/opt.rekey"
	else
		set_option "$1" rekey "$2"
	fi
	reload "$1"
}

fault_slow_auth() {
	[[ ${2:-} =~ ^([0-9]+|off)$ ]] || bad_use
	[ "$2" = off ] || sh_host "$1" '
		printf "#!/bin/sh\nsleep %s\ncat /root/.ssh/authorized_keys\n" "$1" \
			>/etc/ssh/slow-keys
		chmod 755 /etc/ssh/slow-keys' "$2"
	set_option "$1" slowauth "$2"
	reload "$1"
}

fault_kill_sshd() {
	[[ ${2:-all} =~ ^(all|sessions|master)$ ]] || bad_use
	sh_host "$1" "$PROCESSES"'
		read -r master </run/sshd.pid
		for pid in $(processes sshd); do
			case $1:$pid in
			sessions:$master) ;;
			all:* | sessions:* | master:$master) kill -KILL "$pid" 2>/dev/null ;;
			esac
		done
		:' "${2:-all}"
}

fault_start_sshd() {
	in_host "$1" setsid -f sh /run/netlab/start-sshd || die "$1: cannot start its SSH server"
	wait_ssh "$1"
}
