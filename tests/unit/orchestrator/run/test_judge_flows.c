/* SPDX-License-Identifier: MIT */
/* Tests of requests, of bytes, and of both directions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/told.h"

static struct measure_end *src_of(struct told *t)
{
	return told_end(t, MEASURE_FORTH, MEASURE_SRC);
}

static struct measure_end *dst_of(struct told *t)
{
	return told_end(t, MEASURE_FORTH, MEASURE_DST);
}

static void requests_are_told_by_the_end_that_asks(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	told_fill(&t);
	t.config->mode = MODE_RR;
	src_of(&t)->result.units = 30000;
	src_of(&t)->result.measured_ns = 1500000000;
	(void)told_latency(src_of(&t), "rr", 30000);
	told_latency(dst_of(&t), "rr", 7)->max_ns = 1;    /* of no meaning */
	dst_of(&t)->counters[0].delta = 40000000ull * 60; /* headers, and there is no band */
	t.lists[MEASURE_FORTH][MEASURE_SRC].samples[0].units = 12;
	assert_false(told_judge(&t, &arena, &r).retry);
	assert_string_equal(r.reason, "");
	assert_int_equal(r.transactions, 30000);
	NEAR(r.rr_per_s, 20000);
	NEAR(r.throughput_bps, 120e6);
	NEAR(r.rr_min_us, 1);
	NEAR(r.rr_mean_us, 2.5);
	NEAR(r.rr_p50_us, 2);
	NEAR(r.rr_p90_us, 3);
	NEAR(r.rr_p99_us, 4);
	NEAR(r.rr_p999_us, 5);
	NEAR(r.rr_max_us, 6);
	assert_int_equal(r.rtt_probe_count, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[0].transactions, 12);
	arena_done(&arena);
}

static void another_nic_shows_with_requests_too(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill(&t);
	t.config->mode = MODE_RR;
	dst_of(&t)->counters[0].delta = 1000000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason,
	                    "only 2 % of the bytes went through b.eth1: they took another NIC");
}

static void round_trips_under_load_come_from_the_end_that_connected(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill(&t);
	(void)told_latency(src_of(&t), "loaded", 100);
	(void)told_latency(dst_of(&t), "loaded", 9);
	(void)told_verdict(&t, &r);
	assert_int_equal(r.rtt_probe_count, 100);
	NEAR(r.rtt_probe_p50_us, 2);
	NEAR(r.rtt_probe_p99_us, 4);
	NEAR(r.rtt_probe_max_us, 6);
	assert_true(isnan(r.rr_p50_us));
	t.lab.cells[0].dst_initiates = true;
	(void)told_verdict(&t, &r);
	assert_int_equal(r.rtt_probe_count, 9);
}

static void bytes_end_a_test_and_their_time_is_what_it_takes(void **state)
{
	static struct told t;
	struct judge_verdict verdict;
	struct test_result r;

	(void)state;
	told_fill(&t);
	t.config->duration_ms = 0;
	t.config->bytes = 15000000;
	for (unsigned end = 0; end < MEASURE_ENDS; end++)
		told_end(&t, MEASURE_FORTH, end)->result.measured_ns = 2345000000;
	verdict = told_verdict(&t, &r);
	assert_string_equal(r.reason, "");
	assert_string_equal(verdict.warning, "");
	NEAR(r.duration_s, 2.345);
	for (unsigned end = 0; end < MEASURE_ENDS; end++)
		told_end(&t, MEASURE_FORTH, end)->result.measured_ns = 99000000;
	verdict = told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_OK);
	assert_string_equal(
		verdict.warning,
		"a.eth1 > b.eth1: `bytes: 15000000` took 0.099 s: below 0.1 s the start "
		"weighs most, ask for more");
	t.config->bytes = 15000001;
	verdict = told_verdict(&t, &r);
	assert_string_equal(r.reason, "a sent 15000000 bytes in the measured time, asked 15000001");
	assert_string_equal(verdict.warning, "");
	assert_true(verdict.retry);
	t.config->bytes = 1000000;
	(void)told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_INVALID);
}

