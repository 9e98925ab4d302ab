#!/bin/bash
# SPDX-License-Identifier: MIT
# `vnm restore`: settings that a run has left changed are read back and put back over SSH, by the
# journal alone. The rows are those that a run would write; the interfaces are real ones.
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 vm11 pc1)
lab_up pair.spec <<'P'

  jumbo:
    pairs: [[pc1.eth1, vm11.vmx0]]
    grid: { mtu: [1500, 9000] }
    fixed: { streams: 1, window: default, duration: 500ms, omit: 100ms, direction: forward }
    repeats: { min: 1, max: 1 }
P
on() { "$NETLAB" exec "$@"; }
mtu() { on "$1" cat "/sys/class/net/$2/mtu"; }
set_mtu() { on "$1" ip link set dev "$2" mtu "$3"; }
json() { sqlite3 :memory: "select json_extract(cast(readfile('$WORK/out') as text), '\$.$1')"; }
boot=$(cat /proc/sys/kernel/random/boot_id)
# row STATE HOST NIC BEFORE REQUESTED [BOOT]: a change of an MTU as a run keeps it
row() {
	q "insert into setting_changes(run_id, host_id, nic_id, object, setting, system, boot_id, value_before,
		value_requested, read_command, apply_command, restore_command, state)
		select 1, h.host_id, n.nic_id, '$3', 'mtu', 'linux', '${6-$boot}', '$4', '$5',
		'for w in \$(ip -o link show dev $3); do test \"\$k\" = mtu && echo \$w; k=\$w; done',
		'ip link set dev $3 mtu $5', 'ip link set dev $3 mtu $4', '$1'
		from hosts h left join nics n on n.host_id = h.host_id and n.name = '$3' where h.name = '$2'"
}
states() { q 'select group_concat(state, " ") from (select state from setting_changes order by change_id)'; }
everything() { for host in "${HOSTS[@]}"; do on "$host" sh -c 'ip -j addr; ip -j route; ip -j -6 route'; done | sed 's/"preferred_life_time":[0-9]*//g; s/"valid_life_time":[0-9]*//g'; }

run 'no database' 1 restore --db "$WORK/none.db"
has 'it is told' "$WORK/err" 'there is no such results database'
run 'a run' 0 run "$LAB" smoke --yes
run 'nothing is open' 0 restore --db "$DB"
is 'it is told' 'no setting is changed' "$(cat "$WORK/out")"
run 'a run that may change nothing' 0 run "$LAB" jumbo --yes --no-change
is 'skips what needs a change, and says why' 'not changed: mtu of pc1.eth1 is 1500, the cell needs 9000 (--no-change)' "$(q "select reason from v_cells where state='skipped'")"
run 'consents that contradict' 1 run "$LAB" jumbo --no-change --allow sysctl
run 'consents that are not known' 1 resume "$LAB" --allow everything
has 'are told' "$WORK/err" 'it must be sysctl, esxi-exec or lro-on-router'

