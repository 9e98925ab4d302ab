#!/bin/bash
# SPDX-License-Identifier: MIT
# transports.sh PROBE AGENT - libssh and the system's ssh come to the same end when they do not
# get in: the same stage and the same kind of reason.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up pair.spec
# shellcheck source=transports_lib.sh
. "$HERE/transports_lib.sh"

# ---- reaching it
printf 'esx1 %s 2222\n' "$ip" >"$WORK/closed"
printf 'esx1 10.77.0.99 22\n' >"$WORK/gone"
printf 'esx1 no.such.name.invalid 22\n' >"$WORK/nameless"
both "a closed port" "down esx1 stage 0: esx1: connect to $ip port 2222: Connection refused: is sshd running there\?" "$WORK/closed" "${usual[@]}"
both "nobody there" "down esx1 stage 0: esx1: connect to 10.77.0.99 port 22: no answer in 1.0 s: is the address right" "$WORK/gone" "${usual[@]}" -t 1000
both "a name that nobody knows" "down esx1 stage 0: esx1: resolve no.such.name.invalid: " "$WORK/nameless" "${usual[@]}" -t 3000
lab freeze esx1
both "a frozen server" "down esx1 stage 0: esx1: SSH greeting and key exchange: $ip:22 did not answer in time: is it an SSH server" "$one" "${usual[@]}" -t 1000
lab thaw esx1

# ---- host keys
both "an unknown host" "down esx1 stage 1: esx1: host key is not known: ssh-ed25519 SHA256:.* set \`accept_new: true\`" "$one" -i "$key" -k "$WORK/none"
[ ! -e "$WORK/none" ] || fail "nothing is written for it"
for t in "${TRANSPORTS[@]}"; do
	bare "$one" -T "$t" -n -i "$key" -k "$WORK/new.$t" || fail "$t: accept_new takes it"
	bare "$one" -T "$t" -i "$key" -k "$WORK/new.$t" || fail "$t: it is known now"
	[ "$(wc -l <"$WORK/new.$t")" = 1 ] || fail "$t: it has one line"
	ssh-keygen -q -l -F "$ip" -f "$WORK/new.$t" >/dev/null || fail "$t: ssh-keygen finds it"
done
{ echo "@revoked * $(sed -n "s/^esx1,$ip //p" "$known")"; cat "$known"; } >"$WORK/revoked"
both "a revoked key" "down esx1 stage 1: esx1: host key ssh-ed25519 SHA256:[^ ]* is revoked" "$one" -n -i "$key" -k "$WORK/revoked"
old=$(lab exec esx1 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2)
lab new-hostkey esx1
new=$(lab exec esx1 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2)
for accept in '' -n; do
	# shellcheck disable=SC2086
	both "a changed key" "down esx1 stage 1: esx1: HOST KEY CHANGED: line 1 of $known has ssh-ed25519 ${old//+/\\+}, the host shows ssh-ed25519 ${new//+/\\+}: .*ssh-keygen -f '$known' -R '$ip'" "$one" $accept "${usual[@]}"
done
lab old-hostkey esx1

# ---- logging in
ssh-keygen -q -t ed25519 -N '' -f "$WORK/wrong"
cp "$key" "$WORK/locked" && ssh-keygen -q -p -P '' -N secret -f "$WORK/locked" >/dev/null
both "a wrong key" "down esx1 stage 2: esx1: permission denied for root with key $WORK/wrong: the server offers publickey: add the public key" "$one" -k "$known" -i "$WORK/wrong"
both "a missing key" "down esx1 stage 2: esx1: cannot log in as root: key $WORK/missing does not exist" "$one" -k "$known" -i "$WORK/missing"
both "an encrypted key" "down esx1 stage 2: esx1: cannot log in as root: .*key $WORK/locked.* is encrypted.*ssh-add" "$one" -k "$known" -i "$WORK/locked"
lab kbdint esx1 on
both "a server that wants no keys" "down esx1 stage 2: esx1: .*the server offers keyboard-interactive" "$one" "${usual[@]}"
lab kbdint esx1 off
lab slow-auth esx1 3
both "a slow server" "down esx1 stage 2: esx1: log in as root: no answer in time" "$one" "${usual[@]}" -t 1000
lab slow-auth esx1 off

clean "nothing is left" "${HOSTS[@]}"
finish
