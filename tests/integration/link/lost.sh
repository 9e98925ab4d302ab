#!/bin/bash
# SPDX-License-Identifier: MIT
# lost.sh PROBE AGENT - six hosts are lost in six ways at the same time: each is noticed
# within 3 s and told with its reason, the seventh is untouched; mended, they come back.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up two-esxi.spec

"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -w 30000 -r 1 \
	"$AGENT" "$WORK/all" >"$OUT" 2>&1 &
driver=$!
for _ in $(seq 100); do
	! grep -q settled "$OUT" || break
	sleep 0.05
done
says "all are up" "settled 7 of 7 up"
start=$(sed -n 's/.* start //p' "$OUT")

declare -A broken
break_it() { # HOST FAULT...
	broken[$1]=$(($(date +%s%3N) - start))
	shift
	lab "$@"
}
sleep 1
break_it esx1 kill-agent esx1
break_it vm11 kill-sshd vm11 sessions
break_it vm12 freeze vm12 sshd
break_it esx2 freeze esx2 agent
break_it vm21 freeze vm21 all
break_it vm22 link vm22 down
sleep 3.5

lost() { # HOST REASON
	local ms
	says "$1 is told with its reason" " down $1 stage 5: $1: $2"
	ms=$(at_ms "down $1 ")
	ms=$((${ms:-99999} - broken[$1]))
	echo "$1: $2: after $ms ms"
	[ $ms -lt 3000 ] || fail "$1 is noticed within 3 s"
}
lost esx1 "the agent was ended by signal KILL"
lost vm11 "the SSH connection was closed"
lost vm12 "no sign of life "
lost esx2 "no sign of life "
lost vm21 "no sign of life "
lost vm22 "no sign of life "
mute "the seventh is untouched" " down pc1"

# mend: with -r each is connected again from the beginning
lab thaw vm12
lab thaw vm21
lab link vm22 up
for _ in $(seq 80); do
	[ "$(grep -c ' up ' "$OUT")" -lt 13 ] || break
	sleep 0.1
done
for n in esx1 vm11 vm12 esx2 vm21 vm22; do
	[ "$(grep -c " up $n " "$OUT")" = 2 ] || fail "$n comes back"
done
mute "the seventh is still untouched" " down pc1"
kill -TERM $driver
wait $driver
freed=$(sed -n 's/.*freed in \([0-9]*\) ms/\1/p' "$OUT")
[ "${freed:-9999}" -lt 3300 ] || fail "freeing takes at most 3 s: $freed ms"
clean "nothing is left" "${HOSTS[@]}"

# all hosts frozen: freeing does not wait for them
"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -w 30000 \
	"$AGENT" "$WORK/all" >"$OUT" 2>&1 &
driver=$!
for _ in $(seq 100); do
	! grep -q settled "$OUT" || break
	sleep 0.05
done
for n in "${HOSTS[@]}"; do lab freeze "$n" all; done
kill -TERM $driver
wait $driver
freed=$(sed -n 's/.*freed in \([0-9]*\) ms/\1/p' "$OUT")
echo "freed in $freed ms with all hosts frozen"
[ "${freed:-9999}" -lt 3300 ] || fail "freeing frozen hosts takes at most 3 s"
for n in "${HOSTS[@]}"; do lab thaw "$n"; done
clean "nothing is left when they thaw" "${HOSTS[@]}"
finish
