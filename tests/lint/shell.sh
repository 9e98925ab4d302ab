#!/bin/sh
# Fails when shellcheck finds something in a shell script, wherever it is.
# usage: shell.sh SOURCE_DIR
cd "$1" || exit 2
command -v shellcheck >/dev/null 2>&1 || { echo "skipped: shellcheck is not installed"; exit 77; }
scripts=$(find . \( -path ./.git -o -path ./build -o -name corpus \) -prune -o -type f -exec \
	awk 'FNR == 1 && /^#!.*[\/ ](ba|da|k)?sh([ \t]|$)/ { print FILENAME }' {} + | sort)
[ -n "$scripts" ] || { echo "no shell scripts in $1"; exit 2; }
echo "$scripts" | xargs -P 2 -n 8 shellcheck
