/* SPDX-License-Identifier: MIT */
/*
 * reader.h - a stream of bytes to the lines of the control protocol.
 *
 * Pure: the caller brings the bytes. Before the greeting every byte is noise
 * (motd, profile output) and only its end is kept. A line longer than
 * WIRE_LINE_MAX is an error, never memory.
 */
#ifndef COMMON_WIRE_READER_H
#define COMMON_WIRE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/wire/codec.h"

/* The agent's first output, on a line of its own. "\n" before it, so that noise
 * without a newline cannot hide it. */
#define WIRE_GREETING "\n\001VNM-AGENT-1\n"

struct wire_reader {
	char line[WIRE_LINE_MAX];
	size_t len;
	bool wants_greeting; /* until it was seen */
	size_t matched;      /* of WIRE_GREETING */
	char noise[256];     /* the last of what came before the greeting, for messages; raw */
	size_t noise_len;
};

/* The orchestrator reads the agent's output with wants_greeting, the agent its
 * input without. */
void wire_reader_init(struct wire_reader *r, bool wants_greeting);

/* True when lines may come: the greeting was seen or is not wanted. */
bool wire_reader_greeted(const struct wire_reader *r) NODISCARD;

/*
 * Takes bytes from *data (moves *data and *len on) until a line is whole.
 * 1: a line is in r->line (NUL-terminated, without newline), valid until the
 * next call. 0: more bytes are needed; *len is 0. -1: line too long or with a
 * NUL; *err set, and so does every later call.
 */
int wire_reader_take(struct wire_reader *r, const char **data, size_t *len,
                     struct err *err) NODISCARD;

#endif
