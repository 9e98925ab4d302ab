/* SPDX-License-Identifier: MIT */
/* csv.c - tables for spreadsheets: RFC 4180, lines end with a newline alone. */
#include <inttypes.h>
#include <string.h>

#include "common/json.h"
#include "report/writer.h"

static void print_field(FILE *out, const char *s)
{
	if (s[0] != '\0' && strpbrk(s, ",\"\r\n") == NULL) {
		(void)fputs(s, out);
		return;
	}
	/* An empty text is quoted, so that it differs from null. */
	(void)fputc('"', out);
	for (; *s != '\0'; s++) {
		if (*s == '"')
			(void)fputc('"', out);
		(void)fputc(*s, out);
	}
	(void)fputc('"', out);
}

static void print_real(FILE *out, double value)
{
	struct text digits = {0};
	struct json j = {.out = &digits};

	json_real(&j, NULL, value);
	(void)fputs(text_str(&digits), out);
	text_done(&digits);
}

static void begin(struct writer *w)
{
	for (size_t i = 0; i < w->column_count; i++) {
		print_field(w->out, w->columns[i]);
		(void)fputc(i + 1 == w->column_count ? '\n' : ',', w->out);
	}
}

static void row(struct writer *w, const struct writer_value *values)
{
	for (size_t i = 0; i < w->column_count; i++) {
		switch (values[i].kind) {
		case WRITER_NULL:
			break;
		case WRITER_STR:
		case WRITER_NUMBER:
			print_field(w->out, values[i].str);
			break;
		case WRITER_BOOL:
		case WRITER_INT:
			(void)fprintf(w->out, "%" PRId64, values[i].integer);
			break;
		case WRITER_UINT:
			(void)fprintf(w->out, "%" PRIu64, (uint64_t)values[i].integer);
			break;
		case WRITER_REAL:
			print_real(w->out, values[i].real);
			break;
		}
		(void)fputc(i + 1 == w->column_count ? '\n' : ',', w->out);
	}
}

static void end(struct writer *w)
{
	(void)w;
}

const struct writer_format writer_csv = {.name = "csv", .begin = begin, .row = row, .end = end};
