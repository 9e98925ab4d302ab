/* SPDX-License-Identifier: MIT */
/* matrix_text.c - a matrix for people: rows send, columns receive. */
#include <inttypes.h>
#include <math.h>

#include "report/format.h"
#include "report/style.h"
#include "stats/stats.h"

#define CORNER "from \\ to"

enum { GAP = 2 }; /* blanks between columns */

static const struct {
	const char *sign;   /* alone, or after the value */
	const char *legend; /* NULL: goes without saying */
	enum style_colour colour;
} marks[MATRIX_MARK_COUNT] = {
	[MATRIX_ABSENT] = {"-", "not in the plan", STYLE_DIM},
	[MATRIX_SHOWN] = {"", NULL, STYLE_PLAIN},
	[MATRIX_PARTIAL] = {"~", "repeats are missing", STYLE_PLAIN},
	[MATRIX_PENDING] = {".", "pending", STYLE_DIM},
	[MATRIX_RUNNING] = {"*", "running", STYLE_PLAIN},
	[MATRIX_BAD] = {"!", "failed or invalid", STYLE_RED},
	[MATRIX_SKIPPED] = {"s", "skipped", STYLE_DIM},
	[MATRIX_UNKNOWN] = {"?", "measured, but this figure is not known", STYLE_DIM},
};

/* How wide the parts of a block are. */
struct layout {
	size_t label;
	size_t *columns;
};

static void add_figure(struct text *out, const struct matrix_block *block, double value)
{
	char figure[FORMAT_BYTES];

	text_add(out, block->is_tally ? format_tally(value, figure)
	                              : format_figure(value / block->scale, figure));
}

/* "(23.4/61)": what note_words[] names. */
static void add_notes(struct text *out, const struct matrix_block *block,
                      const struct matrix_entry *e)
{
	char first[FORMAT_BYTES];
	char second[FORMAT_BYTES];

	if (block->note == MATRIX_NO_NOTE)
		return;
	text_printf(out, " (%s", format_figure(e->notes[0], first));
	if (block->note == MATRIX_LATENCY || block->has_back)
		text_printf(out, "/%s", format_figure(e->notes[1], second));
	text_add(out, ")");
}

static const char *entry_text(const struct matrix_block *block, const struct matrix_entry *e,
                              struct text *scratch)
{
	text_clear(scratch);
	if (!isnan(e->value)) {
		add_figure(scratch, block, e->value);
		if (block->has_back) {
			text_add(scratch, " / ");
			add_figure(scratch, block, e->back);
		}
		add_notes(scratch, block, e);
	}
	text_add(scratch, marks[e->mark].sign);
	return text_str(scratch);
}

static void widen(size_t *width, const char *s)
{
	size_t own = format_width(s);

	if (own > *width)
		*width = own;
}

static struct layout lay_out(const struct matrix_block *block, struct arena *arena)
{
	struct layout l = {
		.label = format_width(CORNER),
		.columns = arena_alloc(arena, block->column_count, sizeof(*l.columns)),
	};
	struct text scratch = {0};

	for (size_t r = 0; r < block->row_count; r++)
		widen(&l.label, block->rows[r]);
	for (size_t c = 0; c < block->column_count; c++) {
		widen(&l.columns[c], block->columns[c]);
		for (size_t r = 0; r < block->row_count; r++)
			widen(&l.columns[c],
			      entry_text(block, &block->entries[r * block->column_count + c],
			                 &scratch));
	}
	text_done(&scratch);
	return l;
}

/* Where the piece that begins with column `first` ends: one column at least. */
static size_t end_of_piece(const struct matrix_block *block, const struct layout *l, size_t first,
                           unsigned width)
{
	size_t used = l->label + l->columns[first] + GAP;
	size_t end = first + 1;

	for (; end < block->column_count; end++) {
		used += l->columns[end] + GAP;
		if (width > 0 && used > width)
			break;
	}
	return end;
}

