# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# fault_login.sh - how a host's SSH server shows itself and whom it lets in.

fault_login_usage() {
	cat <<-'U'
		logins; accounts root and labuser, password 'lab', key client/id_lab
		  auth NAME KIND                          what the server asks for (key):
		    key, password, kbdint                 one of these alone
		    any                                   one of these three
		    key/kbdint                            one of these two, as an ESXi has it
		    cert                                  key client/id_cert with its certificate
		    key+password, key+kbdint              both
		    rounds MODULE PROMPT=ANSWER...        kbdint, a round for each prompt
		    lockout                               kbdint; five wrong passwords lock the account
		  kbdint NAME on|off                      short for auth kbdint, auth key
		  attempts NAME [forget]                  failed attempts so far, one a line
		  sudo NAME free|password|off             may labuser become root? (off)
		  new-hostkey NAME, old-hostkey NAME      the server's key changes, and back
		  hostkey NAME ed25519|rsa|ecdsa          the only type of key it has (ed25519)
		  hostcert NAME on|off                    a certificate of client/ca for its key
		  known NAME                              its line for known_hosts
		  greeting NAME on|off                    a text before the login (sshd's Banner)
	U
}

fault_greeting() {
	sh_host "$1" 'printf "%s\n" "*****" "Authorised use only. Password: see the wall." "*****" >/etc/ssh/greeting'
	set_switch "$1" greeting "${2:-}"
}

# ---- whom it lets in ----------------------------------------------------------

# pam_config KIND [PROMPT=ANSWER...]: its stack for logins. Wrong passwords cost no time.
pam_config() {
	local kind=$1 question
	local lock="pam_faillock.so nodelay dir=/run/faillock deny=5 unlock_time=900 even_deny_root"
	shift
	case $kind in
	rounds)
		echo "auth required /etc/ssh/pam_rounds.so $(for question in "$@"; do printf '[%s] ' "$question"; done)"
		;;
	lockout) cat <<-PAM
		auth requisite $lock preauth
		auth [success=1 default=bad] pam_unix.so nodelay
		auth [default=die] $lock authfail
		auth sufficient $lock authsucc
		auth requisite pam_deny.so
	PAM
		;;
	*) echo "auth required pam_unix.so nodelay" ;;
	esac
	cat <<-PAM
		account required pam_unix.so
		session required pam_permit.so
		password required pam_deny.so
	PAM
}

fault_auth() {
	local name=$1 kind=${2:-} module=${3:-}
	case $kind:$# in
	key:2 | cert:2 | password:2 | kbdint:2 | lockout:2 | any:2 | key+password:2 | key+kbdint:2 | key/kbdint:2)
		shift 2
		;;
	rounds:[4-9])
		[ -f "$module" ] || die "no such module: $module"
		shift 3
		in_host "$name" tee /etc/ssh/pam_rounds.so <"$module" >/dev/null
		;;
	*) bad_use ;;
	esac
	pam_config "$kind" "$@" | in_host "$name" tee /etc/pam.d/sshd >/dev/null
	in_host "$name" rm -rf /run/faillock
	set_option "$name" auth "$kind"
	reload "$name"
}

fault_kbdint() {
	case ${2:-} in
	on) fault_auth "$1" kbdint ;;
	off) fault_auth "$1" key ;;
	*) bad_use ;;
	esac
}

fault_attempts() {
	case ${2:-} in
	'') sh_host "$1" 'grep "^Failed " /run/netlab/sshd.log; :' ;;
	forget) sh_host "$1" ': >/run/netlab/sshd.log' ;;
	*) bad_use ;;
	esac
}

fault_sudo() {
	local rule=
	need_full_host "$1"
	need sudo sudo
	case ${2:-} in
	free) rule='labuser ALL=(ALL) NOPASSWD: ALL' ;;
	password) rule='labuser ALL=(ALL) ALL' ;;
	off) ;;
	*) bad_use ;;
	esac
	sh_host "$1" '
		umask 337
		rm -f /etc/sudoers
		printf "%s\n" "root ALL=(ALL) ALL" "$1" >/etc/sudoers
		printf "auth required pam_unix.so nodelay\naccount required pam_unix.so\nsession required pam_permit.so\n" \
			>/etc/pam.d/sudo' "$rule"
}

# ---- its own keys -------------------------------------------------------------

# host_key NAME: the name of the file in /etc/ssh.
host_key() {
	echo "ssh_host_$(option "$1" hostkey ed25519)_key"
}

fault_new_hostkey() {
	sh_host "$1" '
		cd /etc/ssh
		key=$1
		[ -e $key.old ] || { mv $key $key.old && mv $key.pub $key.pub.old; }
		rm -f $key $key.pub
		ssh-keygen -q -t $2 -N "" -f $key' "$(host_key "$1")" "$(option "$1" hostkey ed25519)" ||
		die "$1: cannot make a new host key"
	reload "$1"
}

fault_old_hostkey() {
	sh_host "$1" '
		cd /etc/ssh
		key=$1
		[ ! -e $key.old ] || { mv $key.old $key && mv $key.pub.old $key.pub; }' "$(host_key "$1")"
	reload "$1"
}

fault_hostkey() {
	[[ ${2:-} =~ ^(ed25519|rsa|ecdsa)$ ]] || bad_use
	sh_host "$1" '
		key=/etc/ssh/ssh_host_$1_key
		[ -e $key ] || ssh-keygen -q -t $1 -N "" -f $key' "$2" || die "$1: cannot make a host key"
	set_option "$1" hostkey "$2"
	reload "$1"
}

fault_hostcert() {
	local key work=$STATE/hosts/$1/cert
	key=$(host_key "$1")
	if [ "${2:-}" = on ]; then
		mkdir -p "$work"
		in_host "$1" cat "/etc/ssh/$key.pub" >"$work/$key.pub"
		ssh-keygen -q -s "$STATE/client/ca" -h -I "$1" -n "$1,$(host_address "$1")" "$work/$key.pub" ||
			die "$1: cannot sign its host key"
		in_host "$1" tee "/etc/ssh/$key-cert.pub" <"$work/$key-cert.pub" >/dev/null
		rm -rf "$work"
	fi
	set_switch "$1" hostcert "${2:-}"
}

# host_address NAME: its management address, once the lab is up.
host_address() {
	awk '$2 ~ /^lan/ { print $3 }' "$STATE/hosts/$1/nics"
}

fault_known() {
	local key
	read -r key < <(in_host "$1" cat "/etc/ssh/$(host_key "$1").pub")
	echo "$1,$(host_address "$1") ${key% *}"
}
