#!/bin/bash
# SPDX-License-Identifier: MIT
# up.sh PROBE AGENT - seven hosts come up at once, whatever their login shell says.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
lab_up two-esxi.spec

probe "$WORK/all" -f -w 500 || fail "all hosts come up"
says "all are up" "settled 7 of 7 up"
took=$(at_ms settled)
echo "7 hosts up in $took ms, freed in $(sed -n 's/.*freed in //p' "$OUT")"
[ "${took:-9999}" -lt 2000 ] || fail "they come up within 2 s"
for n in "${HOSTS[@]}"; do
	says "$n is in a private folder" " up $n agent "
	says "its host key is told" "info $n at $(address "$n"):22 key ssh-ed25519 SHA256:"
	says "$n answers" "done $n id 7"
	says "facts come" "fact $n os.kernel="
done
says "the key is told" "by key $CLIENT/id_lab"
clean "nothing is left" "${HOSTS[@]}"

# one host a shell: each login shell, quiet and noisy
set -- "${HOSTS[@]}"
for shell in bash dash zsh tcsh fish mksh ksh; do
	command -v $shell >/dev/null || continue
	[ $# -gt 0 ] || set -- "${HOSTS[@]}"
	lab shell "$1" $shell
	for noise in off on stderr; do
		lab banner "$1" $noise
		probe "$(only "$1")" || fail "$1 with $shell, banner $noise"
	done
	clean "nothing is left by $shell" "$1"
	lab banner "$1" off
	lab shell "$1" bash
	shift
done

# one channel at a time must do
lab max esx1 1 10:30:100
probe "$(only esx1)" || fail "MaxSessions 1"
clean "nothing is left with MaxSessions 1" esx1
finish
