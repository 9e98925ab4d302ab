#!/bin/sh
# SPDX-License-Identifier: MIT
# source.sh SOURCE DRIVER COMPILER [FLAG...] - the one-file source compiles without a warning,
# and what comes of it passes a test of the agent.
set -u
source=$1 driver=$2 compiler=$3
shift 3
if ! command -v "$compiler" >/dev/null; then
	echo "skipped: there is no $compiler"
	exit 77
fi
folder=$(mktemp -d /tmp/vnm-source-XXXXXX) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP
"$compiler" "$@" -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -o "$folder/agent" "$source" -lm || exit 1
"$folder/agent" --version
"$driver" "$folder/agent"
