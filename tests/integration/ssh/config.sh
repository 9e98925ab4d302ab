#!/bin/bash
# SPDX-License-Identifier: MIT
# config.sh BUILD - hosts are reached as ssh_config(5) says: each keyword against a real
# server, what known_hosts files say, names with several addresses, and a machine without
# an ssh program. The user's and the system's files are the test's own.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# Copies: the tree may lie in the home that the test replaces.
PROBE=$WORK/link_probe
AGENT=$WORK/vnm-agent
cp "$BUILD/tests/integration/link/link_probe" "$PROBE" && cp "$BUILD/agent/vnm-agent" "$AGENT" || exit 1
printf 'box h1..4\n' >"$WORK/spec"
lab up "$WORK/spec" || exit 1
h1=$(address h1) h2=$(address h2) h3=$(address h3) h4=$(address h4)
KEY=$CLIENT/id_lab
mkdir -p "$WORK/home/.ssh" "$WORK/etc" && chmod 700 "$WORK/home/.ssh"
HOME_SSH=$WORK/home/.ssh # is /root/.ssh for the probe
CONFIG=$HOME_SSH/config
: >"$WORK/list"

# key HOST: the line of its host key without a name.
key() {
	cut -d' ' -f1,2 "$NETLAB_STATE/hosts/$1/seed/etc/ssh/ssh_host_ed25519_key.pub"
}

# known FILE NAME HOST: adds a line.
known() {
	echo "$2 $(key "$3")" >>"$1"
}

# alias NAME LINE...: a block of the user's configuration, and a host to be reached.
alias_is() {
	local name=$1
	shift
	{
		echo "Host $name"
		printf '\t%s\n' "$@"
	} >>"$CONFIG"
	echo "$name $name 0" >>"$WORK/list"
}

# start_config: what the aliases have in common unless they say otherwise.
start_config() {
	rm -f "$CONFIG"
	: >"$WORK/list"
}

end_config() {
	cat >>"$CONFIG" <<-C
		Host *
			HostName $h1
			User root
			IdentityFile $KEY
			UserKnownHostsFile $WORK/known
			HashKnownHosts no
	C
	chmod 600 "$CONFIG"
}

# probe OPTION...: all of the list, with the test's home and /etc/ssh.
probe() {
	timeout 60 "$NETLAB" exec ctl unshare -m bash -c '
		mount --bind "$1" /root && mount --bind "$2" /etc/ssh &&
			mount --bind "$3" /etc/hosts || exit 99
		shift 3
		exec "$@"' bash "$WORK/home" "$WORK/etc" "$WORK/hosts" "${RUN[@]}" "$PROBE" "$@" \
		"$AGENT" "$WORK/list" >"$OUT" 2>&1
}
RUN=()

up() { # NAME...
	for n in "$@"; do says "$n is up" " up $n agent "; done
}

echo 127.0.0.1 localhost >"$WORK/hosts"
for n in 1 2 3 4; do
	known "$WORK/known" "$(address h$n)" h$n
done
ssh-keygen -q -t ed25519 -N '' -f "$WORK/wrong"

# ---- where to, as whom, with what key
start_config
alias_is plain
alias_is port "Port 2222"
alias_is nobody "User nobody"
alias_is second "HostName $h2" "IdentityFile $WORK/wrong" # and the one of `Host *`
alias_is token "HostName $h2" "IdentityFile ~/keys/%n-%r-%p"
alias_is only "HostName $h2" "IdentityFile $WORK/wrong.pub" "IdentitiesOnly yes"
alias_is timeout "HostName 10.77.0.99" "ConnectTimeout 1"
alias_is family "AddressFamily inet6"
alias_is from "HostName $h3" "BindAddress 10.77.0.77"
alias_is nowhere "BindAddress 10.77.0.78"
alias_is twoways "HostName two.lab" "HostKeyAlias h4-key" "ConnectTimeout 9"
alias_is keyless "HostName $h3" "PubkeyAuthentication no" "PasswordAuthentication no" \
	"KbdInteractiveAuthentication no"