static void a_burst_is_no_figure(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill(&t);
	t.config->bytes = 15000000;
	t.lab.link.speed_bps = 1000000000;
	t.lab.cells[0].links = t.lab.links;
	t.lab.cells[0].link_count = 1;
	told_end(&t, MEASURE_FORTH, MEASURE_DST)->result.measured_ns = 50000000;
	assert_false(told_verdict(&t, &r).retry);
	assert_int_equal(r.status, TEST_INVALID);
	assert_string_equal(r.reason,
	                    "`bytes: 15000000` was through in 0.0500 s, too fast for a figure: "
	                    "ask for more");
}

static void both_directions_are_told_apart(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;
	struct measure_end *back = told_end(&t, MEASURE_BACK, MEASURE_DST);
	size_t by_direction[2] = {0, 0};

	(void)state;
	told_fill_both(&t);
	back->result.measured_bytes = 10000000;
	told_end(&t, MEASURE_BACK, MEASURE_SRC)->result.retransmits = 8;
	src_of(&t)->result.thread_max_permille = 300;
	back->result.thread_max_permille = 700; /* the same machine receives the second flow */
	dst_of(&t)->result.skew_ns = 1500000;
	assert_false(told_judge(&t, &arena, &r).retry);
	assert_string_equal(r.reason, "");
	NEAR(r.throughput_bps, 120e6);
	NEAR(r.reverse_bps, 80e6);
	NEAR(r.reverse_sender_bps, 120e6);
	assert_int_equal(r.retransmits, 3);
	assert_int_equal(r.reverse_retransmits, 8);
	assert_int_equal(r.reverse_bytes, 40000000);
	NEAR(r.reverse_rtt_loaded_us, 225);
	NEAR(r.start_skew_us, 1500);
	NEAR(r.src_thread_max_pct, 70);
	NEAR(r.src_cpu_pct, 50);
	NEAR(r.src_cpu_us_per_gib, 5e5 * 1073741824.0 / 25e6); /* for all that it moved */
	for (size_t i = 0; i < r.stream_count; i++)
		by_direction[r.streams[i].direction]++;
	assert_int_equal(by_direction[0], 2);
	assert_int_equal(by_direction[1], 2);
	assert_int_equal(r.interval_count, 18);
	assert_int_equal(r.intervals[17].direction, 1);
	assert_int_equal(r.counter_count, 2); /* the machines', once */
	arena_done(&arena);
}

static void each_direction_must_stand(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill_both(&t);
	told_end(&t, MEASURE_BACK, MEASURE_DST)->result.bytes--;
	(void)told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_TRUNCATED);
	assert_string_equal(r.reason, "b sent 40000000 bytes, a took 39999999");

	told_fill_both(&t);
	told_end(&t, MEASURE_BACK, MEASURE_DST)->result.measured_ns = 1060000000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "measured for 1.060 s instead of 1.000 s: a was too busy");

	told_fill_both(&t);
	t.lab.link.speed_bps = 128000000; /* for 120 Mbit/s */
	t.lab.cells[0].links = t.lab.links;
	t.lab.cells[0].link_count = 1;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "");
	told_end(&t, MEASURE_BACK, MEASURE_DST)->result.measured_bytes = 16000000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "106.2 % of the line rate from b to a: a link's speed or "
	                              "frame_overhead in the topology is wrong");
}

static void a_nic_acknowledges_the_other_direction(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill_both(&t); /* 43,300,000 are too much in one direction alone */
	dst_of(&t)->counters[0].delta = 45500000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "");
	dst_of(&t)->counters[0].delta = 47000000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "b.eth1 carried 1.18 times the bytes of the test: other "
	                              "traffic ran beside it");
}

