# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# auth_agent.sh - ssh-agent: which of its keys, certificates, security keys. Part of auth.sh.

export SK_SOFTWARE_TOUCH_MS=900
start_agent -P "$MODULES/*"
for i in 1 2 3 4 5 6 7 8; do
	new_key other$i
done
new_key inside
authorise "$WORK/plain.pub" "$WORK/inside.pub"
ssh-add -q "$WORK"/other? "$WORK/inside" "$CLIENT/id_cert" || exit 1
rm "$WORK/inside" # its public half stays
agent=(-s "$SSH_AUTH_SOCK")

config "IdentityFile $WORK/inside"
probe one "${agent[@]}" || fail "of many keys the one whose public half is named"
says "it is told" "by agent key inside"
config "IdentityFile $WORK/inside.pub" 'IdentitiesOnly yes'
probe one "${agent[@]}" || fail "IdentityFile names a public key"
counted "no other key was offered" esx1
config "IdentityFile $WORK/a" 'IdentitiesOnly yes'
probe one "${agent[@]}"
counted "IdentitiesOnly: the file alone" esx1 publickey
says "it is told" "IdentitiesOnly keeps 11 of 11 keys of ssh-agent back"
config "IdentityFile $WORK/plain"
probe one "${agent[@]}" || fail "a named file comes before strange keys of the agent"
counted "a named file comes before strange keys of the agent" esx1
config 'IdentityFile none'
probe one "${agent[@]}"
counted "until the server hangs up" esx1 publickey publickey publickey publickey publickey publickey
says "it is told" "the server hung up after 6 refused attempts (MaxAuthTries): agent key other1, agent key other2, "
authorise "$WORK/plain.pub" "$WORK/inside.pub" "$WORK/other6.pub"
probe one "${agent[@]}" || fail "a key in sixth place, as for ssh"
says "it is told" "by agent key other6"
counted "a key in sixth place" esx1 publickey publickey publickey publickey publickey
authorise "$WORK/plain.pub" "$WORK/inside.pub"
lab auth esx1 any
probe one "${agent[@]}" -p "$WORK/right" || fail "an attempt is left for the password"
counted "an attempt is left for the password" esx1 publickey publickey publickey publickey
probe one "${agent[@]}" -p "$WORK/wrong"
says "no key after a wrong password" "7 of 11 keys of ssh-agent were not tried"
says "its remedy" "is that the password? it was sent once and is not sent again"
lab attempts esx1 forget
config 'IdentityFile none' "IdentityAgent $WORK/nosocket"
lab auth esx1 key
probe one "${agent[@]}"
says "no agent there" "ssh-agent: $WORK/nosocket: No such file or directory"

# certificates
lab auth esx1 cert
config "IdentityFile $CLIENT/id_cert.pub" 'IdentitiesOnly yes'
probe one "${agent[@]}" || fail "a certificate in the agent"
says "it is told" "by agent certificate netlab id_cert"
counted "it is told" esx1
ssh-keygen -q -s "$CLIENT/ca" -I x -n root "$WORK/inside.pub"
config "IdentityFile $WORK/inside" 'IdentitiesOnly yes'
probe one "${agent[@]}" || fail "a certificate of a file, its key in the agent"
says "it is told" "by certificate $WORK/inside-cert.pub"
counted "it is told" esx1
rm "$WORK/inside-cert.pub"
lab auth esx1 key

# security keys
if [ -e "$MODULES/sk_software.so" ]; then
	ssh-keygen -q -t ecdsa-sk -w "$MODULES/sk_software.so" -N '' -C token -f "$WORK/fido"
	authorise "$WORK/fido.pub"
	config "IdentityFile $WORK/fido" 'IdentitiesOnly yes'
	probe one "${agent[@]}"
	says "it is in no agent" "key $WORK/fido is a security key: load it into ssh-agent with ssh-add"
	ssh-add -q -S "$MODULES/sk_software.so" "$WORK/fido" || exit 1
	before=${EPOCHREALTIME/./}
	typed all -- "${agent[@]}" -t 1500 || fail "a security key in the agent" "$(cat "$OUT")"
	says "it is told" "by agent key token"
	[ "$(grep -c 'touch the security key "token"' "$SEEN")" = 3 ] ||
		fail "each touch is asked for" "$(cat "$SEEN")"
	[ $((${EPOCHREALTIME/./} - before)) -gt 2700000 ] || fail "one after the other"
fi
