/* SPDX-License-Identifier: MIT */
#include "report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "run/result.h"
#include "tests/support/test.h"

static const struct report_style bare = {0};

/* What the tests vary of a cell; a NIC is called after its host and "e". */
struct row {
	const char *src, *dst; /* "host.nic" */
	double bps;            /* NAN: nothing measured */
	int64_t n;
	const char *state, *initiator;
	int64_t window_bytes;
};

enum { CELLS_MAX = 16, NAME_BYTES = 16 };

struct sample {
	struct dataset_cell cells[CELLS_MAX];
	char hosts[CELLS_MAX][2][NAME_BYTES];
	size_t count;
};

static const char *host_of(const char *nic, char out[NAME_BYTES])
{
	(void)snprintf(out, NAME_BYTES, "%.*s", (int)strcspn(nic, "."), nic);
	return out;
}

static void fill(struct sample *s, const struct row *rows, size_t count)
{
	assert_true(count <= CELLS_MAX);
	s->count = count;
	for (size_t i = 0; i < count; i++)
		s->cells[i] = (struct dataset_cell){
			.src = rows[i].src,
			.src_host = host_of(rows[i].src, s->hosts[i][0]),
			.dst = rows[i].dst,
			.dst_host = host_of(rows[i].dst, s->hosts[i][1]),
			.initiator = rows[i].initiator,
			.state = rows[i].state,
			.n = rows[i].n,
			.median_bps = rows[i].bps,
			.line_rate_pct = (double)NAN,
			.engine = "agent",
			.mtu_bytes = RESULT_UNKNOWN,
			.window_bytes =
				rows[i].window_bytes == 0 ? RESULT_UNKNOWN : rows[i].window_bytes,
			.streams = 1,
			.buffer_bytes = RESULT_UNKNOWN,
			.lro = "unchanged",
			.tso = "unchanged",
			.duration_s = 10,
			.omit_s = 2,
		};
}

/* The matrix of the cells as it is shown; the caller frees it. */
static char *show(const struct sample *s, enum matrix_value value, const struct report_style *style)
{
	const struct dataset_cell *list[CELLS_MAX];
	struct matrix m;
	char *shown = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&shown, &len);

	assert_non_null(out);
	for (size_t i = 0; i < s->count; i++)
		list[i] = &s->cells[i];
	matrix_make(list, s->count, value, &m);
	report_matrix(out, &m, style);
	matrix_done(&m);
	assert_int_equal(fclose(out), 0);
	return shown;
}

static void expect(const struct row *rows, size_t count, const char *expected)
{
	struct sample s;
	char *shown;

	fill(&s, rows, count);
	shown = show(&s, MATRIX_GBPS, &bare);
	assert_string_equal(shown, expected);
	free(shown);
}

static void every_state_has_its_mark(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 98.86e9, 6, "done", "src", 0},
		{"a.e", "c.e", 5e9, 6, "running", "src", 0},
		{"a.e", "d.e", 5e9, 6, "failed", "src", 0},
		{"b.e", "a.e", (double)NAN, 0, "pending", "src", 0},
		{"b.e", "c.e", (double)NAN, 0, "running", "src", 0},
		{"b.e", "d.e", (double)NAN, 0, "unstable", "src", 0},
		{"c.e", "a.e", (double)NAN, 0, "skipped", "src", 0},
		{"c.e", "b.e", (double)NAN, 6, "done", "src", 0},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Gbit/s  window default, 1 stream  (median of 6 tests)\n"
	       "from \\ to  a     b      c      d\n"
	       "a          -  98.9  5.00~  5.00!\n"
	       "b          .     -      *      !\n"
	       "c          s     ?      -      -\n"
	       "- not in the plan   ~ repeats are missing   . pending   * running   ! failed or "
	       "invalid   s skipped   ? measured, but this figure is not known\n");
}

static void one_unit_a_block_and_no_legend_without_marks(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 956.4e6, 6, "done", "src", 0},
		{"b.e", "a.e", 47.63e6, 6, "done", "src", 0},
		{"a.e", "b.e", 999.6e6, 6, "done", "src", 65536},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Mbit/s  window default, 1 stream  (median of 6 tests)\n"
	       "from \\ to     a    b\n"
	       "a             -  956\n"
	       "b          47.6    -\n"
	       "\n"
	       "Gbit/s  window 64K, 1 stream  (median of 6 tests)\n"
	       "from \\ to     b\n"
	       "a          1.00\n");
}

static void a_block_without_values_has_the_unit_of_the_others(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 956.4e6, 6, "done", "src", 0},
		{"a.e", "b.e", (double)NAN, 0, "failed", "src", 65536},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Mbit/s  window default, 1 stream  (median of 6 tests)\n"
	       "from \\ to    b\n"
	       "a          956\n"
	       "\n"
	       "Mbit/s  window 64K, 1 stream\n"
	       "from \\ to  b\n"
	       "a          !\n"
	       "! failed or invalid\n");
}

