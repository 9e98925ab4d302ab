/* SPDX-License-Identifier: MIT */
/* text.c - tables for people: aligned columns with a header. */
#include <inttypes.h>
#include <string.h>

#include "common/arena.h"
#include "report/format.h"
#include "report/writer.h"

/* Two blanks between columns. */
#define GAP "  "

static void begin(struct writer *w)
{
	(void)w;
}

static void add_value(struct text *out, const struct writer_value *value)
{
	char figure[FORMAT_BYTES];

	switch (value->kind) {
	case WRITER_NULL:
		text_add(out, "-");
		break;
	case WRITER_STR:
	case WRITER_NUMBER:
		format_add_clean(out, value->str);
		break;
	case WRITER_INT:
		text_add(out, format_count(value->integer, figure));
		break;
	case WRITER_UINT:
		text_printf(out, "%" PRIu64, (uint64_t)value->integer);
		break;
	case WRITER_BOOL:
		text_add(out, value->integer != 0 ? "yes" : "no");
		break;
	case WRITER_REAL:
		text_add(out, format_figure(value->real, figure));
		break;
	}
}

/* Values are kept one behind the other, each with its NUL, until the widths are known. */
static void row(struct writer *w, const struct writer_value *values)
{
	for (size_t i = 0; i < w->column_count; i++) {
		add_value(&w->kept, &values[i]);
		text_add_bytes(&w->kept, "", 1);
	}
}

/* How a column is set: figures to the right. */
struct layout {
	size_t width;
	bool is_right;
};

static void measure(struct layout *layout, const char *shown)
{
	size_t width = format_width(shown);

	if (width > layout->width)
		layout->width = width;
	if (!format_is_number(shown) && strcmp(shown, "-") != 0)
		layout->is_right = false;
}

static void add_column(struct writer *w, struct text *line, const struct layout *layouts, size_t i,
                       const char *shown)
{
	bool is_last = i + 1 == w->column_count;
	size_t width = is_last && !layouts[i].is_right ? 0 : layouts[i].width;

	format_add_padded(line, shown, width, layouts[i].is_right);
	if (!is_last) {
		text_add(line, GAP);
		return;
	}
	while (line->len > 0 && line->at[line->len - 1] == ' ')
		line->at[--line->len] = '\0';
	format_print_line(w->out, line);
}

static void print_rows(struct writer *w, const struct layout *layouts)
{
	struct text line = {0};
	const char *at = text_str(&w->kept);

	for (size_t i = 0; i < w->column_count; i++)
		add_column(w, &line, layouts, i, w->columns[i]);
	for (size_t k = 0; k < w->row_count * w->column_count; k++) {
		add_column(w, &line, layouts, k % w->column_count, at);
		at += strlen(at) + 1;
	}
	text_done(&line);
}

static void end(struct writer *w)
{
	struct arena arena = {0};
	struct layout *layouts = arena_alloc(&arena, w->column_count, sizeof(*layouts));
	const char *at = text_str(&w->kept);

	for (size_t i = 0; i < w->column_count; i++)
		layouts[i] = (struct layout){.width = format_width(w->columns[i]),
		                             .is_right = w->row_count > 0};
	for (size_t k = 0; k < w->row_count * w->column_count; k++) {
		measure(&layouts[k % w->column_count], at);
		at += strlen(at) + 1;
	}
	print_rows(w, layouts);
	arena_done(&arena);
}

const struct writer_format writer_text = {.name = "text", .begin = begin, .row = row, .end = end};
