/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/judge.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/lab.h"

#define SAMPLES_MAX 16

/* Both ends of a finished test of two streams for one second, as agents tell it. */
struct told {
	struct lab lab;
	struct measure measure;
	struct msg_sample samples[MEASURE_ENDS][SAMPLES_MAX];
	struct msg_stream streams[MEASURE_ENDS][2];
	struct msg_counter counters[MEASURE_ENDS][2];
};

static void sample(struct told *t, int end, uint32_t stream, unsigned nth, uint64_t bytes)
{
	struct measure_end *e = &t->measure.ends[end];
	struct msg msg;
	struct msg_sample *s = &msg.u.sample;

	msg_init(&msg, MSG_SAMPLE, 1);
	s->stream = stream;
	s->start_ns = nth * 500000000ull;
	s->end_ns = s->start_ns + 500000000ull;
	s->omitted = nth == 0;
	s->bytes = bytes;
	if (end == MEASURE_SRC && stream > 0) {
		s->retransmits = UINT64_C(10) * stream + nth;
		s->cwnd_bytes = UINT64_C(1000) * stream;
		s->rtt_us = UINT64_C(100) * stream;
	}
	if (stream == 0)
		s->cpu_permille = 250;
	t->samples[end][e->sample_count++] = *s;
}

static void stream(struct told *t, int end, uint32_t number)
{
	struct msg msg;
	struct msg_stream *s = &msg.u.stream;

	msg_init(&msg, MSG_STREAM, 1);
	s->stream = number;
	s->bytes = 20000000;
	s->measured_bytes = number * 5000000ull;
	s->local_port = end == MEASURE_SRC ? 40000 + number : 5201;
	s->peer_port = end == MEASURE_SRC ? 5201 : 40000 + number;
	if (end == MEASURE_SRC) {
		s->retransmits = number;
		s->cwnd_max_bytes = UINT64_C(7000) * number;
		s->rtt_us = UINT64_C(150) * number;
	}
	t->streams[end][number - 1] = *s;
	t->measure.ends[end].stream_count++;
}

static void fill(struct told *t)
{
	memset(t, 0, sizeof(*t));
	lab_init(&t->lab);
	t->measure.cell = lab_cell(&t->lab, 0, 1);
	t->lab.cells[0].config.streams = 2;
	t->measure.state = MEASURE_OVER;
	for (int end = 0; end < MEASURE_ENDS; end++) {
		struct measure_end *e = &t->measure.ends[end];
		struct msg msg;

		e->nic = &t->lab.nics[end];
		e->samples = t->samples[end];
		e->streams = t->streams[end];
		e->counters = t->counters[end];
		msg_init(&msg, MSG_CONNECTED, 1);
		e->connected = msg.u.connected;
		e->connected.streams = 2;
		e->connected.mss_bytes = 1448;
		e->is_connected = true;
		msg_init(&msg, MSG_RESULT, 1);
		e->result = msg.u.result;
		e->result.bytes = 40000000;
		e->result.measured_bytes = 15000000;
		e->result.measured_ns = 1000000000;
		e->has_result = true;
		for (unsigned nth = 0; nth < 3; nth++) {
			for (uint32_t k = 0; k <= 2; k++)
				sample(t, end, k, nth, k == 0 ? 7500000 : k * 2500000ull);
		}
		stream(t, end, 1);
		stream(t, end, 2);
	}
	t->measure.ends[MEASURE_SRC].result.retransmits = 3;
	t->measure.ends[MEASURE_SRC].result.cpu_us = 500000;
	t->measure.ends[MEASURE_SRC].connected.rtt_base_us = 100;
	t->measure.ends[MEASURE_DST].result.core_max_permille = 985;
	(void)snprintf(t->counters[MEASURE_DST][0].name, WIRE_STR_BYTES, "nic.rx_bytes");
	t->counters[MEASURE_DST][0].delta = 42000000;
	(void)snprintf(t->counters[MEASURE_DST][1].name, WIRE_STR_BYTES, "nic.rx_dropped");
	t->counters[MEASURE_DST][1].delta = 5;
	t->measure.ends[MEASURE_DST].counter_count = 2;
}

static void judge(struct told *t, struct arena *arena, struct test_result *out, bool *retry)
{
	struct judge_limits limits = {RESULT_UNKNOWN, RESULT_UNKNOWN, 1500};

	judge_test(&t->measure, &limits, arena, out, retry);
}

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-9 * fabs((double)(b)) + 1e-12)

static void each_figure_comes_from_the_end_that_knows_it(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;
	bool retry;

	(void)state;
	fill(&t);
	judge(&t, &arena, &r, &retry);
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
	bool retry;

	(void)state;
	fill(&t);
	judge(&t, &arena, &r, &retry);
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
	bool retry;

	(void)state;
	fill(&t);
	t.measure.ends[MEASURE_SRC].result.retransmits = WIRE_UNKNOWN_U64;
	t.samples[MEASURE_SRC][1].cwnd_bytes = WIRE_UNKNOWN_U64;
	for (int k = 0; k < 2; k++) {
		t.streams[MEASURE_SRC][k].rtt_us = WIRE_UNKNOWN_U64;
		t.streams[MEASURE_SRC][k].cwnd_max_bytes = WIRE_UNKNOWN_U64;
	}
	judge(&t, &arena, &r, &retry);
	assert_int_equal(r.status, TEST_OK);
	assert_int_equal(r.retransmits, RESULT_UNKNOWN);
	assert_true(isnan(r.retransmits_per_gib));
	assert_true(isnan(r.tcp_efficiency_pct));
	assert_true(isnan(r.rtt_loaded_us));
	assert_int_equal(r.cwnd_max_bytes, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[0].retransmits, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[3].retransmits, 32);
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

		fill(&t);
		t.measure.ends[MEASURE_SRC].result.retransmits = cases[i].retransmits;
		t.counters[MEASURE_DST][0].delta = cases[i].nic_bytes;
		judge(&t, &arena, &r, &retry);
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
		struct measure_end *dst = &t.measure.ends[MEASURE_DST];
		struct test_result r;
		bool retry;

		fill(&t);
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
		judge(&t, &arena, &r, &retry);
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
