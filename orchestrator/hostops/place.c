/* SPDX-License-Identifier: MIT */
#include "hostops/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/attr.h"
#include "common/hex.h"
#include "hostops/machine.h"

#define NAME_HEAD ".vnm-"

/* As the shell reads them. Memory comes late: a busy host may want its own. The pools of a
 * storage appliance are last: their folders are somebody's data. */
static const char *const places[] = {"\"/tmp\"",     "\"/var/tmp\"", "\"$HOME\"",
                                     "\"/dev/shm\"", "\"/run\"",     "/mnt/*"};

/* The name of an agent that is compiled there, in the marked lines and the script. */
#define SOURCE "source"

/* Beyond the source's own size: what comes of it, and the compiler's own files. */
#define COMPILE_ROOM_BYTES ((size_t)2 << 20)

/*
 * $m marker, $n name, $f places to pass over, $k kind of host, $i agent that fits, $b its
 * file, $z size, $r room that it needs, $h SHA-256, $c compiler, $p its process while it runs,
 * $t place, $d folder while there is one.
 */
static const char functions_script[] =
	"say() { echo; echo \"$m $*\"; }; "
	"no() { say no \"${t:-HOME}: $*\"; }; "
	"clean() { test -z \"$p\" || kill $p 2>/dev/null; test -z \"$d\" || rm -rf \"$d\" || { "
	"sleep 1; rm -rf \"$d\"; }; }; "
	"sum() { g=; for x in sha256sum \"sha256 -q\" \"shasum -a 256\" \"openssl dgst -sha256\"; "
	"do "
	"command -v ${x%% *} >/dev/null 2>&1 || continue; g=$($x <\"$1\" 2>&1); break; done; }; "
	"d=; p=; trap clean 0; trap \"exit 1\" 1 2 13 15; "
	"k=$(uname -s 2>/dev/null)/$(uname -m 2>/dev/null); i=; ";

/* Only when no agent fits. */
static const char compiler_script[] =
	"if test -z \"$i\"; then c=; for x in cc gcc clang; do "
	"command -v $x >/dev/null 2>&1 || continue; c=$x; break; done; "
	"if test -n \"$c\"; then ";
static const char compiler_script_end[] = "fi; fi; ";

/*
 * head -c never reads past $z: GNU's asks for no more, and where another's buffer
 * might, nothing more is sent before the agent greets. Whether a place has room is told
 * by filling it, and whether it executes by executing: first a script, before anything is
 * sent, then the agent itself.
 */
static const char place_script[] =
	"test -n \"$i\" || { say none \"$k\"; exit 1; }; "
	"for t in $PLACES; do "
	"case $t in /mnt/*) test -d \"$t\" || continue ;; esac; "
	"test $f -eq 0 || { f=$((f - 1)); continue; }; "
	"test -d \"$t\" || { no no such folder; continue; }; "
	"d=$t/$n; "
	"e=$(mkdir -m 700 \"$d\" 2>&1) || { no \"$e\"; d=; continue; }; "
	"e=$(head -c $r /dev/zero 2>&1 >\"$d/$b\") || { no \"$e\"; clean; d=; continue; }; "
	"e=$({ echo exit 0 >\"$d/probe\" && chmod 700 \"$d/probe\" && \"$d/probe\"; } 2>&1) || "
	"{ no \"cannot execute there: $e\"; clean; d=; continue; }; "
	"rm -f \"$d/probe\"; break; done; "
	"test -n \"$d\" || { say end $k; exit 1; }; "
	"say go $i \"$d\"; "
	"e=$(head -c $z 2>&1 >\"$d/$b\"); "
	"s=$(wc -c <\"$d/$b\") 2>/dev/null; "
	"test $s -eq $z 2>/dev/null || { no \"upload: ${e:-$s of $z bytes came}\"; exit 1; }; "
	"sum \"$d/$b\"; "
	"case $g in \"\") u=unchecked ;; *$h*) u=sha256 ;; "
	"*) no \"SHA-256 of the upload differs: $g\"; exit 1 ;; esac; ";

/*
 * The compiler's own files are in the folder, too, and none of its processes works for longer
 * than a bound that it cannot change. A line a second shows that it works, and ends the script
 * when nobody is there to read it. What comes of the source is told by its SHA-256. A compiler
 * that fails without a word may have had no room for its words, so another place is tried.
 * (`jobs`, since the variable with the process has a character in its name that not every login
 * shell hands on.)
 */
static const char compile_script[] =
	"if test $i = " SOURCE "; then "
	"test $u = sha256 || { say stop \"cannot compile the agent there: the host has none of "
	"sha256sum, sha256, shasum and openssl to verify its source with\"; exit 1; }; "
	"(cd \"$d\" && { ulimit -t $l 2>/dev/null || :; } && TMPDIR=$d && export TMPDIR && "
	"exec $c -std=gnu11 -O2 -pthread -o vnm-agent vnm-agent.c -lm) "
	">\"$d/said\" 2>&1 </dev/null & jobs -p >\"$d/pid\"; read -r p <\"$d/pid\"; w=0; "
	"while kill -0 $p 2>/dev/null && test $w -lt $l; do say wait; sleep 1; w=$((w + 1)); done; "
	"if kill -0 $p 2>/dev/null; then say stop \"$c did not compile the agent in $l s\"; exit "
	"1; fi; "
	"wait $p; q=$?; p=; "
	"test $q -eq 0 && test -s \"$d/vnm-agent\" || { "
	"e=$(grep -i error \"$d/said\" | head -n 1); test -n \"$e\" || e=$(head -n 1 \"$d/said\"); "
	"test -n \"$e\" || e=\"no room? It ended with status $q without a word\"; "
	"case $e in *\"o space left\"* | \"no room?\"*) no \"$c: $e\" ;; "
	"*) say stop \"$c cannot compile the agent there (status $q): $e\" ;; esac; exit 1; }; "
	"rm -f \"$d/$b\" \"$d/said\" \"$d/pid\"; sum \"$d/vnm-agent\"; u=\"compiled $g\"; "
	"else u=\"binary $u\"; fi; ";

