/* SPDX-License-Identifier: MIT */
/* cell_text.c - everything about one cell, for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/summary.h"
#include "common/units.h"
#include "report/format.h"
#include "report/style.h"
#include "report/treatment.h"
#include "report/writer.h"
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

static void add_interval(struct text *line, const struct dataset_cell *c, struct format_unit unit)
{
	char median[FORMAT_BYTES];
	char low[FORMAT_BYTES];
	char high[FORMAT_BYTES];
	char min[FORMAT_BYTES];
	char max[FORMAT_BYTES];

	(void)format_figure(c->median_bps / unit.scale, median);
	(void)format_figure(c->min_bps / unit.scale, min);
	(void)format_figure(c->max_bps / unit.scale, max);
	if (!isnan(c->ci_lo_bps) && !isnan(c->ci_hi_bps)) {
		text_printf(line, "%s [%s, %s] %s n=%" PRId64 "  (", median,
		            format_figure(c->ci_lo_bps / unit.scale, low),
		            format_figure(c->ci_hi_bps / unit.scale, high), unit.name, c->n);
		if (!isnan(c->ci_confidence))
			text_printf(line, "%.1f %% interval of the median; ",
			            c->ci_confidence * 100);
		text_printf(line, "%s to %s", min, max);
		if (!isnan(c->cv_pct))
			text_printf(line, ", cv %.1f %%", c->cv_pct);
		text_add(line, ")");
	} else if (c->n == 1) {
		text_printf(line, "%s %s  screening n=1", median, unit.name);
	} else {
		text_printf(line,
		            "%s %s  screening n=%" PRId64 "  (%s to %s; an interval needs %d)",
		            median, unit.name, c->n, min, max, STATS_INTERVAL_MIN);
	}
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

static void print_result(FILE *out, const struct dataset_cell *c, struct format_unit unit)
{
	struct text line = {0};

	if (c->n > 0) {
		add_interval(&line, c, unit);
		print_line(out, "throughput", &line);
	}
	if (c->n_invalid > 0) {
		text_printf(&line, "%" PRId64 " %s count", c->n_invalid,
		            c->n_invalid == 1 ? "test does not" : "tests do not");
		print_line(out, "invalid", &line);
	}
	text_done(&line);
	print_ceilings(out, c);
	print_published(out, c);
}

/* ---- its tests ---- */

static struct writer_value size_value(int64_t bytes, char out[FORMAT_BYTES])
{
	return writer_str(bytes < 0 ? NULL : format_size(bytes, "-", out));
}

static void print_flow_table(FILE *out, const struct dataset_cell *c, struct format_unit unit)
{
	const char *const columns[] = {"test",    "repeat",   "try",      "status", unit.name,
	                               "sent",    "retr",     "per GiB",  "rtt us", "loaded us",
	                               "delay %", "cwnd max", "rx drops", "NIC %",  "at once"};
	struct writer w;

	writer_begin(&w, &writer_text, out, columns, COUNT_OF(columns));
	for (size_t i = 0; i < c->test_count; i++) {
		const struct dataset_test *t = &c->tests[i];
		char cwnd[FORMAT_BYTES];

		writer_row(&w, (const struct writer_value[]){
				       writer_int(t->test_id),
				       writer_int(t->replicate),
				       writer_int(t->attempt),
				       writer_str(t->status),
				       writer_real(t->throughput_bps / unit.scale),
				       writer_real(t->sender_bps / unit.scale),
				       writer_int(t->retransmits),
				       writer_real(t->retransmits_per_gib),
				       writer_real(t->rtt_base_us),
				       writer_real(t->rtt_loaded_us),
				       writer_real(t->buffer_delay_pct),
				       writer_str(format_about_bytes(t->cwnd_max_bytes, cwnd)),
				       writer_int(t->rx_drops),
				       writer_real(t->nic_byte_match_pct),
				       writer_int(t->concurrent_tests),
			       });
	}
	writer_end(&w);
}

/* What the heads of the table are too short to tell. */
static void print_flow_words(FILE *out)
{
	(void)fputs(
		"rtt us: round trip before the load; loaded us: during it; delay %: how much\n"
		"longer that is, spent in buffers on the way. NIC %: bytes that the receiver's\n"
		"NIC counted, in percent of the test's: headers make it a little more than 100,\n"
		"other traffic far more; it is less where the test took another way.\n",
		out);
}

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

static void print_ends_table(FILE *out, const struct dataset_cell *c)
{
	static const char *const columns[] = {
		"test",      "window asked", "sndbuf", "rcvbuf",    "mss",        "path mtu",
		"src cpu %", "core max %",   "us/GiB", "dst cpu %", "core max %", "us/GiB",
	};
	struct writer w;

	writer_begin(&w, &writer_text, out, columns, COUNT_OF(columns));
	for (size_t i = 0; i < c->test_count; i++) {
		const struct dataset_test *t = &c->tests[i];
		char asked[FORMAT_BYTES];
		char sent[FORMAT_BYTES];
		char received[FORMAT_BYTES];

		writer_row(&w, (const struct writer_value[]){
				       writer_int(t->test_id),
				       t->window_requested_bytes < 0
					       ? writer_str("default")
					       : size_value(t->window_requested_bytes, asked),
				       size_value(t->sndbuf_actual_bytes, sent),
				       size_value(t->rcvbuf_actual_bytes, received),
				       writer_int(t->mss_bytes),
				       writer_int(t->path_mtu_bytes),
				       writer_real(t->src_cpu_pct),
				       writer_real(t->src_core_max_pct),
				       writer_real(t->src_cpu_us_per_gib),
				       writer_real(t->dst_cpu_pct),
				       writer_real(t->dst_core_max_pct),
				       writer_real(t->dst_cpu_us_per_gib),
			       });
	}
	writer_end(&w);
}

static void print_intervals(FILE *out, const struct report_cell *cell, struct format_unit unit)
{
	const char *const columns[] = {"from s", "to s",   unit.name, "retransmits",
	                               "cwnd",   "rtt us", "cpu %",   "counts"};
	struct writer w;

	writer_begin(&w, &writer_text, out, columns, COUNT_OF(columns));
	for (size_t i = 0; i < cell->interval_count; i++) {
		const struct dataset_interval *v = &cell->intervals[i];
		char cwnd[FORMAT_BYTES];

		if (v->stream != 0) /* the sum; single streams are in --json */
			continue;
		writer_row(&w, (const struct writer_value[]){
				       writer_real(v->start_s),
				       writer_real(v->end_s),
				       writer_real(v->throughput_bps / unit.scale),
				       writer_int(v->retransmits),
				       writer_str(format_about_bytes(v->cwnd_bytes, cwnd)),
				       writer_int(v->rtt_us),
				       writer_real(v->cpu_pct),
				       writer_bool(!v->omitted),
			       });
	}
	writer_end(&w);
}

void report_cell_text(FILE *out, const struct report_cell *cell, const struct report_style *style)
{
	const struct dataset_cell *c = &cell->data->cells[0];
	struct format_unit unit = format_rate_unit(c->median_bps);

	print_identity(out, cell->data, style);
	print_result(out, c, unit);
	if (c->test_count == 0)
		return;
	(void)fputc('\n', out);
	print_flow_table(out, c, unit);
	print_flow_words(out);
	print_reasons(out, c);
	(void)fputc('\n', out);
	print_ends_table(out, c);
	if (cell->interval_count == 0)
		return;
	(void)fprintf(out, "\nintervals of test %" PRId64 ", all streams together\n",
	              c->tests[c->test_count - 1].test_id);
	print_intervals(out, cell, unit);
}
