#!/bin/bash
# SPDX-License-Identifier: MIT
# sudo.sh PRIVILEGE_LINE - commands run as root by a real sudo, over a real SSH server, for an
# account that is not: the password is read from standard input and seen nowhere else.
# shellcheck disable=SC2016  # the host expands it
set -u
export LC_ALL=C NETLAB_QUIET=1
NETLAB=$(dirname "$(readlink -f "$0")")/../../lab/netlab
LINE=$1 FAILED=0
if ! reason=$("$NETLAB" check 2>&1); then
	echo "skipped: $reason"
	exit 77
fi
command -v sudo >/dev/null || {
	echo 'skipped: sudo is not installed'
	exit 77
}
WORK=$(mktemp -d /tmp/sudo-test-XXXXXX) || exit 1
export NETLAB_STATE=$WORK/lab NETLAB_PREFIX=su$(($$ % 1000000))
trap '"$NETLAB" down; rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP
"$NETLAB" up "$(dirname "$NETLAB")/pair.spec" || exit 1

is() { # SENTENCE WANTED GOT
	[ "$2" = "$3" ] && return
	FAILED=$((FAILED + 1))
	echo "FAIL  $1: wanted '$2', got '$3'"
	sed 's/^/      /' "$WORK/said"
}
# as_root KIND SCRIPT <INPUT: runs it as labuser on esx1; standard error goes to $WORK/said
as_root() {
	"$NETLAB" exec ctl ssh -F "$NETLAB_STATE/client/ssh_config" -o BatchMode=yes -l labuser esx1 \
		"$("$LINE" "$1" "$2")" 2>"$WORK/said"
}
why() { "$LINE" refusal <"$WORK/said"; }

for shell in bash tcsh fish; do
	command -v $shell >/dev/null || continue
	"$NETLAB" exec esx1 usermod -s "$(command -v $shell)" labuser 2>/dev/null
	"$NETLAB" sudo esx1 free
	is "$shell: sudo -n" '0 hello' "$(echo hello | as_root sudo 'read -r x; echo "$(id -u) $x"')"
	"$NETLAB" sudo esx1 password
	is "$shell: sudo -S takes the first line, the rest is the script's" '0 hello' \
		"$(printf 'lab\nhello\n' | as_root sudo-password 'read -r x; echo "$(id -u) $x"')"
	is "$shell: and every time anew" '0 again' \
		"$(printf 'lab\nagain\n' | as_root sudo-password 'read -r x; echo "$(id -u) $x"')"
done
is 'nothing was said' '' "$(cat "$WORK/said")"
# Neither in an argument nor in an environment of any process of the host.
is 'the password is in no command line and no environment' 0 "$(printf 'lab\n' |
	as_root sudo-password 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr -c "[:graph:]" "@" | grep -c -o "@[l]ab@"')"
printf 'wrong\n' | as_root sudo-password 'echo never' >"$WORK/out"
is 'a wrong password is refused' '1|' "$?|$(cat "$WORK/out")"
is 'which is told' 'sudo refused the password' "$(why)"
echo | as_root sudo 'echo never' >/dev/null
is 'without a password' 'sudo asks for a password' "$(why)"
"$NETLAB" exec esx1 sh -c 'umask 337; echo "Defaults requiretty" >>/etc/sudoers'
printf 'lab\n' | as_root sudo-password 'echo never' >"$WORK/out"
is 'a sudo that wants a terminal' '' "$(cat "$WORK/out")"
is 'is told with its remedy' 1 "$(why | grep -c 'requiretty.*visudo.*Defaults:NAME !requiretty')"
"$NETLAB" exec esx1 sh -c 'umask 337; echo "Defaults:labuser "\!"requiretty" >>/etc/sudoers'
is 'and the remedy is one' 0 "$(printf 'lab\n' | as_root sudo-password 'id -u')"
"$NETLAB" sudo esx1 off
printf 'lab\n' | as_root sudo-password 'echo never' >"$WORK/out"
is 'an account that sudo does not know' '|1' "$(cat "$WORK/out")|$(why | grep -c 'sudo does not know this account\|may not use sudo')"
[ $FAILED = 0 ] || echo "$FAILED failed"
exit $((FAILED > 0))
