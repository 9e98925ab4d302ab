#!/bin/sh
# Fails when the tables of docs/PROTOCOL.md are not those that schemas/protocol.def
# gives; with UPDATE=1 writes them anew. usage: protocol.sh PROTOCOL_DOC PAGE
page=$2
begin='<!-- tables: written by protocol_doc -->'
end='<!-- end of tables -->'
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
"$1" tables >"$dir/tables" || exit 2
[ "$(grep -cxF -e "$begin" -e "$end" "$page")" = 2 ] || {
	echo "$page: must have '$begin' and '$end', once each"
	exit 1
}
{
	sed "/^$begin\$/q" "$page"
	echo
	cat "$dir/tables"
	sed -n "/^$end\$/,\$p" "$page"
} >"$dir/page"
cmp -s "$dir/page" "$page" && exit 0
if [ "${UPDATE:-}" = 1 ]; then
	cp "$dir/page" "$page"
	exit
fi
diff -u "$page" "$dir/page"
echo "$page differs from schemas/protocol.def: run 'cmake --build BUILD_DIR -t protocol-doc'"
exit 1
