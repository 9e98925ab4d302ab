/* SPDX-License-Identifier: MIT */
/* The listener without an agent around it: time is the test's. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/listener.h"
#include "measure/udp_socket.h"
#include "tests/support/test.h"

static struct listener listener;
static struct request request;
static int fds[REQUEST_STREAMS_MAX];
static int data_fds[REQUEST_STREAMS_MAX];

static int open_listener(void **state)
{
	struct failure f;

	(void)state;
	memset(&request, 0, sizeof(request));
	request.is_listener = true;
	request.side = REQUEST_RECV;
	request.streams = 2;
	request.rtt_probes = 1;
	memset(request.token, 7, sizeof(request.token));
	assert_true(address_parse("127.0.0.1", &request.own));
	listener_init(&listener);
	assert_true(listener_open(&listener, &request, fds, data_fds, &f));
	return 0;
}

static int close_listener(void **state)
{
	(void)state;
	listener_close(&listener);
	for (uint32_t i = 0; i < request.streams; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]);
		if (data_fds[i] >= 0)
			(void)close(data_fds[i]);
	}
	return 0;
}

static int dial(void)
{
	struct address to = request.own;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	address_set_port(&to, listener.port);
	assert_int_equal(connect(fd, &to.at.any, to.len), 0);
	return fd;
}

static void make_preamble(uint16_t stream, enum preamble_kind kind,
                          unsigned char out[PREAMBLE_BYTES])
{
	struct preamble p = {.stream = stream, .kind = kind};

	memcpy(p.token, request.token, sizeof(p.token));
	preamble_format(&p, out);
}

static void step(uint64_t now_ns)
{
	struct failure f;

	if (!listener_step(&listener, now_ns, &f))
		fail_msg("%s", f.reason);
}

/* Connected, with the preamble sent. */
static int dial_stream(uint16_t stream, enum preamble_kind kind)
{
	unsigned char bytes[PREAMBLE_BYTES];
	int fd = dial();

	make_preamble(stream, kind, bytes);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	return fd;
}

/* What the listener wrote: a byte, 0 for end of file, -1 for nothing yet. */
static int hear(int fd)
{
	unsigned char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);

	return n == 1 ? byte : n == 0 ? 0 : -1;
}

static void the_test_is_complete_with_its_streams_and_its_probe(void **state)
{
	int probe = dial_stream(0, PREAMBLE_PROBE);
	int second = dial_stream(2, PREAMBLE_CONNECTOR_SENDS);
	int first;

	(void)state;
	step(0);
	assert_int_equal(hear(probe), PREAMBLE_ACCEPTED);
	assert_int_equal(hear(second), PREAMBLE_ACCEPTED);
	assert_false(listener_is_complete(&listener));
	assert_int_equal(write(probe, "abc", 3), 3);
	step(0);
	assert_int_equal(hear(probe), 'a'); /* echoed */
	first = dial_stream(1, PREAMBLE_CONNECTOR_SENDS);
	step(0);
	assert_int_equal(hear(first), PREAMBLE_ACCEPTED);
	assert_true(listener_is_complete(&listener));
	assert_true(fds[0] >= 0 && fds[1] >= 0);
	assert_int_equal(listener.strangers, 0);
	(void)close(probe);
	(void)close(first);
	(void)close(second);
}

static void a_preamble_may_come_in_pieces(void **state)
{
	unsigned char bytes[PREAMBLE_BYTES];
	int fd = dial();

	(void)state;
	make_preamble(1, PREAMBLE_CONNECTOR_SENDS, bytes);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		assert_int_equal(hear(fd), -1);
		assert_int_equal(write(fd, bytes + i, 1), 1);
		step(0);
	}
	assert_int_equal(hear(fd), PREAMBLE_ACCEPTED);
	assert_int_equal(listener.connected, 1);
	(void)close(fd);
}

static void bytes_after_the_preamble_stay_the_streams(void **state)
{
	unsigned char bytes[PREAMBLE_BYTES + 4];
	char rest[8];
	int fd = dial();

	(void)state;
	make_preamble(1, PREAMBLE_CONNECTOR_SENDS, bytes);
	memcpy(bytes + PREAMBLE_BYTES, "data", 4);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	step(0);
	assert_int_equal(hear(fd), PREAMBLE_ACCEPTED);
	assert_int_equal(recv(fds[0], rest, sizeof(rest), 0), 4);
	assert_memory_equal(rest, "data", 4);
	(void)close(fd);
}

