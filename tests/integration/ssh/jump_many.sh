#!/bin/bash
# SPDX-License-Identifier: MIT
# jump_many.sh BUILD - 56 hosts behind one jump host whose MaxStartups and MaxSessions are
# sshd's own: all are reached, through one session, at once and again.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
PROBE=$BUILD/tests/integration/link/link_probe
AGENT=$BUILD/agent/vnm-agent
lab up "$HERE/../../lab/gate56.spec" || exit 1

for i in $(seq 56); do echo "h$i h$i 0"; done >"$WORK/hosts"
for run in 1 2; do
	timeout 60 "$NETLAB" exec ctl "$PROBE" -c "$CLIENT/ssh_config" "$AGENT" "$WORK/hosts" \
		>"$OUT" 2>&1 || fail "run $run: all are up" "$(grep ' down ' "$OUT" | head -n 5)"
	says "run $run" " settled 56 of 56 up"
	grep settled "$OUT"
done
logins=$(lab exec gate grep -c "Accepted publickey" /run/netlab/sshd.log)
[ "$logins" = 2 ] || fail "one session a run: $logins logins at the jump host in two"

# A jump host that refuses is asked once, for all 56.
ssh-keygen -q -t ed25519 -N '' -f "$WORK/wrong"
lab attempts gate forget
timeout 60 "$NETLAB" exec ctl "$PROBE" -c none -u root -k "$CLIENT/known_hosts" -i "$WORK/wrong" \
	-j "root@$(address gate)" "$AGENT" "$WORK/hosts" >"$OUT" 2>&1
says "a refused login" "h56: through root@$(address gate): permission denied for root"
says "nobody is up" "settled 0 of 56 up"
tried=$(lab attempts gate | wc -l)
[ "$tried" = 1 ] || fail "one attempt for 56 hosts: $tried" "$(lab attempts gate)"
clean gate h1 h33 h56
finish