/* In its own folder: a shell that takes another machine's program for a script could write
 * files where it is. */
static const char run_script[] =
	"chmod 700 \"$d/vnm-agent\"; "
	"e=$(cd \"$d\" && \"$d/vnm-agent\" --version 2>&1 </dev/null); q=$?; "
	"test $q -eq 0 || { say bad $q \"$t: $e\"; exit 1; }; "
	"say run $u; "
	"exec \"$d/vnm-agent\" --self \"$d/vnm-agent\" --home \"$d\"";

/* $d folder, $n the folder's name, $p process id. The agent is known by its arguments,
 * since its id may be another process's by now. */
static const char sweep_script[] =
	"if test $p -gt 0 && { cat /proc/$p/cmdline || ps -p $p -o args; } 2>/dev/null | "
	"grep -q -F \"$n\"; then kill -9 $p; fi; rm -rf \"$d\"";

bool place_name(char out[PLACE_NAME_BYTES], struct err *err)
{
	unsigned char bytes[8];
	char hex[2 * sizeof(bytes) + 1];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set_errno(err, errno, "random numbers");
	hex_format(bytes, sizeof(bytes), hex);
	(void)snprintf(out, PLACE_NAME_BYTES, NAME_HEAD "%s", hex);
	return true;
}

void place_add_list(struct text *script)
{
	for (size_t i = 0; i < COUNT_OF(places); i++)
		text_printf(script, "%s%s", i == 0 ? "" : " ", places[i]);
}

static void add_agent(struct text *out, const struct place_agent *agent)
{
	bool is_source = agent->machine == NULL;

	text_printf(out, "b=%s; z=%zu; r=%zu; h=%s; ", is_source ? "vnm-agent.c" : "vnm-agent",
	            agent->size_bytes, agent->size_bytes + (is_source ? COMPILE_ROOM_BYTES : 0),
	            agent->sha256);
}

/* Which agent fits this kind of host. */
static void add_choice(struct text *out, const struct place_request *request)
{
	text_add(out, "case $k in ");
	for (size_t i = 0; i < request->agent_count && !request->is_source_only; i++) {
		const struct place_agent *agent = &request->agents[i];

		text_printf(out, "%s) i=%zu; ", machine_pattern(agent->machine), i);
		add_agent(out, agent);
		text_add(out, ";; ");
	}
	text_add(out, "esac; ");
	if (request->source == NULL)
		return;
	text_add(out, compiler_script);
	text_add(out, "i=" SOURCE "; ");
	add_agent(out, request->source);
	text_add(out, compiler_script_end);
}

/* The script with its one variable part, the list of places. */
static void add_place(struct text *out)
{
	const char *list = strstr(place_script, "$PLACES");

	text_add_bytes(out, place_script, (size_t)(list - place_script));
	place_add_list(out);
	text_add(out, list + strlen("$PLACES"));
}

bool place_command(struct text *out, const struct place_request *request, struct err *err)
{
	struct text script = {0};
	bool ok;

	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, request->marker);
	text_printf(&script, "n=%s; f=%zu; ", request->name, request->first);
	text_add(&script, functions_script);
	add_choice(&script, request);
	add_place(&script);
	if (request->source != NULL) {
		text_printf(&script, "l=%u; ", PLACE_COMPILE_S);
		text_add(&script, compile_script);
	} else {
		text_add(&script, "u=\"binary $u\"; ");
	}
	text_add(&script, run_script);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

/* "1 /tmp/.vnm-0123456789abcdef", "source /run/..." */
bool place_read_go(const char *said, size_t agent_count, size_t *agent, const char **folder)
{
	size_t number = 0;
	const char *at = said;

	if (strncmp(said, SOURCE " ", strlen(SOURCE " ")) == 0) {
		*agent = PLACE_SOURCE;
		*folder = said + strlen(SOURCE " ");
		return true;
	}
	for (; *at >= '0' && *at <= '9' && number < agent_count; at++)
		number = number * 10 + (size_t)(*at - '0');
	if (at == said || *at != ' ' || number >= agent_count)
		return false;
	*agent = number;
	*folder = at + 1;
	return true;
}

bool place_sweep_command(struct text *out, const char *folder, uint32_t pid, struct err *err)
{
	const char *slash = strrchr(folder, '/');
	struct text script = {0};
	bool ok;

	if (slash == NULL || strncmp(slash + 1, NAME_HEAD, strlen(NAME_HEAD)) != 0 ||
	    strlen(slash + 1) + 1 != PLACE_NAME_BYTES)
		return err_set(err, ERR_INPUT, "%s is no folder of an agent", folder);
	text_add(&script, SHELL_PROLOGUE);
	text_printf(&script, "p=%" PRIu32 "; d=", pid);
	ok = shell_word(&script, folder, err);
	text_add(&script, "; n=");
	ok = ok && shell_word(&script, slash + 1, err);
	text_add(&script, "; ");
	text_add(&script, sweep_script);
	ok = ok && shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}
