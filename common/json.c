/* SPDX-License-Identifier: MIT */
#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"

static void add_quoted(struct text *out, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	text_add(out, "\"");
	while (*s != '\0') {
		size_t n = utf8_length((const char *)s);

		if (n == 0) {
			text_add(out, "\xef\xbf\xbd"); /* U+FFFD */
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			text_printf(out, "\\%c", *s);
		} else if (*s < ' ' || *s == 0x7f) {
			text_printf(out, "\\u%04x", (unsigned)*s);
		} else {
			text_add_bytes(out, (const char *)s, n);
		}
		s += n;
	}
	text_add(out, "\"");
}

static void begin_value(struct json *j, const char *key)
{
	if (j->needs_comma)
		text_add(j->out, ",");
	j->needs_comma = true;
	if (key != NULL) {
		add_quoted(j->out, key);
		text_add(j->out, ":");
	}
}

void json_object_begin(struct json *j, const char *key)
{
	begin_value(j, key);
	text_add(j->out, "{");
	j->needs_comma = false;
}

void json_object_end(struct json *j)
{
	text_add(j->out, "}");
	j->needs_comma = true;
}

void json_list_begin(struct json *j, const char *key)
{
	begin_value(j, key);
	text_add(j->out, "[");
	j->needs_comma = false;
}

void json_list_end(struct json *j)
{
	text_add(j->out, "]");
	j->needs_comma = true;
}

void json_str(struct json *j, const char *key, const char *value)
{
	if (value == NULL) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	add_quoted(j->out, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	text_printf(j->out, "%" PRId64, value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	text_printf(j->out, "%" PRIu64, value);
}

void json_real(struct json *j, const char *key, double value)
{
	char digits[32];

	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	/* 15 digits always survive a trip through a double, 17 carry any double. */
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	begin_value(j, key);
	text_add(j->out, digits);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	text_add(j->out, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key);
	text_add(j->out, "null");
}
