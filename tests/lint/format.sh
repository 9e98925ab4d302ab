#!/bin/sh
# Fails when clang-format would lay out a source file in another way. Versions
# differ in what they do, so it must be 14. usage: format.sh SOURCE_DIR
cd "$1" || exit 2
tool=
for name in clang-format-14 clang-format; do
	$name --version 2>/dev/null | grep -q 'version 14\.' && { tool=$name; break; }
done
[ -n "$tool" ] || { echo "skipped: clang-format 14 is not installed"; exit 77; }
bad=$(find common agent orchestrator tests bench -name '*.[ch]' 2>/dev/null | sort |
	xargs -P 2 -n 32 "$tool" --dry-run 2>&1 | sed -n 's/^\([^:]*:[0-9]*\):[0-9]*: warning:.*/\1/p' | sort -u -t : -k 1,1)
[ -z "$bad" ] && exit 0
echo "$bad" | sed "s/\([^:]*\):.*/&: not laid out as .clang-format says: $tool -i \1/"
exit 1
