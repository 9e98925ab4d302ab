/* SPDX-License-Identifier: MIT */
#include "report/writer.h"

#include <math.h>

#include "report/format.h"
#include "run/result.h"

struct writer_value writer_str(const char *s)
{
	return (struct writer_value){.kind = s == NULL ? WRITER_NULL : WRITER_STR, .str = s};
}

struct writer_value writer_int(int64_t value)
{
	if (value == RESULT_UNKNOWN)
		return (struct writer_value){.kind = WRITER_NULL};
	return (struct writer_value){.kind = WRITER_INT, .integer = value};
}

struct writer_value writer_uint(uint64_t value)
{
	return (struct writer_value){.kind = WRITER_UINT, .integer = (int64_t)value};
}

struct writer_value writer_real(double value)
{
	if (!isfinite(value))
		return (struct writer_value){.kind = WRITER_NULL};
	return (struct writer_value){.kind = WRITER_REAL, .real = value};
}

struct writer_value writer_bool(bool value)
{
	return (struct writer_value){.kind = WRITER_BOOL, .integer = value};
}

struct writer_value writer_guess(const char *s)
{
	struct writer_value value = writer_str(s);

	if (s != NULL && format_is_number(s))
		value.kind = WRITER_NUMBER;
	return value;
}

void writer_begin(struct writer *w, const struct writer_format *format, FILE *out,
                  const char *const *columns, size_t column_count)
{
	*w = (struct writer){
		.format = format,
		.out = out,
		.columns = columns,
		.column_count = column_count,
	};
	format->begin(w);
}

void writer_row(struct writer *w, const struct writer_value *values)
{
	w->format->row(w, values);
	w->row_count++;
}

void writer_end(struct writer *w)
{
	w->format->end(w);
	text_done(&w->kept);
}
