#!/bin/bash
# SPDX-License-Identifier: MIT
# matrix.sh BUILD - {login shells} x {their noise} x {ways to log in} x {circumstances}: a
# host for each row, all of them up by one `vnm check --hosts`, with no failed attempt in
# any server's log and nothing left behind. Then the same through the system's ssh, for the
# rows where that needs nobody to ask: it comes to the same end.
#
# Every pair of values of two factors is in some row (rows.awk): 172 hosts, about a minute.
# VNM_MATRIX=full tests the whole product instead, 90 hosts at a time: an hour.
# VNM_MATRIX_ROWS=FILE tests the rows of a file, VNM_MATRIX_SHOW=1 prints what vnm says.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FACTORS='shell sh bash dash zsh tcsh fish ash
noise off on stderr half binary flood slow
auth key config locked pem agent cert certfile fido password env kbdint rounds key+kbdint key+password
where plain nosftp noexec full one greeting jump chain busybox locale readonly rsa'
AT_ONCE=90

# ---- the client's keys ----------------------------------------------------------

make_keys() {
	local key
	mkdir "$WORK/kept" # of keys that are in the agent only
	for key in agent certagent certfile other{1..8}; do
		ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$WORK/id_$key" || exit 1
	done
	ssh-keygen -q -t ed25519 -N 'open sesame' -C locked -f "$WORK/id_locked"
	ssh-keygen -q -t rsa -b 2048 -m PEM -N 'as you like it' -C pem -f "$WORK/id_pem"
	if [ -e "$MODULES/sk_software.so" ]; then
		ssh-keygen -q -t ecdsa-sk -w "$MODULES/sk_software.so" -N '' -C token -f "$WORK/id_fido"
	fi
	mv "$WORK"/id_{agent,certagent} "$WORK/kept"
	cat "$WORK"/id_{agent,locked,pem,fido}.pub >"$WORK/keys" 2>/dev/null
	export NETLAB_KEYS=$WORK/keys
	echo lab >"$WORK/password"
	chmod 600 "$WORK/password"
}

# fill_agent: after a lab is up, since its authority signs the certificates.
fill_agent() {
	[ -z "$AGENT_PID" ] || kill "$AGENT_PID"
	ssh-keygen -q -s "$CLIENT/ca" -I matrix -n root "$WORK"/id_cert{agent,file}.pub
	start_agent -P "$MODULES/*"
	# more keys than a server lets anybody try, before those that count
	cp "$WORK/id_certagent-cert.pub" "$WORK/kept"
	ssh-add -q "$WORK"/id_other? "$WORK"/kept/id_{agent,certagent} || exit 1
	[ ! -e "$WORK/id_fido" ] || ssh-add -q -S "$MODULES/sk_software.so" "$WORK/id_fido" || exit 1
}

# ---- a row: host, server, client ------------------------------------------------

spec_line() { # HOST WHERE
	case $2 in
	jump) echo "box $1 behind=gate1" ;;
	chain) echo "box $1 behind=gate2" ;;
	*) echo "box $1" ;;
	esac
}

# faults HOST SHELL NOISE AUTH WHERE: what the lab does to it.
faults() {
	local n=$1
	echo "shell $n $2"
	[ "$3" = off ] || echo "banner $n $3"
	case $4 in
	cert | certfile) echo "auth $n cert" ;;
	password | env) echo "auth $n password" ;;
	rounds) echo "auth $n rounds $MODULES/pam_rounds.so Password:=lab Token:=42 =Hello" ;;
	kbdint | key+*) echo "auth $n $4" ;;
	esac
	case $5 in
	nosftp) echo "no-sftp $n on" ;;
	noexec) echo "noexec $n" ;;
	full) echo "fill-tmp $n" ;;
	one) echo "max $n 1 10:30:100" ;;
	greeting) echo "greeting $n on" ;;
	busybox) echo "userland $n busybox" ;;
	locale) echo "locale $n on" ;;
	readonly) echo "readonly $n /root /home" ;;
	rsa) echo "hostkey $n rsa" ;;
	esac
}

# config_block HOST AUTH WHERE: as the user has it in ssh_config.
config_block() {
	local key=$CLIENT/id_lab
	case $2 in
	locked | pem | fido | certfile) key=$WORK/id_$2 ;;
	agent) key=$WORK/id_agent.pub ;;
	cert) key=$WORK/id_certagent ;;
	password | env | kbdint | rounds) key=none ;;
	esac
	printf 'Host %s\n\tHostName %s\n\tIdentityFile %s\n' "$1" "$(address "$1")" "$key"
	case $3 in
	jump) printf '\tProxyJump gate1\n' ;;
	chain) printf '\tProxyJump gate1,gate2\n' ;;
	esac
}

