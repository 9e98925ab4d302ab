/* SPDX-License-Identifier: MIT */
/* cell_text.c - everything about one cell, for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/summary.h"
#include "common/units.h"
#include "report/cell_tables.h"
#include "report/style.h"
#include "report/treatment.h"
#include "stats/stats.h"

enum { LABEL_WIDTH = 12 };

static void print_line(FILE *out, const char *label, struct text *line)
{
	struct text padded = {0};

	format_add_padded(&padded, label, LABEL_WIDTH, false);
	(void)fprintf(out, "%s%s\n", text_str(&padded), text_str(line));
	text_clear(line);
	text_done(&padded);
}

/* ---- what the cell is ---- */

static void print_identity(FILE *out, const struct dataset *data, const struct report_style *style)
{
	const struct dataset_cell *c = &data->cells[0];
	bool dst_opened = strcmp(c->initiator, "dst") == 0;
	struct text line = {0};
	struct text head = {0};

	text_printf(&head, "cell %" PRId64 " of run %" PRId64 ": ", c->cell_id, data->run.run_id);
	format_add_clean(&head, c->src);
	text_add(&head, " -> ");
	format_add_clean(&head, c->dst);
	style_add(&line, style, STYLE_BOLD, text_str(&head));
	text_done(&head);
	(void)fprintf(out, "%s\n", text_str(&line));
	text_clear(&line);
	text_add(&line, c->path_class);
	print_line(out, "path", &line);
	treatment_add(&line, c, TREATMENT_ALL);
	print_line(out, "settings", &line);
	text_printf(&line, "%s, the %s", dst_opened ? c->dst : c->src,
	            dst_opened ? "receiver" : "sender");
	print_line(out, "opened by", &line);
	if (c->src_driver != NULL || c->dst_driver != NULL) {
		text_printf(&line, "%s -> %s", c->src_driver != NULL ? c->src_driver : "-",
		            c->dst_driver != NULL ? c->dst_driver : "-");
		print_line(out, "drivers", &line);
	}
	format_add_clean(&line, c->profiles != NULL ? c->profiles : "-");
	print_line(out, "profiles", &line);
	text_add(&line, c->state);
	if (c->reason != NULL) {
		text_add(&line, ": ");
		format_add_reason(&line, c->reason);
	}
	print_line(out, "state", &line);
	text_done(&line);
}

/* ---- the result ---- */

/* What add_interval() tells, in the unit. */
struct figures {
	int64_t n;
	double median, ci_lo, ci_hi, ci_confidence, min, max, cv_pct;
};

static void add_interval(struct text *line, const struct figures *f, const char *unit)
{
	char median[FORMAT_BYTES];
	char low[FORMAT_BYTES];
	char high[FORMAT_BYTES];
	char min[FORMAT_BYTES];
	char max[FORMAT_BYTES];

	(void)format_figure(f->median, median);
	(void)format_figure(f->min, min);
	(void)format_figure(f->max, max);
	if (!isnan(f->ci_lo) && !isnan(f->ci_hi)) {
		text_printf(line, "%s [%s, %s] %s n=%" PRId64 "  (", median,
		            format_figure(f->ci_lo, low), format_figure(f->ci_hi, high), unit,
		            f->n);
		if (!isnan(f->ci_confidence))
			text_printf(line, "%.1f %% interval of the median; ",
			            f->ci_confidence * 100);
		text_printf(line, "%s to %s", min, max);
		if (!isnan(f->cv_pct))
			text_printf(line, ", cv %.1f %%", f->cv_pct);
		text_add(line, ")");
	} else if (f->n == 1) {
		text_printf(line, "%s %s  screening n=1", median, unit);
	} else {
		text_printf(line,
		            "%s %s  screening n=%" PRId64 "  (%s to %s; an interval needs %d)",
		            median, unit, f->n, min, max, STATS_INTERVAL_MIN);
	}
}

static struct figures figures_of_rates(const struct dataset_cell *c, struct format_unit unit)
{
	return (struct figures){
		.n = c->n,
		.median = c->median_bps / unit.scale,
		.ci_lo = c->ci_lo_bps / unit.scale,
		.ci_hi = c->ci_hi_bps / unit.scale,
		.ci_confidence = c->ci_confidence,
		.min = c->min_bps / unit.scale,
		.max = c->max_bps / unit.scale,
		.cv_pct = c->cv_pct,
	};
}

/* False, and nothing is said, when a test that counts does not know its transactions. */
static bool figures_of_transactions(const struct dataset_cell *c, struct figures *out)
{
	struct arena arena = {0};
	double *counts = arena_alloc(&arena, c->test_count, sizeof(*counts));
	struct stats_summary s;
	size_t n = 0;

	for (size_t i = 0; i < c->test_count; i++) {
		if (strcmp(c->tests[i].status, test_status_names[TEST_OK]) == 0 &&
		    !isnan(c->tests[i].rr_per_s))
			counts[n++] = c->tests[i].rr_per_s;
	}
	stats_summarize(counts, n, &s);
	arena_done(&arena);
	if (n == 0 || (int64_t)n != c->n)
		return false;
	*out = (struct figures){c->n,  s.median, s.ci_lo, s.ci_hi, s.ci_confidence,
	                        s.min, s.max,    s.cv_pct};
	return true;
}

/* Requests and answers are told in transactions. */
static struct format_unit unit_of(const struct dataset_cell *c)
{
	if (summary_is_rr(c))
		return (struct format_unit){8.0 * (double)summary_request_bytes(c),
		                            "transactions/s"};
	return format_rate_unit(c->median_bps);
}

