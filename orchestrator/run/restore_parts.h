/* SPDX-License-Identifier: MIT */
/* restore_parts.h - what the files of run/restore*.c share. Not for others. */
#ifndef RUN_RESTORE_PARTS_H
#define RUN_RESTORE_PARTS_H

#include "run/restore.h"

/* ---- restore_object.c: what is known of an object, and its rows ---- */

void restore_set_unknown(struct restore_object *o, const char *why);

/* After it was read. */
void restore_judge(struct restore_object *o, const struct undo_said *said);

/* After it was to be put back. */
void restore_take_mended(struct restore_object *o, const struct undo_said *said);

/* Updates the rows of an object that is decided; the others' stay as they are. */
void restore_keep(struct restore *r, const struct restore_object *o);

/* ---- restore_guard.c: guardians that a run has left ---- */

/* Notes the guardian of a row, each once. r->guards has room for one of each row. */
void restore_add_guard(struct restore *r, size_t host, const struct journal_row *row);

/* Begins to end the next guardian of the host that has nothing left to do. False: there is none. */
bool restore_end_guard(struct restore *r, size_t host);

/* A line that it says. */
void restore_hear_guard(struct restore_guard *g, const char *line);

/* Can commands be run as root there? */
bool restore_can_be_root(const struct restore_host *h);

void restore_run_as_root(struct restore *r, size_t host, const struct text *text);

#endif
