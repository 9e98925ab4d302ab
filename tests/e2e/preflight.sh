#!/bin/bash
# SPDX-License-Identifier: MIT
# The preflight: what `vnm check --hosts` tells of hosts whose firewalls, logins and shells differ,
# and that each remedy that it prints is one.
# shellcheck disable=SC2016  # the hosts expand it
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  one:
    pairs: [[pc1.eth1, esx1.vmk1]]
    fixed: { mtu: 1500, streams: 1, window: default, duration: 500ms, omit: 100ms, direction: forward }
    repeats: { min: 1, max: 1 }
P
# The same lab as another account sees it.
sed 's/user: root/user: labuser/' "$LAB" >"$WORK/labuser.yaml"
grep -q 'user: labuser' "$WORK/labuser.yaml" || bad 'lab.yaml names a user'

# json PATH: one value of the preflight in $WORK/out, host 0 being esx1
json() { sqlite3 :memory: "select json_extract(cast(readfile('$WORK/out') as text), '\$.$1')"; }
on() { "$NETLAB" exec "$@"; }
as_json() { # WHAT EXIT_CODE [FILE]
	run "$1" "$2" check --hosts --json "${3:-$LAB}" one
	sqlite3 :memory: "select json_valid(cast(readfile('$WORK/out') as text))" | grep -qx 1 || bad "$1: no JSON"
}

echo '# all is well'
as_json 'a lab that is well' 0
is 'the settings are told' 1 "$(json 'hosts[0].config' | grep -c .)"
is 'the key is the host'\''s' "$(on esx1 ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | awk '{ print $2 }')" \
	"$(json 'hosts[0].host_key' | cut -d' ' -f2)"
is 'the login' "key $NETLAB_STATE/client/id_lab" "$(json 'hosts[0].login')"
is 'root is root' root "$(json 'hosts[0].facts."login.privilege"')"
is 'no shell noise' 0 "$(json 'hosts[0].shell_noise.stdout_bytes')"
is 'no firewall' none "$(json 'hosts[0].firewall.name')"
is 'its port is reached' 'pc1.eth1|esx1.vmk1|reached' "$(json 'data_ports[0].from')|$(json 'data_ports[0].to')|$(json 'data_ports[0].answer')"
is 'the clock is ours' 1 "$(sqlite3 :memory: "select abs($(json 'hosts[0].clock_offset_us')) < 500000")"
is 'no problem' '[]' "$(json problems)"
run '--json goes with --hosts' 1 check --json "$LAB"
run 'with --quiet nothing is said' 0 check --hosts --quiet "$LAB" one
is 'not a word' 0 "$(wc -c <"$WORK/out")"
run 'the same for people' 0 check --hosts "$LAB" one
has 'a line a host' "$WORK/out" '^esx1 +10\.77\.0\.11:22 +key id_lab +[0-9.]+ x86_64 in /tmp .* 1 of 1 +[+-]0\.[0-9]{3} s$'
has 'who reaches it' "$WORK/out" 'port of vmk1 reached from pc1\.eth1'
is 'no line is longer than it must be' 0 "$(grep -v '^[a-z/]' "$WORK/out" | awk 'length > 100' | wc -l)"

echo '# the data port is blocked'
before=$(on esx1 nft list ruleset)
"$NETLAB" block-port esx1 drop
run 'a problem is told with --quiet, too' 4 check --hosts --quiet "$LAB" one
has 'it is' "$WORK/out" 'silently dropped'
as_json 'dropped' 4
is 'dropped is told' dropped "$(json 'data_ports[0].answer')"
is 'so is who does it' 'nftables|inet netlab_ports arriving' "$(json 'hosts[0].firewall.name')|$(json 'hosts[0].firewall.chain')"
"$NETLAB" block-port esx1 reject
as_json 'refused' 4
is 'refused is told apart' refused "$(json 'data_ports[0].answer')"
rules=$(on esx1 nft list ruleset)
command=$(json 'problems[0].remedy' | sed 's/.*to let the tests in: //')
is 'the remedy is for nftables' 'nft insert rule inet netlab_ports arriving' "${command% tcp dport*}"
is 'looking has changed nothing' "$rules" "$(on esx1 nft list ruleset)"
# shellcheck disable=SC2086
on esx1 $command
as_json 'the printed command opens the port' 0
"$NETLAB" unblock-port esx1
is 'and the lab is as before' "$before" "$(on esx1 nft list ruleset)"

