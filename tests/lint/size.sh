#!/bin/sh
# Fails when a source file is so long that it has two jobs. usage: size.sh SOURCE_DIR
max=400
cd "$1" || exit 2
find common agent orchestrator -name '*.[ch]' -exec awk -v max=$max '
	FNR == max + 1 { print FILENAME ": has more than " max " lines: split it"; bad = 1 }
	END { exit bad }' {} +
