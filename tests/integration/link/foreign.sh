#!/bin/bash
# SPDX-License-Identifier: MIT
# foreign.sh PROBE AGENT VNM - hosts with another processor: an aarch64 host gets its own agent,
# runs it and is measured; where no agent fits the source is compiled on the host, or the reason
# is told; nothing stays, whatever ends in the middle of that.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
VNM=$3 AGENTS=$(dirname "$2")
lab_up pair.spec

# lives_as HOST MACHINE [EMULATOR CLASS ELF]: the tools of root's login shell there see MACHINE.
# With an emulator, programs of that class and number in their ELF header run by it: the kernel is
# told so in a user namespace of that shell, and of nobody else.
lives_as() {
	# shellcheck disable=SC2016
	lab exec "$1" sh -c '
		mkdir -p /etc/ssh/tools /etc/ssh/binfmt && cd /etc/ssh/tools || exit 1
		printf "%s\n" "#!/bin/sh" "test \"\$1\" != -m || { echo $1; exit; }" \
			"exec /usr/bin/uname \"\$@\"" >uname
		printf "%s\n" "#!/bin/sh" "export PATH=/etc/ssh/tools:\$PATH" >shell
		if [ -n "$2" ]; then
			magic="\\x7fELF\\x$3\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\x$4\\x00"
			mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
			printf "%s\n" ":emulated:M::$magic:$mask:$2:" >rule
			printf "%s\n" "mount -t binfmt_misc none /etc/ssh/binfmt || exit 1" \
				"cat /etc/ssh/tools/rule >/etc/ssh/binfmt/register || exit 1" \
				"exec sh \"\$@\"" >inner
			printf "%s\n" "exec unshare -U -r -m sh /etc/ssh/tools/inner \"\$@\"" >>shell
		else
			printf "%s\n" "exec sh \"\$@\"" >>shell
		fi
		chmod 755 uname shell
		sed "s#^\(root:.*:\)[^:]*\$#\1/etc/ssh/tools/shell#" /etc/passwd >/run/netlab/passwd &&
			cat /run/netlab/passwd >/etc/passwd' sh "$2" "${3:-}" "${4:-}" "${5:-}"
}

# emulated HOST MACHINE EMULATOR CLASS ELF: the host becomes one with that processor, in all but
# the hardware, gets its own agent and runs it. False when that cannot be tried.
emulated() {
	local name=$1 machine=$2 agent=$AGENTS/vnm-agent-${2%l} emulator
	emulator=$(command -v "$3" || command -v "$3-static")
	if [ ! -e "$agent" ]; then
		echo "skipped: no $machine host: its agent was not built (sudo scripts/agents)"
		return 1
	elif [ -z "$emulator" ]; then
		echo "skipped: no $machine host: there is no $3 (Debian: qemu-user)"
		return 1
	elif ! unshare -U -r -m mount -t binfmt_misc none "$WORK" 2>/dev/null; then
		echo "skipped: no $machine host: this kernel has no binfmt_misc of a user namespace's own (Linux 6.7)"
		return 1
	fi
	lives_as "$name" "$machine" "$emulator" "$4" "$5"
	probe "$(only "$name")" -f -w 400 "${MORE[@]}" || fail "a host with $machine comes up"
	says "its own agent runs" " linux $machine pid "
	says "as it was sent" " us, binary"
	says "it tells facts" "fact $name os.kernel="
	clean "nothing is left" "$name"
}

MORE=(-m "$AGENTS/vnm-agent.c")
for agent in "$AGENTS"/vnm-agent-aarch64 "$AGENTS"/vnm-agent-armv7; do
	[ ! -e "$agent" ] || MORE+=(-m "$agent")
