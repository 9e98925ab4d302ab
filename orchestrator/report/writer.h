/* SPDX-License-Identifier: MIT */
/*
 * writer.h - a table, row by row, in one of several formats.
 *
 * The caller says the columns once and then hands over rows of typed values;
 * how they look is the format's business. text aligns its columns and so keeps
 * all rows until writer_end(); csv and json write as they go.
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/json.h"
#include "common/text.h"

enum writer_kind {
	WRITER_NULL,
	WRITER_STR,
	WRITER_NUMBER, /* .str, a JSON number, shown as it is */
	WRITER_INT,
	WRITER_UINT, /* .integer as uint64_t */
	WRITER_BOOL, /* .integer; text: yes, no; csv: 1, 0; json: true, false */
	WRITER_REAL  /* text shows three significant digits, csv and json all */
};

struct writer_value {
	enum writer_kind kind;
	const char *str; /* borrowed for the call */
	int64_t integer;
	double real;
};

/* NULL, RESULT_UNKNOWN and NAN become null. */
struct writer_value writer_str(const char *s);
struct writer_value writer_int(int64_t value);
struct writer_value writer_uint(uint64_t value);
struct writer_value writer_real(double value);
struct writer_value writer_bool(bool value);

/* A text that holds a number is one, so that it is one in JSON too. */
struct writer_value writer_guess(const char *s);

struct writer;

struct writer_format {
	const char *name;
	void (*begin)(struct writer *w);
	void (*row)(struct writer *w, const struct writer_value *values);
	void (*end)(struct writer *w);
};

extern const struct writer_format writer_text; /* aligned columns with a header, null as "-" */
extern const struct writer_format writer_csv;  /* RFC 4180 with a header, null as nothing */
extern const struct writer_format writer_json; /* a list of objects, one a line */

struct writer {
	const struct writer_format *format;
	FILE *out;
	const char *const *columns; /* names */
	size_t column_count;
	size_t row_count;
	struct text kept; /* the format's: rows that wait for the end */
};

/* `columns` must outlive the writer. */
void writer_begin(struct writer *w, const struct writer_format *format, FILE *out,
                  const char *const *columns, size_t column_count);
void writer_row(struct writer *w, const struct writer_value *values);
void writer_end(struct writer *w); /* releases all */

/* Adds a value to a JSON object as writer_json does. */
void writer_add_json(struct json *j, const char *key, struct writer_value value);

#endif
