#!/bin/bash
# SPDX-License-Identifier: MIT
# failures.sh BUILD - one host for each thing that goes wrong between the configuration and
# the agent, all in one `vnm check --hosts`: each has a message of its own with what to do,
# no password is sent twice, no host waits for another's fault.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

: >"$WORK/cases"
# a_case NAME BEHIND SSH EXPECT: a host, where it is (- or a gate), its ssh mapping, what
# is said of it. Then lines for it by `fault` and by `config`.
a_case() {
	CASE=$1
	printf '%s\t%s\t%s\t%s\n' "$@" >>"$WORK/cases"
}

fault() { # VERB [ARG...]: of the lab, at the host
	local verb=$1
	shift
	echo "$verb $CASE $*" >>"$WORK/faults"
}

config() { # LINE...: of ssh_config
	local line
	printf 'Host %s\n' "$CASE" >>"$WORK/blocks"
	for line in "$@"; do printf '\t%s\n' "$line" >>"$WORK/blocks"; done
}

# ---- keys ----
ssh-keygen -q -t ed25519 -N '' -C stranger -f "$WORK/stranger"
for name in locked batch; do
	ssh-keygen -q -t ed25519 -N 'open sesame' -C $name -f "$WORK/$name"
done
cat "$WORK"/{locked,batch}.pub >"$WORK/keys"
export NETLAB_KEYS=$WORK/keys
echo "no key at all" >"$WORK/rubbish"
echo lab >"$WORK/password" && chmod 600 "$WORK/password"
echo swordfish >"$WORK/wrong" && chmod 600 "$WORK/wrong"
echo lab >"$WORK/open" && chmod 644 "$WORK/open"
: >"$WORK/empty" && chmod 600 "$WORK/empty"
for i in 1 2 3 4 5 6 7 8; do
	ssh-keygen -q -t ed25519 -N '' -C "other$i" -f "$WORK/other$i"
done

a_case stranger - "{ key: $WORK/stranger }" \
	"IdentitiesOnly keeps 8 of 8 keys of ssh-agent back; the server offers publickey: add the public key to the host's authorized_keys"
a_case missing - "{ key: $WORK/nothing }" "key $WORK/nothing does not exist or cannot be read"
a_case rubbish - "{ key: $WORK/rubbish }" "key $WORK/rubbish is not a private key that libssh can read"
a_case locked - "{ key: $WORK/locked }" "key $WORK/locked is encrypted and there is no terminal to ask on: ssh-add it, or run vnm on a terminal"
a_case batch - "{ accept_new: false }" "key $WORK/batch is encrypted and BatchMode forbids to ask: ssh-add it"
config "IdentityFile $WORK/batch" "BatchMode yes"
a_case many - "{ accept_new: false }" "the server hung up after 6 refused attempts (MaxAuthTries): agent key other1, "
config "IdentitiesOnly no"
a_case hasty - "{ accept_new: false }" "the server hung up after 2 refused attempts (MaxAuthTries): agent key other1, agent key other2: offer the right key alone, by"
config "IdentitiesOnly no"
fault tries 2

# ---- passwords ----
a_case wrongpw - "{ password_file: $WORK/wrong }" \
	"permission denied for root with password: the server offers password: is that the password? it was sent once and is not sent again"
fault auth password
a_case wrongkbd - "{ password_file: $WORK/wrong }" "is that the password? it was sent once and is not sent again"
fault auth kbdint
a_case wrongany - "{ password_file: $WORK/wrong }" "is that the password? it was sent once and is not sent again"
fault auth any
a_case nopw - "{ accept_new: false }" "name a \`password_file\` or \`password_env\`"
fault auth password
a_case openpw - "{ password_file: $WORK/open }" "password_file $WORK/open is open to others (mode 644): chmod 600 $WORK/open"
fault auth password
a_case emptypw - "{ password_file: $WORK/empty }" "password_file $WORK/empty: the first line is empty"
fault auth password
a_case nofile - "{ password_file: $WORK/none }" "$WORK/none"
fault auth password
a_case unset - "{ password_env: VNM_TEST_NOT_SET }" "the environment variable VNM_TEST_NOT_SET (password_env) is not set"
fault auth password
a_case halfway - "{ accept_new: false }" "key $CLIENT/id_lab was accepted for root, but the server wants more"
fault auth key+password
a_case token - "{ password_file: $WORK/password }" "the server asks \"Token\" and there is no terminal to ask on; the server offers keyboard-interactive: run vnm on a terminal, or use a key"
fault auth rounds "$MODULES/pam_rounds.so" Password:=lab Token:=42
a_case account - "{ password_file: $WORK/password }" "the server says \"The account is locked due to 5 failed logins. (15 minutes left to unlock)\"; the server offers keyboard-interactive: ask whoever looks after the host"
fault auth lockout

