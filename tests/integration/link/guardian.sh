#!/bin/bash
# SPDX-License-Identifier: MIT
# guardian.sh PROBE AGENT - a host whose MTU was changed is lost in nine ways at the same time,
# with an agent and without: it has its MTU back within the time promised, by itself. Who
# comes back in time takes the host over, and nothing is put back.
# shellcheck source=lib.sh disable=SC2016
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v sudo >/dev/null || {
	echo 'skipped: sudo is not installed'
	exit 77
}
DEAD_MAN=20 # s without a sign of life
GRACE=15    # s, once the connection is known to be gone
SLACK=6     # the guardian's seconds are a little longer on a busy machine
lab_up two-esxi.spec
declare -A nic=([esx1]=vmk1 [esx2]=vmk1 [pc1]=eth1) driver=() since=()

nic_of() { echo "${nic[$1]:-vmx0}"; }
mtu() { # HOST
	lab exec "$1" ip -o link show dev "$(nic_of "$1")" | sed 's/.* mtu \([0-9]*\) .*/\1/'
}

# hold HOST [OPTION...]: in the background, into $WORK/HOST.out
hold() {
	local name=$1 dev
	dev=$(nic_of "$1")
	shift
	hold_setting "$name" "$@" -- "set -- \$(ip -o link show dev $dev); echo \$5" 1500 9000 \
		"ip link set dev $dev mtu 1500" "ip link set dev $dev mtu 9000"
}

hold_setting() { # HOST OPTION... -- LOOK BEFORE WANTED BACK APPLY
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -d $DEAD_MAN \
		"${options[@]}" "$name" "$(address "$name")" 22 "$@" >"$WORK/$name.out" 2>&1 &
	driver[$name]=$!
}

# wait_said HOST WORDS SECONDS
wait_said() {
	local until=$((SECONDS + $3))
	OUT=$WORK/$1.out
	until grep -q -e "$2" "$OUT" 2>/dev/null; do
		if [ $SECONDS -gt $until ]; then
			fail "$1: '$2' within $3 s"
			return 1
		fi
		sleep 0.1
	done
}

# stop HOST WANTED: SIGTERM; it puts all back and ends
stop() {
	OUT=$WORK/$1.out
	kill -TERM "${driver[$1]}"
	wait "${driver[$1]}" || fail "$1 ends well"
	says "$1: restored" " $2"
	says "$1: ended" ' ended'
}

has() { # HOST MTU SENTENCE
	OUT=$WORK/$1.out
	[ "$(mtu "$1")" = "$2" ] || fail "$1: $3: $(mtu "$1")"
}

# comes_back HOST SECONDS: from since[HOST] on
comes_back() {
	local took
	OUT=$WORK/$1.out
	until [ "$(mtu "$1")" = 1500 ]; do
		if [ $((SECONDS - since[$1])) -gt $(($2 + SLACK)) ]; then
			fail "$1: 1500 again within $2 s"
			return
		fi
		sleep 0.2
	done
	took=$((SECONDS - since[$1]))
	echo "$1: ${why[$1]}: 1500 again after $took s"
	[ $took -ge $(($2 - 3)) ] || fail "$1: not before the time is up: $took s"
	lab exec "$1" cat /run/vnm-guard/fired >>"$OUT"
}

# ---- as it should be, with an agent and without, as root and not
# (with a terminal of sudo's own, too, which is gone as soon as a command has ended)
lab sudo vm12 free
lab sudo vm21 password
lab sudo vm22 password
lab exec vm12 sh -c 'umask 337; echo "Defaults use_pty" >>/etc/sudoers'
lab exec vm22 sh -c 'umask 337; echo "Defaults use_pty" >>/etc/sudoers'
echo lab >"$WORK/password"
chmod 600 "$WORK/password"
hold esx1 -a "$AGENT"
hold vm11
hold vm12 -a "$AGENT" -u labuser -P sudo
hold vm21 -a "$AGENT" -u labuser -P sudo-password -p "$WORK/password"
hold vm22 -u labuser -P sudo-password -p "$WORK/password"
for n in esx1 vm11 vm12 vm21 vm22; do
	wait_said $n holding 20
	has $n 9000 'the change is made'
done
sleep $((DEAD_MAN + 3)) # longer than without a sign of life
for n in esx1 vm11 vm12 vm21 vm22; do
	has $n 9000 'the lease is kept'
	stop $n 'restored 1 the setting 9000 to 1500'
	has $n 1500 'put back when asked'
	[ -z "$(lab exec $n find /run/vnm-guard 2>/dev/null)" ] || fail "$n: no folder is left"
