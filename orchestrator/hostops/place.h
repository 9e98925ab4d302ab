/* SPDX-License-Identifier: MIT */
/*
 * place.h - the scripts that put an agent on a host and look after what it left.
 *
 * One command does it all: it makes a private folder in the first place that takes
 * files and executes them, reads the agent from its standard input, checks it, and
 * becomes the agent. Until then it removes the folder itself, however it ends short
 * of SIGKILL; from then on the agent does, as its first act.
 *
 * Each step says a marked line (shell.h):
 *	no FOLDER: REASON	this place is not fit; the next one is tried, but after `go`
 *				the command ends, as its input is spent
 *	go FOLDER		send the agent's bytes now
 *	run sha256|unchecked	checked, and executes; what follows is the agent's
 */
#ifndef HOSTOPS_PLACE_H
#define HOSTOPS_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/sha256.h"
#include "common/text.h"
#include "hostops/shell.h"

#define PLACE_NAME_BYTES 22 /* ".vnm-", 16 hex digits, NUL */

struct place_request {
	const struct shell_marker *marker;
	const char *name;   /* of the folder, from place_name() */
	size_t first;       /* the place to begin with, below place_count() */
	size_t size_bytes;  /* of the agent */
	const char *sha256; /* of the agent, hex */
};

/* How many places there are to try. */
size_t place_count(void);

/* A new name that nobody can guess. */
bool place_name(char out[PLACE_NAME_BYTES], struct err *err) NODISCARD;

/* Adds the command to out. */
bool place_command(struct text *out, const struct place_request *request,
                   struct err *err) NODISCARD;

/*
 * Adds a command that ends the agent `pid` of `folder` if it still runs (0: not known)
 * and removes the folder if it is still there. False when the folder's name is not one
 * of place_name().
 */
bool place_sweep_command(struct text *out, const char *folder, uint32_t pid,
                         struct err *err) NODISCARD;

#endif
