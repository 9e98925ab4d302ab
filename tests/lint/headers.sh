#!/bin/sh
# Fails when a header does not compile alone, or not twice in one file, or when a
# source file does not include its own header first. usage: headers.sh SOURCE_DIR
cd "$1" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
compilers=
for compiler in gcc clang; do
	command -v $compiler >/dev/null 2>&1 && compilers="$compilers $compiler"
done
[ -n "$compilers" ] || { echo "neither gcc nor clang is installed"; exit 77; }

# Those who include a header of another project need its folder.
packages=
for package in libssh sqlite3 yaml-0.1; do
	pkg-config --exists $package 2>/dev/null && packages="$packages $package"
done
# shellcheck disable=SC2086 # several words
outside=$([ -z "$packages" ] || pkg-config --cflags $packages)

cat >"$dir/one" <<'EOF'
header=$1
name=${header#orchestrator/}
for compiler in $COMPILERS; do
	printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
		$compiler -std=c11 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Werror \
			-I. -Iorchestrator -Iagent $OUTSIDE -x c - >"$2" 2>&1 && continue
	echo "$header: does not compile alone with $compiler:"
	cat "$2"
	exit 1
done
EOF
bad=0
find common agent orchestrator tests -name '*.h' | sort >"$dir/headers"
[ -s "$dir/headers" ] || { echo "no headers in $1"; exit 2; }
n=0
while read -r header; do
	n=$((n + 1))
	echo "$header $dir/out.$n"
done <"$dir/headers" |
	COMPILERS=$compilers OUTSIDE=$outside xargs -P 2 -n 2 sh "$dir/one" || bad=1

find common agent orchestrator -name '*.c' | sort >"$dir/sources"
while read -r source; do
	own=${source%.c}.h
	[ -e "$own" ] || continue
	first=$(sed -n 's/^#include ["<]\([^">]*\)[">].*/\1/p' "$source" | head -n 1)
	case $own in
	"$first" | orchestrator/"$first" | agent/"$first") ;;
	*) echo "$source: includes $first before its own header"; bad=1 ;;
	esac
done <"$dir/sources"
exit $bad