echo '# a run that was killed'
before=$(everything)
row confirmed pc1 eth1 1500 9000
row applied vm11 vmx0 1500 1400
row intended esx1 vmk1 1500 9000 # it never came to it
set_mtu pc1 eth1 9000
set_mtu vm11 vmx0 1400
run 'another command' 5 list --db "$DB"
is 'says it first' "3 settings are not restored: vnm restore --db $DB" "$(head -1 "$WORK/err")"
has 'and does its work' "$WORK/out" 'smoke'
run 'sql' 5 sql --db "$DB" 'select count(*) from v_unrestored'
run 'an error' 5 show --db "$DB" 99
run 'the check' 5 restore --check --db "$DB"
has 'what is changed' "$WORK/out" '^pc1: mtu of eth1: 9000, not restored to 1500; by hand: ip link set dev eth1 mtu 1500$'
has 'what is not' "$WORK/out" '^esx1: mtu of vmk1: 1500, as before$'
has 'the sum' "$WORK/out" '^2 of 3 settings are not restored$'
is 'changes no host' '9000 1400' "$(mtu pc1 eth1) $(mtu vm11 vmx0)"
is 'and no row' 'confirmed applied intended' "$(states)"
run 'as JSON' 5 restore --check --json --db "$DB"
is 'JSON tells all' '2|esx1|as-before|9000|pc1|changed' "$(json not_restored)|$(json 'settings[0].host')|$(json 'settings[0].state')|$(json 'settings[2].value')|$(json 'settings[2].host')|$(json 'settings[2].state')"
# The lock of a run that is going on.
(
	exec 9>"$DB.lock"
	flock 9
	exec sleep 30
) &
holder=$!
wait_for 5 sh -c "! flock -n -s '$DB.lock' true" || bad 'the lock was not taken'
run 'while a run goes on' 0 list --db "$DB"
is 'its settings are its business' '' "$(cat "$WORK/err")"
run 'and it puts them back itself' 1 restore --db "$DB"
has 'it is told' "$WORK/err" 'a run is going on'
kill "$holder"
wait "$holder" 2>/dev/null
rm -f "$DB.lock"
run 'restore' 0 restore --db "$DB"
has 'it is told' "$WORK/out" '^vm11: mtu of vmx0: restored to 1500 and read back$'
has 'the sum' "$WORK/out" '^3 settings, all as before$'
is 'the rows are closed' 'restored restored not_applied' "$(states)"
is 'hosts, addresses and routes are as before' "$before" "$(everything)"
run 'once more' 0 restore --db "$DB"
run 'other commands' 0 list --db "$DB"
is 'say nothing' '' "$(cat "$WORK/err")"
nothing_left 'restore'

echo '# somebody else, a restart, a host that refuses'
q 'delete from setting_changes'
row confirmed pc1 eth1 1500 9000
set_mtu pc1 eth1 1450
run 'a value that is not ours' 0 restore --db "$DB"
has 'is told once' "$WORK/out" '^pc1: mtu of eth1: 1450, before the run 1500: vnm did not set 1450: left alone$'
is 'and left alone' '1450 foreign' "$(mtu pc1 eth1) $(states)"
q 'delete from setting_changes'
row confirmed pc1 eth1 1500 9000 'another-start'
run 'after a restart' 5 restore --db "$DB"
has 'it is told' "$WORK/out" 'the host was restarted since: left alone; by hand: ip link'
is 'and stays open' '1450 confirmed' "$(mtu pc1 eth1) $(states)"
set_mtu pc1 eth1 9000
run 'what outlived the restart' 0 restore --db "$DB"
is 'is put back' '1500 restored' "$(mtu pc1 eth1) $(states)"
q 'delete from setting_changes'
row confirmed pc1 eth1 1500 9000
set_mtu pc1 eth1 9000
q "update setting_changes set restore_command = 'ip link set dev eth1 mtu 67'"
run 'a host that refuses' 5 restore --db "$DB"
has 'in its words' "$WORK/out" '^pc1: mtu of eth1: NOT restored to 1500: .*; by hand: '
is 'stays open' restore_failed "$(states)"
q "update setting_changes set restore_command = 'ip link set dev eth1 mtu 1500'"
sed "s/user: root/user: labuser/" "$LAB" >"$WORK/labuser.yaml"
q "update runs set topology_yaml = cast(readfile('$WORK/labuser.yaml') as text)"
run 'a login that is not root' 5 restore --db "$DB"
has 'says what it needs' "$WORK/out" 'this needs root'
q "update runs set topology_yaml = cast(readfile('$LAB') as text)"
q "update setting_changes set read_command = replace(read_command, 'eth1', 'eth9')"
run 'an interface that is gone' 5 restore --db "$DB"
has 'is told' "$WORK/out" 'its value cannot be read'
q "update setting_changes set read_command = replace(read_command, 'eth9', 'eth1')"
run 'in the end' 0 restore --db "$DB"
is 'all is as before' "$before" "$(everything)"
finish