alias_is preferred "HostName $h3" "PreferredAuthentications password"
alias_is included "Include $WORK/part*"
alias_is executed "HostName 192.0.2.1" # see Match below
sed -i "1i Match originalhost executed exec \"test -e $WORK/known\"\\n\\tHostName $h4" "$CONFIG"
echo "	HostName $h4" >"$WORK/part1"
mkdir -p "$WORK/home/keys" && cp "$KEY" "$WORK/home/keys/token-root-22"
known "$WORK/known" h4-key h4
end_config
printf '%s two.lab\n' 10.77.0.3 "$h4" >>"$WORK/hosts" # nobody has the first
lab exec ctl ip addr add 10.77.0.77/24 dev eth0
probe -c ''
up plain second token from included executed twoways
says "what was gone by is told" "config plain ssh -G (alias plain)"
says "Port" "port: connect to $h1 port 2222: Connection refused"
says "User" "denied for nobody"
says "IdentityFile, the second" " up second agent"
says "tokens in IdentityFile" "by key /root/keys/token-root-22"
says "ConnectTimeout" "timeout: connect to 10.77.0.99 port 22: no answer in 1.0 s"
says "AddressFamily" "family: resolve $h1: Address family for hostname not supported"
says "BindAddress" "nowhere: connect to $h1 port 22: Cannot assign requested address: is BindAddress of ssh_config an address of this machine?"
says "no method is left" "keyless: ssh configuration of keyless: PreferredAuthentications, PubkeyAuthentication and the like leave no way to log in"
says "PreferredAuthentications" " down preferred stage 2"
mute "nothing else is tried" "down preferred stage 2: preferred: permission denied for root with key"
lab exec h3 cat /run/netlab/sshd.log >"$WORK/log"
says "BindAddress is seen by the host" "Accepted publickey for root from 10.77.0.77" "$WORK/log"
says "the address that answers is told" "info twoways at $h4:22"
ms=$(awk '/ up twoways / { print $1 }' "$OUT")
[ "${ms:-9999}" -lt 3000 ] || fail "a dead first address costs little: $ms ms"

# a login takes longer than the connection may
lab slow-auth h2 1
printf 'Host slow\n\tHostName %s\n\tConnectTimeout 1\n' "$h2" | cat - "$CONFIG" >"$WORK/slow"
mv "$WORK/slow" "$CONFIG" && chmod 600 "$CONFIG"
printf 'slow slow 0\n' >"$WORK/list"
probe -c ''
up slow
lab slow-auth h2 off

# the topology's words win, and `none` reads nothing
printf 'plain %s 22\n' "$h1" >"$WORK/list"
probe -c none -u root -i "$KEY" -k "$WORK/known" || fail "config: none"
says "and that is told" "config plain topology"
printf 'plain plain 22\n' >"$WORK/list"
probe -c '' -i "$WORK/wrong"
mute "key wins" " up plain "
probe -c '' -u nobody
says "user wins" "denied for nobody"
probe -c '' -k "$WORK/none"
says "known_hosts wins" "plain: host key is not known"
printf 'port port 22\n' >"$WORK/list"
probe -c '' || fail "port wins"

# ---- keys of a home of its own
start_config
printf 'Host bare\n\tHostName %s\n\tUserKnownHostsFile %s\nHost none\n\tHostName %s\n\tUserKnownHostsFile %s\n\tIdentityFile none\n' \
	"$h1" "$WORK/known" "$h2" "$WORK/known" >"$CONFIG"
printf 'bare bare 0\nnone none 0\n' >"$WORK/list"
probe -c ''
says "no key anywhere" " down bare stage 2: bare: cannot log in as root: "
mute "keys that nobody named are not missed" "does not exist"
cp "$KEY" "$HOME_SSH/id_ed25519"
probe -c ''
says "a key where ssh looks by itself" " up bare agent "
says "IdentityFile none" " down none stage 2"
rm "$HOME_SSH/id_ed25519"

