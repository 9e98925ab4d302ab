/* SPDX-License-Identifier: MIT */
#include "hostops/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/hex.h"

#define NAME_HEAD ".vnm-"

/* As the shell reads them. Memory comes late: a busy host may want its own. */
static const char *const places[] = {"/tmp", "/var/tmp", "$HOME", "/dev/shm", "/run"};

/*
 * $m marker, $n name, $z size, $h SHA-256, $t place, $d folder while there is one.
 *
 * head -c never reads past $z: GNU's asks for no more, and where another's buffer
 * might, nothing more is sent before the agent greets. Whether a place has room is told
 * by filling it, and whether it executes by executing: first a script, before anything is
 * sent, then the agent itself.
 */
static const char place_script[] =
	"no() { echo; echo \"$m no ${t:-HOME}: $*\"; }; "
	"clean() { test -z \"$d\" || rm -rf \"$d\"; }; "
	"d=; trap clean 0; trap \"exit 1\" 1 2 13 15; "
	"for t in $PLACES; do "
	"test -d \"$t\" || { no no such folder; continue; }; "
	"d=$t/$n; "
	"e=$(mkdir -m 700 \"$d\" 2>&1) || { no \"$e\"; d=; continue; }; "
	"e=$(head -c $z /dev/zero 2>&1 >\"$d/vnm-agent\") || { no \"$e\"; clean; d=; continue; }; "
	"e=$({ echo exit 0 >\"$d/probe\" && chmod 700 \"$d/probe\" && \"$d/probe\"; } 2>&1) || "
	"{ no \"cannot execute there: $e\"; clean; d=; continue; }; "
	"rm -f \"$d/probe\"; break; done; "
	"test -n \"$d\" || exit 1; "
	"echo; echo \"$m go $d\"; "
	"e=$(head -c $z 2>&1 >\"$d/vnm-agent\"); "
	"s=$(wc -c <\"$d/vnm-agent\") 2>/dev/null; "
	"test $s -eq $z 2>/dev/null || { no \"upload: ${e:-$s of $z bytes came}\"; exit 1; }; "
	"g=; for c in sha256sum \"sha256 -q\" \"openssl dgst -sha256\"; do "
	"command -v ${c%% *} >/dev/null 2>&1 || continue; "
	"g=$($c <\"$d/vnm-agent\" 2>&1); break; done; "
	"case $g in \"\") u=unchecked ;; *$h*) u=sha256 ;; "
	"*) no \"SHA-256 of the upload differs: $g\"; exit 1 ;; esac; "
	"chmod 700 \"$d/vnm-agent\"; "
	"e=$(\"$d/vnm-agent\" --version 2>&1 </dev/null) || "
	"{ no \"cannot execute the agent: $e\"; exit 1; }; "
	"echo; echo \"$m run $u\"; "
	"exec \"$d/vnm-agent\" --self \"$d/vnm-agent\" --home \"$d\"";

/* $d folder, $n the folder's name, $p process id. The agent is known by its arguments,
 * since its id may be another process's by now. */
static const char sweep_script[] =
	"if test $p -gt 0 && { cat /proc/$p/cmdline || ps -p $p -o args; } 2>/dev/null | "
	"grep -q -F \"$n\"; then kill -9 $p; fi; rm -rf \"$d\"";

/* Messages in one language, files for us alone, tools found wherever they are. */
static const char common_script[] = "LC_ALL=C; export LC_ALL; umask 077; "
				    "PATH=$PATH:/usr/bin:/bin:/usr/sbin:/sbin; export PATH; ";

size_t place_count(void)
{
	return COUNT_OF(places);
}

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

/* Adds the script with its one variable part, the list of places. */
static void add_place_script(struct text *out, size_t first)
{
	const char *list = strstr(place_script, "$PLACES");

	text_add_bytes(out, place_script, (size_t)(list - place_script));
	for (size_t i = first; i < COUNT_OF(places); i++)
		text_printf(out, "%s\"%s\"", i == first ? "" : " ", places[i]);
	text_add(out, list + strlen("$PLACES"));
}

bool place_command(struct text *out, const struct place_request *request, struct err *err)
{
	struct text script = {0};
	bool ok;

	text_add(&script, common_script);
	shell_marker_define(&script, request->marker);
	text_printf(&script, "n=%s; z=%zu; h=%s; ", request->name, request->size_bytes,
	            request->sha256);
	add_place_script(&script, request->first);
	ok = shell_command(out, text_str(&script), err);
	text_done(&script);
	return ok;
}

bool place_sweep_command(struct text *out, const char *folder, uint32_t pid, struct err *err)
{
	const char *slash = strrchr(folder, '/');
	struct text script = {0};
	bool ok;

	if (slash == NULL || strncmp(slash + 1, NAME_HEAD, strlen(NAME_HEAD)) != 0 ||
	    strlen(slash + 1) + 1 != PLACE_NAME_BYTES)
		return err_set(err, ERR_INPUT, "%s is no folder of an agent", folder);
	text_add(&script, common_script);
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
