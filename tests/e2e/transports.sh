#!/bin/bash
# vnm's own machine as a host of the matrix, the others by the system's ssh: check, run, kill -9,
# names of ssh's configuration, host certificates. usage: transports.sh BUILD_DIR
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  self:
    pairs: [[here.eth0, esx1.vmk0], [here.eth0, pc1.eth0]]
    grid: { direction: [forward, reverse] }
    fixed: { mtu: 1500, streams: 2, window: 64K, duration: 500ms, omit: 100ms }
    repeats: { min: 1, max: 1 }
P
CLIENT=$NETLAB_STATE/client
address=$("$NETLAB" exec ctl ip -4 -o addr show eth0 | awk '{ sub("/.*", "", $4); print $4 }')
sed -i "s/^hosts:\$/hosts:\n  here: { kind: baremetal, connection: local, nics: { eth0: { ip: $address, segment: lan, role: mgmt } } }/
	s/^    user: root\$/    user: root\n    transport: openssh/" "$LAB"
ns=$("$NETLAB" exec ctl readlink /proc/self/ns/net)

# The processes here, in the client's network.
here() {
	local p
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net")" = "$ns" ] && tr '\0' ' ' <"$p/cmdline" && echo
	done 2>/dev/null
}
# The folders that they are told of: of the agent, of ssh's socket.
folders() { here | grep -oE '/[a-z/]*/\.vnm-[0-9a-f]+|/tmp/vnm-ssh-[A-Za-z0-9]+' | sort -u; }
nobody_here() { [ -z "$(here)" ]; }
nothing_here() { # WHAT FOLDER...
	local what=$1 left='' folder
	shift
	wait_for 5 nobody_here
	for folder in "$@"; do [ ! -e "$folder" ] || left+="$folder "; done
	is "$what: no process or folder stays here" '' "$(here)$left"
}

run 'check --hosts' 0 check --hosts "$LAB" self
has 'this machine is a line like the others' "$WORK/out" '^here +local +local +[0-9.]+ .*in /'
has 'by ssh the address and the key are known' "$WORK/out" '^esx1 +10\.77\.0\.[0-9]+:22 +key id_lab'
has 'all cells can be measured' "$WORK/out" '^4 of 4 cells can be measured'
nothing_here 'check --hosts'
nothing_left 'check --hosts'

run 'run' 0 run "$LAB" self --yes
is 'all cells are done' 'done|4' "$(q "select state, count(*) from cells group by state")"
is 'the facts of this machine are kept' "$(uname -r)" \
	"$(q "select kernel from run_hosts join hosts using(host_id) where name='here'")"
is 'its NIC is the one that was meant' "$("$NETLAB" exec ctl cat /sys/class/net/eth0/address)" \
	"$(q "select mac from nics join hosts using(host_id) where hosts.name='here'")"
nothing_here 'run'
nothing_left 'run'

for after in 0.15 0.4 1.5; do
	rm -f "$DB"*
	V run "$LAB" self --yes >"$WORK/out" 2>"$WORK/err" &
	pid=$!
	seen=
	for _ in $(seq "$(awk "BEGIN { print int($after * 20) }")"); do
		seen+=" $(folders)"
		sleep 0.05
	done
	kill -9 "$(pgrep -x vnm -P "$pid" || echo "$pid")" 2>/dev/null
	wait "$pid" 2>/dev/null
	# shellcheck disable=SC2086
	nothing_here "killed after $after s" $seen
	nothing_left "killed after $after s"
done
has 'the last one was measuring' "$WORK/err" '^here: agent '

# A name that only ssh's configuration knows, and what it says of user, key and known_hosts.
sed "/^    user: root\$/d; /^    key:/d; /^    known_hosts:/d
	s#^    transport: openssh\$#    transport: openssh\n    config: $CLIENT/ssh_config#
	/^  esx1:/,/nics:/s/^    mgmt: .*/    mgmt: esx1/" "$LAB" >"$WORK/alias.yaml"
run 'a name of the configuration' 0 check --hosts "$WORK/alias.yaml" self
has 'the configuration is followed' "$WORK/out" '^esx1 +10\.77\.0\.[0-9]+:22 +key id_lab'

# What libssh cannot: host certificates.
ssh-keygen -q -t ed25519 -N '' -f "$WORK/ca"
"$NETLAB" exec esx1 cat /etc/ssh/ssh_host_ed25519_key.pub >"$WORK/host.pub"
ssh-keygen -q -s "$WORK/ca" -I esx1 -h -n 10.77.0.11 "$WORK/host.pub"
"$NETLAB" exec esx1 sh -c 'cat >/run/host-cert.pub; sed "/^PidFile/d" /etc/ssh/sshd_config >/run/cert_config
	echo "HostCertificate /run/host-cert.pub" >>/run/cert_config; echo "PidFile /run/cert.pid" >>/run/cert_config
	exec /usr/sbin/sshd -f /run/cert_config -p 2222 -E /run/cert.log' <"$WORK/host-cert.pub"
{ echo "@cert-authority 10.77.0.11,[10.77.0.11]:2222 $(cut -d' ' -f1,2 "$WORK/ca.pub")"; grep -v '^esx1' "$CLIENT/known_hosts"; } >"$WORK/known"
sed "s#known_hosts: .*#known_hosts: $WORK/known#; s#^    mgmt: 10.77.0.11\$#    mgmt: 10.77.0.11\n    ssh: { port: 2222 }#" "$LAB" >"$WORK/cert.yaml"
run 'a host certificate' 0 check --hosts "$WORK/cert.yaml" self
has 'is trusted' "$WORK/out" '^esx1 +10\.77\.0\.11:2222 +key id_lab'
# shellcheck disable=SC2016
"$NETLAB" exec esx1 sh -c 'kill "$(cat /run/cert.pid)"; rm -f /run/host-cert.pub /run/cert_config /run/cert.log'
nothing_left 'all'
finish