# ---- host keys ----
a_case unknown - "{ known_hosts: /dev/null }" "host key is not known: ssh-ed25519 SHA256:"
a_case changed - "{ accept_new: true }" "HOST KEY CHANGED: line"
fault new-hostkey
a_case revoked - "{ known_hosts: $WORK/known_revoked, accept_new: true }" "is revoked by line 1 of $WORK/known_revoked: somebody else may hold it: give the host a new one"
a_case authority - "{ known_hosts: $CLIENT/known_ca }" "libssh cannot check host certificates: set \`transport: openssh\`"
fault hostcert on

# ---- reaching it ----
a_case refused - "{ port: 2222 }" "Connection refused: is sshd running there?"
a_case silent - "{ accept_new: false }" "no answer in 1.0 s: is the address right, the host up, no firewall between?"
fault link mgmt block
config "ConnectTimeout 1"
a_case frozen - "{ accept_new: false }" "did not answer in time: is it an SSH server, is the host frozen?"
fault freeze
config "ConnectTimeout 2"
a_case nameless - "{ accept_new: false }" "resolve no-such-name.invalid: "
config "HostName no-such-name.invalid"
a_case proxycmd - "{ accept_new: false }" "ProxyCommand"
config "ProxyCommand exit 7"

# ---- jump hosts ----
a_case gateshut gate2 "{ jump: root@GATE2 }" "does not forward connections to"
a_case gatekey gate1 "{ jump: root@GATE3 }" "HOST KEY CHANGED"
a_case gategone gate1 "{ jump: root@10.77.0.251 }" "through root@10.77.0.251: "
config "ConnectTimeout 2"
a_case inside gate1 "{ jump: root@GATE1, port: 2222 }" "cannot reach INSIDE:2222: connection refused: is sshd running there?"
a_case lost gate1 "{ jump: root@GATE1 }" "cannot reach"
config "ConnectTimeout 2"
fault link mgmt block

# ---- shells and folders ----
a_case nologin - "{ accept_new: false }" "This account is currently not available.: may the account run commands?"
fault shell nologin
a_case noexec - "{ accept_new: false }" "no folder takes the agent (make room, or allow execution in one): /tmp: cannot execute there: "
fault noexec all
a_case full - "{ accept_new: false }" "No space left on device"
fault fill-all
a_case german - "{ accept_new: false }" "No space left on device" # not what the host's tools say in its language
fault fill-all
fault locale on

# ---- the lab, the client ----

{
	printf 'box gate1\nbox gate2\nbox gate3\nbox fine\nbox also\n'
	while IFS=$'\t' read -r name behind _; do
		echo "box $name$([ "$behind" = - ] || echo " behind=$behind")"
	done <"$WORK/cases"
} >"$WORK/failures.spec"
lab up "$WORK/failures.spec" || exit 1
printf '%s\n' 'forwarding gate2 off' 'new-hostkey gate3' >>"$WORK/faults"
lab batch <"$WORK/faults" || exit 1
for try in 1 2 3 4 5; do # five wrong passwords lock the account
	printf '#!/bin/sh\necho wrong\n' >"$WORK/askpass" && chmod +x "$WORK/askpass"
	"$NETLAB" exec ctl env SSH_ASKPASS="$WORK/askpass" SSH_ASKPASS_REQUIRE=force \
		ssh -F "$CLIENT/ssh_config" -o BatchMode=no -o NumberOfPasswordPrompts=1 account true 2>/dev/null
done
lab attempts account forget
[ "$try" = 5 ] || exit 1

start_agent -t 600
ssh-add -q "$WORK"/other? || exit 1
{ echo "@revoked * $(lab known revoked | cut -d' ' -f2-)"; cat "$CLIENT/known_hosts"; } >"$WORK/known_revoked"
{
	cat "$WORK/blocks"
	for name in fine also gate1 gate2 gate3 $(cut -f1 "$WORK/cases"); do
		printf 'Host %s\n\tHostName %s\n' "$name" "$(address "$name")"
	done
	cat <<-CONFIG
		Host *
			User root
			IdentitiesOnly yes
			UserKnownHostsFile $CLIENT/known_hosts
			GlobalKnownHostsFile /dev/null
		Host * !batch !many !hasty !wrongany
			IdentityFile $CLIENT/id_lab
	CONFIG
} >"$WORK/ssh_config"
{
	cat <<-YAML
		version: 1
		name: failures
		store: $WORK/results.db
		defaults: { ssh: { config: $WORK/ssh_config } }
		hosts:
		  fine: { kind: baremetal, os: linux, mgmt: fine, nics: { eth0: { ip: $(address fine), role: mgmt } } }
		  also: { kind: baremetal, os: linux, mgmt: also, nics: { eth0: { ip: $(address also), role: mgmt } } }
	YAML
	while IFS=$'\t' read -r name _ ssh _; do
		for gate in 1 2 3; do ssh=${ssh//GATE$gate/$(address gate$gate)}; done
		echo "  $name: { kind: baremetal, os: linux, mgmt: $name, ssh: $ssh, nics: { eth0: { ip: $(address "$name"), role: mgmt } } }"
	done <"$WORK/cases"
	echo "profiles:"
	echo "  all: { pairs: [[fine.eth0, also.eth0], $(cut -f1 "$WORK/cases" | sed 's/.*/[fine.eth0, &.eth0]/' | paste -sd,)], fixed: { window: default, streams: 1, direction: forward, mtu: 1500, buffer: default, lro: unchanged, tso: unchanged, duration: 1s, omit: 300ms }, repeats: { min: 1, max: 1 } }"
} >"$WORK/lab.yaml"

start=$EPOCHREALTIME
timeout 60 "$NETLAB" exec ctl "$VNM" check --hosts "$WORK/lab.yaml" >"$OUT" 2>"$WORK/errors" </dev/null
code=$?
took=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $start }")
echo "$(wc -l <"$WORK/cases") failures told in $took s"
[ -z "${VNM_MATRIX_SHOW:-}" ] || cat "$OUT" "$WORK/errors"
[ $code = 2 ] || fail "some cells can be measured: exit code 2, not $code" "$(cat "$WORK/errors")"
for name in fine also; do
	grep -qE "^$name .* in /tmp" "$OUT" || fail "a host without a fault is up" "$(grep "^$name" "$OUT")"
