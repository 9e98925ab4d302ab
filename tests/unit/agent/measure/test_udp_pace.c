/* SPDX-License-Identifier: MIT */
#include "common/attr.h"
#include "common/clock.h"
#include "measure/udp_pace.h"
#include "tests/support/test.h"

#define S  CLOCK_NS_PER_S
#define MS CLOCK_NS_PER_MS

static void the_rate_is_exact_however_it_divides(void **state)
{
	static const uint64_t rates[] = {8000, 99999989, 1000000000, UINT64_C(1000000000000)};
	struct udp_pace p;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rates); i++) {
		uint64_t wanted_ns;

		udp_pace_start(&p, rates[i], 5 * S);
		assert_int_equal(udp_pace_due_ns(&p, 5 * S), 5 * S); /* the first at once */
		for (unsigned n = 0; n < 10000; n++)
			udp_pace_spend(&p, 1472);
		/* 8 * 14720000 bits; more of them with 1e9 do not fit 64 bits */
		wanted_ns = (uint64_t)(117760000.0L * 1e9L / (long double)rates[i]);
		assert_in_range(udp_pace_due_ns(&p, 5 * S) - 5 * S, wanted_ns, wanted_ns + 1);
	}
}

static void what_is_late_is_made_up_for(void **state)
{
	struct udp_pace p;
	uint64_t now = 100 * S;

	(void)state;
	udp_pace_start(&p, 8000000, now); /* a byte in a us */
	udp_pace_spend(&p, 1000);
	assert_int_equal(udp_pace_due_ns(&p, now), now + MS);
	now += 3 * MS; /* 2 ms late: the grid stays */
	assert_int_equal(udp_pace_due_ns(&p, now), now - 2 * MS);
	udp_pace_spend(&p, 1000);
	assert_int_equal(udp_pace_due_ns(&p, now), now - MS);
}

/* How much goes at once after a stall of a minute. */
static uint64_t burst_bytes(uint64_t rate_bps)
{
	struct udp_pace p;
	uint64_t now = 160 * S;
	uint64_t burst = 0;

	udp_pace_start(&p, rate_bps, 100 * S);
	for (; udp_pace_due_ns(&p, now) <= now; burst += 1000)
		udp_pace_spend(&p, 1000);
	return burst;
}

static void after_a_stall_a_burst_is_bounded(void **state)
{
	(void)state;
	/* Up to one more, and the one that is due now. */
	assert_in_range(burst_bytes(8000000), UDP_PACE_BURST_BYTES, UDP_PACE_BURST_BYTES + 2000);
	assert_in_range(burst_bytes(80000000), UDP_PACE_BURST_BYTES, UDP_PACE_BURST_BYTES + 2000);
	/* 10 ms of 10 Gbit/s. */
	assert_in_range(burst_bytes(10000000000), 12500000, 12502000);
}

static void without_a_rate_it_is_always_time(void **state)
{
	struct udp_pace p;

	(void)state;
	udp_pace_start(&p, 0, S);
	udp_pace_spend(&p, 65507);
	assert_int_equal(udp_pace_due_ns(&p, S), S);
	assert_int_equal(udp_pace_due_ns(&p, S + 1), S + 1);
}

static void batches_are_short(void **state)
{
	(void)state;
	assert_int_equal(udp_pace_batch(0, 1472, 44), 44);
	assert_int_equal(udp_pace_batch(8000, 1472, 44), 1);
	assert_int_equal(udp_pace_batch(100000000, 1472, 44), 1);    /* one is 118 us */
	assert_int_equal(udp_pace_batch(1000000000, 1472, 44), 8);   /* 94 us */
	assert_int_equal(udp_pace_batch(10000000000, 1472, 44), 44); /* 52 us */
	assert_int_equal(udp_pace_batch(1000000000, 65507, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_is_exact_however_it_divides),
		cmocka_unit_test(what_is_late_is_made_up_for),
		cmocka_unit_test(after_a_stall_a_burst_is_bounded),
		cmocka_unit_test(without_a_rate_it_is_always_time),
		cmocka_unit_test(batches_are_short),
	};

	return cmocka_run_group_tests_name("agent/measure/udp_pace", tests, NULL, NULL);
}
