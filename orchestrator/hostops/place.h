/* SPDX-License-Identifier: MIT */
/*
 * place.h - the scripts that put an agent on a host and look after what it left.
 *
 * One command does it all: it sees what the host is and which agent fits it, makes a
 * private folder in the first place that takes files and executes them, reads the agent from
 * its standard input, checks it, and becomes the agent. Where no agent fits it reads the
 * source instead, and compiles it in that folder. Until it is the agent it removes the folder
 * itself, however it ends short of SIGKILL; from then on the agent does, as its first act.
 *
 * Each step says a marked line (shell.h):
 *	none KIND		no agent fits this kind of host ("Linux/sparc64"), nor can it
 *				compile one; the command ends
 *	no FOLDER: REASON	this place is not fit; the next one is tried, but after `go`
 *				the command ends, as its input is spent
 *	end			there is no other place; the command ends
 *	go AGENT FOLDER		send the agent's bytes now: see place_read_go()
 *	wait			the compiler works
 *	stop REASON		the command ends, and no other place would help
 *	bad STATUS FOLDER: SAID	the agent does not run there; the command ends
 *	run binary sha256|unchecked	checked, and executes; what follows is the agent's
 *	run compiled SUM	the same; SUM holds the SHA-256 of what was compiled
 */
#ifndef HOSTOPS_PLACE_H
#define HOSTOPS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/sha256.h"
#include "common/text.h"
#include "hostops/shell.h"

#define PLACE_NAME_BYTES 22 /* ".vnm-", 16 hex digits, NUL */

#define PLACE_SOURCE    SIZE_MAX
#define PLACE_COMPILE_S 120u /* for the compiler, on the host */

/* A file that can be sent. */
struct place_agent {
	const char *machine; /* that it is for, from machine.h; NULL: it is the source */
	size_t size_bytes;
	const char *sha256; /* hex */
};

struct place_request {
	const struct shell_marker *marker;
	const char *name; /* of the folder, from place_name() */
	size_t first;     /* places to pass over */
	const struct place_agent *agents;
	size_t agent_count;
	const struct place_agent *source; /* NULL: none */
	bool is_source_only;              /* no agent is any good there */
};

/* Adds the places to a script, as the words of a `for` loop. */
void place_add_list(struct text *script);

/* A new name that nobody can guess. */
bool place_name(char out[PLACE_NAME_BYTES], struct err *err) NODISCARD;

/* Adds the command to out. */
bool place_command(struct text *out, const struct place_request *request,
                   struct err *err) NODISCARD;

/* Reads what follows `go`: which of the agents is wanted, or PLACE_SOURCE, and the folder. */
bool place_read_go(const char *said, size_t agent_count, size_t *agent,
                   const char **folder) NODISCARD;

/*
 * Adds a command that ends the agent `pid` of `folder` if it still runs (0: not known)
 * and removes the folder if it is still there. False when the folder's name is not one
 * of place_name().
 */
bool place_sweep_command(struct text *out, const char *folder, uint32_t pid,
                         struct err *err) NODISCARD;

#endif
