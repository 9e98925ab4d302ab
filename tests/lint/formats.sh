#!/bin/sh
# Fails when a text in the agent's sources has a conversion that common/compact_printf.c, the
# static agent's snprintf, does not know. usage: formats.sh SOURCE_DIR
cd "$1" || exit 2
# Those three are the orchestrator's.
# shellcheck disable=SC2016 # awk's
found=$(find agent common -name '*.c' ! -name clock_format.c ! -name json.c ! -name units.c -exec awk '
	{ text = $0; gsub(/%%/, "", text) }
	text ~ /"[^"]*%[-+ #0-9.*]*(hh|h|ll|l|L|z|j|t)?[aAeEfFgGnopCSm+ #\047][^"]*"/ { print FILENAME ":" FNR ": " $0 }
' {} +) || exit 2
[ -n "$found" ] || exit 0
echo "$found"
echo "the agent's own snprintf does not know this conversion: common/compact_printf.h"
exit 1
