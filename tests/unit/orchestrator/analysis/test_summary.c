/* SPDX-License-Identifier: MIT */
#include "analysis/summary.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"

#define BAD(id, is, why)                                                                      \
	{                                                                                     \
		.cell_id = (id), .state = (is), .reason = (why), .line_rate_pct = (double)NAN \
	}

static void problems_are_told_once_for_each_reason_faults_first(void **state)
{
	struct dataset_cell cells[] = {
		BAD(1, "skipped", RESULT_BY_CHOICE "mtu"),
		BAD(2, "failed", "b: lost"),
		BAD(3, "skipped", RESULT_BY_CHOICE "mtu"),
		BAD(4, "done", NULL),
		BAD(5, "skipped", "a: down"),
		BAD(6, "skipped", RESULT_BY_CHOICE "mtu"),
		BAD(7, "failed", "b: lost"),
		BAD(8, "failed", "a: lost"),
		BAD(9, "invalid", NULL),
		BAD(10, "pending", NULL),
		BAD(11, "failed", "b: lost"),
		BAD(12, "unstable", "a: lost"),
	};
	static const struct {
		enum cell_state state;
		const char *reason;
		bool is_by_choice;
		int64_t ids[3];
		size_t count;
	} expected[] = {
		{CELL_FAILED, "b: lost", false, {2, 7, 11}, 3},
		{CELL_FAILED, "a: lost", false, {8}, 1},
		{CELL_INVALID, "", false, {9}, 1},
		{CELL_SKIPPED, "a: down", false, {5}, 1},
		{CELL_UNSTABLE, "a: lost", false, {12}, 1},
		{CELL_SKIPPED, RESULT_BY_CHOICE "mtu", true, {1, 3, 6}, 3},
	};
	const struct dataset data = {.cells = cells, .cell_count = COUNT_OF(cells)};
	struct summary s;

	(void)state;
	summary_make(&data, &s);
	assert_int_equal(s.problem_count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		const struct summary_problem *p = &s.problems[i];

		assert_true(p->state == expected[i].state);
		assert_string_equal(p->reason, expected[i].reason);
		assert_true(p->is_by_choice == expected[i].is_by_choice);
		assert_int_equal(p->cell_count, expected[i].count);
		for (size_t k = 0; k < p->cell_count; k++)
			assert_true(p->cells[k]->cell_id == expected[i].ids[k]);
	}
	summary_done(&s);
}

static void a_run_without_cells_has_nothing_to_tell(void **state)
{
	const struct dataset data = {0};
	struct summary s;

	(void)state;
	summary_make(&data, &s);
	assert_int_equal(s.problem_count, 0);
	assert_int_equal(s.gap_count, 0);
	summary_done(&s);
}

/* 64 KiB in flight, 4 ms there and back, 4 streams: 524 Mbit/s. */
static const struct dataset_test slow_window = {
	.status = "ok",
	.line_rate_bps = 941e6,
	.rtt_base_us = 4000,
	.window_requested_bytes = 65536,
	.sndbuf_actual_bytes = 131072,
	.rcvbuf_actual_bytes = 131072,
};

