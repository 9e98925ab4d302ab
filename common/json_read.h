/* SPDX-License-Identifier: MIT */
/*
 * json_read.h - JSON (RFC 8259) of other programs, read event by event.
 *
 * Takes no memory: depth, names and values are bounded. `nan` and `inf`, which some
 * programs print, are read as null. A name or a value that does not fit is cut, which
 * `is_cut` tells.
 */
#ifndef COMMON_JSON_READ_H
#define COMMON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

#define JSON_READ_DEPTH      32
#define JSON_READ_KEY_BYTES  64
#define JSON_READ_TEXT_BYTES 256

enum json_event {
	JSON_BAD, /* not JSON, cut off, or too deep; all further events are this */
	JSON_END, /* the value at the top is complete */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_LIST,
	JSON_LIST_END,
	JSON_STRING, /* `text` is what it stands for, in UTF-8 */
	JSON_NUMBER, /* `text` is the number as written */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
};

struct json_reader {
	const char *at;
	unsigned depth;   /* of what the next event is in; 0 at the top */
	uint32_t objects; /* bit d: level d + 1 is an object */
	bool is_begun, is_bad, has_value;
	bool is_cut;
	char key[JSON_READ_KEY_BYTES]; /* of the last event; "" in a list and at the top */
	char text[JSON_READ_TEXT_BYTES];
};

/* `text` must stay as it is while it is read. */
void json_read_begin(struct json_reader *r, const char *text);

enum json_event json_read_next(struct json_reader *r) NODISCARD;

/* After the begin of an object or list: passes over all that is in it, its end too. */
bool json_read_skip(struct json_reader *r) NODISCARD;

/* The last number, when it is a whole one of 0 to INT64_MAX. */
bool json_read_int(const struct json_reader *r, int64_t *out) NODISCARD;

#endif
