# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# fault_shell.sh - login shells, the noise that they make, and the tools that they find.

FULL_USERLAND=/run/netlab/full # the machine's /usr/bin on a busybox host, for netlab's own use

# The environment of a host that speaks German: tools in a folder of their own answer so
# unless LC_ALL is C.
TRANSLATED_TOOLS='mkdir head rm chmod df cat'
TRANSLATED='LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 LANGUAGE=de
PATH=/etc/ssh/translated:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
TRANSLATED=${TRANSLATED//$'\n'/ }

fault_shell_usage() {
	cat <<-'U'
		shells
		  shell NAME SHELL                        root's login shell (bash, sh, ash, nologin...)
		  banner NAME KIND|off                    noise from the login shell's rc file:
		    on, stderr                            lines on stdout, on stderr
		    half                                  a line without its end
		    binary                                bytes that are no text
		    flood                                 300 kB on stdout and on stderr
		    slow                                  nothing for 0.8 s, each time a shell starts
		  userland NAME busybox|full              busybox's applets and the login shell, no other tools
		  locale NAME on|off                      another locale, tools that answer in German
		  readonly NAME DIR..., writable NAME DIR...
	U
}

# The rc files that the common login shells read, also without a terminal. Those that
# read none have the server run .ssh/rc for them, by sh and before the command.
RC_FILES='.bashrc .profile .cshrc .zshenv .config/fish/config.fish'

# noise KIND: a line that says it, alike in every shell.
noise() {
	case $1 in
	on) printf '%s\n' 'echo "*** Welcome to this host. ***"' 'echo 0123456789' ;;
	stderr) echo 'sh -c "echo Welcome >&2"' ;;
	half) echo 'printf "Last login: never"' ;;
	binary) echo 'printf "\000\377\001\033[2J\r\200\n\000"' ;;
	flood) echo 'sh -c "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"' ;;
	slow) echo 'sleep 0.8' ;;
	*) return 1 ;;
	esac
}

fault_banner() {
	local lines home
	home=$(home_of "$1")
	if [ "${2:-}" = off ]; then
		sh_host "$1" 'cd "$2" && rm -f $1 .ssh/rc' "$RC_FILES" "$home"
		return
	fi
	lines=$(noise "${2:-}") || bad_use
	sh_host "$1" '
		cd "$3" && mkdir -p .config/fish .ssh
		for f in $1; do
			printf "%s\n" "$2" >$f
		done
		printf "case \$SHELL in */sh | */dash | */ash)\n%s\nesac\n" "$2" >.ssh/rc' "$RC_FILES" "$lines" "$home"
}

fault_shell() {
	local path
	need_full_host "$1"
	if [ "${2:-}" = ash ]; then
		need busybox busybox
		path=/etc/ssh/ash
		in_host "$1" ln -sf /usr/bin/busybox $path
	else
		path=$(PATH=$PATH:/usr/sbin:/sbin command -v "${2:-}") ||
			die "no such shell on this machine: ${2:-}"
	fi
	sh_host "$1" '
		sed "s#^\(root:.*:\)[^:]*\$#\1$1#" /etc/passwd >/run/netlab/passwd &&
			cat /run/netlab/passwd >/etc/passwd' "$path"
}

fault_userland() {
	need_full_host "$1"
	case ${2:-} in
	busybox)
		need busybox busybox
		sh_host "$1" '
			set -e
			! mountpoint -q "$1" || exit 0
			mkdir -p /run/netlab/applets "$1"
			mount -t tmpfs -o mode=755 tmpfs /run/netlab/applets
			cp /usr/bin/busybox /run/netlab/applets
			for applet in $(busybox --list); do
				[ $applet = busybox ] || ln -s busybox /run/netlab/applets/$applet
			done
			shell=$(sed -n "s/^root:.*://p" /etc/passwd)
			case ${shell##*/} in
			sh | ash) ;;
			*) cp --remove-destination "$shell" /run/netlab/applets ;;
			esac
			mount --bind /usr/bin "$1"
			for folder in /usr/bin /bin; do
				[ -L $folder ] || mount --bind /run/netlab/applets $folder
			done' $FULL_USERLAND
		;;
	full)
		sh_host "$1" '
			mountpoint -q "$1" || exit 0
			for folder in /bin /usr/bin /run/netlab/applets "$1"; do
				[ -L $folder ] || umount -l $folder || exit 1
			done' $FULL_USERLAND
		;;
	*) bad_use ;;
	esac || die "$1: cannot change its tools"
}

fault_locale() {
	need_full_host "$1"
	sh_host "$1" '
		mkdir -p /etc/ssh/translated && cd /etc/ssh/translated || exit 1
		for tool in $1; do
			printf "%s\n" "#!/bin/sh" \
				"[ \"\$LC_ALL\" != C ] || exec /usr/bin/$tool \"\$@\"" \
				"/usr/bin/$tool \"\$@\" 2>/dev/null && exit" \
				"echo \"$tool: Vorgang fehlgeschlagen: unzul\303\244ssig\" >&2" "exit 1" >$tool
			chmod 755 $tool
		done' "$TRANSLATED_TOOLS"
	set_switch "$1" locale "${2:-}"
}

fault_readonly() {
	[ $# -ge 2 ] || bad_use
	remount ro "$@"
}

fault_writable() {
	[ $# -ge 2 ] || bad_use
	remount rw "$@"
}
