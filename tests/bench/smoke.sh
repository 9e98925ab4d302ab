#!/bin/bash
# SPDX-License-Identifier: MIT
# smoke.sh engine|truth BUILD_DIR - one short round of a benchmark: its JSON and its table hold what was
# measured, its namespaces are gone afterwards, and bad options are refused.
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
[ "$(id -u)" = 0 ] || { echo "skipped: needs root to make network namespaces"; exit 77; }
command -v iperf3 >/dev/null || { echo "skipped: there is no iperf3"; exit 77; }
bench=bench/$1
work=$(mktemp -d /tmp/vnm-smoke.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
export BUSY_SHARE=2 # nothing is thrown away: others may run

fail() {
	echo "$*"
	tail -n 20 "$work"/*
	exit 1
}

# query EXPRESSION: over the JSON as `j`, and its cases as `c`
query() {
	sqlite3 :memory: "with t(j) as (select readfile('$work/json')),
		c as (select value as v from t, json_each(j, '\$.cases')) select $1"
}

run() { "$bench" --build "$2" --rounds 1 --seconds 1 --omit 1 "${@:3}" >"$work/$1" 2>"$work/$1.said"; }

if [ "$1" = engine ]; then
	run json "$2" --only copy,mtu9000,streams2 --json || fail "it failed"
	[ "$(query "count(*) from c where json_extract(v, '\$.gbps.median') > 0.05 and
		json_extract(v, '\$.machine_s_per_gib.median') > 0 and json_extract(v, '\$.sender_mib.median') > 0")" -ge 2 ] ||
		fail "a tool has no figures"
	[ "$(query "json_extract(v, '\$.\"vnm:copy throughput ratio\".median') > 0 from c
		where json_extract(v, '\$.tool') like 'iperf3%' limit 1")" = 1 ] || fail "there is no ratio"
	run text "$2" --only small,mtu1500 || fail "it failed"
	grep -qE '^1500 +1 +vnm:copy +[0-9]' "$work/text" || fail "the table lacks vnm"
	grep -qE '^ +iperf3-[0-9.]+:copy +[0-9]' "$work/text" || fail "the table lacks iperf3"
else
	# A link that others slow down gives less, never more, than theory.
	run json "$2" --only 100m,mtu1500,ipv6,streams1 --json || fail "it failed"
	[ "$(query "count(*) from c where json_extract(v, '\$.tool') = 'vnm' and json_extract(v, '\$.theory_bps') = 94319683 and
		json_extract(v, '\$.percent_off.median') between -20 and 1")" = 1 ] || fail "vnm is far from theory"
	run text "$2" --only 1g,mtu9000,ipv4,streams4 || fail "it failed"
	grep -qE '^1g +9000 +IPv4 +4 +992.68 ' "$work/text" || fail "the table lacks its row"
fi
"$bench" --rounds none >"$work/bad" 2>&1 && fail "bad rounds were taken"
"$bench" --only nothing >"$work/bad" 2>&1 && fail "a bad part was taken"
grep -q "does not know 'nothing'" "$work/bad" || fail "the message is another"
! grep -q . <(ip netns list | awk '{ print $1 }' | grep -xE 'vb[0-9]+[ab]' | while read -r name; do
	pid=${name#vb}
	[ -e "/proc/${pid%[ab]}" ] || echo "$name"
done) || fail "a namespace was left behind"
