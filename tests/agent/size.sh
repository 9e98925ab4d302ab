#!/bin/sh
# Fails when an agent is larger than hosts are asked to take, or not static and stripped.
# usage: size.sh AGENT LIMIT_BYTES      77: this agent was not built here
agent=$1
limit=$2
[ -e "$agent" ] || { echo "skipped: there is no $agent: sudo scripts/agents, then configure again"; exit 77; }
size=$(wc -c <"$agent") || exit 1
echo "$agent: $size bytes, at most $limit"
[ "$size" -gt 10000 ] || { echo "that is no agent"; exit 1; }
[ "$size" -le "$limit" ] || { echo "too large by $((size - limit)) bytes"; exit 1; }
command -v readelf >/dev/null || exit 0
sections=$(readelf -SlW "$agent") || exit 1
case $sections in
*INTERP*) echo "not static: it has an interpreter"; exit 1 ;;
*.symtab* | *.debug_*) echo "not stripped"; exit 1 ;;
esac
