/* SPDX-License-Identifier: MIT */
/*
 * leftover.h - what runs that were lost have left on a host: folders of place.h, and
 * agents started from them.
 *
 * A run that is alive is never disturbed. A folder counts as left behind when no process
 * of the host names it (the script that uploads does, and so does the agent that it
 * becomes), and nothing in it was changed for LEFTOVER_QUIET_S: other machines may share
 * a home folder. An agent counts as left behind when the process that started it is gone
 * and init has adopted it: its SSH session has ended, and it should have followed. Other
 * accounts' folders and agents are shown and left alone.
 *
 * The script says, marked:
 *	user UID				of the login
 *	proc PID PPID UID AGE_S KIND NAME	a process that names folder NAME; KIND: agent, other
 *	folder UID AGE_S PATH			AGE_S: since the last change, - when unknown
 *	blind					processes cannot be listed
 *	end
 * and the script that removes:
 *	gone INDEX			the folder and the agent of this index are no more
 *	left INDEX REASON
 */
#ifndef HOSTOPS_LEFTOVER_H
#define HOSTOPS_LEFTOVER_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "hostops/place.h"

#define LEFTOVER_QUIET_S      60
#define LEFTOVER_MAX          512 /* of one host; there may be more, see `is_cut` */
#define LEFTOVER_UNKNOWN      (-1)
#define LEFTOVER_FOLDER_BYTES 256

enum leftover_state {
	LEFTOVER_LOST,   /* to be removed */
	LEFTOVER_IN_USE, /* a process works with it whose SSH session lives */
	LEFTOVER_YOUNG,  /* changed a moment ago, or nobody can tell when */
	LEFTOVER_FOREIGN /* of another account */
};

struct leftover {
	enum leftover_state state;
	char name[PLACE_NAME_BYTES];
	const char *folder; /* its path; NULL: an agent whose folder is gone, as it should be */
	uint32_t pid;       /* of the agent; 0: none runs */
	int64_t age_s;      /* since the agent's start or the last change; LEFTOVER_UNKNOWN */
	/* After removing. */
	bool is_gone;
	const char *why_left; /* NULL: not tried */
};

struct leftovers {
	struct leftover *at;
	size_t count;
	bool is_cut;   /* there is more than LEFTOVER_MAX */
	bool is_blind; /* processes cannot be listed: no folder is known to be left behind */
	bool is_ended; /* the script came to its end */
};

/* Adds the command that looks. */
bool leftover_find_command(struct text *out, const struct shell_marker *marker,
                           struct err *err) NODISCARD;

/* Adds the command that removes what is LEFTOVER_LOST from *index on, as many as fit into a
 * line, and moves *index behind them. */
bool leftover_remove_command(struct text *out, const struct shell_marker *marker,
                             const struct leftovers *all, size_t *index, struct err *err) NODISCARD;

struct leftover_reader;

/* Begins to read what the first command says; the arena holds reader and result. */
struct leftover_reader *leftover_reader_new(struct arena *arena, struct leftovers *out);
void leftover_read(struct leftover_reader *r, const char *marked);
void leftover_read_end(struct leftover_reader *r); /* decides about each */

/* Reads a line of the second one. */
void leftover_read_removed(struct leftovers *all, struct arena *arena, const char *marked);

#endif
