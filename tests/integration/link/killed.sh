#!/bin/bash
# SPDX-License-Identifier: MIT
# killed.sh PROBE AGENT - the orchestrator is killed at ten random moments of its start, then
# agents and sessions are: no agent, no folder, no listener stays on any host.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up two-esxi.spec
RANDOM=${SEED:-$$}
echo "seed ${SEED:-$$}"

for run in 1 2 3 4 5 6 7 8 9 10; do
	ms=$((RANDOM % 450)) # they are up after about 200
	"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -w 30000 \
		"$AGENT" "$WORK/all" >"$OUT" 2>&1 &
	sleep "$(printf '0.%03d' $ms)"
	kill -KILL $!
	wait $! 2>/dev/null
	echo "run $run: killed after $ms ms, $(grep -c ' up ' "$OUT") up"
	clean "nothing is left after $ms ms" "${HOSTS[@]}"
done

kill_agent() {
	lab kill-agent "$1"
}
kill_session() {
	lab kill-sshd "$1" sessions
}
for what in kill_agent kill_session; do
	for run in 1 2 3 4; do
		ms=$((100 + RANDOM % 150))
		"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -w 300 \
			"$AGENT" "$WORK/all" >"$OUT" 2>&1 &
		sleep "$(printf '0.%03d' $ms)"
		for n in "${HOSTS[@]}"; do
			$what "$n" &
		done
		wait
		echo "$what $run: from $ms ms on, $(grep -c ' up ' "$OUT") were up, $(grep -c ' down ' "$OUT") down"
		clean "nothing is left by $what after $ms ms" "${HOSTS[@]}"
	done
done
finish
