/* SPDX-License-Identifier: MIT */
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

/* 32,000 datagrams of 1250 bytes, 100 of them lost. */
static void fill_udp(struct told *t)
{
	struct msg_datagrams *got;

	told_fill(t);
	t->config->protocol = PROTOCOL_UDP;
	(void)told_datagrams(src_of(t), 0, 32000);
	got = told_datagrams(dst_of(t), 0, 31900);
	got->measured = 15950;
	got->lost = 50;
	got->reordered = 4;
	got->duplicates = 0;
	got->jitter_ns = 20000;
	dst_of(t)->result.bytes = 39875000;
	*told_datagrams(dst_of(t), 1, 15950) =
		(struct msg_datagrams){1, 15950, 7975, 50, 4, 0, 30000};
}

static void datagrams_are_counted_at_both_ends(void **state)
{
	static struct told t;
	struct arena arena = {0};
	struct test_result r;

	(void)state;
	fill_udp(&t);
	t.lists[MEASURE_FORTH][MEASURE_DST].samples[0].units = 300;
	t.lists[MEASURE_FORTH][MEASURE_DST].samples[0].lost = 2;
	t.lists[MEASURE_FORTH][MEASURE_DST].samples[4].units = 200;
	t.lists[MEASURE_FORTH][MEASURE_DST].samples[5].units = 100;
	assert_false(told_judge(&t, &arena, &r).retry);
	assert_string_equal(r.reason, "");
	assert_int_equal(r.datagrams_sent, 16000);
	assert_int_equal(r.datagrams_received, 15950);
	assert_int_equal(r.datagrams_lost, 50);
	assert_int_equal(r.datagrams_reordered, 4);
	assert_int_equal(r.datagrams_duplicate, 0);
	NEAR(r.loss_pct, 100.0 * 50 / 16000);
	NEAR(r.jitter_us, 30); /* of the worst stream */
	assert_int_equal(r.streams[0].datagrams, 7975);
	NEAR(r.streams[0].jitter_us, 30);
	assert_int_equal(r.streams[1].datagrams, RESULT_UNKNOWN);
	assert_int_equal(r.intervals[0].datagrams, 300);
	assert_int_equal(r.intervals[0].datagrams_lost, 2);
	assert_int_equal(r.intervals[3].datagrams, 300); /* of both streams */
	assert_int_equal(r.intervals[0].transactions, RESULT_UNKNOWN);
	assert_int_equal(r.mss_bytes, RESULT_UNKNOWN);
	arena_done(&arena);
}

static void datagrams_must_add_up(void **state)
{
	static const struct {
		uint64_t sent, got, lost, doubles;
		const char *reason;
	} cases[] = {
		{32000, 31900, 50, 0, ""},
		{32000, 32100, 0, 100, ""}, /* the network doubled some */
		{32000, 32001, 0, 0, "a sent 32000 datagrams, b took 32001"},
		{32000, 31900, 100 + 2 * JUDGE_LATE_MAX, 0, ""}, /* some came late */
		{32000, 31900, 101 + 2 * JUDGE_LATE_MAX, 0,
	         "b misses 2101 datagrams of the measured time, but of all that a sent only 100 "
	         "did "
	         "not arrive"},
	};
	static struct told t;
	struct test_result r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		fill_udp(&t);
		src_of(&t)->datagrams[0].count = cases[i].sent;
		dst_of(&t)->datagrams[0].count = cases[i].got;
		dst_of(&t)->datagrams[0].lost = cases[i].lost;
		dst_of(&t)->datagrams[0].duplicates = cases[i].doubles;
		assert_int_equal(told_verdict(&t, &r).retry, cases[i].reason[0] != '\0');
		assert_string_equal(r.reason, cases[i].reason);
		assert_int_equal(r.status, cases[i].reason[0] != '\0' ? TEST_INVALID : TEST_OK);
	}
	fill_udp(&t);
	dst_of(&t)->datagram_count = 0;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "b did not tell of its datagrams");
}

static void nothing_that_arrives_is_a_stall_and_no_small_number(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	fill_udp(&t);
	dst_of(&t)->result.measured_bytes = 0;
	assert_true(told_verdict(&t, &r).retry);
	assert_int_equal(r.status, TEST_STALLED);
	assert_string_equal(r.reason, "nothing from a arrived at b in the measured time: does a "
	                              "firewall let UDP through?");
}

