#!/bin/bash
# SPDX-License-Identifier: MIT
# install.sh BUILD - what `cmake --install` makes works wherever it is moved to: vnm finds the
# agents that were built and their source, and its man pages are there.
set -u
BUILD=$1
export LC_ALL=C
WORK=$(mktemp -d /tmp/install-test-XXXXXX) || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP
FAILED=0
is() { # WHAT WANTED GOT
	[ "$2" = "$3" ] || {
		FAILED=1
		printf 'FAIL  %s: wanted\n%s\ngot\n%s\n' "$1" "$2" "$3"
	}
}
json() { sqlite3 :memory: "select json_extract(cast(readfile('$WORK/out') as text), '\$.$1')"; }

DESTDIR=$WORK/first cmake --install "$BUILD" --prefix /usr/local >"$WORK/log" 2>&1 || {
	cat "$WORK/log"
	exit 1
}
mv "$WORK/first" "$WORK/second"
cd "$WORK/second/usr/local" || exit 1
is 'the man pages' 'share/man/man1/vnm.1 share/man/man5/vnm-topology.5 share/man/man8/vnm-agent.8' \
	"$(find share -type f | sort | tr '\n' ' ' | sed 's/ $//')"
vnm=$(readlink -f bin/vnm)
agent=$(find "$PWD" -name vnm-agent)
folder=$(dirname "$agent")
is 'every agent that was built, and the source' \
	"$(cd "$BUILD/agent" && find . -maxdepth 1 -name 'vnm-agent*' ! -name '*-san' -type f | sort)" \
	"$(cd "$folder" && find . -type f | sort)"

cd "$WORK" || exit 1
# the other host need not be there
cat >lab.yaml <<'Y'
version: 1
hosts:
  me: { kind: baremetal, connection: local, nics: { lo: { ip: 127.0.0.1 } } }
  away: { kind: baremetal, mgmt: 127.0.0.3, ssh: { port: 1, config: none }, nics: { eth0: { ip: 127.0.0.2 } } }
profiles:
  one: { pairs: [[me.lo, away.eth0]], fixed: { mtu: unchanged, streams: 1, window: default } }
Y
"$vnm" check --hosts --json lab.yaml >out 2>err
is 'no cell can be measured' 4 $?
is 'its agent runs' "$(sha256sum <"$agent" | cut -d' ' -f1)" "$(json 'hosts[0].agent.sha256')"
[ "$FAILED" = 0 ] || cat err
exit "$FAILED"
