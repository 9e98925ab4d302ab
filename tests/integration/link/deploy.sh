#!/bin/bash
# SPDX-License-Identifier: MIT
# deploy.sh PROBE AGENT - full and noexec folders, accounts without a shell, uploads that
# are cut off: the agent finds a place, or each folder's reason is told; nothing stays.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up pair.spec
one=$(only esx1)

lab fill-tmp esx1
probe "$one" || fail "full /tmp"
says "the next folder is taken" " in /var/tmp/.vnm-"
lab free-tmp esx1
lab noexec esx1 /tmp /var/tmp
probe "$one" || fail "noexec /tmp and /var/tmp"
says "the home is taken" " in /root/.vnm-"
lab noexec esx1 all
probe "$WORK/all"
says "no folder executes" "esx1: no folder takes the agent (make room, or allow execution in one): /tmp: cannot execute there: "
for folder in /tmp /var/tmp /root /dev/shm /run; do
	says "each folder is told" "$folder: cannot execute there"
done
says "the others are up" "settled 2 of 3 up"
lab exec esx1 sh -c 'mkdir /mnt/backup /mnt/tank; : >/mnt/file; mount -t tmpfs -o size=4m tmpfs /mnt/tank'
probe "$one" || fail "a pool takes it"
says "the pool that executes is taken" " in /mnt/tank/.vnm-"
[ -z "$(lab exec esx1 ls -A /mnt/tank)" ] || fail "nothing is left in the pool"
lab exec esx1 sh -c 'umount /mnt/tank; rmdir /mnt/backup /mnt/tank; rm /mnt/file'
lab exec-ok esx1 all
lab noexec esx1 /tmp /var/tmp
lab readonly esx1 /root
probe "$one" || fail "a home that is read-only"
says "memory is taken then" " in /dev/shm/.vnm-"
lab writable esx1 /root
lab exec-ok esx1 /tmp /var/tmp
lab fill-all esx1
probe "$one"
says "no folder has room" "/tmp: head: "
says "the reason is the system's" "No space left on device"
lab free-all esx1

lab shell esx1 nologin
probe "$one"
says "an account that may not log in" "esx1: the login shell ended (status 1): This account is currently not available.: may the account run commands?"
lab shell esx1 bash
clean "nothing is left by refusals" esx1

# A large agent over a slow wire, so that there is time in the middle of an upload.
cp "$AGENT" "$WORK/large"
truncate -s 4M "$WORK/large"
AGENT=$WORK/large
lab rate esx1 mgmt 8mbit

start() { # in the background, up to the middle of its upload; the driver's pid is in $driver
	"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" "$AGENT" "$one" \
		>"$OUT" 2>&1 &
	driver=$!
	for _ in $(seq 100); do
		sleep 0.05
		[ -z "$(lab exec esx1 find /tmp -path '*/.vnm-*' -name vnm-agent -size -3M -size +0)" ] || return 0
	done
	fail "the upload begins"
}

start
wait $driver || fail "a slow upload comes to its end"
took=$(at_ms settled)
[ "${took:-0}" -gt 2500 ] || fail "it was slow: $took ms"
clean "nothing is left by it" esx1

start
lab kill-sshd esx1 sessions
wait $driver
says "a session that ends in mid-upload is told" "esx1: deploy the agent: the SSH connection was closed"
clean "the folder goes with a session killed in mid-upload" esx1

start
kill -KILL $driver
wait $driver 2>/dev/null
clean "the folder goes with the orchestrator killed in mid-upload" esx1

start
kill -TERM $driver
wait $driver
says "stopping in mid-upload" " freed in "
freed=$(sed -n 's/.*freed in \([0-9]*\) ms/\1/p' "$OUT")
[ "${freed:-9999}" -lt 3300 ] || fail "it takes at most 3 s: $freed ms"
clean "the folder goes when stopped in mid-upload" esx1

# told FAULT: the driver notices within three seconds, and ends three seconds later at most. But
# a frozen program's kernel goes on taking what is sent, and that is a sign of life: up to 4 s more.
told() {
	local from
	from=$(date +%s%3N)
	wait $driver
	[ $(($(date +%s%3N) - from)) -lt 10500 ] || fail "$1: it ends in time"
	says "$1 is told" "esx1: upload the agent: no sign of life from the SSH server for 2.5 s: is the host frozen"
}

start
lab freeze esx1 all
told "a host that stands still"
lab thaw esx1
clean "the folder goes when the host thaws" esx1

start
lab freeze esx1 sshd
told "an SSH server that stands still"
lab thaw esx1
clean "the folder goes when the SSH server thaws" esx1

start
lab link esx1 mgmt block
told "a host that is cut off"
lab link esx1 mgmt unblock
clean "the folder goes when the wire is back" esx1

# What is slow lives all the same: this account's shell says nothing for longer than that.
lab rate esx1 mgmt none
lab shell esx1 zsh
lab exec esx1 sh -c 'echo "sleep 4" >/root/.zshenv'
probe "$one" || fail "a slow login shell is waited for"
took=$(at_ms settled)
[ "${took:-0}" -gt 4000 ] || fail "it was slow: $took ms"
lab exec esx1 sh -c 'echo "sleep 20" >/root/.zshenv'
probe "$one"
says "one that never comes to an end is told" "esx1: start a shell: no answer in 10 s"
finish
