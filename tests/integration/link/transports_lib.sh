# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
# transports_lib.sh - both transports in the same situation. Sourced after lib.sh, with the lab up.

one=$(only esx1)
ip=$(address esx1)
known=$CLIENT/known_hosts
key=$CLIENT/id_lab
TRANSPORTS=(libssh openssh)

# what HOST: how it came up or went down, the first time, without what differs from run to run.
what() {
	sed -n "s/^ *[0-9]* ms \(\(up\|down\) $1 .*\)/\1/p" "$OUT" | head -n 1 |
		sed 's/pid [0-9]*/pid N/; s/\.vnm-[0-9a-f]*/.vnm-X/g'
}

# both SENTENCE REGEX LIST OPTION...: each transport comes to what REGEX says, in the same stage.
both() {
	local sentence=$1 regex=$2 list=$3 t stages='' pids=()
	shift 3
	for t in "${TRANSPORTS[@]}"; do
		timeout 60 "$NETLAB" exec ctl "$PROBE" -T "$t" "$@" "$AGENT" "$list" >"$WORK/out.$t" 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	for t in "${TRANSPORTS[@]}"; do
		OUT=$WORK/out.$t
		what esx1 | grep -qE "^$regex" || fail "$sentence over $t: $(what esx1)"
		stages+="$(what esx1 | sed -n 's/.* stage \([0-9]\).*/\1/p; s/^up.*/up/p') "
	done
	[ "${stages% * }" = "$(echo "$stages" | cut -d' ' -f2)" ] || fail "$sentence: stages $stages"
}
usual=(-i "$key" -k "$known")
