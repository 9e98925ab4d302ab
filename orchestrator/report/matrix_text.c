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
	size_t label, column;
	size_t per_piece; /* columns that fit side by side */
};

static const char *entry_text(const struct matrix_block *block, const struct matrix_entry *e,
                              struct text *scratch)
{
	char figure[FORMAT_BYTES];

	text_clear(scratch);
	if (!isnan(e->value))
		text_add(scratch, block->is_tally ? format_tally(e->value, figure)
		                                  : format_figure(e->value / block->scale, figure));
	text_add(scratch, marks[e->mark].sign);
	return text_str(scratch);
}

static void widen(size_t *width, const char *s)
{
	size_t own = format_width(s);

	if (own > *width)
		*width = own;
}

static struct layout lay_out(const struct matrix_block *block, unsigned width)
{
	struct layout l = {.label = format_width(CORNER), .per_piece = block->column_count};
	struct text scratch = {0};

	for (size_t i = 0; i < block->row_count; i++)
		widen(&l.label, block->rows[i]);
	for (size_t i = 0; i < block->column_count; i++)
		widen(&l.column, block->columns[i]);
	for (size_t i = 0; i < block->row_count * block->column_count; i++)
		widen(&l.column, entry_text(block, &block->entries[i], &scratch));
	text_done(&scratch);
	if (width > 0 && l.label + l.per_piece * (l.column + GAP) > width)
		l.per_piece = width > l.label ? (width - l.label) / (l.column + GAP) : 0;
	if (l.per_piece == 0)
		l.per_piece = 1;
	return l;
}

static void add_cell(struct text *line, const char *s, size_t width,
                     const struct report_style *style, enum style_colour colour)
{
	struct text padded = {0};

	format_add_padded(&padded, s, width + GAP, true);
	style_add(line, style, colour, text_str(&padded));
	text_done(&padded);
}

static void print_line(FILE *out, struct text *line)
{
	(void)fprintf(out, "%s\n", text_str(line));
	text_clear(line);
}

/* Columns first to end, exclusive. */
static void print_piece(FILE *out, const struct matrix_block *block, const struct layout *l,
                        size_t first, size_t end, const struct report_style *style)
{
	struct text line = {0};
	struct text scratch = {0};

	format_add_padded(&line, CORNER, l->label, false);
	for (size_t c = first; c < end; c++)
		add_cell(&line, block->columns[c], l->column, style, STYLE_PLAIN);
	print_line(out, &line);
	for (size_t r = 0; r < block->row_count; r++) {
		format_add_padded(&line, block->rows[r], l->label, false);
		for (size_t c = first; c < end; c++) {
			const struct matrix_entry *e = &block->entries[r * block->column_count + c];

			add_cell(&line, entry_text(block, e, &scratch), l->column, style,
			         marks[e->mark].colour);
		}
		print_line(out, &line);
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

static void print_title(FILE *out, const struct matrix *m, const struct matrix_block *block,
                        const struct report_style *style)
{
	struct text line = {0};

	style_add(&line, style, STYLE_BOLD, block->unit);
	text_printf(&line, "  %s", block->title);
	if (block->n_max > 0 && m->value != MATRIX_N)
		add_sample_size(&line, block);
	print_line(out, &line);
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

void report_matrix(FILE *out, const struct matrix *matrix, const struct report_style *style)
{
	for (size_t i = 0; i < matrix->block_count; i++) {
		const struct matrix_block *block = &matrix->blocks[i];
		struct layout l = lay_out(block, style->width);

		if (i > 0)
			(void)fputc('\n', out);
		print_title(out, matrix, block, style);
		for (size_t first = 0; first < block->column_count; first += l.per_piece) {
			size_t end = first + l.per_piece;

			print_piece(out, block, &l, first,
			            end < block->column_count ? end : block->column_count, style);
		}
	}
	print_legend(out, matrix);
}