ssh_config() { # ROWS
	local host auth where
	for host in gate1 gate2; do
		config_block $host key plain
	done
	while read -r host _ _ auth where; do
		config_block "$host" "$auth" "$where"
	done <"$1"
	cat <<-CONFIG
		Host *
			User root
			IdentitiesOnly yes
			UserKnownHostsFile $CLIENT/known_hosts
			GlobalKnownHostsFile /dev/null
	CONFIG
}

# known_hosts ROWS: with the keys that hosts have now, and no name that could be read.
known_hosts() {
	local host where file=$CLIENT/known_hosts
	while read -r host _ _ _ where; do
		[ "$where" = rsa ] || continue
		sed -i "/^$host,/d" "$file"
		lab known "$host" >>"$file"
	done <"$1"
	ssh-keygen -q -H -f "$file" >"$WORK/hashed" 2>&1 || fail "hash $file" "$(cat "$WORK/hashed")"
	! grep -q '^r' "$file" || fail "every name in known_hosts is hashed"
}

# topology_ssh AUTH WHERE: the host's own ssh mapping.
topology_ssh() {
	local jump=
	case $2 in
	jump) jump=", jump: \"root@$(address gate1)\"" ;;
	chain) jump=", jump: \"root@$(address gate1),root@$(address gate2)\"" ;;
	esac
	case $1 in
	key) echo "{ config: none, user: root, key: $CLIENT/id_lab, known_hosts: $CLIENT/known_hosts$jump }" ;;
	password | kbdint | rounds | key+*) echo "{ password_file: $WORK/password }" ;;
	env) echo "{ password_env: MATRIX_PASSWORD }" ;;
	*) echo "{ accept_new: false }" ;;
	esac
}

topology() { # ROWS TRANSPORT
	local host auth where mgmt
	cat <<-YAML
		version: 1
		name: matrix
		store: $WORK/results.db
		defaults: { ssh: { config: $WORK/ssh_config, transport: $2 } }
		hosts:
	YAML
	while read -r host _ _ auth where; do
		mgmt=$host
		[ "$auth" != key ] || mgmt=$(address "$host")
		echo "  $host: { kind: baremetal, os: linux, mgmt: $mgmt, ssh: $(topology_ssh "$auth" "$where")," \
			"nics: { eth0: { ip: $(address "$host"), role: mgmt } } }"
	done <"$1"
	cat <<-YAML
		profiles:
		  all:
		    pairs: [$(pairs "$1")]
		    fixed: { window: default, streams: 1, direction: forward, mtu: 1500, buffer: default,
		      lro: unchanged, tso: unchanged, duration: 1s, omit: 300ms }
		    repeats: { min: 1, max: 1 }
	YAML
}

# not_alone ROWS: those whose network has another host to be paired with.
not_alone() {
	awk '{ net[NR] = $5 ~ /^(jump|chain)$/ ? $5 : "lan"; row[NR] = $0; hosts[net[NR]]++ }
		END { for (i = 1; i <= NR; i++) if (hosts[net[i]] > 1) print row[i] }' "$1"
}

pairs() { # ROWS: each host and its neighbour in the same network
	awk '
		{ net = $5 ~ /^(jump|chain)$/ ? $5 : "lan" }
		net in waits { print "[" waits[net] ".eth0, " $1 ".eth0]"; met[net] = $1; delete waits[net]; next }
		{ waits[net] = $1 }
		END { for (net in waits) if (net in met) print "[" waits[net] ".eth0, " met[net] ".eth0]" }
	' "$1" | paste -sd,
}

# ---- verdicts -------------------------------------------------------------------

folder_of() { # WHERE
	case $1 in
	noexec) echo /root ;;
	full) echo /var/tmp ;;
	*) echo /tmp ;;
	esac
}

# login_of AUTH TRANSPORT: how vnm says that it logged in; the system's ssh speaks of files.
login_of() {
	case $1:$2 in
	agent:openssh) echo "agent id_agent.pub" ;;
	cert:openssh) echo "agent id_certagent" ;;
	certfile:openssh) echo "key id_certfile" ;;
	fido:openssh) echo "agent id_fido" ;;
	*) login_by "$1" ;;
	esac
}

login_by() {
	case $1 in
	key | config) echo "key id_lab" ;;
	locked | pem) echo "key id_$1" ;;
	agent) echo "agent key agent" ;;
	cert) echo "agent certificate certagent" ;;
	certfile) echo "certificate id_certfile-cert.pub" ;;
	fido) echo "agent key token" ;;
	password | env) echo "password" ;;
	kbdint | rounds) echo "keyboard-interactive" ;;
	key+kbdint) echo "key id_lab + keyboard-interactive" ;;
	key+password) echo "key id_lab + password" ;;
	esac
}

