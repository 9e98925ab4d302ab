#!/bin/bash
# SPDX-License-Identifier: MIT
# login.sh PROBE AGENT - what goes wrong before the agent, and what the user is told.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up pair.spec
one=$(only esx1)
ip=$(address esx1)
known=$CLIENT/known_hosts
fingerprint=$(lab exec esx1 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2)

# ---- reaching it
printf 'gone 10.77.0.99 22\nclosed %s 2222\n' "$ip" >"$WORK/bad"
cat "$one" >>"$WORK/bad"
probe "$WORK/bad" -t 1500
says "nobody there" "gone: connect to 10.77.0.99 port 22: no answer in 1.5 s: is the address right, the host up, no firewall between?"
says "nobody listens" "closed: connect to $ip port 2222: Connection refused: is sshd running there?"
says "the other host is up" " up esx1 "

lab freeze esx1
probe "$one" -t 1000
says "a frozen server" "esx1: SSH greeting and key exchange: $ip:22 did not answer in time: is it an SSH server, is the host frozen?"
lab thaw esx1
lab mtu-blackhole esx1 mgmt 1000
probe "$one" -t 1000
says "a path that loses large packets" "esx1: SSH greeting and key exchange: $ip:22 did not answer in time: does the path lose large packets (path MTU)?"
lab mtu-blackhole esx1 mgmt off

# ---- host keys
rm -f "$WORK/known"
bare "$one" -i "$CLIENT/id_lab" -k "$WORK/known"
says "an unknown host is refused" "esx1: host key is not known: ssh-ed25519 $fingerprint: if that is the host's, set \`accept_new: true\` or add it to $WORK/known"
[ ! -e "$WORK/known" ] || fail "nothing is written for it"

bare "$WORK/all" -n -i "$CLIENT/id_lab" -k "$WORK/known" || fail "accept_new takes them"
[ "$(sort "$WORK/known" | cut -d' ' -f1 | tr '\n' ' ')" = "$(cut -d' ' -f2 "$WORK/all" | sort | tr '\n' ' ')" ] ||
	fail "each host has one line: $(cat "$WORK/known")"
bare "$WORK/all" -n -i "$CLIENT/id_lab" -k "$WORK/known" || fail "they are known now"
[ "$(wc -l <"$WORK/known")" = 3 ] || fail "no line comes twice"
ssh-keygen -q -H -f "$WORK/known" >/dev/null 2>&1
bare "$WORK/all" -i "$CLIENT/id_lab" -k "$WORK/known" || fail "hashed names are known"
printf 'damaged %s\nesx9 ssh-ed25519' "$ip" >"$WORK/open" # no newline at the end
bare "$one" -n -i "$CLIENT/id_lab" -k "$WORK/open" || fail "a file without a last newline"
bare "$one" -i "$CLIENT/id_lab" -k "$WORK/open" || fail "is not spoilt by what is added"