static void print_ceilings(FILE *out, const struct dataset_cell *c)
{
	struct summary_ceiling ceiling = summary_ceiling_of(c);
	char rate[UNITS_TEXT_BYTES];
	char pct[FORMAT_BYTES];
	struct text line = {0};

	if (!isnan(ceiling.line_rate_bps)) {
		text_printf(&line, "%s, %s %% of it reached",
		            units_format_rate(ceiling.line_rate_bps, rate),
		            format_pct(c->line_rate_pct, pct));
		print_line(out, "line rate", &line);
	}
	if (!isnan(ceiling.window_bps)) {
		text_printf(&line, "%s at most: window granted x streams / base round-trip time",
		            units_format_rate(ceiling.window_bps, rate));
		print_line(out, "window", &line);
	}
	text_done(&line);
}

static void print_published(FILE *out, const struct dataset_cell *c)
{
	char rate[UNITS_TEXT_BYTES];
	struct text line = {0};

	if (isnan(c->published_bps))
		return;
	text_add(&line, units_format_rate(c->published_bps, rate));
	if (c->n > 0 && c->published_bps > 0)
		text_printf(&line, ", measured is %+.1f %%",
		            100 * (c->median_bps / c->published_bps - 1));
	print_line(out, "published", &line);
	text_done(&line);
}

static void add_pair(struct text *line, const char *a, const char *b)
{
	text_printf(line, "%s / %s", a, b);
}

/* Medians beside that of the throughput. */
static void print_beside(FILE *out, const struct dataset_cell *c, struct format_unit unit)
{
	char a[FORMAT_BYTES];
	char b[FORMAT_BYTES];
	struct text line = {0};

	if (c->bidir != 0) {
		add_pair(&line, format_figure(c->median_bps / unit.scale, a),
		         format_figure(c->reverse_median_bps / unit.scale, b));
		text_printf(&line, " %s there / back, at the same time", unit.name);
		print_line(out, "both ways", &line);
	}
	if (summary_is_rr(c)) {
		text_printf(&line, "p50 %s us, p99 %s us (medians of the tests)",
		            format_figure(c->median_rr_p50_us, a),
		            format_figure(c->median_rr_p99_us, b));
		print_line(out, "latency", &line);
	} else if (summary_is_udp(c)) {
		if (c->bidir != 0)
			add_pair(&line, format_figure(c->median_loss_pct, a),
			         format_figure(c->reverse_median_loss_pct, b));
		else
			text_add(&line, format_figure(c->median_loss_pct, a));
		text_printf(&line, " %% of the datagrams, jitter %s us (medians of the tests)",
		            format_figure(c->median_jitter_us, a));
		print_line(out, "loss", &line);
	}
	text_done(&line);
}

static void print_result(FILE *out, const struct dataset_cell *c, struct format_unit unit)
{
	struct text line = {0};

	if (c->n > 0) {
		struct figures figures = figures_of_rates(c, unit);

		if (summary_is_rr(c))
			(void)figures_of_transactions(c, &figures);
		add_interval(&line, &figures, unit.name);
		print_line(out, summary_is_rr(c) ? "rate" : "throughput", &line);
		print_beside(out, c, unit);
	}
	if (c->n_invalid > 0) {
		text_printf(&line, "%" PRId64 " %s count", c->n_invalid,
		            c->n_invalid == 1 ? "test does not" : "tests do not");
		print_line(out, "invalid", &line);
	}
	text_done(&line);
	if (!summary_is_rr(c)) /* a request waits for its answer: nothing is to be filled */
		print_ceilings(out, c);
	print_published(out, c);
}

/* ---- what went wrong ---- */

static void print_reasons(FILE *out, const struct dataset_cell *c)
{
	struct text line = {0};

	for (size_t i = 0; i < c->test_count; i++) {
		if (c->tests[i].reason == NULL)
			continue;
		text_printf(&line, "test %" PRId64 " %s: ", c->tests[i].test_id,
		            c->tests[i].status);
		format_add_reason(&line, c->tests[i].reason);
		(void)fprintf(out, "%s\n", text_str(&line));
		text_clear(&line);
	}
	text_done(&line);
}

static void print_troubles(FILE *out, const struct report_cell *cell)
{
	struct text line = {0};

	for (size_t i = 0; i < cell->trouble_count; i++) {
		const struct dataset_trouble *t = &cell->troubles[i];

		text_printf(&line, "test %" PRId64 " stream %" PRId64 "%s: ", t->test_id, t->stream,
		            t->direction != 0 ? " back" : "");
		format_add_clean(&line, t->host);
		text_add(&line, ": ");
		format_add_reason(&line, t->reason);
		format_print_line(out, &line);
	}
	text_done(&line);
}

void report_cell_text(FILE *out, const struct report_cell *cell, const struct report_style *style)
{
	const struct dataset_cell *c = &cell->data->cells[0];
	struct format_unit unit = unit_of(c);

	print_identity(out, cell->data, style);
	print_result(out, c, unit);
	if (c->test_count == 0)
		return;
	(void)fputc('\n', out);
	cell_tables_flow(out, c, unit);
	print_reasons(out, c);
	print_troubles(out, cell);
	(void)fputc('\n', out);
	cell_tables_ends(out, c);
	cell_tables_intervals(out, cell, unit);
}
