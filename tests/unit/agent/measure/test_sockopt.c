/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/request.h"
#include "measure/sockopt.h"
#include "tests/support/test.h"

static void a_window_is_read_back_without_the_kernels_doubling(void **state)
{
	struct sockopt_granted granted;
	struct failure f;
	int fds[2];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_true(fds[i] >= 0);
	}
	assert_true(sockopt_set_window(fds[0], 131072, &f));
	assert_true(sockopt_set_window(fds[1], 65536, &f));
	sockopt_read(fds, 2, &granted);
	assert_in_range(granted.doubling, 1, 2);
	assert_int_equal(granted.sndbuf_bytes / granted.doubling, 65536); /* the least of both */
	assert_int_equal(granted.rcvbuf_bytes / granted.doubling, 65536);
	assert_int_not_equal(granted.mss_bytes, SOCKOPT_UNKNOWN);
	for (size_t i = 0; i < COUNT_OF(fds); i++)
		(void)close(fds[i]);
}

static void what_cannot_be_read_is_unknown(void **state)
{
	struct sockopt_granted granted;
	int closed = -1;

	(void)state;
	sockopt_read(&closed, 1, &granted);
	assert_int_equal(granted.sndbuf_bytes, SOCKOPT_UNKNOWN);
	assert_int_equal(granted.rcvbuf_bytes, SOCKOPT_UNKNOWN);
	assert_int_equal(granted.mss_bytes, SOCKOPT_UNKNOWN);
	sockopt_read(NULL, 0, &granted);
	assert_int_equal(granted.mss_bytes, SOCKOPT_UNKNOWN);
}

static void a_refusal_says_what_was_asked_for(void **state)
{
	struct failure f;

	(void)state;
	assert_false(sockopt_set_window(-1, 65536, &f));
	assert_int_equal(f.kind, FAILURE_SYSTEM);
	assert_string_equal(f.reason, "window of 65536 bytes (SO_SNDBUF): Bad file descriptor");
	assert_false(sockopt_set_blocking(-1, true, &f));
	assert_string_equal(f.reason, "fcntl: Bad file descriptor");
}

static void blocking_is_switched_both_ways(void **state)
{
	struct failure f;
	int fds[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_true(sockopt_set_blocking(fds[0], false, &f));
	assert_int_equal(recv(fds[0], &byte, 1, 0), -1);
	assert_true(sockopt_is_passing(errno));
	assert_true(sockopt_set_blocking(fds[0], true, &f));
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(recv(fds[0], &byte, 1, 0), 1);
	assert_true(sockopt_is_passing(EINTR));
	assert_false(sockopt_is_passing(ECONNRESET));
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void ecns_bits_stay_as_they_are(void **state)
{
	static const int families[] = {AF_INET, AF_INET6};
	static const char *const own[] = {"127.0.0.1", "::1"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(families); i++) {
		int level = i == 0 ? IPPROTO_IP : IPPROTO_IPV6;
		int option = i == 0 ? IP_TOS : IPV6_TCLASS;
		struct request r = {.dscp = 46, .streams = 1};
		struct sockopt_granted granted;
		struct failure f;
		int value = 2; /* ECT(0) */
		socklen_t len = sizeof(value);
		int fd = socket(families[i], SOCK_DGRAM, 0);

		if (fd < 0)
			continue; /* no IPv6 here */
		assert_true(address_parse(own[i], &r.own));
		assert_int_equal(setsockopt(fd, level, option, &value, sizeof(value)), 0);
		assert_true(sockopt_apply_any(fd, &r, &f));
		assert_int_equal(getsockopt(fd, level, option, &value, &len), 0);
		assert_int_equal(value, 46 << 2 | 2);
		sockopt_read(&fd, 1, &granted);
		assert_int_equal(granted.dscp, 46);
		r.dscp = REQUEST_DSCP_DEFAULT;
		assert_true(sockopt_apply_any(fd, &r, &f));
		sockopt_read(&fd, 1, &granted);
		assert_int_equal(granted.dscp, 46); /* not asked for, not touched */
		(void)close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_read_back_without_the_kernels_doubling),
		cmocka_unit_test(what_cannot_be_read_is_unknown),
		cmocka_unit_test(a_refusal_says_what_was_asked_for),
		cmocka_unit_test(blocking_is_switched_both_ways),
		cmocka_unit_test(ecns_bits_stay_as_they_are),
	};

	return cmocka_run_group_tests_name("agent/measure/sockopt", tests, NULL, NULL);
}
