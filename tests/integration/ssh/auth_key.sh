# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# auth_key.sh - key files, passphrases and certificates. Part of auth.sh.

new_key plain
new_key locked
new_key strange
new_key pem -t rsa -b 2048 -m PEM
authorise "$WORK/plain.pub" "$WORK/locked.pub" "$WORK/pem.pub"
ssh-keygen -q -p -P '' -N 'open sesame' -f "$WORK/locked" >/dev/null
ssh-keygen -q -p -P '' -N 'open sesame' -f "$WORK/strange" >/dev/null
ssh-keygen -q -p -m PEM -P '' -N 'open sesame' -f "$WORK/pem" >/dev/null

config "IdentityFile $WORK/nothing" "IdentityFile $WORK/plain"
probe one || fail "the second key file"
says "the second key file" "by key $WORK/plain"
counted "a missing file is no attempt" esx1

# passphrases
config "IdentityFile $WORK/locked"
typed all 'passphrase of key=open sesame' -- || fail "a passphrase"
says "all are up" "settled 3 of 3 up"
asked_once "one question for all" "passphrase of key $WORK/locked"
mute "it is not echoed" sesame "$SEEN"
typed one 'passphrase of key=wrong' 'that is not it=open sesame' -- || fail "the second try"
typed one 'passphrase of key=' --
says "none typed" "no passphrase was typed for key $WORK/locked"
probe one
says "nobody is there" "key $WORK/locked is encrypted and nobody can be asked: ssh-add it"
probe one -a
says "no terminal" "key $WORK/locked is encrypted and there is no terminal to ask on: ssh-add it, or run vnm on a terminal"
counted "none of these was an attempt" esx1
config "IdentityFile $WORK/strange"
typed one --
mute "no passphrase for a key that the server does not want" passphrase "$SEEN"
says "it is told" "permission denied for root with key $WORK/strange"
counted "it is told" esx1 publickey
config "IdentityFile $WORK/pem"
typed one 'passphrase of key=open sesame' -- || fail "an old format, encrypted"
echo 'ssh-rsa AAAAdamaged' >"$WORK/pem.pub"
typed one 'passphrase of key=open sesame' -- || fail "a damaged .pub file is ignored"
echo damaged >"$WORK/locked.pub"
config "IdentityFile $WORK/locked"
typed one 'passphrase of key=open sesame' -- || fail "the key file knows its public half"

# certificates
lab auth esx1 cert
config "IdentityFile $CLIENT/id_cert"
probe one || fail "the certificate beside the key"
says "it is told" "by certificate $CLIENT/id_cert-cert.pub"
counted "it comes before the key" esx1
new_key elsewhere
ssh-keygen -q -s "$CLIENT/ca" -I x -n root "$WORK/elsewhere.pub"
mv "$WORK/elsewhere-cert.pub" "$WORK/cert"
config "IdentityFile $WORK/elsewhere" "CertificateFile $WORK/cert"
probe one || fail "CertificateFile"
says "it is told" "by certificate $WORK/cert"
ssh-keygen -q -p -P '' -N 'open sesame' -f "$WORK/elsewhere" >/dev/null
typed one 'passphrase of key=open sesame' -- || fail "a certificate of an encrypted key"
says "it is told" "by certificate $WORK/cert"
config "IdentityFile $WORK/plain" "CertificateFile $WORK/plain.pub"
probe one
says "no certificate" "CertificateFile $WORK/plain.pub is not a certificate that can be read"
lab attempts esx1 forget
lab auth esx1 key

# a server that counts less than OpenSSH's six
new_key a
new_key b
new_key c
config "IdentityFile $WORK/a" "IdentityFile $WORK/b" "IdentityFile $WORK/c"
lab tries esx1 2
before=${EPOCHREALTIME/./}
probe one
says "the server hangs up" "the server hung up after 2 refused attempts (MaxAuthTries): key $WORK/a, key $WORK/b: offer the right key alone"
[ $((${EPOCHREALTIME/./} - before)) -lt 4000000 ] || fail "and it is told at once"
lab tries esx1 6
lab attempts esx1 forget