static void what_befell_each_stream_is_listed(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	told_fill_both(&t);
	told_trouble(src_of(&t), 2, "connection reset");
	told_trouble(src_of(&t), 2, "closed"); /* once more: not listed */
	told_trouble(told_end(&t, MEASURE_BACK, MEASURE_SRC), 1, "timed out");
	(void)snprintf(t.measure.kind, sizeof(t.measure.kind), "system");
	(void)snprintf(t.measure.reason, sizeof(t.measure.reason), "a: stream 2: connection reset");
	assert_true(told_judge(&t, &arena, &r).retry);
	assert_int_equal(r.status, TEST_FAILED);
	assert_string_equal(r.reason, "a: stream 2: connection reset");
	assert_int_equal(r.trouble_count, 2);
	assert_int_equal(r.troubles[0].direction, 0);
	assert_int_equal(r.troubles[0].stream, 2);
	assert_false(r.troubles[0].is_dst);
	assert_string_equal(r.troubles[0].reason, "connection reset");
	assert_int_equal(r.troubles[1].direction, 1);
	assert_true(r.troubles[1].is_dst); /* its sender is the cell's dst */
	arena_done(&arena);
}

static void what_limits_the_sender_is_summed_and_the_least_size_taken(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	told_fill(&t);
	for (int k = 0; k < 2; k++) {
		struct msg_sample *s = &t.lists[MEASURE_FORTH][MEASURE_SRC].samples[1 + k];

		s->rttvar_us = k == 0 ? 10 : 30;
		s->mss_bytes = 1448 - (uint32_t)k;
		s->path_mtu_bytes = 1500 - (uint32_t)k;
		s->busy_us = 400000;
		s->rwnd_limited_us = k == 0 ? 0 : 1000;
		src_of(&t)->streams[k].busy_us = 900000;
		src_of(&t)->streams[k].rwnd_limited_us = 100;
		src_of(&t)->streams[k].min_rtt_us = k == 0 ? 90 : 89;
	}
	src_of(&t)->streams[1].sndbuf_limited_us = 5; /* the first does not tell */
	t.lists[MEASURE_FORTH][MEASURE_SRC].samples[0].core_max_permille = 990;
	t.lists[MEASURE_FORTH][MEASURE_DST].samples[0].steal_permille = 20;
	(void)told_judge(&t, &arena, &r);
	assert_int_equal(r.intervals[0].rttvar_us, 20);
	assert_int_equal(r.intervals[0].mss_bytes, 1447);
	assert_int_equal(r.intervals[0].path_mtu_bytes, 1499);
	assert_int_equal(r.intervals[0].busy_us, 800000);
	assert_int_equal(r.intervals[0].rwnd_limited_us, 1000);
	assert_int_equal(r.intervals[0].sndbuf_limited_us, RESULT_UNKNOWN);
	NEAR(r.intervals[0].src_core_max_pct, 99);
	NEAR(r.intervals[0].dst_steal_pct, 2);
	NEAR(r.intervals[0].src_cpu_pct, 25);
	assert_int_equal(r.intervals[3].rttvar_us, RESULT_UNKNOWN);
	assert_int_equal(r.busy_us, 1800000);
	assert_int_equal(r.rwnd_limited_us, 200);
	assert_int_equal(r.sndbuf_limited_us, RESULT_UNKNOWN);
	assert_int_equal(r.streams[1].sndbuf_limited_us, 5);
	NEAR(r.rtt_min_us, 89);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_told_by_the_end_that_asks),
		cmocka_unit_test(another_nic_shows_with_requests_too),
		cmocka_unit_test(round_trips_under_load_come_from_the_end_that_connected),
		cmocka_unit_test(bytes_end_a_test_and_their_time_is_what_it_takes),
		cmocka_unit_test(a_burst_is_no_figure),
		cmocka_unit_test(both_directions_are_told_apart),
		cmocka_unit_test(each_direction_must_stand),
		cmocka_unit_test(a_nic_acknowledges_the_other_direction),
		cmocka_unit_test(what_befell_each_stream_is_listed),
		cmocka_unit_test(what_limits_the_sender_is_summed_and_the_least_size_taken),
	};

	return cmocka_run_group_tests_name("run/judge_flows", tests, NULL, NULL);
}
