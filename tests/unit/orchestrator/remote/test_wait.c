/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/wait.h"
#include "tests/support/test.h"

static struct wait_limit within(uint64_t ms, int wake_fd)
{
	return (struct wait_limit){clock_now_ns() + ms * CLOCK_NS_PER_MS, wake_fd};
}

static void time_is_rounded_up_and_bounded(void **state)
{
	uint64_t now_ns = clock_now_ns();

	(void)state;
	assert_int_equal(wait_ms(0), 0);
	assert_int_equal(wait_ms(now_ns), 0);
	assert_int_equal(wait_ms(UINT64_MAX), 1000);
	assert_in_range(wait_ms(now_ns + 500 * CLOCK_NS_PER_MS), 1, 500);
	assert_int_equal(wait_ms(clock_now_ns() + CLOCK_NS_PER_MS / 2), 1);
}

static void what_is_ready_ends_the_wait(void **state)
{
	struct wait_limit limit = within(20000, -1);
	int fd = eventfd(1, EFD_CLOEXEC);

	(void)state;
	assert_int_equal(wait_for(fd, POLLIN, &limit), WAIT_READY);
	assert_int_equal(wait_for(fd, POLLOUT, &limit), WAIT_READY);
	(void)close(fd);
	assert_int_equal(wait_for(fd, POLLIN, &limit),
	                 WAIT_READY); /* POLLNVAL: the next call fails */
}

static void the_deadline_ends_the_wait(void **state)
{
	struct wait_limit limit = within(30, -1);
	int fd = eventfd(0, EFD_CLOEXEC);

	(void)state;
	assert_int_equal(wait_for(fd, POLLIN, &limit), WAIT_TIMEOUT);
	assert_true(clock_now_ns() >= limit.deadline_ns);
	(void)close(fd);
}

static void being_woken_comes_first_and_is_not_reset(void **state)
{
	int wake_fd = eventfd(1, EFD_CLOEXEC);
	int fd = eventfd(1, EFD_CLOEXEC);
	struct wait_limit limit = within(20000, wake_fd);

	(void)state;
	assert_int_equal(wait_for(fd, POLLIN, &limit), WAIT_WOKEN);
	assert_int_equal(wait_for(fd, POLLIN, &limit), WAIT_WOKEN);
	(void)close(fd);
	(void)close(wake_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_rounded_up_and_bounded),
		cmocka_unit_test(what_is_ready_ends_the_wait),
		cmocka_unit_test(the_deadline_ends_the_wait),
		cmocka_unit_test(being_woken_comes_first_and_is_not_reset),
	};

	return cmocka_run_group_tests_name("remote/wait", tests, NULL, NULL);
}
