/* SPDX-License-Identifier: MIT */
#include "common/clock.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "tests/support/test.h"

static volatile sig_atomic_t alarms;

static void count_alarm(int signal_number)
{
	(void)signal_number;
	alarms = alarms + 1;
}

static void time_does_not_go_back(void **state)
{
	uint64_t last = clock_now_ns();

	(void)state;
	assert_true(last > 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_now_ns();

		assert_true(now >= last);
		last = now;
	}
}

static void wall_time_is_that_of_the_system_in_milliseconds(void **state)
{
	int64_t before = (int64_t)time(NULL) - 1; /* time() may lag by a tick */
	int64_t now = clock_wall_ms();
	int64_t after = (int64_t)time(NULL) + 1;

	(void)state;
	assert_true(now >= before * 1000);
	assert_true(now <= after * 1000);
}

static void sleep_ends_at_its_time_and_not_before(void **state)
{
	uint64_t until = clock_now_ns() + 2 * CLOCK_NS_PER_MS;

	(void)state;
	clock_sleep_until(until);
	assert_true(clock_now_ns() >= until);
}

static void a_time_that_has_passed_does_not_sleep(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	clock_sleep_until(0);
	clock_sleep_until(start);
	assert_true(clock_now_ns() - start < CLOCK_NS_PER_S);
}

static void a_signal_does_not_shorten_a_sleep(void **state)
{
	const struct sigaction action = {.sa_handler = count_alarm};
	const struct itimerval every_ms = {{0, 1000}, {0, 1000}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	uint64_t until = clock_now_ns() + 20 * CLOCK_NS_PER_MS;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &every_ms, NULL), 0);
	clock_sleep_until(until);
	assert_true(clock_now_ns() >= until);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_true(alarms > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(wall_time_is_that_of_the_system_in_milliseconds),
		cmocka_unit_test(sleep_ends_at_its_time_and_not_before),
		cmocka_unit_test(a_time_that_has_passed_does_not_sleep),
		cmocka_unit_test(a_signal_does_not_shorten_a_sleep),
	};

	return cmocka_run_group_tests_name("common/clock", tests, NULL, NULL);
}
