#!/bin/sh
# Fails when mandoc finds fault with a man page. usage: lint.sh SOURCE_DIR
command -v mandoc >/dev/null || exit 77
bad=0
for page in "$1"/docs/man/*.[1-9]; do
	# That this machine's index of pages is old, or has none of ours, is no fault of the page.
	mandoc -T lint -W style "$page" 2>&1 | grep -v -e 'mandoc.db' -e 'not found: Xr vnm' && bad=1
done
exit $bad