done
clean "nothing is left" "${HOSTS[@]}"

# a second one is not let in while the first one's guardian lives
hold pc1 -a "$AGENT"
wait_said pc1 holding 20
first=${driver[pc1]}
mv "$WORK/pc1.out" "$WORK/first.out"
hold pc1
wait "${driver[pc1]}" && fail "a second one is refused"
OUT=$WORK/pc1.out
says "which is told with the owner" ' busy guard_probe'
mv "$WORK/first.out" "$WORK/pc1.out"
driver[pc1]=$first
stop pc1 'restored 1 the setting 9000 to 1500'

# ---- lost in each way at the same time
declare -A why=([esx1]='the agent is killed' [vm11]='the sessions of sshd are killed'
	[vm12]='the wire is cut' [esx2]='the agent is frozen' [vm21]='sshd is frozen'
	[vm22]='the orchestrator is killed' [pc1]='the change itself cuts the wire')
hold esx1 -a "$AGENT"
hold vm11 -a "$AGENT"
hold vm12 -a "$AGENT" -u labuser -P sudo
hold esx2 -a "$AGENT"
hold vm21
hold vm22 -a "$AGENT" -u labuser -P sudo-password -p "$WORK/password"
hold_setting pc1 -a "$AGENT" -- 'ip link show dev eth0 | grep -q "[<,]UP[,>]" && echo up || echo down' \
	up down 'ip link set dev eth0 up' 'ip link set dev eth0 down'
since[pc1]=$SECONDS # as good as at once
for n in esx1 vm11 vm12 esx2 vm21 vm22; do
	wait_said $n holding 20
	has $n 9000 'the change is made'
done
wait_said pc1 'kept 1' 20
lose() { # HOST COMMAND...
	since[$1]=$SECONDS
	shift
	"$@"
}
lose esx1 lab kill-agent esx1
lose vm11 lab kill-sshd vm11 sessions
lose vm12 lab link vm12 block
lose esx2 lab freeze esx2 agent
lose vm21 lab freeze vm21 sshd
lose vm22 kill -KILL "${driver[vm22]}"
wait "${driver[vm22]}" 2>/dev/null
sleep 4
for n in esx1 vm11 vm12 esx2 vm21 vm22; do has $n 9000 'not at once: it may come back'; done
for n in esx1 vm11 vm22; do comes_back $n $GRACE; done
for n in vm12 esx2 vm21; do comes_back $n $DEAD_MAN; done
until lab exec pc1 ip link show dev eth0 | grep -q '[<,]UP[,>]'; do
	if [ $((SECONDS - since[pc1])) -gt $((DEAD_MAN + SLACK + 8)) ]; then
		fail "pc1: reached again"
		break
	fi
	sleep 0.2
done
echo "pc1: ${why[pc1]}: up again after $((SECONDS - since[pc1])) s"
fired() { # HOST REASON
	[ "$(lab exec "$1" cat /run/vnm-guard/fired)" = "$2" ] ||
		fail "$1: tells why: $(lab exec "$1" cat /run/vnm-guard/fired)"
}
fired esx1 "the connection is gone for $GRACE s"
fired vm11 "the connection is gone for $GRACE s"
fired vm22 "the connection is gone for $GRACE s"
fired vm12 "no sign of life for $DEAD_MAN s"
fired vm21 "no sign of life for $DEAD_MAN s"
lab link vm12 unblock
lab thaw esx2
lab thaw vm21
for n in "${!driver[@]}"; do wait "${driver[$n]}" 2>/dev/null; done

# ---- who comes back in time takes the host over
hold esx1 -a "$AGENT" -r
hold vm11 -r
hold vm12 -a "$AGENT" -u labuser -P sudo -r
for n in esx1 vm11 vm12; do wait_said $n holding 30; done
lab kill-sshd esx1 sessions
lab kill-sshd vm11 sessions
lab kill-agent vm12
for n in esx1 vm11 vm12; do
	wait_said $n 'watching guard_probe' 9
	wait_said $n 'holds 1 the setting' 2
done
sleep $((DEAD_MAN + 3))
for n in esx1 vm11 vm12; do
	has $n 9000 'what was taken over stays changed'
	stop $n 'restored 1 the setting 9000 to 1500'
	has $n 1500 'put back when asked'
done
finish
