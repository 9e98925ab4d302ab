/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "common/clock.h"
#include "tests/support/test.h"

static void a_threads_time_is_what_it_worked(void **state)
{
	uint64_t before = clock_cpu_us(CLOCK_THREAD_CPUTIME_ID);
	volatile uint64_t work = 0;
	uint64_t after;

	(void)state;
	for (uint64_t i = 0; i < 20000000; i++)
		work += i;
	after = clock_cpu_us(CLOCK_THREAD_CPUTIME_ID);
	assert_true(work > 0);
	assert_in_range(after - before, 1000, 60000000);
	clock_sleep_until(clock_now_ns() + 100 * CLOCK_NS_PER_MS); /* which is no work */
	assert_in_range(clock_cpu_us(CLOCK_THREAD_CPUTIME_ID) - after, 0, 90000);
}

static void no_clock_has_no_time(void **state)
{
	(void)state;
	assert_int_equal(clock_cpu_us((clockid_t)12345), CLOCK_CPU_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_threads_time_is_what_it_worked),
		cmocka_unit_test(no_clock_has_no_time),
	};

	return cmocka_run_group_tests_name("common/clock_cpu", tests, NULL, NULL);
}
