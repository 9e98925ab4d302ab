#!/bin/sh
# Plants violations in a small tree and fails when a lint test does not see one,
# or sees one where there is none. usage: selftest.sh SOURCE_DIR
source=$1
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
bad=0
checks=0

fresh() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/tests/lint" "$tree/schemas" || exit 2
	cp "$source"/tests/lint/*.sh "$source"/tests/lint/*.txt "$source"/tests/lint/*.awk \
		"$tree/tests/lint/" || exit 2
	cp "$source/.clang-format" "$tree/" || exit 2
	for part in common/err agent/platform/platform agent/output agent/control orchestrator/config/field \
		orchestrator/topology/topology orchestrator/topology/rules \
		orchestrator/run/result orchestrator/store/store; do
		mkdir -p "$tree/${part%/*}"
		name=${part#orchestrator/}
		guard=$(echo "$name" | tr 'a-z/' 'A-Z_')_H
		printf '/* SPDX-License-Identifier: MIT */\n#ifndef %s\n#define %s\n#endif\n' \
			"$guard" "$guard" >"$tree/$part.h"
		printf '/* SPDX-License-Identifier: MIT */\n#include "%s.h"\n' "$name" >"$tree/$part.c"
	done
}

# expect TEST RESULT TEXT: the test passes (0) or fails (1), and prints TEXT.
expect() {
	checks=$((checks + 1))
	out=$(sh "$tree/tests/lint/$1.sh" "$tree" 2>&1)
	rc=$?
	[ $rc = 77 ] && { echo "$1: $out"; return; }
	[ $rc = 0 ] && got=0 || got=1
	if [ "$got" != "$2" ] || ! printf '%s\n' "$out" | grep -qF -e "$3"; then
		echo "$1: expected result $2 with '$3', got $rc:"
		echo "$out"
		bad=1
	fi
}

# plant TEST FILE TEXT LINE: adds LINE to FILE of a fresh tree; TEST must see it.
plant() {
	fresh
	mkdir -p "$tree/${2%/*}"
	[ -e "$tree/$2" ] || echo '/* SPDX-License-Identifier: MIT */' >"$tree/$2"
	printf '%s\n' "$4" >>"$tree/$2"
	expect "$1" 1 "$3"
}

# harmless TEST FILE LINE: the same, but there is nothing to see.
harmless() {
	fresh
	printf '%s\n' "$3" >>"$tree/$2"
	expect "$1" 0 ''
}

fresh
for test in layers forbidden formats headers format shell spdx size; do
	expect $test 0 ''
done

plant layers common/err.c 'common may not include orchestrator/config' '#include "config/field.h"'
plant layers common/err.c 'common/err.c:3: ' '#  include "config/field.h"'
plant layers orchestrator/run/result.c 'orchestrator/run may not include orchestrator/store' \
	'#include "store/store.h"'
plant layers orchestrator/store/store.c 'orchestrator/store may not include orchestrator/config' \
	'#include "config/field.h"'
plant layers orchestrator/run/result.c 'may not include orchestrator/topology' \
	'#include "topology/rules.h"'
plant layers agent/platform/platform.c 'may not include orchestrator/run' \
	'#include "orchestrator/run/result.h"'
plant layers orchestrator/run/result.c 'topology.h does not exist' '#include "topology.h"'
plant layers orchestrator/magic/wand.c 'part orchestrator/magic is not in' '#include "common/err.h"'
plant layers tests/lint/layers.txt 'common is listed twice' 'common: agent'
fresh
sed -i 's/^common:$/common: agent/' "$tree/tests/lint/layers.txt"
expect layers 1 'common may not use agent, which is not above it'
plant layers agent/output.c 'agent/output may not include agent/control' '#include "agent/control.h"'
plant layers agent/magic.c 'part agent is not in' '#include "common/err.h"'
harmless layers agent/control.c '#include "agent/output.h"'
harmless layers orchestrator/run/result.c '#include "topology/topology.h"'
harmless layers orchestrator/store/store.c '#include "run/result.h"'

plant formats agent/output.c 'does not know this conversion' 'set(f, "%.1f Mbit/s", x);'
plant formats common/err.c 'common/err.c:3: ' 'set(f, "at %p", x);'
harmless formats agent/output.c 'set(f, "%.*s of %5" PRIu64 " are 100%% of %-8zx, %lld%%", x);'

plant forbidden common/err.c 'errors rise, they do not exit' 'exit(1);'
plant forbidden orchestrator/run/result.c 'settings arrive as arguments' 'x = getenv("HOME");'
plant forbidden agent/platform/platform.c 'tests replace the clock' '	if (clock_gettime(0, &now))'
plant forbidden common/err.c 'no safe use' 'strcpy(a, b);'
plant forbidden common/err.c 'no safe use' 'n = sprintf(a, "x");'
plant forbidden common/err.c 'printed in one place' 'printf("x");'
plant forbidden common/err.c 'printed in one place' 'fprintf(stderr, "x");'
plant forbidden orchestrator/run/result.c 'knows SQLite' '#include <sqlite3.h>'
plant forbidden orchestrator/run/result.c 'know libssh' '#include <libssh/libssh.h>'
plant forbidden orchestrator/run/result.c 'knows libyaml' '#include <yaml.h>'
plant forbidden agent/platform/platform.c 'chosen by file' '#ifdef __linux__'
plant forbidden agent/platform/platform.c 'chosen by file' '# if defined(__FreeBSD__)'
plant forbidden common/err.c 'an issue, or nothing' '/* TO''DO: later */'
plant forbidden common/err.c 'common/err.c:3: ' '/* text */ exit(1); /* text */'
plant forbidden common/err.c 'no safe use' 'x = "/*"; strcpy(a, "*/");'
harmless forbidden common/err.c '/* exit(1) would be wrong, and so would system(). */'
harmless forbidden common/err.c 'snprintf(a, n, "exit(1)"); my_exit(1); // exit(1)'
harmless forbidden orchestrator/store/store.c '#include <sqlite3.h>'

plant headers common/err.h 'common/err.h: does not compile alone' 'size_t length(void);'
plant headers common/err.h 'common/err.h: does not compile alone' 'struct twice { int a; };'
fresh
printf '#include <stdio.h>\n#include "common/err.h"\n' >"$tree/common/err.c"
expect headers 1 'common/err.c: includes stdio.h before its own header'

plant format common/err.c 'common/err.c:3:' 'int  f( void );'
fresh
echo 'int x;' >"$tree/common/err.c"
expect spdx 1 'common/err.c: the first line must be'
fresh
yes '' | head -n 398 >>"$tree/common/err.c"
expect size 0 ''
echo >>"$tree/common/err.c"
expect size 1 'common/err.c: has more than 400 lines'
fresh
printf '#!/bin/sh\nls *\n' >"$tree/tests/script"
expect shell 1 'SC2035'
printf '#!/usr/bin/env bash\nx=1\n' >"$tree/tests/script"
expect shell 1 'SC2034'
printf '#!/usr/bin/perl\nls *\n' >"$tree/tests/script"
expect shell 0 ''

echo "$checks checks"
exit $bad
