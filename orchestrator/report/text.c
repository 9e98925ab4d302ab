/* SPDX-License-Identifier: MIT */
/* text.c - tables for people: aligned columns with a header. */
#include <inttypes.h>
#include <string.h>

#include "report/format.h"
#include "report/writer.h"

/* A row kept until the widths are known. Texts lie in the writer's arena. */
struct writer_row {
	const char **texts;
	struct writer_row *next;
};

/* Two blanks between columns. */
#define GAP "  "

static void begin(struct writer *w)
{
	(void)w;
}

static const char *text_of(const struct writer_value *value, struct text *scratch)
{
	char figure[FORMAT_BYTES];

	text_clear(scratch);
	switch (value->kind) {
	case WRITER_NULL:
		text_add(scratch, "-");
		break;
	case WRITER_STR:
	case WRITER_NUMBER:
		format_add_clean(scratch, value->str);
		break;
	case WRITER_INT:
		text_add(scratch, format_count(value->integer, figure));
		break;
	case WRITER_UINT:
		text_printf(scratch, "%" PRIu64, (uint64_t)value->integer);
		break;
	case WRITER_BOOL:
		text_add(scratch, value->integer != 0 ? "yes" : "no");
		break;
	case WRITER_REAL:
		text_add(scratch, format_figure(value->real, figure));
		break;
	}
	return text_str(scratch);
}

static void row(struct writer *w, const struct writer_value *values)
{
	struct writer_row *kept = arena_alloc(&w->arena, 1, sizeof(*kept));
	struct text scratch = {0};

	kept->texts = arena_alloc(&w->arena, w->column_count, sizeof(*kept->texts));
	for (size_t i = 0; i < w->column_count; i++) {
		const char *shown = text_of(&values[i], &scratch);

		kept->texts[i] = arena_strndup(&w->arena, shown, strlen(shown));
	}
	text_done(&scratch);
	*w->tail = kept;
	w->tail = &kept->next;
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

static void print_row(struct writer *w, const struct layout *layouts, const char *const *texts)
{
	struct text line = {0};

	for (size_t i = 0; i < w->column_count; i++) {
		bool is_last = i + 1 == w->column_count;
		size_t width = is_last && !layouts[i].is_right ? 0 : layouts[i].width;

		format_add_padded(&line, texts[i], width, layouts[i].is_right);
		text_add(&line, is_last ? "" : GAP);
	}
	while (line.len > 0 && line.at[line.len - 1] == ' ')
		line.at[--line.len] = '\0';
	(void)fprintf(w->out, "%s\n", text_str(&line));
	text_done(&line);
}

static void end(struct writer *w)
{
	struct layout *layouts = arena_alloc(&w->arena, w->column_count, sizeof(*layouts));

	for (size_t i = 0; i < w->column_count; i++) {
		layouts[i] = (struct layout){.width = format_width(w->columns[i]),
		                             .is_right = w->first != NULL};
		for (const struct writer_row *r = w->first; r != NULL; r = r->next)
			measure(&layouts[i], r->texts[i]);
	}
	print_row(w, layouts, w->columns);
	for (const struct writer_row *r = w->first; r != NULL; r = r->next)
		print_row(w, layouts, r->texts);
}

const struct writer_format writer_text = {.name = "text", .begin = begin, .row = row, .end = end};
