/* SPDX-License-Identifier: MIT */
/*
 * json.h - writes JSON (RFC 8259) into a struct text.
 *
 * The writer puts the commas; the caller keeps begin and end in balance.
 * The output has no blanks or newlines. Numbers that are not finite are written
 * as null. {.out = &text} is a valid writer.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"

struct json {
	struct text *out;
	bool needs_comma;
};

void json_object_begin(struct json *j, const char *key); /* key NULL: in a list or at the top */
void json_object_end(struct json *j);
void json_list_begin(struct json *j, const char *key);
void json_list_end(struct json *j);
void json_str(struct json *j, const char *key,
              const char *value); /* NULL: null; bad UTF-8: U+FFFD */
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_real(struct json *j, const char *key,
               double value); /* as few digits as read back alike */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
