/* SPDX-License-Identifier: MIT */
/*
 * text.h - a string that grows.
 *
 * For building output and command lines. Owns its memory; {0} is a valid,
 * empty text. Out of memory ends the program with a message, as in arena.h.
 * Not for the agent while it measures.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stddef.h>

#include "common/attr.h"

struct text {
	char *at; /* NUL-terminated, or NULL while nothing was added */
	size_t len;
	size_t room;
};

void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t len);
void text_printf(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The text so far: "" when nothing was added. Valid until the next change. */
const char *text_str(const struct text *t) NODISCARD;

void text_clear(struct text *t); /* empty again, keeps its memory */
void text_done(struct text *t);

#endif