judge_row() { # TRANSPORT HOST SHELL NOISE AUTH WHERE
	local transport=$1 said attempts
	shift
	said=$(grep -E "^ *$1[ :]" "$OUT")
	if ! grep -qE "^$1 .* in $(folder_of "$5")( |\$)" <<<"$said"; then
		fail "$transport: $* is up in $(folder_of "$5")" "$said"
	elif ! grep -qF "  $(login_of "$4" "$transport")  " <<<"$said"; then
		fail "$transport: $* logs in by $(login_of "$4" "$transport")" "$said"
	fi
	[ "$transport" = libssh ] || return 0 # ssh tries a key before its certificate
	attempts=$(lab attempts "$1")
	[ -z "$attempts" ] || fail "$*: no attempt fails" "$attempts"
}

check_rows() { # ROWS TRANSPORT
	local row word took=$EPOCHREALTIME
	local -a typed=()
	topology "$1" "$2" >"$WORK/lab.yaml"
	! grep -q ' locked ' "$1" || typed+=('id_locked=open sesame')
	! grep -q ' pem ' "$1" || typed+=('id_pem=as you like it')
	! grep -q ' rounds ' "$1" || typed+=('+Token=42')
	MATRIX_PASSWORD=lab timeout 60 "$MODULES/typist" "${typed[@]}" -- \
		"$NETLAB" exec ctl "$VNM" check --hosts "$WORK/lab.yaml" >"$OUT" 2>"$WORK/terminal" ||
		fail "$2: all hosts are up" "$(tail -n 5 "$WORK/terminal")"
	echo "$2: $(wc -l <"$1") hosts checked in $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $took }") s"
	[ -z "${VNM_MATRIX_SHOW:-}" ] || cat "$WORK/terminal" "$OUT"
	for word in sesame 'you like'; do
		mute "a passphrase is not shown" "$word" "$WORK/terminal"
	done
	! grep -aq '[^[:print:]]' "$OUT" ||
		fail "a host's noise cannot reach the terminal" "$(grep -a '[^[:print:]]' "$OUT" | head -n 3 | cat -v)"
	while read -r -a row; do
		judge_row "$2" "${row[@]}"
	done <"$1"
}

# run_rows ROWS: HOST SHELL NOISE AUTH WHERE a line.
run_rows() {
	local row took=$SECONDS
	local -a hosts
	mapfile -t hosts < <(cut -d' ' -f1 "$1")
	{
		printf 'pc gate1\npc gate2 behind=gate1\n'
		while read -r -a row; do spec_line "${row[0]}" "${row[4]}"; done <"$1"
	} >"$WORK/matrix.spec"
	lab up "$WORK/matrix.spec" || exit 1
	fill_agent
	while read -r -a row; do faults "${row[@]}"; done <"$1" >"$WORK/batch"
	lab batch <"$WORK/batch" || exit 1
	ssh_config "$1" >"$WORK/ssh_config"
	known_hosts "$1"
	echo "${#hosts[@]} hosts made in $((SECONDS - took)) s"
	check_rows "$1" libssh
	grep -vE ' (locked|pem|password|env|kbdint|rounds|key\+[a-z]+) ' "$1" >"$WORK/quiet_rows"
	not_alone "$WORK/quiet_rows" >"$WORK/openssh_rows"
	if [ -s "$WORK/openssh_rows" ]; then
		# ssh opens a session a host there; vnm one in all, which the presets bear
		printf 'max gate%d 10 100:30:100\n' 1 2 | lab batch || exit 1
		check_rows "$WORK/openssh_rows" openssh
	fi
	clean "${hosts[@]}"
}

make_keys
full=0
[ "${VNM_MATRIX:-}" != full ] || full=1
if [ -n "${VNM_MATRIX_ROWS:-}" ]; then
	cat "$VNM_MATRIX_ROWS"
else
	awk -v full=$full -f "$HERE/rows.awk" <<<"$FACTORS"
fi >"$WORK/all"
[ -e "$WORK/id_fido" ] || sed -i '/ fido /d' "$WORK/all"
for name in zsh tcsh fish; do
	command -v $name >/dev/null || { echo "no $name here: not tested" && sed -i "/^$name /d" "$WORK/all"; }
done
split -l $AT_ONCE -d "$WORK/all" "$WORK/part-"
for part in "$WORK"/part-*; do
	awk '{ print "r" NR, $0 }' "$part" >"$WORK/rows"
	run_rows "$WORK/rows"
done
echo "$(wc -l <"$WORK/all") rows, $SECONDS s"
finish