# ---- agents
start_agent -t 3600
ssh-add -q "$KEY"
start_config
alias_is agent "IdentityFile $WORK/wrong"
alias_is only "HostName $h2" "IdentityFile $WORK/wrong" "IdentitiesOnly yes"
alias_is none "HostName $h2" "IdentityFile $WORK/wrong" "IdentityAgent none"
alias_is socket "HostName $h3" "IdentityFile $WORK/wrong" "IdentityAgent $SSH_AUTH_SOCK"
alias_is variable "HostName $h3" "IdentityFile $WORK/wrong" 'IdentityAgent $THE_AGENT'
printf 'Host *\n\tUser root\n\tHostName %s\n\tUserKnownHostsFile %s\n' "$h1" "$WORK/known" >>"$CONFIG"
RUN=(env THE_AGENT="$SSH_AUTH_SOCK")
probe -c '' -s "$SSH_AUTH_SOCK"
up agent socket variable
says "IdentitiesOnly" " down only stage 2"
says "IdentityAgent none" " down none stage 2"
RUN=()
ssh-add -q -D 2>/dev/null

# ---- host keys
lab exec h1 cat /etc/ssh/ssh_host_ed25519_key.pub >"$WORK/revoked-key"
ssh-keygen -q -k -f "$WORK/krl" "$WORK/revoked-key"
ssh-keygen -q -t ed25519 -N '' -f "$WORK/ca"
ca="$(cut -d' ' -f1,2 "$WORK/ca.pub")"
mkdir "$WORK/folder" && mkfifo "$WORK/pipe" && ln -s known "$WORK/link"
known "$WORK/second" "$h1" h1
known "$WORK/alias" lab-alias h1
{ echo "@revoked * $(key h1)"; } >"$WORK/marked"
{ echo "@cert-authority 10.77.* $ca"; } >"$WORK/authority"
cp "$WORK/authority" "$WORK/authority-new"
{ echo "@cert-authority * $ca"; } >"$WORK/both" && known "$WORK/both" "$h3" h3
known "$WORK/changed" "$h4" h1
cp "$WORK/changed" "$WORK/changed-again"
known "$WORK/other-user" "$h1" h2
known "$WORK/etc/ssh_known_hosts" global-alias h1
echo "|1|damaged $(key h1)" >"$WORK/hashed" && known "$WORK/hashed" "$h1" h1
ssh-keygen -q -H -f "$WORK/hashed" >/dev/null 2>&1
start_config
alias_is two-files "UserKnownHostsFile $WORK/missing $WORK/second"
alias_is global "HostKeyAlias global-alias"
alias_is aliased "HostKeyAlias LAB-alias" "UserKnownHostsFile $WORK/alias"
alias_is unaliased "UserKnownHostsFile $WORK/alias"
alias_is hashed "HostName $h1" "UserKnownHostsFile $WORK/hashed"
alias_is linked "UserKnownHostsFile $WORK/link"
alias_is marked "HostName $h1" "UserKnownHostsFile $WORK/known $WORK/marked"
alias_is listed "HostName $h1" "RevokedHostKeys $WORK/revoked-key"
alias_is krl "HostName $h2" "RevokedHostKeys $WORK/krl"
alias_is unlisted "HostName $h2" "RevokedHostKeys $WORK/revoked-key"
echo "*.example rubbish" >"$WORK/broken"
alias_is broken "HostName $h4" "RevokedHostKeys $WORK/broken"
alias_is norevoked "HostName $h2" "RevokedHostKeys $WORK/missing"
alias_is authority "HostName $h2" "UserKnownHostsFile $WORK/authority"
alias_is authority-new "HostName $h2" "UserKnownHostsFile $WORK/authority-new" \
	"StrictHostKeyChecking accept-new"
alias_is both "HostName $h3" "UserKnownHostsFile $WORK/both"
alias_is changed "HostName $h4" "UserKnownHostsFile $WORK/changed"
alias_is changed-no "HostName $h4" "UserKnownHostsFile $WORK/changed-again" "StrictHostKeyChecking no"
alias_is new "HostName $h3" "UserKnownHostsFile $WORK/new $WORK/new2" "StrictHostKeyChecking accept-new"
alias_is new-hashed "HostName $h3" "UserKnownHostsFile $WORK/new-hashed" "HashKnownHosts yes" \
	"StrictHostKeyChecking accept-new"
