#!/bin/sh
# Fails when docs/TROUBLES.md has a message that vnm does not print, or lacks one about reaching a
# host. usage: troubles.sh SOURCE_DIR
cd "$1" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
bad=0

# The texts of some files, one a line, as the compiler joins them. '"' begins none.
texts() {
	cat "$@" | tr '\n\t' '  ' | sed -e "s/'\"'/' '/g" -e 's/\\"/\x01/g' -e 's/" *PRI[a-z]*[0-9]* *"/u/g' -e 's/" *"//g' |
		grep -o '"[^"]*"' | tr '\001' '"'
}
texts orchestrator/*/*.c agent/*.c agent/*/*.c >"$work/texts"
texts orchestrator/remote/transport.h >>"$work/texts"

# shellcheck disable=SC2016  # ` is a character here
# The first cell of each row, as patterns: ... stands for anything.
sed -n 's/^| *\(`[^|]*`\) *|.*/\1/p' docs/TROUBLES.md | sed -e 's/^`*\( *\)//' -e 's/ *`*$//' >"$work/messages"
sed -e 's/[][\\.*^$]/\\&/g' -e 's/\(\\\.\)\{3,6\}/.*/g' "$work/messages" >"$work/patterns"
[ "$(wc -l <"$work/patterns")" -ge 60 ] || { echo "docs/TROUBLES.md: few messages are found in it" && bad=1; }
while read -r pattern; do
	grep -q -e "$pattern" "$work/texts" || { echo "docs/TROUBLES.md: no such message: $pattern" && bad=1; }
done <"$work/patterns"

# Every failure of a host on its way up, but for those inside the protocol or of libraries.
cat orchestrator/remote/*.c orchestrator/link/*.c | tr '\n\t' '  ' |
	sed -e 's/\\"/\x01/g' -e 's/" *PRI[a-z]*[0-9]* *"/u/g' -e 's/" *"//g' |
	grep -o 'err_set(err, *ERR_\(REMOTE\|TIMEOUT\), *"[^"]*"' | sed 's/.*, *"\(.*\)"$/\1/' | tr '\001' '"' >"$work/told"
[ "$(wc -l <"$work/told")" -ge 25 ] || { echo "few messages are found in the source" && bad=1; }
grep -v -x -F -f - "$work/told" <<'INSIDE' >"$work/open"
%.400s
%.500s
%s
%s: %s
%s: no answer in time
%s: %.200s: try: ssh -v %s
INSIDE
while read -r text; do
	echo "$text" | grep -q -f "$work/patterns" || { echo "docs/TROUBLES.md lacks: $text" && bad=1; }
done <"$work/open"
exit $bad
