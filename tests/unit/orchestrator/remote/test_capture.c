/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/capture.h"
#include "tests/support/test.h"

#define MAX 100000

static bool run(const char *script, uint64_t ms, int wake_fd, struct captured *out, struct err *err)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const struct wait_limit limit = {clock_now_ns() + ms * CLOCK_NS_PER_MS, wake_fd};

	*out = (struct captured){0};
	return capture(argv, environ, MAX, &limit, out, err);
}

static void both_outputs_and_the_end_are_taken(void **state)
{
	struct captured c;
	struct err err;

	(void)state;
	assert_true(run("echo out; echo said >&2; cat; exit 3", 10000, -1, &c, &err));
	assert_string_equal(text_str(&c.out), "out\n");
	assert_string_equal(text_str(&c.said), "said\n");
	assert_true(WIFEXITED(c.status) && WEXITSTATUS(c.status) == 3);
	captured_done(&c);
}

static void what_it_leaves_behind_is_not_waited_for(void **state)
{
	struct captured c;
	struct err err;
	uint64_t start_ns = clock_now_ns();

	(void)state;
	assert_true(run("sleep 5 & echo here", 10000, -1, &c, &err));
	assert_string_equal(text_str(&c.out), "here\n");
	assert_true(clock_now_ns() - start_ns < 3 * CLOCK_NS_PER_S);
	captured_done(&c);
}

static void it_ends_with_the_time(void **state)
{
	struct captured c;
	struct err err;
	uint64_t start_ns = clock_now_ns();

	(void)state;
	assert_false(run("trap '' TERM; sleep 20", 200, -1, &c, &err));
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.msg, "sh does not end in time");
	assert_true(clock_now_ns() - start_ns < 5 * CLOCK_NS_PER_S);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left to be reaped */
	assert_int_equal(errno, ECHILD);
	captured_done(&c);
}

static void it_can_be_given_up(void **state)
{
	int wake_fd = eventfd(1, EFD_CLOEXEC);
	struct captured c;
	struct err err;

	(void)state;
	assert_false(run("sleep 20", 20000, wake_fd, &c, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	captured_done(&c);
	(void)close(wake_fd);
}

static void too_much_is_refused(void **state)
{
	struct captured c;
	struct err err;

	(void)state;
	assert_false(run("while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done", 20000, -1,
	                 &c, &err));
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_string_equal(err.msg, "sh writes more than 100000 bytes");
	captured_done(&c);
}

static void a_missing_program_is_told(void **state)
{
	const char *const argv[] = {"no-such-program-here", NULL};
	const struct wait_limit limit = {clock_now_ns() + CLOCK_NS_PER_S, -1};
	struct captured c = {0};
	struct err err;

	(void)state;
	assert_false(capture(argv, environ, MAX, &limit, &c, &err));
	assert_int_equal(err.sys_errno, ENOENT);
	captured_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_outputs_and_the_end_are_taken),
		cmocka_unit_test(what_it_leaves_behind_is_not_waited_for),
		cmocka_unit_test(it_ends_with_the_time),
		cmocka_unit_test(it_can_be_given_up),
		cmocka_unit_test(too_much_is_refused),
		cmocka_unit_test(a_missing_program_is_told),
	};

	return cmocka_run_group_tests_name("remote/capture", tests, NULL, NULL);
}
