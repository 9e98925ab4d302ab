/* SPDX-License-Identifier: MIT */
/*
 * undo.h - reads a changed setting back on its host and puts it back, by the commands that the
 * settings journal has kept.
 *
 * It knows nothing of settings: a command that prints the value, and one that makes it what it
 * was before. Commands and texts say, marked:
 *
 *	login ...	privilege.h
 *	boot ID		of this start of the host, as the guardian tells it; empty: it has none
 *	value V		as it is now; empty or "unknown": it cannot be read
 *	status N TEXT	how the command that puts it back ended, and what it said
 */
#ifndef HOSTOPS_UNDO_H
#define HOSTOPS_UNDO_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "hostops/privilege.h"
#include "hostops/shell.h"

#define UNDO_VALUE_BYTES 96
#define UNDO_BOOT_BYTES  64
#define UNDO_TEXT_BYTES  200

struct undo_said {
	enum privilege privilege;
	char privilege_why[PRIVILEGE_WHY_BYTES];
	char boot_id[UNDO_BOOT_BYTES]; /* "": the host has none, or did not say */
	bool has_value;
	char value[UNDO_VALUE_BYTES];
	bool has_status;
	char text[UNDO_TEXT_BYTES]; /* what the command that puts it back said; "": nothing */
};

/* Adds the command that asks for login and boot. */
bool undo_probe_command(struct text *out, const struct shell_marker *marker,
                        struct err *err) NODISCARD;

/* Adds the command that reads as the login. ERR_INPUT: the kept command holds what not every shell
 * would hand on. */
bool undo_look_command(struct text *out, const struct shell_marker *marker, const char *read,
                       struct err *err) NODISCARD;

/* Adds the same to a text that a host's shell runs as root (link_run_text()). */
void undo_add_look(struct text *text, const char *read);

/* Adds what puts it back and reads. */
void undo_add_restore(struct text *text, const char *read, const char *restore);

/* Before each command; login and boot stay. */
void undo_said_clear(struct undo_said *said);

/* Reads a line, see shell_marker_read(). */
void undo_read(struct undo_said *said, const char *marked);

#endif
