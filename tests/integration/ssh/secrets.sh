#!/bin/bash
# SPDX-License-Identifier: MIT
# secrets.sh BUILD - what was typed, read or taken from the environment is found nowhere
# afterwards, and a question leaves the terminal as it was, however it ends.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"

TYPIST=$BUILD/tests/support/typist
SEEN=$WORK/seen # what stood on the terminal
PHRASE=open-$RANDOM$RANDOM-sesame
PASSWORD=lab-$RANDOM$RANDOM-password
lab up "$HERE/../../lab/pair.spec" || exit 1

# The hosts' password is one that nothing else would be called.
hash=$(echo "$PASSWORD" | perl -e 'chomp($p = <STDIN>); print crypt($p, "\$6\$vnmlab\$")')
for n in esx1 vm11 pc1; do
	lab exec "$n" sh -c 'sed "s|^root:[^:]*|root:$1|" /etc/shadow >/run/shadow && cat /run/shadow >/etc/shadow' - "$hash"
done
ssh-keygen -q -t ed25519 -N "$PHRASE" -C locked -f "$WORK/locked"
lab exec esx1 tee -a /root/.ssh/authorized_keys <"$WORK/locked.pub" >/dev/null
lab auth vm11 kbdint
lab auth pc1 password
umask 077
echo "$PHRASE" >"$WORK/phrase"
echo "$PASSWORD" >"$WORK/password"

# topology ESX1 VM11 PC1: the lab's with these ssh keys.
topology() {
	awk -v esx1="$1" -v vm11="$2" -v pc1="$3" '
		/^    key:/ { next }
		/^  (esx1|vm11|pc1):/ { name = $1 }
		{ print }
		/^    mgmt:/ {
			ssh = name == "esx1:" ? esx1 : name == "vm11:" ? vm11 : pc1
			print "    ssh: { known_hosts: " known ", accept_new: false" ssh " }"
		}' known="$CLIENT/known_hosts" "$CLIENT/lab.yaml" >"$WORK/lab.yaml"
}

# ssh as vnm starts it, with a look at what it was given.
mkdir "$WORK/bin"
cat >"$WORK/bin/ssh" <<-SSH
	#!/bin/sh
	tr '\0' '\n' </proc/\$\$/environ >>$WORK/child
	tr '\0' ' ' </proc/\$\$/cmdline >>$WORK/child
	exec $(command -v ssh) "\$@"
SSH
chmod 700 "$WORK/bin/ssh"

