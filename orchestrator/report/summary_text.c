/* SPDX-License-Identifier: MIT */
/* summary_text.c - the end of a run on the screen: what failed first. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/summary.h"
#include "common/units.h"
#include "report/format.h"
#include "report/style.h"
#include "report/treatment.h"
#include "report/writer.h"

enum { CELLS_NAMED = 6, GAPS_SHOWN = 5 };

/* ---- first line ---- */

static void add_problem_counts(struct text *line, const struct summary *s)
{
	static const struct {
		enum cell_state state;
		bool is_by_choice;
		const char *words;
	} kinds[] = {
		{CELL_FAILED, false, "failed"},
		{CELL_INVALID, false, "invalid"},
		{CELL_UNSTABLE, false, "unstable"},
		{CELL_SKIPPED, false, "skipped"},
		{CELL_SKIPPED, true, "skipped by choice"},
	};

	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		size_t count = 0;

		for (size_t i = 0; i < s->problem_count; i++) {
			if (s->problems[i].state == kinds[k].state &&
			    s->problems[i].is_by_choice == kinds[k].is_by_choice)
				count += s->problems[i].cell_count;
		}
		if (count > 0)
			text_printf(line, ", %zu %s", count, kinds[k].words);
	}
}

/* What the counts tell anyway is not said; nor "complete" of a run with bad cells. */
static const char *word_of(const struct dataset_run *run, const struct summary *s)
{
	bool is_complete = strcmp(run->status, "complete") == 0;
	bool has_faults = s->problem_count > 0 && !s->problems[0].is_by_choice;

	if (strcmp(run->status, "failed") == 0 ||
	    (is_complete && (has_faults || run->cells_pending > 0)))
		return "";
	return run->status;
}

static void print_first_line(FILE *out, const struct dataset *data, const struct summary *s,
                             const struct report_style *style)
{
	const struct dataset_run *run = &data->run;
	const char *word = word_of(run, s);
	struct text line = {0};
	struct text head = {0};

	text_printf(&head, "run %" PRId64 "%s%s: %" PRId64 " of ", run->run_id,
	            word[0] == '\0' ? "" : " ", word, run->cells_done);
	format_add_things(&head, (size_t)run->cells, "cell");
	text_add(&head, " measured");
	style_add(&line, style, STYLE_BOLD, text_str(&head));
	add_problem_counts(&line, s);
	if (run->cells_pending > 0)
		text_printf(&line, ", %" PRId64 " to go", run->cells_pending);
	format_print_line(out, &line);
	text_done(&head);
	text_done(&line);
}

/* ---- what failed ---- */

static void add_cell_ids(struct text *line, const struct summary_problem *p)
{
	size_t named = p->cell_count < CELLS_NAMED ? p->cell_count : CELLS_NAMED;

	text_add(line, p->cell_count == 1 ? "cell" : "cells");
	for (size_t i = 0; i < named; i++)
		text_printf(line, "%s %" PRId64, i > 0 ? "," : "", p->cells[i]->cell_id);
	if (named < p->cell_count)
		text_printf(line, " and %zu more", p->cell_count - named);
}

static void print_problems(FILE *out, const struct summary *s, const struct report_style *style)
{
	struct text line = {0};

	for (size_t i = 0; i < s->problem_count; i++) {
		const struct summary_problem *p = &s->problems[i];
		struct text head = {0};

		text_printf(&head, "%5zu %-8s", p->cell_count, cell_state_names[p->state]);
		style_add(&line, style, p->is_by_choice ? STYLE_PLAIN : STYLE_RED, text_str(&head));
		text_add(&line, "  ");
		format_add_reason(&line, p->reason[0] != '\0' ? p->reason : "no reason was kept");
		text_add(&line, " (");
		add_cell_ids(&line, p);
		text_add(&line, ")");
		format_print_line(out, &line);
		text_done(&head);
	}
	text_done(&line);
}

/* ---- matrix ---- */

static void print_matrix(FILE *out, const struct dataset *data, const struct report_style *style)
{
	struct arena arena = {0};
	const struct dataset_cell **cells;
	struct matrix matrix;

	cells = arena_alloc(&arena, data->cell_count, sizeof(*cells));
	for (size_t i = 0; i < data->cell_count; i++)
		cells[i] = &data->cells[i];
	matrix_make(cells, data->cell_count, MATRIX_GBPS, &matrix);
	report_matrix(out, &matrix, style);
	matrix_done(&matrix);
	arena_done(&arena);
}

