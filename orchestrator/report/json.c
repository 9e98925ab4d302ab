/* SPDX-License-Identifier: MIT */
/* json.c - tables for programs: a list of objects, one a line (RFC 8259). */
#include <errno.h>
#include <stdlib.h>

#include "report/writer.h"

static void begin(struct writer *w)
{
	(void)fputs("[", w->out);
}

/* Through a double only where it must be: identifiers have up to 63 bits. */
static void add_number(struct json *j, const char *key, const char *digits)
{
	char *end;
	long long whole;

	errno = 0;
	whole = strtoll(digits, &end, 10);
	if (*end == '\0' && errno == 0)
		json_int(j, key, whole);
	else
		json_real(j, key, strtod(digits, NULL));
}

void writer_add_json(struct json *j, const char *key, struct writer_value value)
{
	switch (value.kind) {
	case WRITER_NULL:
		json_null(j, key);
		break;
	case WRITER_STR:
		json_str(j, key, value.str);
		break;
	case WRITER_NUMBER:
		add_number(j, key, value.str);
		break;
	case WRITER_INT:
		json_int(j, key, value.integer);
		break;
	case WRITER_UINT:
		json_uint(j, key, (uint64_t)value.integer);
		break;
	case WRITER_BOOL:
		json_bool(j, key, value.integer != 0);
		break;
	case WRITER_REAL:
		json_real(j, key, value.real);
		break;
	}
}

static void row(struct writer *w, const struct writer_value *values)
{
	struct text line = {0};
	struct json j = {.out = &line};

	json_object_begin(&j, NULL);
	for (size_t i = 0; i < w->column_count; i++)
		writer_add_json(&j, w->columns[i], values[i]);
	json_object_end(&j);
	(void)fprintf(w->out, "%s\n%s", w->row_count == 0 ? "" : ",", text_str(&line));
	text_done(&line);
}

static void end(struct writer *w)
{
	(void)fputs(w->row_count == 0 ? "]\n" : "\n]\n", w->out);
}

const struct writer_format writer_json = {.name = "json", .begin = begin, .row = row, .end = end};