{ echo "@revoked * $(sed -n "s/^esx1,$ip //p" "$known")"; cat "$known"; } >"$WORK/revoked"
bare "$one" -n -i "$CLIENT/id_lab" -k "$WORK/revoked"
says "a revoked key" "esx1: host key ssh-ed25519 $fingerprint is revoked by line 1 of $WORK/revoked"
bare "$one" -n -i "$CLIENT/id_lab" -k "$WORK/nofolder/known"
says "a file that cannot be made" "esx1: add the host key to $WORK/nofolder/known: No such file or directory"

lab new-hostkey esx1
new=$(lab exec esx1 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2)
for accept in '' -n; do
	# shellcheck disable=SC2086
	bare "$WORK/all" $accept -i "$CLIENT/id_lab" -k "$known"
	says "a changed key is told, old and new" "esx1: HOST KEY CHANGED: line 1 of $known has ssh-ed25519 $fingerprint, the host shows ssh-ed25519 $new"
	says "and what to do" "ssh-keygen -f '$known' -R '$ip'"
	says "the others are up" "settled 2 of 3 up"
done
grep -v "^esx1" "$known" >"$WORK/rsa"
ssh-keygen -q -t rsa -N '' -f "$WORK/rsakey"
echo "$ip $(cut -d' ' -f1,2 "$WORK/rsakey.pub")" >>"$WORK/rsa"
bare "$one" -n -i "$CLIENT/id_lab" -k "$WORK/rsa"
says "a key of another type does not pass either" "HOST KEY CHANGED"
lab old-hostkey esx1

# each kind of host key, on a second server of the host
echo "$ip 2222" | sed 's/^/other /' >"$WORK/other"
for kind in 'rsa -b 3072' 'ecdsa -b 256' 'ecdsa -b 384' 'ecdsa -b 521'; do
	lab exec esx1 sh -c "
		rm -f /run/key /run/key.pub
		ssh-keygen -q -t $kind -N '' -f /run/key
		sed '/^HostKey/d; /^PidFile/d' /etc/ssh/sshd_config >/run/sshd_config
		echo PidFile /run/second.pid >>/run/sshd_config
		exec /usr/sbin/sshd -f /run/sshd_config -h /run/key -p 2222 -E /run/second.log"
	rm -f "$WORK/kinds"
	bare "$WORK/other" -n -i "$CLIENT/id_lab" -k "$WORK/kinds" || fail "accept_new with $kind"
	bare "$WORK/other" -i "$CLIENT/id_lab" -k "$WORK/kinds" || fail "$kind is known"
	[ "$(cut -d' ' -f1 "$WORK/kinds")" = "[$ip]:2222" ] || fail "$kind has its port"
	says "$kind is told" "key $(cut -d' ' -f2 "$WORK/kinds") SHA256:"
	ssh-keygen -q -l -F "[$ip]:2222" -f "$WORK/kinds" >/dev/null || fail "ssh-keygen finds $kind"
	lab exec esx1 sh -c 'kill "$(cat /run/second.pid)"'
done
lab exec esx1 sh -c 'rm -f /run/key* /run/sshd_config /run/second.*'

# ---- logging in
ssh-keygen -q -t ed25519 -N '' -C wrong -f "$WORK/wrong"
bare "$one" -k "$known" -i "$WORK/wrong"
says "a wrong key" "esx1: permission denied for root with key $WORK/wrong: the server offers publickey: add the public key to the host's authorized_keys"
bare "$one" -k "$known" -i "$WORK/missing"
says "a missing key" "esx1: cannot log in as root: key $WORK/missing does not exist or cannot be read"
echo rubbish >"$WORK/rubbish"
bare "$one" -k "$known" -i "$WORK/rubbish"
says "a file that is no key" "esx1: cannot log in as root: key $WORK/rubbish is not a private key that libssh can read"
cp "$CLIENT/id_lab" "$WORK/locked" && cp "$CLIENT/id_lab.pub" "$WORK/locked.pub"
ssh-keygen -q -p -P '' -N secret -f "$WORK/locked" >/dev/null
bare "$one" -k "$known" -i "$WORK/locked"
says "an encrypted key" "esx1: cannot log in as root: key $WORK/locked is encrypted and nobody can be asked: ssh-add it"
bare "$one" -k "$known"
says "no key at all" "esx1: cannot log in as root: none of the usual key files is there; no ssh-agent runs; the server offers publickey: name a key"
bare "$one" -k "$known" -s "$WORK/nosock"
says "no agent there" "esx1: cannot log in as root: ssh-agent: $WORK/nosock: No such file or directory"
lab kbdint esx1 on
bare "$one" -k "$known" -i "$CLIENT/id_lab"
says "a server that wants no keys" "the server offers keyboard-interactive"
lab kbdint esx1 off
lab slow-auth esx1 3
probe "$one" -t 1000
says "a slow server" "esx1: log in as root: no answer in time"
probe "$one" -t 15000 || fail "with more time it is let in"
lab slow-auth esx1 off

# ---- ssh-agent
sock=$WORK/agent
eval "$(ssh-agent -a "$sock")" >/dev/null
trap 'kill "$SSH_AGENT_PID"; lab down; rm -rf "$WORK"' EXIT
export SSH_AUTH_SOCK=$sock
bare "$one" -k "$known" -s "$sock"
says "an empty agent" "esx1: cannot log in as root: ssh-agent has no keys"
for i in 1 2 3 4 5 6; do
	ssh-keygen -q -t ed25519 -N '' -C "other$i" -f "$WORK/other$i"
done
ssh-add -q "$WORK/other1" "$WORK/other2" "$CLIENT/id_lab"
bare "$one" -k "$known" -s "$sock"
says "the agent's third key" "by agent key netlab"
bare "$one" -k "$known" -s "$sock" -i "$WORK/wrong"
says "the named key is refused, the agent's taken" "by agent key netlab"
bare "$one" -k "$known" -s "$sock" -i "$CLIENT/id_lab"
says "the named key comes first, and from the agent" "by agent key netlab"
ssh-add -q -d "$CLIENT/id_lab" 2>/dev/null
ssh-add -q "$WORK"/other[1-6] "$CLIENT/id_lab"
before=$SECONDS
bare "$one" -k "$known" -s "$sock"
says "the server has enough of keys" "esx1: log in as root: the server hung up after 6 refused attempts (MaxAuthTries): agent key other1, agent key other2, agent key other3, agent key other4, agent key other5, agent key other6"
[ $((SECONDS - before)) -lt 4 ] || fail "and it is told at once"
bare "$one" -k "$known" -s "$sock" -i "$WORK/locked"
says "of many keys the named one is taken first" "by agent key netlab"
tries=$(lab exec esx1 grep -c 'Too many authentication failures' /run/netlab/sshd.log)
[ "$tries" = 1 ] || fail "and the server had to hang up no more than that once: $tries"
clean "nothing is left" "${HOSTS[@]}"
finish