done
says "the others can be measured" "1 of $(($(wc -l <"$WORK/cases") + 1)) cells can be measured"

cp "$OUT" "$WORK/told"
# A long message goes on in lines that are indented further.
awk '/^  [^ ]/ { printf "%s%s", sep, $0; sep = "\n"; next } /^    / && sep != "" { sub(/^ */, " "); printf "%s", $0; next }
	{ printf "%s", sep; sep = "" } END { print "" }' "$OUT" >"$WORK/problems"
while IFS=$'\t' read -r name _ _ expect; do
	said=$(grep -aF "  $name: " "$WORK/problems")
	expect=${expect//INSIDE/$(address "$name")}
	grep -qF -e "$expect" <<<"$said" || fail "$name: $expect" "$said"
	attempts=$(lab attempts "$name" | grep -cE ' (password|keyboard-interactive)' )
	case $name in
	wrongpw | wrongkbd | wrongany | account) [ "$attempts" = 1 ] ;;
	*) [ "$attempts" -le 1 ] ;;
	esac || fail "$name: each password is sent once" "$(lab attempts "$name")"
done <"$WORK/cases"
sent=$(lab attempts many | wc -l)
[ "$sent" = 6 ] || fail "as many keys are offered as the server takes" "$sent attempts"
# ---- names that are no names ----

# refused TEXT SSH-MAPPING [CONFIG-LINE]: nothing is run, nothing is connected to.
refused() {
	printf 'Host fine\n\t%s\n' "${3:-HostName $(address fine)}" | cat - "$WORK/ssh_config" >"$WORK/evil_config"
	{
		echo "version: 1"
		echo "store: $WORK/results.db"
		echo "hosts:"
		echo "  fine: { kind: baremetal, os: linux, mgmt: fine, ssh: $2, nics: { eth0: { ip: $(address fine), role: mgmt } } }"
		echo "  also: { kind: baremetal, os: linux, mgmt: also, ssh: { config: $WORK/ssh_config }, nics: { eth0: { ip: $(address also), role: mgmt } } }"
		echo "profiles: { all: { pairs: [[fine.eth0, also.eth0]], fixed: { window: default, streams: 1, direction: forward, mtu: 1500, buffer: default, lro: unchanged, tso: unchanged, duration: 1s, omit: 300ms } } }"
	} >"$WORK/evil.yaml"
	timeout 20 "$NETLAB" exec ctl "$VNM" check --hosts "$WORK/evil.yaml" >"$OUT" 2>&1 </dev/null &&
		fail "refused: $2 ${3:-}" "$(cat "$OUT")"
	[ -z "${VNM_MATRIX_SHOW:-}" ] || grep -vE "^(host|profile|all|/tmp) " "$OUT"
	says "refused: $2 ${3:-}" "$1"
	[ ! -e "$WORK/owned" ] || fail "a command was run by $2 ${3:-}" "$(cat "$OUT")"
	rm -f "$WORK/owned"
}
touch="touch $WORK/owned"
refused "jump" "{ config: $WORK/evil_config, jump: '-oProxyCommand=$touch' }"
refused "jump" "{ config: $WORK/evil_config, jump: 'a;$touch' }"
refused "user" "{ config: $WORK/evil_config, user: '-oProxyCommand=$touch' }"
refused "user" "{ config: $WORK/evil_config, user: 'a\$($touch)' }"
for name in '-oProxyCommand=x' "\$($touch)" "\`$touch\`" "a;$touch"; do
	for line in "HostName \"$name\"" "User \"$name\"" "ProxyJump ${name%% *}"; do
		refused "ssh configuration of fine: " "{ config: $WORK/evil_config }" "$line"
	done
done

mute "no password is shown" swordfish "$WORK/told"
mute "nor in the errors" swordfish "$WORK/errors"
finish