static void the_window_ceiling_takes_the_least_that_is_known(void **state)
{
	static const struct {
		int64_t asked, sndbuf, rcvbuf;
		double rtt_us, mbps; /* NAN: not known */
	} cases[] = {
		{65536, 131072, 131072, 4000, 524.288},
		{65536, RESULT_UNKNOWN, RESULT_UNKNOWN, 4000, 524.288},
		{12582912, 425984, 425984, 4000, 3407.872}, /* clamped by the system */
		{12582912, 12582912, 425984, 4000, 3407.872},
		{RESULT_UNKNOWN, 425984, 425984, 4000, (double)NAN}, /* autotuning */
		{65536, 131072, 131072, (double)NAN, (double)NAN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct dataset_test test = slow_window;
		const struct dataset_cell cell = {.streams = 4, .tests = &test, .test_count = 1};
		struct summary_ceiling c;

		test.window_requested_bytes = cases[i].asked;
		test.sndbuf_actual_bytes = cases[i].sndbuf;
		test.rcvbuf_actual_bytes = cases[i].rcvbuf;
		test.rtt_base_us = cases[i].rtt_us;
		c = summary_ceiling_of(&cell);
		if (isnan(cases[i].mbps) ? !isnan(c.window_bps)
		                         : !(fabs(c.window_bps / 1e6 - cases[i].mbps) < 0.001))
			fail_msg("row %zu: %f", i, c.window_bps);
		assert_true(c.line_rate_bps > 940e6 && c.line_rate_bps < 942e6);
	}
}

static void ceilings_come_from_tests_that_count(void **state)
{
	struct dataset_test tests[] = {slow_window, slow_window};
	const struct dataset_cell cell = {.streams = 4, .tests = tests, .test_count = 2};
	const struct dataset_cell none = {.streams = 4};
	struct summary_ceiling c;

	(void)state;
	tests[1].status = "failed";
	tests[1].line_rate_bps = (double)NAN;
	c = summary_ceiling_of(&cell);
	assert_true(c.line_rate_bps > 0);
	c = summary_ceiling_of(&none);
	assert_true(isnan(c.line_rate_bps));
	assert_true(isnan(c.window_bps));
}

static void gaps_leave_out_what_the_window_limits(void **state)
{
	struct dataset_test limited = slow_window;
	struct dataset_test fast = slow_window;
	struct dataset_cell cells[] = {
		{.cell_id = 1, .state = "done", .n = 6, .line_rate_pct = 97},
		{.cell_id = 2, .state = "done", .n = 6, .line_rate_pct = 99},
		{.cell_id = 3,
	         .state = "done",
	         .n = 6,
	         .line_rate_pct = 40,
	         .streams = 4,
	         .tests = &limited,
	         .test_count = 1},
		{.cell_id = 4,
	         .state = "done",
	         .n = 6,
	         .line_rate_pct = 50,
	         .streams = 4,
	         .tests = &fast,
	         .test_count = 1},
		{.cell_id = 5, .state = "done", .n = 6, .line_rate_pct = (double)NAN},
		{.cell_id = 6, .state = "pending", .n = 0, .line_rate_pct = 10},
		{.cell_id = 7, .state = "done", .n = 6, .line_rate_pct = 97},
		/* Neither is to fill the line. */
		{.cell_id = 8, .state = "done", .n = 6, .line_rate_pct = 1, .mode = "rr"},
		{.cell_id = 9, .state = "done", .n = 6, .line_rate_pct = 5, .target_bps = 50000000},
	};
	static const int64_t expected[] = {4, 1, 7, 2};
	const struct dataset data = {.cells = cells, .cell_count = COUNT_OF(cells)};
	struct summary s;

	(void)state;
	fast.rtt_base_us = 100;
	summary_make(&data, &s);
	assert_int_equal(s.window_limited, 1);
	assert_int_equal(s.gap_count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++)
		assert_int_equal(s.gaps[i].cell->cell_id, expected[i]);
	assert_int_equal(s.problem_count, 0);
	summary_done(&s);
}

static void a_state_of_a_later_version_counts_as_failed(void **state)
{
	const struct dataset_cell odd = {.state = "postponed"};
	const struct dataset_cell done = {.state = "done"};

	(void)state;
	assert_int_equal(summary_state(&odd), CELL_FAILED);
	assert_int_equal(summary_state(&done), CELL_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(problems_are_told_once_for_each_reason_faults_first),
		cmocka_unit_test(a_run_without_cells_has_nothing_to_tell),
		cmocka_unit_test(the_window_ceiling_takes_the_least_that_is_known),
		cmocka_unit_test(ceilings_come_from_tests_that_count),
		cmocka_unit_test(gaps_leave_out_what_the_window_limits),
		cmocka_unit_test(a_state_of_a_later_version_counts_as_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
