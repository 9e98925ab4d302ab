#!/bin/bash
# The demonstration's profile on the whole built-in lab: every planned cell is done with ok tests
# only, and where a shaped link limits, within 3 % of rate x MSS / (MTU + frame_overhead).
. "$(dirname "$0")/lib.sh"
HOSTS=(esx1 esx2 vm11 vm12 vm21 vm22 pc1)
lab_up two-esxi.spec </dev/null

t0=$SECONDS
run 'the demonstration' 0 run "$LAB" demo --demo --yes
took=$((SECONDS - t0))
holds "in at most 180 s ($took s)" [ "$took" -le 180 ]
is 'every cell is done' '72|72' "$(q "select count(*), sum(state='done') from cells")"
is 'with ok tests only' '72|0' "$(q "select count(*), sum(status<>'ok') from tests")"
is 'five classes and vm-own-host' 'baremetal-host,baremetal-vm,host-host,vm-own-host,vm-vm-cross-host,vm-vm-same-host' \
	"$(q 'select group_concat(path_class) from (select distinct path_class from cells order by 1)')"
is 'windows, streams and directions' 'default,65536,196608|1,4|dst,src' \
	"$(q "
	select group_concat(w) from (select distinct ifnull(window_bytes, 'default') as w from v_cells order by window_bytes)")|$(q "
	select group_concat(streams) from (select distinct streams from v_cells order by 1)")|$(q "
	select group_concat(initiator) from (select distinct initiator from cells order by 1)")"
q "select src, dst, initiator, window, streams, round(bps/1e6,1), line_rate_pct from v_cells where line_rate_pct not between 97 and 100.5" >"$WORK/out"
is 'within 3 % of theory' '' "$(cat "$WORK/out")"
is 'across the uplinks that is 500 Mbit/s' 0 "$(q "select count(*) from v_cells where path_class in ('host-host','vm-vm-cross-host','baremetal-host','baremetal-vm') and abs(bps / (5e8 * 1448 / 1514) - 1) > 0.03")"
is 'inside a host 1 Gbit/s' 0 "$(q "select count(*) from v_cells where path_class in ('vm-vm-same-host','vm-own-host') and abs(bps / (1e9 * 1448 / 1514) - 1) > 0.03")"
run 'matrix' 0 matrix --db "$DB"
has 'shows senders by receivers' "$WORK/out" '^vm21 .* 4[67][0-9] '
for view in $(q 'select view from v_help'); do q "select * from $view" >/dev/null 2>"$WORK/err" || bad "view $view"; done
q 'select example from v_help' | while read -r example; do q "$example" >/dev/null 2>&1 || echo "$example"; done >"$WORK/out"
is 'every example of v_help works' '' "$(cat "$WORK/out")"
run 'em and vmxnet3' 0 run "$LAB" drivers --demo --yes
is 'are two cells by the choice of NIC' 'em|em,vmxnet3|vmxnet3' "$(q "select group_concat(d) from (select distinct src_driver||'|'||dst_driver as d from v_cells where run_id=2 order by 1)")"
nothing_left 'the demonstration'
finish