done
emulated pc1 armv7l qemu-arm 01 28
if emulated esx1 aarch64 qemu-aarch64 02 b7; then
	# and a test with a host of our own kind, by the program itself
	sed "s#^store: .*#store: $WORK/results.db#" "$CLIENT/lab.yaml" >"$WORK/lab.yaml"
	timeout 100 "$NETLAB" exec ctl "$VNM" run "$WORK/lab.yaml" smoke --yes >"$OUT" 2>&1 || fail "an aarch64 host is measured"
	said=$(sqlite3 "$WORK/results.db" "SELECT group_concat(host||' '||key||' '||value, '; ') FROM
		(SELECT h.name AS host, f.key, f.value FROM facts f JOIN hosts h USING (host_id)
		WHERE f.key IN ('agent.arch', 'agent.origin', 'agent.folder') AND h.name = 'esx1' ORDER BY f.key)")
	[ "$said" = "esx1 agent.arch aarch64; esx1 agent.folder /tmp; esx1 agent.origin binary" ] ||
		fail "what ran there is a fact: $said"
	[ "$(sqlite3 "$WORK/results.db" "SELECT count(*) FROM v_latest WHERE gbps > 0")" = 1 ] || fail "there is a figure"
	clean "nothing is left by the run" esx1
fi

# ---- no agent fits: the source
pick() { # HOST OPTION...
	local host=$1
	shift
	probe "$(only "$host")" "$@"
}
source=$AGENTS/vnm-agent.c
lives_as vm11 riscv64
pick vm11 -f -w 400 -m "$source" || fail "the source is compiled"
says "and what came of it runs" " up vm11 agent "
says "and is told" " us, compiled"
says "it knows Linux" " linux $(uname -m) pid "
says "it tells facts" "fact vm11 os.kernel="
clean "nothing is left by compiling" vm11

# the host is not what its tools say: its kernel refuses the agent
if [ -e "$AGENTS/vnm-agent-aarch64" ] && [ "$(uname -m)" = x86_64 ]; then
	lives_as vm11 aarch64
	pick vm11 -m "$AGENTS/vnm-agent-aarch64" -m "$source" || fail "the source helps when the agent does not run"
	says "it is compiled" " us, compiled"
	pick vm11 -m "$AGENTS/vnm-agent-aarch64"
	says "without the source it is told" "vm11: the agent for aarch64 does not run on the host: it is for another kind of machine (Exec format error)"
	clean "nothing is left by an agent that does not run" vm11
fi
lives_as vm11 aarch64
pick vm11
says "an agent that was not built" "vm11: there is no agent for Linux/aarch64: build vnm with its agent for aarch64 (scripts/agents)"

# ---- a compiler that has no room even for its words
lives_as vm11 riscv64
# shellcheck disable=SC2016
lab exec vm11 sh -c 'printf "%s\n" "#!/bin/sh" "case \$PWD in /tmp/*) exit 1 ;; esac" "exec gcc \"\$@\"" >/etc/ssh/tools/cc
	chmod 755 /etc/ssh/tools/cc'
pick vm11 -m "$source" || fail "another folder has room"
says "the source is compiled there" " us, compiled"
lab exec vm11 sh -c 'printf "%s\n" "#!/bin/sh" "exit 0" >/etc/ssh/tools/cc'
pick vm11 -m "$source" && fail "a compiler that makes nothing"
says "it is told" "/tmp: cc: no room? It ended with status 0 without a word; /var/tmp: cc: no room?"
clean "nothing is left by it" vm11
lab exec vm11 rm /etc/ssh/tools/cc

# ---- the middle of it: a compiler that takes its time
lives_as vm11 riscv64
# shellcheck disable=SC2016
lab exec vm11 sh -c 'printf "%s\n" "#!/bin/sh" "sleep 4" "exec gcc \"\$@\"" >/etc/ssh/tools/cc; chmod 755 /etc/ssh/tools/cc'
compiling() { # in the background; the driver's pid is in $driver
	"$NETLAB" exec ctl "$PROBE" -i "$CLIENT/id_lab" -k "$CLIENT/known_hosts" -m "$source" "$AGENT" "$WORK/only-vm11" \
		>"$OUT" 2>&1 &
	driver=$!
	for _ in $(seq 100); do
		sleep 0.05
		[ -z "$(lab exec vm11 find /tmp -path '*/.vnm-*' -name pid)" ] || return 0
	done
	fail "compiling begins"
}
compiling
kill -KILL $driver
wait $driver 2>/dev/null
clean "the folder goes with the orchestrator killed in mid-compile" vm11
compiling
lab kill-sshd vm11 sessions
wait $driver
says "a session that ends in mid-compile is told" "vm11: compile the agent there: the SSH connection was closed"
clean "the folder goes with a session killed in mid-compile" vm11
compiling
wait $driver || fail "a slow compiler is waited for"
says "it comes to its end" " us, compiled"
clean "nothing is left by a slow compiler" vm11

# ---- no compiler
lab exec vm11 rm /etc/ssh/tools/cc
lab userland vm11 busybox
pick vm11 -m "$source"
says "no compiler" "vm11: there is no agent for Linux/riscv64, and the host has no C compiler to make one: install cc, gcc or clang there"
lab userland vm11 full
lives_as vm11 aarch64
lab userland vm11 busybox
pick vm11 -m "$source"
says "no compiler, and what else would do" "install cc, gcc or clang there, or build vnm with its agent for aarch64 (scripts/agents)"
clean "nothing is left where nothing runs" vm11
finish