static void add_cell(struct text *line, const char *s, size_t width,
                     const struct report_style *style, enum style_colour colour)
{
	struct text padded = {0};

	format_add_padded(&padded, s, width + GAP, true);
	style_add(line, style, colour, text_str(&padded));
	text_done(&padded);
}

/* Columns first to end, exclusive. */
static void print_piece(FILE *out, const struct matrix_block *block, const struct layout *l,
                        size_t first, size_t end, const struct report_style *style)
{
	struct text line = {0};
	struct text scratch = {0};

	format_add_padded(&line, CORNER, l->label, false);
	for (size_t c = first; c < end; c++)
		add_cell(&line, block->columns[c], l->columns[c], style, STYLE_PLAIN);
	format_print_line(out, &line);
	for (size_t r = 0; r < block->row_count; r++) {
		format_add_padded(&line, block->rows[r], l->label, false);
		for (size_t c = first; c < end; c++) {
			const struct matrix_entry *e = &block->entries[r * block->column_count + c];

			add_cell(&line, entry_text(block, e, &scratch), l->columns[c], style,
			         marks[e->mark].colour);
		}
		format_print_line(out, &line);
	}
	text_done(&scratch);
	text_done(&line);
}

/* How many tests the figures rest on. */
static void add_sample_size(struct text *line, const struct matrix_block *block)
{
	if (block->n_max == 1)
		text_add(line, "  (one test a cell");
	else if (block->n_min == block->n_max)
		text_printf(line, "  (median of %" PRId64 " tests", block->n_max);
	else
		text_printf(line, "  (median of %" PRId64 " to %" PRId64 " tests", block->n_min,
		            block->n_max);
	text_add(line, block->n_min < STATS_INTERVAL_MIN ? ": screening)" : ")");
}

/* Of the unit: what stands in brackets behind a figure. */
static const char *const note_words[] = {
	[MATRIX_NO_NOTE] = "",
	[MATRIX_LOSS] = " (% lost)",
	[MATRIX_LATENCY] = " (p50/p99 us)",
};

static void print_title(FILE *out, const struct matrix *m, const struct matrix_block *block,
                        const struct report_style *style)
{
	struct text line = {0};

	style_add(&line, style, STYLE_BOLD, block->unit);
	text_add(&line, block->has_back ? " there / back" : "");
	text_add(&line, note_words[block->note]);
	text_printf(&line, "  %s", block->title);
	if (m->block_count == 1 && m->common[0] != '\0')
		text_printf(&line, ", %s", m->common);
	if (block->n_max > 0 && m->value != MATRIX_N && m->value != MATRIX_CELL)
		add_sample_size(&line, block);
	format_print_line(out, &line);
	text_done(&line);
}

static void print_legend(FILE *out, const struct matrix *m)
{
	const char *gap = "";

	for (size_t i = 0; i < MATRIX_MARK_COUNT; i++) {
		if (!m->marks[i] || marks[i].legend == NULL)
			continue;
		(void)fprintf(out, "%s%s %s", gap, marks[i].sign, marks[i].legend);
		gap = "   ";
	}
	if (gap[0] != '\0')
		(void)fputc('\n', out);
}

static void print_block(FILE *out, const struct matrix_block *block,
                        const struct report_style *style)
{
	struct arena arena = {0};
	struct layout l = lay_out(block, &arena);

	for (size_t first = 0, end; first < block->column_count; first = end) {
		end = end_of_piece(block, &l, first, style->width);
		print_piece(out, block, &l, first, end, style);
	}
	arena_done(&arena);
}

void report_matrix(FILE *out, const struct matrix *matrix, const struct report_style *style)
{
	if (matrix->block_count > 1 && matrix->common[0] != '\0')
		(void)fprintf(out, "all tables: %s\n\n", matrix->common);
	for (size_t i = 0; i < matrix->block_count; i++) {
		if (i > 0)
			(void)fputc('\n', out);
		print_title(out, matrix, &matrix->blocks[i], style);
		print_block(out, &matrix->blocks[i], style);
	}
	print_legend(out, matrix);
}