static void what_is_set_alike_everywhere_is_told_once(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 1e9, 6, "done", "src", 0},
		{"a.e", "b.e", 1e9, 6, "done", "src", 65536},
	};
	const struct dataset_cell *cells[2];
	struct sample s;
	struct matrix m;

	(void)state;
	fill(&s, rows, COUNT_OF(rows));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		s.cells[i].mtu_bytes = 9000;
		cells[i] = &s.cells[i];
	}
	matrix_make(cells, COUNT_OF(rows), MATRIX_GBPS, &m);
	assert_string_equal(m.common, "mtu 9000");
	assert_string_equal(m.blocks[0].title, "window default, 1 stream");
	matrix_done(&m);
}

static void a_host_with_two_nics_is_called_by_them(void **state)
{
	static const struct row rows[] = {
		{"vm.vmx0", "a.e", 2e9, 1, "done", "src", 0},
		{"vm.em0", "a.e", 1e9, 3, "done", "src", 0},
		{"a.e", "b\x1b.e", 1e9, 6, "done", "src", 0},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Gbit/s  window default, 1 stream  (median of 1 to 6 tests: screening)\n"
	       "from \\ to     a  b\\x1b\n"
	       "a             -   1.00\n"
	       "vm.em0     1.00      -\n"
	       "vm.vmx0    2.00      -\n"
	       "- not in the plan\n");
}

static void cells_that_differ_in_the_initiator_get_a_block_each(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 1e9, 6, "done", "dst", 0},
		{"a.e", "b.e", 2e9, 6, "done", "src", 0},
		{"b.e", "a.e", 3e9, 6, "done", "dst", 0},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Gbit/s  window default, 1 stream, connection opened by the sender  (median of 6 "
	       "tests)\n"
	       "from \\ to     b\n"
	       "a          2.00\n"
	       "\n"
	       "Gbit/s  window default, 1 stream, connection opened by the receiver  (median of 6 "
	       "tests)\n"
	       "from \\ to     a     b\n"
	       "a             -  1.00\n"
	       "b          3.00     -\n");
}

static void both_directions_of_a_pair_share_a_block(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 2e9, 6, "done", "src", 0},
		{"b.e", "a.e", 3e9, 6, "done", "dst", 0},
	};

	(void)state;
	expect(rows, COUNT_OF(rows),
	       "Gbit/s  window default, 1 stream  (median of 6 tests)\n"
	       "from \\ to     a     b\n"
	       "a             -  2.00\n"
	       "b          3.00     -\n");
}

static void other_values_can_be_shown(void **state)
{
	struct dataset_test tests[] = {
		{.status = "ok", .retransmits = 3},
		{.status = "ok", .retransmits = 8449},
		{.status = "failed", .retransmits = 70000},
		{.status = "ok", .retransmits = RESULT_UNKNOWN},
	};
	static const struct row rows[] = {
		{"a.e", "b.e", 2e9, 6, "done", "src", 0},
		{"b.e", "a.e", 3e9, 6, "done", "src", 0},
	};
	static const struct {
		enum matrix_value value;
		const char *expected;
	} cases[] = {
		{MATRIX_PCT, "% of line rate  window default, 1 stream  (median of 6 tests)\n"
	                     "from \\ to  a     b\n"
	                     "a          -  99.8\n"
	                     "b          ?     -\n"
	                     "? measured, but this figure is not known\n"},
		{MATRIX_RETR, "retransmits a test  window default, 1 stream  (median of 6 tests)\n"
	                      "from \\ to  a     b\n"
	                      "a          -  4226\n"
	                      "b          ?     -\n"
	                      "? measured, but this figure is not known\n"},
		{MATRIX_N, "tests  window default, 1 stream\n"
	                   "from \\ to  a  b\n"
	                   "a          -  6\n"
	                   "b          6  -\n"},
	};
	struct sample s;

	(void)state;
	fill(&s, rows, COUNT_OF(rows));
	s.cells[0].line_rate_pct = 99.81;
	s.cells[0].tests = tests;
	s.cells[0].test_count = COUNT_OF(tests);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *shown = show(&s, cases[i].value, &bare);

		assert_string_equal(shown, cases[i].expected);
		free(shown);
	}
}

static void a_narrow_terminal_gets_the_columns_in_pieces(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 1e9, 6, "done", "src", 0},
		{"a.e", "c.e", 2e9, 6, "done", "src", 0},
		{"a.e", "d.e", 3e9, 6, "done", "src", 0},
	};
	static const struct {
		unsigned width;
		const char *expected;
	} cases[] = {
		{27, "from \\ to     b     c     d\n"
	             "a          1.00  2.00  3.00\n"},
		{26, "from \\ to     b     c\n"
	             "a          1.00  2.00\n"
	             "from \\ to     d\n"
	             "a          3.00\n"},
		{1, "from \\ to     b\n"
	            "a          1.00\n"
	            "from \\ to     c\n"
	            "a          2.00\n"
	            "from \\ to     d\n"
	            "a          3.00\n"},
	};
	struct sample s;

	(void)state;
	fill(&s, rows, COUNT_OF(rows));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct report_style style = {.width = cases[i].width};
		char *shown = show(&s, MATRIX_GBPS, &style);

		assert_string_equal(strchr(shown, '\n') + 1, cases[i].expected);
		free(shown);
	}
}