alias_is forgotten "HostName $h4" "UserKnownHostsFile /dev/null" "StrictHostKeyChecking no"
alias_is home "HostName $h4" "UserKnownHostsFile ~/new/.ssh/known_hosts" "StrictHostKeyChecking no"
alias_is folder "HostName $h3" "UserKnownHostsFile $WORK/folder"
alias_is pipe "HostName $h3" "UserKnownHostsFile $WORK/pipe"
mkdir "$WORK/home/new"
end_config
probe -c ''
up two-files global aliased hashed linked unlisted both new new-hashed forgotten home
says "an alias alone is looked up" "unaliased: host key is not known"
says "@revoked in another file" "marked: host key ssh-ed25519 SHA256:"
says "tells where" "is revoked by line 1 of $WORK/marked"
says "RevokedHostKeys" "is revoked by line 1 of $WORK/revoked-key"
says "a binary list" "krl: RevokedHostKeys $WORK/krl is a binary list (KRL), which vnm cannot read: set \`transport: openssh\`"
says "a missing list" "norevoked: no host key is trusted without RevokedHostKeys: $WORK/missing: No such file or directory"
says "a list that cannot be read" "broken: no host key is trusted without RevokedHostKeys: line 1 of $WORK/broken is no key"
for n in authority authority-new; do
	says "an authority alone" "$n: host key ssh-ed25519 SHA256:"
	says "with the way out" "is not known, only an authority for certificates: line 1 of $WORK/$n: libssh cannot check host certificates: set \`transport: openssh\`, or add the key itself (ssh-keyscan) to $WORK/$n"
done
[ "$(wc -l <"$WORK/authority-new")" = 1 ] || fail "nothing is added beside an authority"
for n in changed changed-no; do
	says "a changed key" "$n: HOST KEY CHANGED: line 1 of $WORK/"
	says "and what to do" "-R '$h4'"
done
[ "$(wc -l <"$WORK/changed-again")" = 1 ] || fail "nothing is added beside a changed key"
[ "$(cut -d' ' -f1 "$WORK/new")" = "$h3" ] || fail "the first file gets the new key"
[ ! -e "$WORK/new2" ] || fail "the second does not"
case $(cat "$WORK/new-hashed") in "|1|"*) ;; *) fail "HashKnownHosts" ;; esac
ssh-keygen -q -F "$h3" -f "$WORK/new-hashed" >/dev/null || fail "ssh-keygen reads what was hashed"
[ "$(stat -c %a "$WORK/home/new/.ssh" "$WORK/home/new/.ssh/known_hosts" | tr '\n' ' ')" = "700 600 " ] ||
	fail "a folder and a file for the user alone"
says "a folder for a file" "folder: known_hosts: $WORK/folder: not a regular file"
says "a pipe for a file" "pipe: known_hosts: $WORK/pipe: not a regular file"
probe -c '' -n
mute "accept_new does not help a changed key" " up changed "
mute "nor one that is revoked" " up marked "
mute "nor an authority" " up authority "
says "but an unknown one" " up unaliased agent"

# ---- algorithms, on a second server of the host with old ways
ssh-keygen -q -t rsa -b 2048 -N '' -f "$WORK/old-key"
lab exec h1 sh -c 'sed "/^HostKey/d; /^PidFile/d" /etc/ssh/sshd_config >/run/old
	echo PidFile /run/old.pid >>/run/old; cat >/run/old-key; chmod 600 /run/old-key
	exec /usr/sbin/sshd -f /run/old -h /run/old-key -p 2222 -E /run/old.log \
		-o HostKeyAlgorithms=ssh-rsa -o Ciphers=aes256-ctr' <"$WORK/old-key"
start_config
alias_is refused "Port 2222" "StrictHostKeyChecking no" "UserKnownHostsFile $WORK/old1"
alias_is allowed "Port 2222" "StrictHostKeyChecking no" "UserKnownHostsFile $WORK/old2" \
	"HostKeyAlgorithms +ssh-rsa"