echo '# other firewalls'
# Programs of these names, first in the path of a login, that note how they are called.
fake() { # NAME SAYS...
	on esx1 sh -c 'mkdir -p /opt/fake; printf "#!/bin/sh\necho \"%s \$*\" >>/opt/fake/calls\nprintf \"%s\"\n" "$1" "$2" >"/opt/fake/$1"
		chmod 755 "/opt/fake/$1"; echo "PATH=/opt/fake:\$PATH" >/root/.bashrc' - "$1" "$2"
}
unfake() { on esx1 sh -c 'rm -rf /opt/fake /root/.bashrc /etc/ufw'; }
tells() { # NAME REMEDY CALLS: found, with this command, by these calls alone
	as_json "$1" 4
	is "$1 is found" "$1" "$(json 'hosts[0].firewall.name')"
	case $(json 'problems[0].remedy') in *"$2"*) ok "$1: the command" ;; *) bad "$1: $(json 'problems[0].remedy')" ;; esac
	is "$1 is only asked" "$3" "$(on esx1 cat /opt/fake/calls)"
	unfake
}
"$NETLAB" block-port esx1 reject
on esx1 sh -c 'mkdir -p /etc/ufw; echo ENABLED=yes >/etc/ufw/ufw.conf'
fake ufw 'Status: active\n'
tells ufw 'ufw allow 5201:5299/tcp' 'ufw status'
fake firewall-cmd 'running\n'
tells firewalld 'firewall-cmd --add-port=5201-5299/tcp' 'firewall-cmd --state'
fake esxcli '   Default Action: DROP\n   Enabled: true\n   Loaded: true\n'
tells 'the ESXi firewall' 'esxcli network firewall set --enabled false' 'esxcli network firewall get'
fake firewall-cmd 'not running\n'
as_json 'one that is installed, not running' 4
is 'is not blamed' nftables "$(json 'hosts[0].firewall.name')"
unfake
"$NETLAB" unblock-port esx1
# What is between the two hosts: no firewall of the listener.
"$NETLAB" link esx1 vmnic1 block
as_json 'a wire that carries nothing' 4
case $(json 'problems[0].remedy') in 'no firewall of esx1 does it: look at what is between the two'*) ok 'the way is blamed' ;; *) bad "$(json 'problems[0].remedy')" ;; esac
"$NETLAB" link esx1 vmnic1 unblock

echo '# logins'
U=$WORK/labuser.yaml
"$NETLAB" block-port esx1 reject
"$NETLAB" sudo esx1 free
as_json 'sudo without a password' 4 "$U"
is 'sudo' sudo "$(json 'hosts[0].facts."login.privilege"')"
case $(json 'problems[0].remedy') in *'to let the tests in: sudo nft insert'*) ok 'sudo looks, and is in the remedy' ;; *) bad "$(json 'problems[0].remedy')" ;; esac
"$NETLAB" sudo esx1 password
as_json 'sudo with a password' 4 "$U"
is 'sudo-password' sudo-password "$(json 'hosts[0].facts."login.privilege"')"
case $(json 'problems[0].remedy') in 'nftables of esx1 may do it, but this login cannot look'*) ok 'what cannot be read is told' ;; *) bad "$(json 'problems[0].remedy')" ;; esac
on esx1 sh -c 'umask 337; echo "Defaults requiretty" >>/etc/sudoers'
as_json 'sudo that wants a terminal' 4 "$U"
is 'none' none "$(json 'hosts[0].facts."login.privilege"')"
case $(json 'hosts[0].privilege_problem') in *'Defaults:NAME !requiretty'*) ok 'with its remedy' ;; *) bad "$(json 'hosts[0].privilege_problem')" ;; esac
"$NETLAB" sudo esx1 off
as_json 'no sudo for this account' 4 "$U"
case $(json 'hosts[0].facts."login.privilege"') in none | sudo-password) ok 'told' ;; *) bad "$(json 'hosts[0].facts')" ;; esac
"$NETLAB" unblock-port esx1

echo '# shells that talk'
"$NETLAB" banner esx1 half
as_json 'half a line on stdout' 0
is 'each byte is counted' "$(on ctl ssh -F "$NETLAB_STATE/client/ssh_config" esx1 true | wc -c)" "$(json 'hosts[0].shell_noise.stdout_bytes')"
"$NETLAB" banner esx1 on
as_json 'noise on stdout' 0
is 'and each newline' "$(on ctl ssh -F "$NETLAB_STATE/client/ssh_config" esx1 true 2>/dev/null | wc -c)" "$(json 'hosts[0].shell_noise.stdout_bytes')"
is 'bytes, and none on stderr' '1|0' "$(sqlite3 :memory: "select $(json 'hosts[0].shell_noise.stdout_bytes') > 20")|$(json 'hosts[0].shell_noise.stderr_bytes')"
case $(json 'hosts[0].shell_noise.first_line') in *elcome*) ok 'the first line' ;; *) bad "$(json 'hosts[0].shell_noise')" ;; esac
"$NETLAB" banner esx1 stderr
as_json 'noise on stderr' 0
is 'told as such' '0|1' "$(json 'hosts[0].shell_noise.stdout_bytes')|$(sqlite3 :memory: "select $(json 'hosts[0].shell_noise.stderr_bytes') > 10")"
"$NETLAB" banner esx1 flood
as_json 'much noise' 0
is 'all of it is counted' '1|1' "$(sqlite3 :memory: "select $(json 'hosts[0].shell_noise.stdout_bytes') >= 300000, $(json 'hosts[0].shell_noise.stderr_bytes') >= 300000")"
"$NETLAB" banner esx1 stderr
run 'and for people' 0 check --hosts "$LAB" one
has 'with its first line' "$WORK/out" 'bytes on stderr of its own: "'
"$NETLAB" banner esx1 off

echo '# a host that cannot be reached'
"$NETLAB" kill-sshd esx1 all
as_json 'is told' 4
is 'as not ready' '0||' "$(json 'hosts[0].ready')|$(json 'hosts[0].host_key')|$(json 'hosts[0].facts."login.privilege"')"
case $(json 'problems[0].text') in 'esx1: '*refused*) ok 'with the reason' ;; *) bad "$(json problems)" ;; esac
is 'its port was not tried' untried "$(json 'data_ports[0].answer')"
"$NETLAB" start-sshd esx1
nothing_left 'the preflight'
finish
