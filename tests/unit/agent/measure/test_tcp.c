/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/tcp.h"
#include "tests/support/test.h"

#define STREAMS 3u

static struct tcp sender;
static struct tcp receiver;
static int sender_fds[STREAMS];
static int receiver_fds[STREAMS];

static int set_up(void **state)
{
	struct failure f;

	(void)state;
	memset(&sender, 0, sizeof(sender));
	memset(&receiver, 0, sizeof(receiver));
	assert_true(tcp_init(&sender, &f));
	assert_true(tcp_init(&receiver, &f));
	for (uint32_t i = 0; i < STREAMS; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		sender_fds[i] = pair[0];
		receiver_fds[i] = pair[1];
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tcp_done(&sender);
	tcp_done(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++) {
		(void)close(sender_fds[i]);
		(void)close(receiver_fds[i]);
	}
	return 0;
}

static bool have_all_ended(const struct tcp *t)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		if (!tcp_has_ended(t, i))
			return false;
	}
	return true;
}

/* Waits, by the wake descriptor, for all threads to have ended. */
static void wait_for_end(struct tcp *t)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (!have_all_ended(t)) {
		struct pollfd p = {.fd = tcp_wake_fd(t), .events = POLLIN};

		if (clock_now_ns() > until)
			fail_msg("the threads go on");
		(void)poll(&p, 1, 1000);
		tcp_wake_clear(t);
	}
}

/* On a busy machine one thread may move all of it before another has its turn. */
static bool has_each_moved(const struct tcp *t)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		if (tcp_bytes(t, i) == 0)
			return false;
	}
	return true;
}

static void wait_for_bytes(const struct tcp *t, uint64_t bytes)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (tcp_bytes_all(t) < bytes || !has_each_moved(t)) {
		if (clock_now_ns() > until)
			fail_msg("no bytes");
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	}
}

static void open_both(uint64_t buffer_bytes)
{
	struct failure f;

	assert_true(tcp_open(&receiver, TCP_RECV, STREAMS, 0, &f));
	assert_true(tcp_open(&sender, TCP_SEND, STREAMS, buffer_bytes, &f));
}

static void what_is_sent_is_received_to_the_byte(void **state)
{
	(void)state;
	open_both(0);
	tcp_go(&receiver, receiver_fds);
	tcp_go(&sender, sender_fds);
	wait_for_bytes(&receiver, 10000000);
	tcp_stop(&sender);
	wait_for_end(&sender);
	wait_for_end(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_int_equal(tcp_bytes(&sender, i), tcp_bytes(&receiver, i));
		assert_int_equal(sender.stream[i].end_errno, 0);
		assert_int_equal(receiver.stream[i].end_errno, 0);
		assert_true(atomic_load(&receiver.stream[i].first_ns) != 0);
	}
	tcp_close(&sender);
	assert_true(tcp_bytes_all(&sender) >= 10000000); /* still to be read */
}

static void nothing_moves_before_go(void **state)
{
	struct pollfd p = {.fd = receiver_fds[0], .events = POLLIN};

	(void)state;
	open_both(0);
	assert_int_equal(poll(&p, 1, 50), 0);
	assert_int_equal(tcp_bytes_all(&sender), 0);
}

static void writes_have_the_size_asked_for(void **state)
{
	static const uint64_t sizes[] = {1,
	                                 1500,
	                                 TCP_SLICE_BYTES,
	                                 TCP_SLICE_BYTES + 1,
	                                 TCP_CALL_BYTES,
	                                 TCP_CALL_BYTES + 1,
	                                 16777216};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		open_both(sizes[i]);
		tcp_go(&receiver, receiver_fds);
		tcp_go(&sender, sender_fds);
		wait_for_bytes(&receiver, 3 * sizes[i]);
		tcp_adapt(&sender, UINT64_C(1) << 40); /* which must not change the size */
		tcp_stop(&sender);
		wait_for_end(&sender);
		for (uint32_t n = 0; n < STREAMS; n++)
			assert_int_equal(tcp_bytes(&sender, n) % sizes[i], 0);
		tcp_close(&sender);
		tcp_close(&receiver);
		(void)tear_down(state);
		(void)set_up(state);
	}
}

static void calls_are_sized_for_the_path(void **state)
{
	static const struct {
		uint64_t bytes_per_s;
		unsigned slices;
	} cases[] = {
		{0, 1},          /* nothing is known, or a very slow path */
		{1250000, 1},    /* 10 Mbit/s: 64 KiB already take 52 ms */
		{125000000, 19}, /* 1 Gbit/s: ten milliseconds are 19 slices, 16 is most */
		{50000000, 7},   /* 400 Mbit/s */
		{UINT64_MAX, 16},
	};
	struct failure f;

	(void)state;
	assert_true(tcp_open(&sender, TCP_SEND, STREAMS, 0, &f));
	assert_int_equal(atomic_load(&sender.slices), 1);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		unsigned wanted =
			cases[i].slices < TCP_SLICES_MAX ? cases[i].slices : TCP_SLICES_MAX;

		tcp_adapt(&sender, cases[i].bytes_per_s);
		assert_int_equal(atomic_load(&sender.slices), wanted);
	}
	tcp_stop(&sender);
	tcp_adapt(&sender, 50000000); /* does not start it again */
	assert_int_equal(atomic_load(&sender.slices), 0);
}

static void a_dead_peer_is_told_for_its_stream(void **state)
{
	(void)state;
	open_both(0);
	tcp_go(&sender, sender_fds);
	(void)shutdown(receiver_fds[1], SHUT_RDWR);
	while (!tcp_has_ended(&sender, 1))
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	assert_int_equal(sender.stream[1].end_errno, EPIPE);
	assert_false(tcp_has_ended(&sender, 0));
}

static void close_ends_threads_that_wait_for_the_other_end(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	open_both(0);
	tcp_go(&sender, sender_fds); /* nobody reads: all senders block */
	wait_for_bytes(&sender, 1);
	tcp_close(&sender);
	tcp_close(&receiver);
	assert_true(have_all_ended(&sender));
	assert_in_range(clock_now_ns() - start, 0, 5 * CLOCK_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(what_is_sent_is_received_to_the_byte),
		TEST(nothing_moves_before_go),
		TEST(writes_have_the_size_asked_for),
		TEST(calls_are_sized_for_the_path),
		TEST(a_dead_peer_is_told_for_its_stream),
		TEST(close_ends_threads_that_wait_for_the_other_end),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/measure/tcp", tests, NULL, NULL);
}
