/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/told.h"

static void each_figure_comes_from_the_end_that_knows_it(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;
	bool retry;

	(void)state;
	told_fill(&t);
	retry = told_judge(&t, &arena, &r).retry;
	assert_int_equal(r.status, TEST_OK);
	assert_false(retry);
	NEAR(r.throughput_bps, 120e6);
	NEAR(r.sender_bps, 120e6);
	assert_int_equal(r.bytes, 40000000);
	assert_int_equal(r.retransmits, 3);
	NEAR(r.retransmits_per_gib, 3 * 1073741824.0 / 15e6);
	NEAR(r.tcp_efficiency_pct, 100.0 * (15e6 - 3 * 1448) / 15e6);
	NEAR(r.rtt_loaded_us, 225);
	NEAR(r.buffer_delay_pct, 125);
	assert_int_equal(r.cwnd_max_bytes, 14000);
	NEAR(r.src_cpu_pct, 50);
	NEAR(r.src_cpu_us_per_gib, 5e5 * 1073741824.0 / 15e6);
	assert_true(isnan(r.dst_cpu_pct));
	NEAR(r.dst_core_max_pct, 98.5);
	NEAR(r.nic_byte_match_pct, 105);
	assert_int_equal(r.rx_drops, 5);
	assert_true(isnan(r.line_rate_bps)); /* no link is crossed */
	arena_done(&arena);
}

static void streams_and_intervals_join_both_ends(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	told_fill(&t);
	(void)told_judge(&t, &arena, &r);
	assert_int_equal(r.stream_count, 2);
	assert_int_equal(r.streams[1].src_port, 40002);
	assert_int_equal(r.streams[1].dst_port, 5201);
	NEAR(r.streams[1].throughput_bps, 80e6);
	assert_int_equal(r.streams[1].retransmits, 2);
	assert_int_equal(r.streams[1].cpu, RESULT_UNKNOWN);
	assert_int_equal(r.interval_count, 9);
	for (size_t i = 0; i < r.interval_count; i++) {
		const struct result_interval *o = &r.intervals[i];
		int64_t nth = (int64_t)(i / 3);

		assert_int_equal(o->omitted, nth == 0);
		if (o->stream == 0) {
			NEAR(o->throughput_bps, 120e6);
			assert_int_equal(o->retransmits, 30 + 2 * nth);
			assert_int_equal(o->cwnd_bytes, 3000);
			assert_int_equal(o->rtt_us, 150);
			NEAR(o->cpu_pct, 25);
		} else {
			assert_int_equal(o->retransmits, 10 * (int64_t)o->stream + nth);
			assert_true(isnan(o->cpu_pct));
		}
	}
	assert_int_equal(r.counter_count, 2);
	assert_true(r.counters[0].is_dst);
	arena_done(&arena);
}

static void a_sender_without_tcp_info_leaves_unknowns(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	told_fill(&t);
	told_end(&t, MEASURE_FORTH, MEASURE_SRC)->result.retransmits = WIRE_UNKNOWN_U64;
	t.lists[MEASURE_FORTH][MEASURE_SRC].samples[1].cwnd_bytes = WIRE_UNKNOWN_U64;
	for (int k = 0; k < 2; k++) {
		t.lists[MEASURE_FORTH][MEASURE_SRC].streams[k].rtt_us = WIRE_UNKNOWN_U64;
		t.lists[MEASURE_FORTH][MEASURE_SRC].streams[k].cwnd_max_bytes = WIRE_UNKNOWN_U64;
	}
	(void)told_judge(&t, &arena, &r);
	assert_int_equal(r.status, TEST_OK);
	assert_int_equal(r.retransmits, RESULT_UNKNOWN);
	assert_true(isnan(r.retransmits_per_gib));
	assert_true(isnan(r.tcp_efficiency_pct));
	assert_true(isnan(r.rtt_loaded_us));
	assert_int_equal(r.cwnd_max_bytes, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[0].cwnd_bytes, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[0].retransmits, 30); /* each figure by itself */
	assert_int_equal(r.intervals[3].cwnd_bytes, 3000);
	arena_done(&arena);
}

static void the_nic_must_have_carried_the_test_and_little_else(void **state)
{
	static const struct {
		uint64_t nic_bytes;
		uint64_t retransmits;
		const char *reason; /* NULL: fine */
		bool retry;
	} cases[] = {
		{40000000, 0, NULL, false}, /* an offloading NIC counts few headers */
		{41935484, 0, NULL, false}, /* every header: 1518 for 1448 */
		{43200000, 0, NULL, false}, /* 2 % more, and 200 kB a second */
		{43300000, 0,
	         "b.eth1 carried 1.08 times the bytes of the test: other traffic ran beside it",
	         true},
		{43300000, 1000, NULL, false}, /* sent again */
		{80000000, 0,
	         "b.eth1 carried 2.00 times the bytes of the test: other traffic ran beside it",
	         true},
		{38900000, 0, NULL, false},
		{38000000, 0, "only 95 % of the bytes went through b.eth1: they took another NIC",
	         false},
		{0, 0, "only 0 % of the bytes went through b.eth1: they took another NIC", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static struct told t;
		struct arena arena = {0};
		struct test_result r;
		bool retry;

		told_fill(&t);
		told_end(&t, MEASURE_FORTH, MEASURE_SRC)->result.retransmits = cases[i].retransmits;
		t.lists[MEASURE_FORTH][MEASURE_DST].counters[0].delta = cases[i].nic_bytes;
		retry = told_judge(&t, &arena, &r).retry;
		assert_int_equal(r.status, cases[i].reason == NULL ? TEST_OK : TEST_INVALID);
		assert_string_equal(r.reason, cases[i].reason == NULL ? "" : cases[i].reason);
		assert_int_equal(retry, cases[i].retry);
		arena_done(&arena);
	}
}

static void what_cannot_be_right_does_not_count(void **state)
{
	static const struct {
		const char *what;
		const char *reason;
		enum test_status status;
	} cases[] = {
		{"lost", "a sent 40000000 bytes, b took 39999999", TEST_TRUNCATED},
		{"stream", "1 of 2 streams told their result", TEST_INVALID},
		{"silent", "nothing arrived in the measured time", TEST_STALLED},
		{"long", "measured for 1.060 s instead of 1.000 s: b was too busy", TEST_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static struct told t;
		struct arena arena = {0};
		struct measure_end *dst = told_end(&t, MEASURE_FORTH, MEASURE_DST);
		struct test_result r;
		bool retry;

		told_fill(&t);
		switch (i) {
		case 0:
			dst->result.bytes--;
			break;
		case 1:
			dst->stream_count = 1;
			break;
		case 2:
			dst->result.measured_bytes = 0;
			break;
		default:
			dst->result.measured_ns = 1060000000;
			break;
		}
		retry = told_judge(&t, &arena, &r).retry;
		assert_int_equal(r.status, cases[i].status);
		assert_string_equal(r.reason, cases[i].reason);
		assert_true(retry);
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_comes_from_the_end_that_knows_it),
		cmocka_unit_test(streams_and_intervals_join_both_ends),
		cmocka_unit_test(a_sender_without_tcp_info_leaves_unknowns),
		cmocka_unit_test(the_nic_must_have_carried_the_test_and_little_else),
		cmocka_unit_test(what_cannot_be_right_does_not_count),
	};

	return cmocka_run_group_tests_name("run/judge", tests, NULL, NULL);
}