# watch: what can be seen of vnm and its children from outside, while it runs.
watch() {
	local pid
	until [ -s "$SEEN" ]; do sleep 0.02; done # it was started with what is taken out first
	while :; do
		for pid in $(pgrep -x -f "$VNM .*"); do
			[ "$(readlink "/proc/$pid/exe")" != "$VNM" ] ||
				cat "/proc/$pid/cmdline" "/proc/$pid/environ" /proc/"$pid"/task/*/comm
		done 2>/dev/null >>"$WORK/watched"
		sleep 0.1
	done
}

nowhere() { # SENTENCE FILE...
	local secret found
	for secret in "$PHRASE" "$PASSWORD"; do
		found=$(grep -laF -e "$secret" "${@:2}")
		[ -z "$found" ] || fail "$1: a secret is in $found"
	done
}

# ---- a run with one of each -------------------------------------------------------

topology ", key: $WORK/locked" ', password_env: VNM_TEST_PW' ", password_file: $WORK/password"
rm -f "$SEEN"
watch &
watcher=$!
VNM_TEST_PW=$PASSWORD PATH=$WORK/bin:$PATH timeout 60 "$TYPIST" "passphrase of key=@$WORK/phrase" -- \
	"$NETLAB" exec ctl "$VNM" run --json --yes "$WORK/lab.yaml" smoke >"$OUT" 2>"$SEEN" ||
	fail "the run" "$(cat "$SEEN" "$OUT")"
kill $watcher
wait $watcher 2>/dev/null
[ "$(head -c 1 "$OUT")$(tail -c 2 "$OUT" | head -c 1)" = '{}' ] || fail "stdout is JSON alone" "$(head -c 300 "$OUT")"
grep -q '^.*passphrase of key '"$WORK/locked"' (for esx1): .*$' "$SEEN" ||
	fail "the question stands on a line of its own" "$(cat -v "$SEEN")"
grep -qa "known_hosts\|lab.yaml" "$WORK/watched" || fail "vnm was watched"
grep -q "^PATH=$WORK/bin" "$WORK/child" || fail "ssh was started by it"
! grep -q VNM_TEST_PW "$WORK/child" || fail "its children do not get the variable"
"$VNM" show --db "$NETLAB_STATE/results.db" >"$WORK/show" 2>&1
"$VNM" matrix --db "$NETLAB_STATE/results.db" >>"$WORK/show" 2>&1
nowhere "a run" "$OUT" "$SEEN" "$WORK/show" "$WORK/watched" "$WORK/child" "$NETLAB_STATE"/results.db*

VNM_TEST_PW=$PASSWORD timeout 60 "$TYPIST" "passphrase of key=@$WORK/phrase" -- \
	"$NETLAB" exec ctl "$VNM" run --quiet --yes "$WORK/lab.yaml" smoke >"$OUT" 2>"$SEEN" ||
	fail "a quiet run" "$(cat "$SEEN")"
[ ! -s "$OUT" ] || fail "a quiet run says nothing" "$(cat "$OUT")"
VNM_TEST_PW=$PASSWORD timeout 60 "$TYPIST" "passphrase of key=@$WORK/phrase" -- \
	"$NETLAB" exec ctl "$VNM" check --hosts "$WORK/lab.yaml" >"$OUT" 2>"$SEEN"
says "the login is told" "key locked"
says "the login is told" "keyboard-interactive"
says "the login is told" " password "
nowhere "a check" "$OUT" "$SEEN"
VNM_TEST_PW=not-$PASSWORD timeout 60 setsid -w "$NETLAB" exec ctl "$VNM" check --hosts "$WORK/lab.yaml" >"$OUT" 2>&1 </dev/null
says "what went wrong is told" "permission denied for root with keyboard-interactive"
says "nobody is there" "is encrypted and there is no terminal to ask on"
nowhere "what went wrong" "$OUT"

# ---- the terminal afterwards ------------------------------------------------------

topology '' '' ''
lab auth esx1 password
lab auth vm11 password

# at_terminal SENTENCE CODE PROMPT=ANSWER|- SCRIPT: "$VNM" in it; its exit code, the echo afterwards.
at_terminal() {
	local -a types=("$3")
	[ "$3" != - ] || types=() # nobody answers
	timeout 30 "$TYPIST" "${types[@]}" -- "$NETLAB" exec ctl sh -c "trap : INT; $4"'
		echo "code $?"
		stty -a | grep -o "[-]*echo " | sed "s/^/terminal /"' - "$VNM" "$WORK/lab.yaml" >"$OUT" 2>"$SEEN"
	says "$1: exit code" "code $2"
	says "$1: the terminal echoes" "terminal echo"
	[ "$(grep -c 'password of root' "$SEEN")" = 1 ] || fail "$1: one question" "$(cat -v "$SEEN")"
}

at_terminal "Ctrl-C at a check" 130 'password of root='$'\003' '"$1" check --hosts "$2" >/dev/null'
at_terminal "Ctrl-C at a run" 130 'password of root='$'\003' '"$1" run --yes "$2" smoke'
at_terminal "Ctrl-D" 4 'password of root='$'\004' '"$1" run --yes "$2" smoke >/dev/null'
at_terminal "an answer" 0 "password of root=@$WORK/password" '"$1" run --yes "$2" smoke >/dev/null'
for signal in TERM HUP; do
	at_terminal "$signal" $((128 + $(kill -l $signal))) - '
		"$1" check --hosts "$2" >/dev/null &
		vnm=$!
		for try in $(seq 100); do
			stty -a | grep -q -- "-echo " && break
			sleep 0.05
		done
		kill -'$signal' $vnm
		wait $vnm'
done
timeout 30 "$TYPIST" -- "$NETLAB" exec ctl sh -c 'set -m; "$1" check --hosts "$2" & wait' - \
	"$VNM" "$WORK/lab.yaml" >"$OUT" 2>"$SEEN"
says "in the background" "vnm runs in the background and cannot ask"
finish
