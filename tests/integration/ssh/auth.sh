#!/bin/bash
# SPDX-License-Identifier: MIT
# auth.sh BUILD - each way to log in, each way that it fails, and what is asked of whom: one
# attempt a credential and host by the server's own count, one question for all hosts.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PROBE=$BUILD/tests/integration/link/link_probe
AGENT=$BUILD/agent/vnm-agent
TYPIST=$BUILD/tests/support/typist
SEEN=$WORK/seen # what stood on the terminal
lab up "$HERE/../../lab/pair.spec" || exit 1
HOSTS=(esx1 vm11 pc1)
for n in "${HOSTS[@]}"; do
	echo "$n $(address "$n") 22"
done >"$WORK/all"
grep '^esx1 ' "$WORK/all" >"$WORK/one"

# Of ssh's configuration only what a case says.
config() { # LINE...
	printf '%s\n' 'Host *' 'User root' "UserKnownHostsFile $CLIENT/known_hosts" \
		'GlobalKnownHostsFile /dev/null' "$@" >"$WORK/config"
}

# probe HOSTS OPTION...: nobody can be asked. There is no terminal either.
probe() {
	local list=$WORK/$1
	shift
	timeout 60 setsid -w "$NETLAB" exec ctl "$PROBE" -c "$WORK/config" "$@" "$AGENT" "$list" \
		>"$OUT" 2>&1 </dev/null
}

# typed HOSTS PROMPT=ANSWER... -- OPTION...: somebody sits there.
typed() {
	local list=$WORK/$1
	local -a says=()
	shift
	while [ "$1" != -- ]; do
		says+=("$1")
		shift
	done
	shift
	timeout 60 "$TYPIST" "${says[@]}" -- \
		"$NETLAB" exec ctl "$PROBE" -a -c "$WORK/config" "$@" "$AGENT" "$list" >"$OUT" 2>"$SEEN"
}

# counted SENTENCE HOST METHOD...: the refused attempts in the server's log, in order.
counted() {
	local sentence=$1 host=$2 found
	shift 2
	found=$(lab attempts "$host" | awk '{ printf "%s%s", sep, $2; sep = " " }')
	[ "$found" = "$*" ] || fail "$sentence: refused were '$found' instead of '$*'"
	lab attempts "$host" forget
}

asked_once() { # SENTENCE TEXT
	[ "$(grep -cF -e "$2" "$SEEN")" = 1 ] || fail "$1: '$2' stands there once" "$(cat "$SEEN")"
}

everywhere() { # VERB...: on every host
	local n
	for n in "${HOSTS[@]}"; do
		lab "$1" "$n" "${@:2}"
	done
}

authorise() { # FILE.pub...: besides the lab's own key, everywhere
	local n
	for n in "${HOSTS[@]}"; do
		cat "$CLIENT/id_lab.pub" "$@" | lab exec "$n" tee /root/.ssh/authorized_keys >/dev/null
	done
}

new_key() { # NAME OPTION...
	ssh-keygen -q -t ed25519 -N '' -C "$1" -f "$WORK/$1" "${@:2}" </dev/null || exit 1
}

echo lab >"$WORK/right"
echo mistaken >"$WORK/wrong"
chmod 600 "$WORK/right" "$WORK/wrong"

. "$HERE/auth_password.sh"
. "$HERE/auth_key.sh"
. "$HERE/auth_agent.sh"
clean "${HOSTS[@]}"
finish
