#!/bin/sh
# Fails when a source file does not begin with its licence. usage: spdx.sh SOURCE_DIR
cd "$1" || exit 2
find common agent orchestrator schemas tests bench \( -name '*.[ch]' -o -name '*.def' \) \
	-exec awk 'FNR == 1 && $0 != "/* SPDX-License-Identifier: MIT */" {
		print FILENAME ": the first line must be /* SPDX-License-Identifier: MIT */"
	}' {} + 2>/dev/null | grep . && exit 1
exit 0