alias_is cipher "Port 2222" "StrictHostKeyChecking no" "UserKnownHostsFile $WORK/old3" \
	"HostKeyAlgorithms +ssh-rsa" "Ciphers aes128-ctr"
alias_is certificate "HostName $h2" "HostKeyAlgorithms ssh-ed25519-cert-v01@openssh.com"
alias_is kex "HostName $h2" "KexAlgorithms sntrup761x25519-sha512@openssh.com"
end_config
probe -c ''
says "no kind of host key in common" "refused: no kind of host key in common: the host has ssh-rsa, vnm takes "
says "with the keyword that allows it" 'say `HostKeyAlgorithms +ssh-rsa` in ssh_config'
mute "a password is not what is wrong" "password"
up allowed
says "no cipher in common" "cipher: no cipher in common: the host has aes256-ctr, vnm takes aes128-ctr"
says "certificates alone" "certificate: HostKeyAlgorithms 'ssh-ed25519-cert-v01@openssh.com' names none that libssh knows"
says "a method that libssh lacks" "kex: KexAlgorithms 'sntrup761x25519-sha512@openssh.com' names none that libssh knows: set \`transport: openssh\`"
lab exec h1 sh -c 'kill "$(cat /run/old.pid)"; rm -f /run/old*'

# ---- a configuration that is wrong, names that would be taken for something else
start_config
alias_is wrong "NoSuchKeyword 1"
printf -- '-oProxyCommand=x -oProxyCommand=x 0\n' >>"$WORK/list"
end_config
probe -c ''
says "ssh's own words" "wrong: ssh configuration: /root/.ssh/config: line 2: Bad configuration option: nosuchkeyword"
says "a name like an option" "host '-oProxyCommand=x' begins with \`-\`"
start_config
alias_is evil 'HostName a;b'
alias_is token 'IdentityFile /run/%C'
end_config
probe -c ''
says "a name with shell characters" "HostName 'a;b' holds a character that means something to a shell"
says "a token of OpenSSH alone" "token: ssh configuration of token: IdentityFile: the token %C is not known to vnm: say it without, or set \`transport: openssh\`"

# ---- without an ssh program libssh reads the files
RUN=(env PATH=/nonexistent)
start_config
alias_is simple "HostName $h2" "Port 22" "IdentityFile $KEY" "ForwardAgent yes"
alias_is elsewhere "HostName 10.77.0.99" "ConnectTimeout 1"
alias_is jumping "ProxyJump gate"
alias_is renamed "HostKeyAlias x"
printf 'Host *\n\tUser root\n\tIdentityFile %s\n\tUserKnownHostsFile %s\n' "$KEY" "$WORK/known" >>"$CONFIG"
probe -c '' -t 2000
up simple
says "who has read it is told" "config simple libssh (alias simple)"
says "what was not followed is told" "(of the ssh configuration not followed: ConnectTimeout; there is no ssh program: install OpenSSH's client)"
says "ProxyJump" "jumping: /root/.ssh/config line 10: ProxyJump cannot be followed without an ssh program: install OpenSSH's client, say \`jump\` in the topology, or leave the file out with \`config: none\`"
says "HostKeyAlias" "renamed: /root/.ssh/config line 12: HostKeyAlias cannot be followed without an ssh program"
# a file that is included by a relative name; the usual keys where none is named
start_config
mkdir "$HOME_SSH/parts"
printf 'Host relative\n\tHostName %s\n' "$h3" >"$HOME_SSH/parts/one"
echo 'Include parts/*' >"$CONFIG"
alias_is relative "User root"
alias_is usual "HostName $h2"
printf 'Host *\n\tUser root\n\tUserKnownHostsFile %s\n' "$WORK/known" >>"$CONFIG"
cp "$KEY" "$HOME_SSH/id_ed25519"
probe -c ''
up usual
if pkg-config --atleast-version=0.10.6 libssh; then
	up relative
	mute "what was followed is not told" "Include"
fi
rm "$HOME_SSH/id_ed25519"
probe -c ''
says "no key of the usual names" "none of the usual key files is there"
mute "nor one elsewhere" "/root/id_"
clean h1 h2 h3 h4
finish
