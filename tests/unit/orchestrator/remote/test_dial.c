/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/dial.h"
#include "remote/resolve.h"
#include "tests/support/test.h"

/* Good for one call. */
static const struct wait_limit *within(uint64_t ms, int wake_fd)
{
	static struct wait_limit limit;

	limit = (struct wait_limit){clock_now_ns() + ms * CLOCK_NS_PER_MS, wake_fd};
	return &limit;
}

/* Good for one call. */
static const struct dial_to *to(const char *address, uint32_t port)
{
	static struct dial_to target;

	target = (struct dial_to){.address = address, .port = port};
	return &target;
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
	assert_true(dial(to("127.0.0.1", port), within(5000, -1), &fd, where, &err));
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
	assert_false(dial(to("127.0.0.1", port), within(5000, -1), &fd, where, &err));
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
	assert_false(dial(to("127.0.0.1", port), within(300, -1), &fd, where, &err));
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
	assert_false(dial(to("127.0.0.1", port), within(60000, wake_fd), &fd, where, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	for (int i = 0; i < 3; i++)
		(void)close(fillers[i]);
	(void)close(listener);
	(void)close(wake_fd);
}

/* The name "several" has the addresses that a test puts here; CMakeLists.txt puts this
 * in front of resolve(). */
static struct resolved several;

bool __real_resolve(const char *address, uint32_t port, int family, const struct wait_limit *limit,
                    struct resolved *out, struct err *err);
bool __wrap_resolve(const char *address, uint32_t port, int family, const struct wait_limit *limit,
                    struct resolved *out, struct err *err);

bool __wrap_resolve(const char *address, uint32_t port, int family, const struct wait_limit *limit,
                    struct resolved *out, struct err *err)
{
	if (strcmp(address, "several") != 0)
		return __real_resolve(address, port, family, limit, out, err);
	*out = several;
	return true;
}

static void add_address(const char *number, uint16_t port)
{
	struct resolved one;
	struct err err;

	assert_true(__real_resolve(number, port, AF_UNSPEC, within(1000, -1), &one, &err));
	several.at[several.count++] = one.at[0];
}

static void a_refusal_starts_the_next_at_once(void **state)
{
	uint16_t closed_port;
	uint16_t port;
	int unused = bind_port(-1, &closed_port);
	int listener = bind_port(1, &port);
	char where[DIAL_WHERE_BYTES];
	char expected[DIAL_WHERE_BYTES];
	uint64_t start_ns = clock_now_ns();
	struct err err;
	int fd;

	(void)state;
	several.count = 0;
	add_address("127.0.0.1", closed_port);
	add_address("127.0.0.1", port);
	assert_true(dial(to("several", 0), within(5000, -1), &fd, where, &err));
	(void)snprintf(expected, sizeof(expected), "127.0.0.1:%u", (unsigned)port);
	assert_string_equal(where, expected);
	assert_true(clock_now_ns() - start_ns < DIAL_STAGGER_MS * CLOCK_NS_PER_MS);
	(void)close(fd);
	(void)close(listener);
	(void)close(unused);
}

static void a_silent_address_costs_a_quarter_of_a_second(void **state)
{
	uint16_t silent_port;
	uint16_t port;
	int fillers[3];
	int silent = fill_queue(&silent_port, fillers);
	int listener = bind_port(1, &port);
	char where[DIAL_WHERE_BYTES];
	char expected[DIAL_WHERE_BYTES];
	uint64_t start_ns = clock_now_ns();
	struct err err;
	int fd;

	(void)state;
	several.count = 0;
	for (int i = 0; i < 3; i++)
		add_address("127.0.0.1", silent_port);
	add_address("127.0.0.1", port);
	assert_true(dial(to("several", 0), within(60000, -1), &fd, where, &err));
	(void)snprintf(expected, sizeof(expected), "127.0.0.1:%u", (unsigned)port);
	assert_string_equal(where, expected);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 3 * DIAL_STAGGER_MS, 10000);
	(void)close(fd);
	(void)close(listener);
	(void)close(silent);
	for (int i = 0; i < 3; i++)
		(void)close(fillers[i]);
}

static void when_all_fail_the_most_telling_reason_is_told(void **state)
{
	uint16_t port;
	int unused = bind_port(-1, &port);
	char where[DIAL_WHERE_BYTES];
	char expected[ERR_MSG_BYTES];
	struct err err;
	int fd;

	(void)state;
	several.count = 0;
	add_address("127.0.0.1", port);
	add_address("255.255.255.255", port); /* the kernel has no route for TCP there */
	assert_false(dial(to("several", 0), within(5000, -1), &fd, where, &err));
	(void)snprintf(expected, sizeof(expected),
	               "connect to 127.0.0.1 port %u (and 1 more): Connection refused: is sshd "
	               "running there?",
	               (unsigned)port);
	assert_string_equal(err.msg, expected);
	(void)close(unused);
}

/* [::1]:port whose queue is full; -1: there is no IPv6 here. */
static int fill_queue_v6(uint16_t *port, int fillers[3])
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (const struct sockaddr *)&a, sizeof(a)) != 0) {
		(void)close(listener);
		return -1;
	}
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin6_port);
	for (int i = 0; i < 3; i++) {
		fillers[i] = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(fillers[i], (const struct sockaddr *)&a, sizeof(a));
	}
	return listener;
}

