/* SPDX-License-Identifier: MIT */
#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at s, 0 when there is none (Unicode
 * 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first_min, first_max, second_min, second_max;
		size_t length;
	} forms[] = {
		{0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (s[0] < forms[i].first_min || s[0] > forms[i].first_max)
			continue;
		if (forms[i].length == 1)
			return 1;
		if (s[1] < forms[i].second_min || s[1] > forms[i].second_max)
			return 0;
		for (size_t n = 2; n < forms[i].length; n++) {
			if (s[n] < 0x80 || s[n] > 0xbf)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

static void add_quoted(struct text *out, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	text_add(out, "\"");
	while (*s != '\0') {
		size_t n = utf8_length(s);

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
