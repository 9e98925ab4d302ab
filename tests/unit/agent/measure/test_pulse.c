/* SPDX-License-Identifier: MIT */
/* The pulse with counters and a time that the test sets; no thread runs. */
#include <string.h>

#include "common/clock.h"
#include "measure/pulse.h"
#include "tests/support/test.h"

#define MS CLOCK_NS_PER_MS
#define GO (UINT64_C(7000) * MS)

static struct streams streams;
static struct pulse pulse;

static int start(void **state)
{
	(void)state;
	memset(&streams, 0, sizeof(streams));
	streams.side = REQUEST_RECV;
	streams.count = 2;
	pulse_start(&pulse, GO);
	return 0;
}

static void look_at(uint64_t ms, uint64_t first, uint64_t second)
{
	atomic_store(&streams.stream[0].bytes, first);
	atomic_store(&streams.stream[1].bytes, second);
	pulse_look(&pulse, &streams, GO + ms * MS);
}

static void looks_are_early_first_and_seldom_later(void **state)
{
	uint64_t at = GO;
	uint64_t step = 5;

	(void)state;
	for (int i = 0; i < 9; i++) {
		assert_int_equal(pulse.look_ns, at + step * MS);
		at = pulse.look_ns;
		pulse_look(&pulse, &streams, at);
		step = step * 2 > 250 ? 250 : step * 2;
	}
}

static void any_stream_that_moves_is_a_sign_of_life(void **state)
{
	struct failure f;

	(void)state;
	look_at(100, 10, 0);
	look_at(600, 10, 5);
	look_at(2000, 10, 5); /* nothing new */
	assert_int_equal(pulse_silence_ns(&pulse, GO + 2000 * MS), 1400 * MS);
	assert_false(pulse_has_stalled(&pulse, GO + 3599 * MS));
	assert_true(pulse_has_stalled(&pulse, GO + 3600 * MS));
	assert_false(pulse_fail(&pulse, &f));
	assert_int_equal(f.kind, FAILURE_STALLED);
	assert_string_equal(f.reason,
	                    "no byte for 3 s: 15 bytes in the 600 ms since go before that");
	pulse_restart(&pulse, GO + 3600 * MS);
	assert_false(pulse_has_stalled(&pulse, GO + 6599 * MS));
}

static void a_look_before_its_time_sees_nothing(void **state)
{
	(void)state;
	look_at(4, 10, 10);
	assert_int_equal(pulse.looked_bytes, 0);
	look_at(5, 10, 10);
	assert_int_equal(pulse.looked_bytes, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(looks_are_early_first_and_seldom_later, start),
		cmocka_unit_test_setup(any_stream_that_moves_is_a_sign_of_life, start),
		cmocka_unit_test_setup(a_look_before_its_time_sees_nothing, start),
	};

	return cmocka_run_group_tests_name("agent/measure/pulse", tests, NULL, NULL);
}
