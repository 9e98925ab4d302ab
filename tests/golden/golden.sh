#!/bin/sh
# Runs NAME.in in a folder that holds lab.yaml, its results.db and, for cases whose names begin with
# engine, engine.db alone, and compares what it printed
# with NAME.ok: stdout, then stderr behind "2> ", then the exit code of the last command.
# UPDATE=1 writes NAME.ok instead; look at the diff.
# usage: golden.sh VNM PRINT_RUN RESULTS.db NAME
vnm=$1 print_run=$2 results=$3 name=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/lab" && cd "$work/lab" || exit 2
cp "$here/lab.yaml" . && cp "$results" results.db || exit 2
case $name in */engine*) cp "$(dirname "$results")/engine.db" . || exit 2 ;; esac
unset NO_COLOR
export TERM=xterm LC_ALL=C HOME="$work"
vnm() { "$vnm" "$@"; }
print_run() { "$print_run" "$@"; }
# shellcheck source=/dev/null
(. "$here/$name.in") >"$work/out" 2>"$work/err"
code=$?
{
	cat "$work/out"
	sed 's/^/2> /' "$work/err"
	echo "exit $code"
} >"$work/got"
if [ "${UPDATE:-0}" = 1 ]; then
	cp "$work/got" "$here/$name.ok"
else
	diff -u "$here/$name.ok" "$work/got"
fi