static void expect_shown(const struct sample *s, enum matrix_value value, const char *expected)
{
	char *shown = show(s, value, &bare);

	assert_string_equal(shown, expected);
	free(shown);
}

static void a_bidir_cell_shows_both_ways(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 9.4e9, 6, "done", "src", 0},
		{"a.e", "c.e", 0.956e9, 6, "pending", "src", 0},
	};
	struct sample s;

	(void)state;
	fill(&s, rows, COUNT_OF(rows));
	s.cells[0].bidir = s.cells[1].bidir = 1;
	s.cells[0].reverse_median_bps = 9.3e9;
	s.cells[1].reverse_median_bps = (double)NAN;
	expect_shown(&s, MATRIX_GBPS,
	             "Gbit/s there / back  window default, 1 stream, bidir  (median of 6 tests)\n"
	             "from \\ to            b           c\n"
	             "a          9.40 / 9.30  0.956 / -~\n"
	             "~ repeats are missing\n");
	expect_shown(&s, MATRIX_N,
	             "tests  window default, 1 stream, bidir\n"
	             "from \\ to  b   c\n"
	             "a          6  6~\n"
	             "~ repeats are missing\n");
}

static void udp_shows_what_was_lost_and_rr_transactions(void **state)
{
	static const struct row rows[] = {
		{"a.e", "b.e", 0.9e9, 6, "done", "src", 0},
		{"a.e", "c.e", 330e3, 6, "done", "src", 0},
		{"a.e", "d.e", 330e3, 6, "done", "src", 0},
		{"a.e", "e.e", (double)NAN, 0, "pending", "src", 65536},
	};
	struct sample s;

	(void)state;
	fill(&s, rows, COUNT_OF(rows));
	s.cells[0].protocol = "udp";
	s.cells[0].median_loss_pct = 0.125;
	s.cells[1].mode = s.cells[2].mode = "rr";
	s.cells[1].median_rr_per_s = 41234;
	s.cells[1].median_rr_p50_us = 23.44;
	s.cells[1].median_rr_p99_us = 61;
	/* Not known: then the rate of requests of one byte tells it. */
	s.cells[2].median_rr_per_s = (double)NAN;
	s.cells[2].median_rr_p50_us = s.cells[2].median_rr_p99_us = (double)NAN;
	expect_shown(
		&s, MATRIX_GBPS,
		"Mbit/s  window 64K, 1 stream\n"
		"from \\ to  e\n"
		"a          .\n"
		"\n"
		"transactions/s (p50/p99 us)  rr, window default, 1 stream  (median of 6 tests)\n"
		"from \\ to                  c            d\n"
		"a          41234 (23.4/61.0)  41250 (-/-)\n"
		"\n"
		"Mbit/s (% lost)  udp, window default, 1 stream  (median of 6 tests)\n"
		"from \\ to            b\n"
		"a          900 (0.125)\n"
		". pending\n");
	s.cells[1].line_rate_pct = s.cells[0].line_rate_pct = 90;
	s.count = 2;
	expect_shown(&s, MATRIX_PCT,
	             "% of line rate  rr, window default, 1 stream\n"
	             "from \\ to  c\n"
	             "a          ?\n"
	             "\n"
	             "% of line rate  udp, window default, 1 stream  (median of 6 tests)\n"
	             "from \\ to     b\n"
	             "a          90.0\n"
	             "? measured, but this figure is not known\n");
}

static void no_cells_are_no_blocks(void **state)
{
	(void)state;
	expect(NULL, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_has_its_mark),
		cmocka_unit_test(one_unit_a_block_and_no_legend_without_marks),
		cmocka_unit_test(a_block_without_values_has_the_unit_of_the_others),
		cmocka_unit_test(what_is_set_alike_everywhere_is_told_once),
		cmocka_unit_test(a_host_with_two_nics_is_called_by_them),
		cmocka_unit_test(cells_that_differ_in_the_initiator_get_a_block_each),
		cmocka_unit_test(both_directions_of_a_pair_share_a_block),
		cmocka_unit_test(other_values_can_be_shown),
		cmocka_unit_test(a_narrow_terminal_gets_the_columns_in_pieces),
		cmocka_unit_test(a_bidir_cell_shows_both_ways),
		cmocka_unit_test(udp_shows_what_was_lost_and_rr_transactions),
		cmocka_unit_test(no_cells_are_no_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
