# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# auth_password.sh - passwords and questions. Part of auth.sh.

config 'IdentityFile none'
lab auth esx1 password
probe one -p "$WORK/right" || fail "a password from a file"
says "it is told" "by password"
probe one -p "$WORK/wrong"
says "a wrong one" "esx1: permission denied for root with password: the server offers password: is that the password? it was sent once and is not sent again"
counted "a wrong one" esx1 password
VNM_TEST_PW=lab probe one -e VNM_TEST_PW || fail "a password from the environment"
probe one -e VNM_TEST_PW
says "it is not set" "the environment variable VNM_TEST_PW (password_env) is not set"
VNM_TEST_PW='' probe one -e VNM_TEST_PW
says "it is empty" "the environment variable VNM_TEST_PW (password_env) is empty"
chmod 640 "$WORK/right"
probe one -p "$WORK/right"
says "others can read it" "password_file $WORK/right is open to others (mode 640): chmod 600 $WORK/right"
chmod 600 "$WORK/right"
probe one -p "$WORK/nothing"
says "no such file" "password_file $WORK/nothing: No such file or directory"
: >"$WORK/empty"
chmod 600 "$WORK/empty"
probe one -p "$WORK/empty"
says "an empty file" "password_file $WORK/empty: the first line is empty"
probe one -p "$WORK"
says "a folder" "password_file $WORK is not a regular file"
mute "it is not told to name the file that it names" "name a \`password_file\`"
probe one -a
says "no terminal" "there is no password for root and there is no terminal to ask on: name a \`password_file\` or \`password_env\`, or run vnm on a terminal"
counted "none of these was an attempt" esx1

# one question for all hosts
everywhere auth password
typed all 'password of root=lab' -- || fail "a typed password" "$(cat "$OUT" "$SEEN")"
says "all are up" "settled 3 of 3 up"
asked_once "one question for all" "password of root for "
mute "it is not echoed" lab "$SEEN"
TYPIST_MS=1500 typed one 'password of root=lab' -- -t 1000 ||
	fail "time to think is not time to log in" "$(cat "$OUT")"
typed all 'password of root=mistaken' --
asked_once "a wrong password is not asked for again" "password of root for "
for n in "${HOSTS[@]}"; do
	says "each host tells" "$n: permission denied for root with password"
	counted "each host had one attempt" "$n" password
done
typed one 'password of root=' --
says "nothing typed" "there is no password for root and none was typed: name a \`password_file\` or \`password_env\`, or type it; the server offers password"
mute "who sits at a terminal is not sent to one" "run vnm on a terminal"
typed all 'password of root='$'\003' -- # Ctrl-C
asked_once "after Ctrl-C nobody is asked again" "password of root for "
config 'IdentityFile none' 'BatchMode yes'
typed one --
says "BatchMode" "there is no password for root and BatchMode forbids to ask"
mute "and nothing is asked" "password of" "$SEEN"
config 'IdentityFile none'

# keyboard-interactive
everywhere auth kbdint
probe all -p "$WORK/right" || fail "keyboard-interactive with the password of a file"
says "it is told" "by keyboard-interactive"
probe one -p "$WORK/wrong"
says "a wrong one" "esx1: permission denied for root with keyboard-interactive"
counted "a wrong one" esx1 keyboard-interactive/pam
typed all 'password of root=lab' -- || fail "keyboard-interactive with a typed password"
asked_once "one question for all" "password of root for "
lab auth esx1 any
probe one -p "$WORK/wrong"
counted "the same password is never sent twice" esx1 keyboard-interactive/pam
says "that is told" "permission denied for root with keyboard-interactive: "
config 'IdentityFile none' 'PreferredAuthentications password,keyboard-interactive'
probe one -p "$WORK/wrong"
counted "in the user's order" esx1 password
config 'IdentityFile none' 'PreferredAuthentications publickey'
probe one -p "$WORK/right"
says "what the user leaves out" "the ssh configuration leaves out keyboard-interactive"
config 'IdentityFile none'
lab auth esx1 lockout
probe one -p "$WORK/wrong"
probe one -p "$WORK/right" || fail "one wrong password locks nobody out"
lab attempts esx1 forget

# rounds
rounds=$MODULES/pam_rounds.so
lab auth esx1 rounds "$rounds" Password:=lab 'Verification code:=123 456' =Hello
typed one 'Verification code=123 456' -- -p "$WORK/right" || fail "rounds, one of them without a question"
says "it is told" "by keyboard-interactive"
says "the host that asks is named" "esx1 asks root" "$SEEN"
mute "the password is not asked for" "password of" "$SEEN"
probe one -p "$WORK/right"
says "nobody can be asked" 'the server asks "Verification code" and nobody can be asked'
lab auth esx1 rounds "$rounds" 'Verification code:=123 456'
lab attempts esx1 forget
probe one -p "$WORK/right"
counted "a code is not answered with the password" esx1
lab auth esx1 rounds "$rounds" $'\033[31mName\033[2J:=lab'
typed one 'Name=lab' -- || fail "a prompt that is not fit to be shown"
mute "it moves no cursor" $'\033[2J' "$SEEN"

# both are wanted
config "IdentityFile $CLIENT/id_lab"
lab auth esx1 key+kbdint
probe one -p "$WORK/right" || fail "key and keyboard-interactive"
says "both are told" "by key $CLIENT/id_lab + keyboard-interactive"
lab auth esx1 key+password
probe one -p "$WORK/right" || fail "key and password"
says "both are told" "by key $CLIENT/id_lab + password"
lab attempts esx1 forget
probe one
says "half is not enough" "key $CLIENT/id_lab was accepted for root, but the server wants more: "
says "half is not enough" "name a \`password_file\` or \`password_env\`, or run vnm on a terminal; the server offers password"
probe one -p "$WORK/wrong"
says "the other half is wrong" "key $CLIENT/id_lab was accepted for root, but the server wants more: permission denied for root with password"
counted "the other half is wrong" esx1 password
everywhere auth key
