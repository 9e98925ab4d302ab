#!/bin/bash
# SPDX-License-Identifier: MIT
# transports_run.sh PROBE AGENT - over libssh and over the system's ssh the same agent comes up, talks and
# is lost in the same ways, whatever the host is like; nothing stays.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up pair.spec
# shellcheck source=transports_lib.sh
. "$HERE/transports_lib.sh"

# ---- it works
both "up" "up esx1 agent .* in /tmp/.vnm-X by key $key" "$one" "${usual[@]}" -f -w 300
facts() {
	sed -n 's/.* fact esx1 \([^=]*\)=.*/\1/p' "$WORK/out.$1" | sort
}
[ -n "$(facts libssh)" ] || fail "facts are told"
[ "$(facts libssh)" = "$(facts openssh)" ] || fail "the same facts are told"
for t in "${TRANSPORTS[@]}"; do
	OUT=$WORK/out.$t
	says "$t: address and host key are told" "info esx1 at $ip:22 key ssh-ed25519 SHA256:"
	says "$t: the agent answers" "done esx1 id 7"
done
printf 'esx1 -oProxyCommand=id 22\n' >"$WORK/option"
both "a name that looks like an option" "down esx1 stage 0: " "$WORK/option" "${usual[@]}" -t 3000
both "three hosts" "up esx1" "$WORK/all" "${usual[@]}"
for t in "${TRANSPORTS[@]}"; do
	OUT=$WORK/out.$t
	says "$t: all are up" "settled 3 of 3 up"
done

# ---- deploying
lab max esx1 1 10:30:100
both "MaxSessions 1" "up esx1 " "$one" "${usual[@]}"
lab max esx1 0 10:30:100
both "MaxSessions 0" "down esx1 stage 3: esx1: .*open a channel: .*: does .*\(MaxSessions\)\?" "$one" "${usual[@]}"
lab max esx1 10 10:30:100
lab no-sftp esx1 on
both "no sftp" "up esx1 " "$one" "${usual[@]}"
lab noexec esx1 /tmp /var/tmp
both "noexec /tmp" "up esx1 .* in /root/.vnm-X" "$one" "${usual[@]}"
lab noexec esx1 all
both "noexec everywhere" "down esx1 stage 3: esx1: no folder takes the agent .*/tmp: cannot execute there" "$one" "${usual[@]}"
lab exec-ok esx1 all
lab shell esx1 nologin
both "no shell" "down esx1 stage 3: esx1: the login shell ended \(status 1\): This account is currently not available" "$one" "${usual[@]}"
for shell in bash tcsh fish; do
	command -v $shell >/dev/null || continue
	lab shell esx1 $shell
	lab banner esx1 on
	both "a noisy $shell" "up esx1 " "$one" "${usual[@]}"
	lab banner esx1 off
done
lab shell esx1 bash

# ---- losing it: both talk to the same three hosts
declare -A pids
for t in "${TRANSPORTS[@]}"; do
	"$NETLAB" exec ctl "$PROBE" -T "$t" "${usual[@]}" -w 30000 "$AGENT" "$WORK/all" >"$WORK/out.$t" 2>&1 &
	pids[$t]=$!
done
for _ in $(seq 100); do
	! { grep -q settled "$WORK/out.libssh" && grep -q settled "$WORK/out.openssh"; } || break
	sleep 0.05
done
lab kill-agent esx1
lab kill-sshd vm11 sessions
lab freeze pc1 all
sleep 3.2
for t in "${TRANSPORTS[@]}"; do
	OUT=$WORK/out.$t
	says "$t: an agent that was killed" " down esx1 stage 5: esx1: the agent was ended by signal "
	says "$t: a session that was killed" " down vm11 stage 5: vm11: the SSH connection was closed"
	says "$t: a host that stands still" " down pc1 stage 5: pc1: no sign of life"
done
lab thaw pc1

# ---- and nothing stays, here and there, after a SIGKILL either
here() { # in the client's network: what runs beside this script's own
	local p
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/ns/net")" = "$1" ] && tr '\0' ' ' <"$p/cmdline" && echo
	done 2>/dev/null
}
ns=$("$NETLAB" exec ctl readlink /proc/self/ns/net)
kill -KILL "${pids[libssh]}"
before=$(here "$ns" | grep -o '/tmp/vnm-ssh-[A-Za-z0-9]*' | sort -u)
kill -KILL "${pids[openssh]}"
wait "${pids[@]}" 2>/dev/null
"$NETLAB" exec ctl "$PROBE" -T openssh "${usual[@]}" -w 30000 "$AGENT" "$WORK/all" >"$WORK/out.openssh" 2>&1 &
driver=$!
for _ in $(seq 100); do
	folders=$(here "$ns" | grep -o '/tmp/vnm-ssh-[A-Za-z0-9]*' | sort -u)
	[ "$(echo "$folders" | wc -w)" -lt 3 ] || break
	sleep 0.02
done
kill -KILL $driver # while they log in
wait $driver 2>/dev/null
folders="$before $folders"
[ "$(echo "$folders" | wc -w)" -ge 3 ] || fail "the folders of ssh are seen: $folders"
for _ in $(seq 100); do
	[ -n "$(here "$ns")" ] || break
	sleep 0.05
done
here "$ns" >"$OUT"
[ ! -s "$OUT" ] || fail "no process is left here"
for folder in $folders; do [ ! -e "$folder" ] || fail "$folder is left here"; done
clean "nothing is left" "${HOSTS[@]}"
finish
