#!/bin/sh
# SPDX-License-Identifier: MIT
# emulated.sh EMULATOR MACHINE AGENT DRIVER - runs a test of the agent with one for another
# processor; MACHINE is what uname calls it there.
set -u
if ! [ -e "$3" ]; then
	echo "skipped: ${3##*/} was not built: its cross compiler or musl library is missing (sudo scripts/agents)"
	exit 77
fi
emulator=$(command -v "$1" || command -v "$1-static")
if [ -z "$emulator" ]; then
	echo "skipped: there is no $1 (Debian: qemu-user)"
	exit 77
fi
wrapper=$(mktemp -d /tmp/vnm-emulated-XXXXXX) || exit 1
trap 'rm -rf "$wrapper"' EXIT
trap 'exit 1' INT TERM HUP
# The driver copies, reads and starts its agent as one file: this one.
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$emulator" "$3" >"$wrapper/agent"
chmod 755 "$wrapper/agent"
"$4" "$wrapper/agent" "$2"