static void a_stranger_has_two_seconds_however_it_trickles(void **state)
{
	uint64_t limit = LISTENER_STRANGER_MS * CLOCK_NS_PER_MS;
	int fd = dial();

	(void)state;
	step(0);
	assert_int_equal(listener_due_ns(&listener), limit);
	assert_int_equal(write(fd, "V", 1), 1);
	step(limit - 1);
	assert_int_equal(hear(fd), -1);
	assert_int_equal(write(fd, "N", 1), 1);
	step(limit);
	assert_int_equal(hear(fd), 0);
	assert_int_equal(listener.strangers, 1);
	assert_int_equal(listener_due_ns(&listener), UINT64_MAX);
	(void)close(fd);
}

static void a_stream_is_taken_once(void **state)
{
	int first = dial_stream(1, PREAMBLE_CONNECTOR_SENDS);
	int again;
	int probe;
	int second_probe;

	(void)state;
	step(0);
	again = dial_stream(1, PREAMBLE_CONNECTOR_SENDS);
	probe = dial_stream(0, PREAMBLE_PROBE);
	step(0);
	second_probe = dial_stream(0, PREAMBLE_PROBE);
	step(0);
	assert_int_equal(hear(first), PREAMBLE_ACCEPTED);
	assert_int_equal(hear(again), 0);
	assert_int_equal(hear(probe), PREAMBLE_ACCEPTED);
	assert_int_equal(hear(second_probe), 0);
	assert_int_equal(listener.strangers, 2);
	assert_int_equal(listener.connected, 1);
	(void)close(first);
	(void)close(again);
	(void)close(probe);
	(void)close(second_probe);
}

static void the_oldest_of_too_many_strangers_gives_way(void **state)
{
	static int crowd[LISTENER_PENDING_MAX + 1];
	struct pollfd waiting[LISTENER_POLL_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(crowd); i++) {
		crowd[i] = dial();
		step(i); /* each a little later */
	}
	assert_int_equal(hear(crowd[0]), 0);
	assert_int_equal(hear(crowd[1]), -1);
	assert_int_equal(hear(crowd[LISTENER_PENDING_MAX]), -1);
	assert_int_equal(listener.strangers, 1);
	assert_in_range(listener_poll(&listener, waiting), 1, LISTENER_POLL_MAX);
	for (size_t i = 0; i < COUNT_OF(crowd); i++)
		(void)close(crowd[i]);
}

/* A UDP socket of somebody else on a port that has a free one after it. */
static int occupy(uint16_t *port)
{
	for (int i = 0; i < 50; i++) {
		struct address at = request.own;
		int fd = socket(AF_INET, SOCK_DGRAM, 0);

		assert_int_equal(bind(fd, &at.at.any, at.len), 0);
		assert_int_equal(getsockname(fd, &at.at.any, &at.len), 0);
		*port = address_port(&at);
		address_set_port(&at, (uint16_t)(*port + 1));
		if (*port < 65535 && udp_socket_try_port(&at) == 0)
			return fd;
		(void)close(fd);
	}
	fail_msg("no two ports side by side");
	return -1;
}

static void a_port_that_is_taken_for_udp_is_passed_over(void **state)
{
	struct failure f;
	uint16_t port;
	int fd = occupy(&port);

	(void)state;
	request.protocol = REQUEST_UDP;
	request.port_min = port;
	request.port_max = (uint16_t)(port + 1);
	for (int i = 0; i < 8; i++) { /* it begins at a random one */
		listener_close(&listener);
		if (!listener_open(&listener, &request, fds, data_fds, &f))
			fail_msg("%s", f.reason);
		assert_int_equal(listener.port, port + 1);
	}
	listener_close(&listener);
	request.port_max = port;
	assert_false(listener_open(&listener, &request, fds, data_fds, &f));
	assert_int_equal(f.kind, FAILURE_PORT);
	request.port_min = request.port_max = 0; /* any */
	assert_true(listener_open(&listener, &request, fds, data_fds, &f));
	(void)close(fd);
}

static void a_closed_listener_refuses(void **state)
{
	struct address to = request.own;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	address_set_port(&to, listener.port);
	listener_close(&listener);
	assert_int_equal(connect(fd, &to.at.any, to.len), -1);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_listener, close_listener)
		TEST(the_test_is_complete_with_its_streams_and_its_probe),
		TEST(a_preamble_may_come_in_pieces),
		TEST(bytes_after_the_preamble_stay_the_streams),
		TEST(a_stranger_has_two_seconds_however_it_trickles),
		TEST(a_stream_is_taken_once),
		TEST(the_oldest_of_too_many_strangers_gives_way),
		TEST(a_port_that_is_taken_for_udp_is_passed_over),
		TEST(a_closed_listener_refuses),
	};

	return cmocka_run_group_tests_name("agent/measure/listener", tests, NULL, NULL);
}