static void a_firewall_is_thought_of_when_nothing_came_at_all(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	fill_udp(&t);
	(void)snprintf(t.measure.kind, sizeof(t.measure.kind), "stalled");
	(void)snprintf(t.measure.reason, sizeof(t.measure.reason), "b: no byte came");
	(void)told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_STALLED);
	assert_string_equal(r.reason, "b: no byte came"); /* some did before */
	dst_of(&t)->sample_count = 0;
	assert_true(told_verdict(&t, &r).retry);
	assert_string_equal(r.reason,
	                    "no datagram of a arrived at b: does a firewall let UDP through?");
	(void)snprintf(t.measure.kind, sizeof(t.measure.kind), "truncated");
	(void)told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_STALLED);
	(void)snprintf(t.measure.kind, sizeof(t.measure.kind), "system");
	(void)told_verdict(&t, &r);
	assert_int_equal(r.status, TEST_FAILED);
	assert_string_equal(r.reason, "b: no byte came");
	t.config->protocol = PROTOCOL_TCP;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "b: no byte came");
}

static void datagrams_in_fragments_are_told(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	fill_udp(&t);
	t.config->buffer_bytes = 1472;
	assert_string_equal(told_verdict(&t, &r).warning, ""); /* the MTU is not known */
	src_of(&t)->connected.path_mtu_bytes = 1500;
	assert_string_equal(told_verdict(&t, &r).warning, "");
	t.config->buffer_bytes = 1473;
	assert_string_equal(
		told_verdict(&t, &r).warning,
		"a.eth1 > b.eth1: datagrams of 1473 bytes are sent in fragments: the path's "
		"MTU has room for 1472 bytes; one lost fragment loses them all");
	assert_int_equal(r.status, TEST_OK);
}

/* Each of two streams was asked for as much as makes 120 Mbit/s and more or less. */
static void the_pace_must_be_what_was_asked(void **state)
{
	static const struct {
		enum protocol protocol;
		uint64_t rate_bps;
		const char *reason;
	} cases[] = {
		{PROTOCOL_UDP, 60000000, ""},
		{PROTOCOL_UDP, 57300000, ""}, /* 5 % and a burst above */
		{PROTOCOL_UDP, 50000000,
	         "a: 100 Mbit/s asked in all, sent 120 Mbit/s: it does not keep the pace"},
		{PROTOCOL_UDP, 63000000, ""},
		{PROTOCOL_UDP, 70000000,
	         "a: 140 Mbit/s asked in all, sent 120 Mbit/s: its CPU, its NIC or the first link "
	         "carries no more"},
		{PROTOCOL_TCP, 70000000, ""}, /* a limit, not a load */
		{PROTOCOL_TCP, 50000000,
	         "a: 100 Mbit/s asked in all, sent 120 Mbit/s: it does not keep the pace"},
	};
	static struct told t;
	struct test_result r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (cases[i].protocol == PROTOCOL_UDP)
			fill_udp(&t);
		else
			told_fill(&t);
		t.config->rate_bps = cases[i].rate_bps;
		assert_int_equal(told_verdict(&t, &r).retry, cases[i].reason[0] != '\0');
		assert_string_equal(r.reason, cases[i].reason);
	}
}

static void the_nic_of_datagrams_may_lose_some_but_carry_no_others(void **state)
{
	static const struct {
		uint64_t tx, rx;
		const char *reason;
	} cases[] = {
		{39900000, 39900000, ""},
		{41472000, 41472000, ""}, /* 46 bytes of headers each */
		{43000000, 41472000,
	         "a.eth1 carried 1.07 times the bytes of the test: other traffic ran beside it"},
		{41472000, 38600000,
	         "only 97 % of the bytes went through b.eth1: they took another NIC"},
	};
	static struct told t;
	struct test_result r;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		fill_udp(&t);
		(void)told_counter(src_of(&t), "nic.tx_bytes", cases[i].tx);
		dst_of(&t)->counters[0].delta = cases[i].rx;
		(void)told_verdict(&t, &r);
		assert_string_equal(r.reason, cases[i].reason);
	}
	fill_udp(&t); /* what was lost behind the NIC was carried */
	dst_of(&t)->datagrams[0].count = 16000;
	dst_of(&t)->datagrams[0].lost = 8000;
	dst_of(&t)->result.bytes = 20000000;
	dst_of(&t)->counters[0].delta = 41000000;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datagrams_are_counted_at_both_ends),
		cmocka_unit_test(datagrams_must_add_up),
		cmocka_unit_test(nothing_that_arrives_is_a_stall_and_no_small_number),
		cmocka_unit_test(a_firewall_is_thought_of_when_nothing_came_at_all),
		cmocka_unit_test(datagrams_in_fragments_are_told),
		cmocka_unit_test(the_pace_must_be_what_was_asked),
		cmocka_unit_test(the_nic_of_datagrams_may_lose_some_but_carry_no_others),
	};

	return cmocka_run_group_tests_name("run/judge_udp", tests, NULL, NULL);
}
