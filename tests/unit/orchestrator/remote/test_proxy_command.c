/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/carrier.h"
#include "remote/proxy_command.h"
#include "tests/support/test.h"

static struct ssh_target start(const char *command, const char *const *hidden)
{
	const struct ssh_config config = {.hostname = "lab1", .proxy_command = command};
	struct ssh_target target = {.config = NULL, .fd = -1};
	struct err err;

	assert_true(proxy_command_open(&config, hidden, &target, &err));
	assert_true(target.fd >= 0);
	return target;
}

/* As the transport does it. */
static void end(struct ssh_target *target)
{
	if (target->fd >= 0)
		(void)close(target->fd);
	target->carrier->ops->close(target->carrier);
}

/* All until its end. */
static void read_all(int fd, char *out, size_t room)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len + 1 < room) {
		assert_int_equal(poll(&p, 1, 5000), 1);
		n = read(fd, out + len, room - 1 - len);
		assert_true(n >= 0);
		len += (size_t)n;
	}
	out[len] = '\0';
}

static void bytes_go_both_ways(void **state)
{
	struct ssh_target t = start("sed 's/ping/pong/;q'", NULL);
	char got[32];

	(void)state;
	assert_string_equal(t.carrier->where, "lab1 through ProxyCommand");
	assert_int_equal(write(t.fd, "ping\n", 5), 5);
	read_all(t.fd, got, sizeof(got));
	assert_string_equal(got, "pong\n");
	end(&t);
}

static const struct {
	const char *command;
	const char *told;
} ends[] = {
	{"sh -c 'exit 0'", "the ProxyCommand ended with status 0"},
	{"sh -c 'echo no way >&2; exit 3'", "the ProxyCommand ended with status 3: no way"},
	{"sh -c 'printf \"one\\ntwo\\n\\n\" >&2; exit 1'",
         "the ProxyCommand ended with status 1: one; two"},
	{"sh -c 'printf \"\\033[1mred\" >&2; exit 1'",
         "the ProxyCommand ended with status 1: [1mred"},
	{"sh -c 'kill -9 $$'", "the ProxyCommand was ended by signal 9"},
	{"/nonexistent/nc lab1 22",
         "the ProxyCommand ended with status 127: /bin/sh: 1: exec: /nonexistent/nc: not found"},
};

static void why_it_ended_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct ssh_target t = start(ends[i].command, NULL);
		char told[CARRIER_TOLD_BYTES];
		char again[CARRIER_TOLD_BYTES];
		char got[32];

		read_all(t.fd, got, sizeof(got));
		t.carrier->ops->tell(t.carrier, true, told);
		if (i + 1 < COUNT_OF(ends)) /* other shells word it otherwise */
			assert_string_equal(told, ends[i].told);
		else
			assert_non_null(strstr(told, "status 127: "));
		t.carrier->ops->tell(t.carrier, true, again);
		assert_string_equal(again, told);
		end(&t);
	}
}

static void much_on_stderr_does_not_stop_it(void **state)
{
	struct ssh_target t = start("sh -c 'head -c 300000 /dev/zero | tr \"\\0\" x >&2; "
	                            "echo the last word >&2; echo here'",
	                            NULL);
	struct pollfd p[2] = {{.fd = t.fd, .events = POLLIN},
	                      {.fd = t.carrier->watch_fd, .events = POLLIN}};
	char told[CARRIER_TOLD_BYTES];
	char got[32];

	(void)state;
	while (p[0].revents == 0) {
		assert_true(poll(p, 2, 5000) > 0);
		if (p[1].revents != 0 && !t.carrier->ops->serve(t.carrier))
			p[1].fd = -1;
	}
	read_all(t.fd, got, sizeof(got));
	assert_string_equal(got, "here\n");
	t.carrier->ops->tell(t.carrier, true, told);
	assert_non_null(strstr(told, "the last word"));
	end(&t);
}

static void what_it_says_while_it_waits_is_told(void **state)
{
	struct ssh_target t = start("sh -c 'echo trying >&2; echo here; sleep 100'", NULL);
	struct pollfd p = {.fd = t.fd, .events = POLLIN};
	char told[CARRIER_TOLD_BYTES];

	(void)state;
	assert_int_equal(poll(&p, 1, 5000), 1);
	t.carrier->ops->tell(t.carrier, false, told);
	assert_string_equal(told, ""); /* nothing was taken in yet */
	assert_true(t.carrier->ops->serve(t.carrier));
	t.carrier->ops->tell(t.carrier, false, told);
	assert_string_equal(told, "the ProxyCommand says: trying");
	end(&t);
}

static void secrets_are_not_in_its_environment(void **state)
{
	static const char *const hidden[] = {"VNM_TEST_SECRET", NULL};
	struct ssh_target t;
	char got[64];

	(void)state;
	assert_int_equal(setenv("VNM_TEST_SECRET", "xyzzy", 1), 0);
	assert_int_equal(setenv("VNM_TEST_OPEN", "yes", 1), 0);
	t = start("sh -c 'echo ${VNM_TEST_SECRET-none} $VNM_TEST_OPEN'", hidden);
	read_all(t.fd, got, sizeof(got));
	assert_string_equal(got, "none yes\n");
	end(&t);
}

/* It tells the ids of two processes that will not end by themselves. */
static void its_whole_group_is_ended(void **state)
{
	struct ssh_target t = start(
		"sh -c 'trap \"\" TERM HUP; sleep 1000 & echo $$ $!; wait; sleep 1000'", NULL);
	struct pollfd p = {.fd = t.fd, .events = POLLIN};
	uint64_t start_ns;
	char got[64] = "";
	char *rest;
	pid_t pids[2];

	(void)state;
	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_true(read(t.fd, got, sizeof(got) - 1) > 0);
	pids[0] = (pid_t)strtol(got, &rest, 10);
	pids[1] = (pid_t)strtol(rest, NULL, 10);
	assert_true(pids[0] > 1 && pids[1] > 1);
	start_ns = clock_now_ns();
	end(&t);
	assert_true(clock_now_ns() - start_ns < CLOCK_NS_PER_S);
	assert_int_equal(kill(pids[0], 0), -1);
	assert_int_equal(errno, ESRCH);
	/* the other's end is init's to take, which may need a moment */
	for (int i = 0; i < 200 && kill(pids[1], 0) == 0; i++)
		clock_sleep_until(clock_now_ns() + 10 * CLOCK_NS_PER_MS);
	assert_int_equal(kill(pids[1], 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_go_both_ways),
		cmocka_unit_test(why_it_ended_is_told),
		cmocka_unit_test(much_on_stderr_does_not_stop_it),
		cmocka_unit_test(what_it_says_while_it_waits_is_told),
		cmocka_unit_test(secrets_are_not_in_its_environment),
		cmocka_unit_test(its_whole_group_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
