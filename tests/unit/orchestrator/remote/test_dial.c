/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/dial.h"
#include "tests/support/test.h"

/* Good for one call. */
static const struct wait_limit *within(uint64_t ms, int wake_fd)
{
	static struct wait_limit limit;

	limit = (struct wait_limit){clock_now_ns() + ms * CLOCK_NS_PER_MS, wake_fd};
	return &limit;
}

/* A socket bound to a port of its own on 127.0.0.1; backlog < 0: does not listen. */
static int bind_port(int backlog, uint16_t *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	if (backlog >= 0)
		assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static void the_socket_is_ready_to_use(void **state)
{
	uint16_t port;
	int listener = bind_port(1, &port);
	char where[DIAL_WHERE_BYTES];
	char expected[DIAL_WHERE_BYTES];
	struct err err;
	int nodelay = 0;
	socklen_t len = sizeof(nodelay);
	int fd;

	(void)state;
	assert_true(dial("127.0.0.1", port, within(5000, -1), &fd, where, &err));
	(void)snprintf(expected, sizeof(expected), "127.0.0.1:%u", (unsigned)port);
	assert_string_equal(where, expected);
	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, &len), 0);
	assert_int_not_equal(nodelay, 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	(void)close(fd);
	(void)close(listener);
}

static void a_refusal_asks_for_sshd(void **state)
{
	uint16_t port;
	int unused = bind_port(-1, &port);
	char where[DIAL_WHERE_BYTES] = "unchanged";
	char expected[ERR_MSG_BYTES];
	struct err err;
	int fd;

	(void)state;
	assert_false(dial("127.0.0.1", port, within(5000, -1), &fd, where, &err));
	(void)snprintf(expected, sizeof(expected),
	               "connect to 127.0.0.1 port %u: Connection refused: is sshd running there?",
	               (unsigned)port);
	assert_string_equal(err.msg, expected);
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_string_equal(where, "unchanged");
	(void)close(unused);
}

/* A listener whose queue is full drops SYNs, as a host that is off does. */
static int fill_queue(uint16_t *port, int fillers[3])
{
	int listener = bind_port(0, port);
	struct sockaddr_in a = {.sin_family = AF_INET,
	                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	                        .sin_port = htons(*port)};

	for (int i = 0; i < 3; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(fillers[i], (const struct sockaddr *)&a, sizeof(a));
	}
	return listener;
}

static void silence_ends_at_the_deadline(void **state)
{
	uint16_t port;
	int fillers[3];
	int listener = fill_queue(&port, fillers);
	char where[DIAL_WHERE_BYTES];
	uint64_t start_ns = clock_now_ns();
	struct err err;
	int fd;

	(void)state;
	assert_false(dial("127.0.0.1", port, within(300, -1), &fd, where, &err));
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_non_null(strstr(err.msg, ": no answer in 0.3 s: is the address right, the host up, "
	                                "no firewall between?"));
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 299, 2000);
	for (int i = 0; i < 3; i++)
		(void)close(fillers[i]);
	(void)close(listener);
}

static void waiting_can_be_given_up(void **state)
{
	uint16_t port;
	int fillers[3];
	int listener = fill_queue(&port, fillers);
	int wake_fd = eventfd(1, EFD_CLOEXEC);
	char where[DIAL_WHERE_BYTES];
	struct err err;
	int fd;

	(void)state;
	assert_false(dial("127.0.0.1", port, within(60000, wake_fd), &fd, where, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	for (int i = 0; i < 3; i++)
		(void)close(fillers[i]);
	(void)close(listener);
	(void)close(wake_fd);
}

/* localhost is ::1 first and 127.0.0.1 second where both are known. */
static void the_next_address_is_tried_when_one_refuses(void **state)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	char where[DIAL_WHERE_BYTES];
	struct err err;
	bool has_both;
	uint16_t port;
	int listener;
	int fd;

	(void)state;
	assert_int_equal(getaddrinfo("localhost", NULL, &hints, &list), 0);
	has_both = list->ai_family == AF_INET6 && list->ai_next != NULL;
	freeaddrinfo(list);
	if (!has_both)
		skip();
	listener = bind_port(1, &port);
	assert_true(dial("localhost", port, within(5000, -1), &fd, where, &err));
	assert_non_null(strstr(where, "127.0.0.1:"));
	(void)close(fd);
	(void)close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_socket_is_ready_to_use),
		cmocka_unit_test(a_refusal_asks_for_sshd),
		cmocka_unit_test(silence_ends_at_the_deadline),
		cmocka_unit_test(waiting_can_be_given_up),
		cmocka_unit_test(the_next_address_is_tried_when_one_refuses),
	};

	return cmocka_run_group_tests_name("remote/dial", tests, NULL, NULL);
}