/* ---- ceilings ---- */

static void print_gap_row(struct writer *w, const struct summary_gap *gap)
{
	char rate[UNITS_TEXT_BYTES];
	char pct[FORMAT_BYTES];
	struct text settings = {0};

	treatment_add(&settings, gap->cell, 0);
	writer_row(w, (const struct writer_value[]){
			      writer_str(format_pct(gap->pct, pct)),
			      writer_str(units_format_rate(gap->cell->median_bps, rate)),
			      writer_int(gap->cell->n),
			      writer_str(gap->cell->src),
			      writer_str(gap->cell->dst),
			      writer_int(gap->cell->cell_id),
			      writer_str(text_str(&settings)),
		      });
	text_done(&settings);
}

static void print_gaps(FILE *out, const struct summary *s)
{
	static const char *const columns[] = {"%", "median", "n", "from", "to", "cell", "settings"};
	size_t shown = s->gap_count < GAPS_SHOWN ? s->gap_count : GAPS_SHOWN;
	struct writer w;

	if (s->gap_count == 0 && s->window_limited == 0)
		return;
	(void)fprintf(out, "\nfurthest below the line rate (cells that have one: %zu",
	              s->gap_count);
	if (s->window_limited > 0)
		(void)fprintf(out, "; limited by their window: %zu more", s->window_limited);
	(void)fputs(")\n", out);
	if (shown == 0)
		return;
	writer_begin(&w, &writer_text, out, columns, COUNT_OF(columns));
	for (size_t i = 0; i < shown; i++)
		print_gap_row(&w, &s->gaps[i]);
	writer_end(&w);
}

/* ---- what to ask next ---- */

static void print_query(FILE *out, const char *db_path, const char *query, int64_t run_id)
{
	struct text line = {0};

	text_add(&line, "  sqlite3 -column -header ");
	format_add_shell_word(&line, db_path);
	text_printf(&line, " '%s", query);
	if (run_id > 0)
		text_printf(&line, "%" PRId64, run_id);
	text_add(&line, "'");
	format_print_line(out, &line);
	text_done(&line);
}

static bool has_kind(const struct dataset *data, bool (*is_kind)(const struct dataset_cell *cell))
{
	for (size_t i = 0; i < data->cell_count; i++) {
		if (is_kind(&data->cells[i]))
			return true;
	}
	return false;
}

static void print_queries(FILE *out, const struct dataset *data, const struct summary *s,
                          const char *db_path)
{
	int64_t run_id = data->run.run_id;

	if (db_path == NULL)
		return;
	(void)fputs("\ntry\n", out);
	if (s->problem_count > 0)
		print_query(out, db_path, "select * from v_problems where run_id=", run_id);
	print_query(out, db_path,
	            "select src,dst,window,streams,gbps,line_rate_pct from v_cells where run_id=",
	            run_id);
	print_query(out, db_path,
	            "select src,dst,window,streams,src_to_dst_gbps,dst_to_src_gbps,ratio "
	            "from v_asymmetry where run_id=",
	            run_id);
	if (has_kind(data, summary_is_udp))
		print_query(
			out, db_path,
			"select src,dst,sent_gbps,gbps,loss_pct,jitter_us from v_udp where run_id=",
			run_id);
	if (has_kind(data, summary_is_rr))
		print_query(out, db_path,
		            "select src,dst,rr_per_s,rr_p50_us,rr_p99_us,rr_max_us from v_latency "
		            "where rr_per_s>0 and run_id=",
		            run_id);
	print_query(out, db_path, "select * from v_help", 0);
}

void report_summary(FILE *out, const struct dataset *data, const struct report_style *style)
{
	struct summary s;

	summary_make(data, &s);
	print_first_line(out, data, &s, style);
	print_problems(out, &s, style);
	if (data->cell_count > 0) {
		(void)fputc('\n', out);
		print_matrix(out, data, style);
	}
	print_gaps(out, &s);
	print_queries(out, data, &s, style->db_path);
	summary_done(&s);
}
