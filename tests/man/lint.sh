#!/bin/sh
# Fails when mandoc finds fault with a man page. usage: lint.sh SOURCE_DIR
command -v mandoc >/dev/null || exit 77
bad=0
for page in "$1"/docs/man/*.[1-9]; do
	# That this machine's index of pages is old is no fault of the page.
	mandoc -T lint -W style "$page" 2>&1 | grep -v 'mandoc.db' && bad=1
done
exit $bad
