/* SPDX-License-Identifier: MIT */
/*
 * ssh_dump.h - what `ssh -G` prints: a line of "keyword value" for each setting.
 *
 * Pure. Keywords are compared in lower case; some, IdentityFile for one, come several times.
 * Values stand as they are: `~` and tokens are expanded by ssh_expand.h.
 */
#ifndef REMOTE_SSH_DUMP_H
#define REMOTE_SSH_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"

#define SSH_DUMP_LINES_MAX 4096

struct ssh_dump {
	struct ssh_dump_line {
		const char *key; /* in lower case */
		const char *value;
	} * at;
	size_t count, room;
};

/* All in the arena. ERR_INPUT when the text is none that ssh would print. */
bool ssh_dump_parse(struct arena *arena, const char *text, size_t len, struct ssh_dump *out,
                    struct err *err) NODISCARD;

/* Adds a line; both strings are copied. */
void ssh_dump_add(struct arena *arena, struct ssh_dump *dump, const char *key, const char *value);

/* The value of the first line with `key` from *from on, which is set behind it; NULL: none.
 * from may be NULL: the first of all. */
const char *ssh_dump_next(const struct ssh_dump *dump, const char *key, size_t *from) NODISCARD;

/* The value, or NULL: not said. Some keywords say so with "none". */
const char *ssh_dump_value(const struct ssh_dump *dump, const char *key) NODISCARD;

/* Whether both have the same values of `key` in the same order. */
bool ssh_dump_agree(const struct ssh_dump *a, const struct ssh_dump *b, const char *key) NODISCARD;

#endif