/* The families by turns, the resolver's first family first: RFC 8305 section 4. */
static void the_families_take_turns(void **state)
{
	uint16_t silent_port = 0;
	uint16_t port;
	int fillers[3];
	int silent = fill_queue_v6(&silent_port, fillers);
	char where[DIAL_WHERE_BYTES];
	uint64_t start_ns;
	struct err err;
	int listener;
	int fd;

	(void)state;
	if (silent < 0)
		skip();
	listener = bind_port(1, &port);
	several.count = 0;
	for (int i = 0; i < 6; i++)
		add_address("::1", silent_port);
	add_address("127.0.0.1", port);
	start_ns = clock_now_ns();
	assert_true(dial(to("several", 0), within(60000, -1), &fd, where, &err));
	assert_non_null(strstr(where, "127.0.0.1:"));
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, DIAL_STAGGER_MS,
	                5 * DIAL_STAGGER_MS);
	(void)close(fd);
	(void)close(listener);
	(void)close(silent);
	for (int i = 0; i < 3; i++)
		(void)close(fillers[i]);
}

static void it_comes_from_the_address_that_is_asked_for(void **state)
{
	uint16_t port;
	int listener = bind_port(2, &port);
	struct dial_to from = {.address = "127.0.0.1", .port = port, .bind_address = "127.0.0.77"};
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	char where[DIAL_WHERE_BYTES];
	struct err err;
	int fd;

	(void)state;
	assert_true(dial(&from, within(5000, -1), &fd, where, &err));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	assert_int_equal(ntohl(a.sin_addr.s_addr), 0x7f00004d);
	(void)close(fd);
	from.bind_address = "192.0.2.1"; /* RFC 5737: nobody's */
	assert_false(dial(&from, within(5000, -1), &fd, where, &err));
	assert_non_null(
		strstr(err.msg, "is BindAddress of ssh_config an address of this machine?"));
	from.bind_address = "::1";
	assert_false(dial(&from, within(5000, -1), &fd, where, &err));
	assert_non_null(strstr(err.msg, "BindAddress of ssh_config of the same family"));
	(void)close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_socket_is_ready_to_use),
		cmocka_unit_test(a_refusal_asks_for_sshd),
		cmocka_unit_test(silence_ends_at_the_deadline),
		cmocka_unit_test(waiting_can_be_given_up),
		cmocka_unit_test(a_refusal_starts_the_next_at_once),
		cmocka_unit_test(a_silent_address_costs_a_quarter_of_a_second),
		cmocka_unit_test(when_all_fail_the_most_telling_reason_is_told),
		cmocka_unit_test(the_families_take_turns),
		cmocka_unit_test(it_comes_from_the_address_that_is_asked_for),
	};

	return cmocka_run_group_tests_name("remote/dial", tests, NULL, NULL);
}
