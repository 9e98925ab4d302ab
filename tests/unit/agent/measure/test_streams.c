/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/copy.h"
#include "measure/streams.h"
#include "tests/support/test.h"

#define STREAMS 3u

static struct streams sender;
static struct streams receiver;
static struct request to_send;
static struct request to_receive;
static int sender_fds[STREAMS];
static int receiver_fds[STREAMS];

static int set_up(void **state)
{
	struct failure f;

	(void)state;
	memset(&sender, 0, sizeof(sender));
	memset(&receiver, 0, sizeof(receiver));
	assert_true(streams_init(&sender, &f));
	assert_true(streams_init(&receiver, &f));
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
	streams_done(&sender);
	streams_done(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++) {
		(void)close(sender_fds[i]);
		(void)close(receiver_fds[i]);
	}
	return 0;
}

static bool have_all_ended(const struct streams *t)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		if (!streams_has_ended(t, i))
			return false;
	}
	return true;
}

/* Waits, by the wake descriptor, for all threads to have ended. */
static void wait_for_end(struct streams *t)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (!have_all_ended(t)) {
		struct pollfd p = {.fd = streams_wake_fd(t), .events = POLLIN};

		if (clock_now_ns() > until)
			fail_msg("the threads go on");
		(void)poll(&p, 1, 1000);
		streams_wake_clear(t);
	}
}

/* On a busy machine one thread may move all of it before another has its turn. */
static bool has_each_moved(const struct streams *t)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		if (streams_bytes(t, i) == 0)
			return false;
	}
	return true;
}

static void wait_for_bytes(const struct streams *t, uint64_t bytes)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	while (streams_bytes_all(t) < bytes || !has_each_moved(t)) {
		if (clock_now_ns() > until)
			fail_msg("no bytes");
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	}
}

static void open_both(uint64_t buffer_bytes)
{
	struct failure f;

	to_receive = (struct request){.side = REQUEST_RECV, .streams = STREAMS};
	to_send = (struct request){
		.side = REQUEST_SEND, .streams = STREAMS, .buffer_bytes = buffer_bytes};
	assert_true(streams_open(&receiver, &copy_receiver, &to_receive, &f));
	assert_true(streams_open(&sender, &copy_sender, &to_send, &f));
}

static void what_is_sent_is_received_to_the_byte(void **state)
{
	(void)state;
	open_both(0);
	streams_go(&receiver, receiver_fds, NULL);
	streams_go(&sender, sender_fds, NULL);
	wait_for_bytes(&receiver, 10000000);
	streams_stop(&sender);
	wait_for_end(&sender);
	wait_for_end(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_int_equal(streams_bytes(&sender, i), streams_bytes(&receiver, i));
		assert_int_equal(sender.stream[i].end_errno, 0);
		assert_int_equal(receiver.stream[i].end_errno, 0);
		assert_true(atomic_load(&receiver.stream[i].first_ns) != 0);
	}
	streams_close(&sender);
	assert_true(streams_bytes_all(&sender) >= 10000000); /* still to be read */
}

static void nothing_moves_before_go(void **state)
{
	struct pollfd p = {.fd = receiver_fds[0], .events = POLLIN};

	(void)state;
	open_both(0);
	assert_int_equal(poll(&p, 1, 50), 0);
	assert_int_equal(streams_bytes_all(&sender), 0);
}

static void writes_have_the_size_asked_for(void **state)
{
	static const uint64_t sizes[] = {1,
	                                 1500,
	                                 COPY_SLICE_BYTES,
	                                 COPY_SLICE_BYTES + 1,
	                                 COPY_CALL_BYTES,
	                                 COPY_CALL_BYTES + 1,
	                                 16777216};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		open_both(sizes[i]);
		streams_go(&receiver, receiver_fds, NULL);
		streams_go(&sender, sender_fds, NULL);
		wait_for_bytes(&receiver, 3 * sizes[i]);
		(void)streams_adapt(&sender, 1, UINT64_C(1) << 40); /* must not change the size */
		streams_stop(&sender);
		wait_for_end(&sender);
		for (uint32_t n = 0; n < STREAMS; n++)
			assert_int_equal(streams_bytes(&sender, n) % sizes[i], 0);
		streams_close(&sender);
		streams_close(&receiver);
		(void)tear_down(state);
		(void)set_up(state);
	}
}

/* As the mover tells it: "writev 64x16K". */
static uint64_t call_bytes(const struct streams *t)
{
	static const char head[] = "writev ";
	char method[64];
	char *after;
	uint64_t count, kib;

	streams_tell_method(t, method, sizeof(method));
	assert_memory_equal(method, head, sizeof(head) - 1);
	count = strtoul(method + sizeof(head) - 1, &after, 10);
	assert_int_equal(*after, 'x');
	kib = strtoul(after + 1, &after, 10);
	assert_string_equal(after, "K");
	return count * kib * 1024;
}

static void calls_are_sized_for_the_path(void **state)
{
	static const struct {
		uint64_t bytes_per_s;
		unsigned slices;
	} cases[] = {
		{0, 1},                       /* nothing is known, or a very slow path */
		{1250000, 1},                 /* 10 Mbit/s: 16 KiB already take 13 ms */
		{50000000, 30},               /* 400 Mbit/s: ten milliseconds are 30 slices */
		{125000000, COPY_SLICES_MAX}, /* 1 Gbit/s: 76, 64 is most */
		{UINT64_MAX, COPY_SLICES_MAX},
	};
	struct failure f;

	(void)state;
	to_send = (struct request){.side = REQUEST_SEND, .streams = STREAMS};
	assert_true(streams_open(&sender, &copy_sender, &to_send, &f));
	assert_int_equal(call_bytes(&sender), 65536); /* on an unknown path */
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		(void)streams_adapt(&sender, 1, cases[i].bytes_per_s);
		assert_int_equal(call_bytes(&sender), cases[i].slices * COPY_SLICE_BYTES);
	}
	streams_stop(&sender);
	(void)streams_adapt(&sender, 1, 50000000); /* does not start it again */
	assert_int_equal(atomic_load(&sender.order), 0);
}

static void a_limit_is_met_to_the_byte(void **state)
{
	static const uint64_t limits[STREAMS] = {1, COPY_CALL_BYTES * 3 + 17, 5000000};

	(void)state;
	open_both(0);
	for (uint32_t i = 0; i < STREAMS; i++)
		streams_limit(&sender, i, limits[i]);
	streams_go(&receiver, receiver_fds, NULL);
	streams_go(&sender, sender_fds, NULL);
	(void)streams_adapt(&sender, 1, UINT64_MAX);
	wait_for_end(&sender);
	wait_for_end(&receiver);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_int_equal(streams_bytes(&receiver, i), limits[i]);
}

static void a_dead_peer_is_told_for_its_stream(void **state)
{
	(void)state;
	open_both(0);
	streams_go(&sender, sender_fds, NULL);
	(void)shutdown(receiver_fds[1], SHUT_RDWR);
	while (!streams_has_ended(&sender, 1))
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	assert_int_equal(sender.stream[1].end_errno, EPIPE);
	assert_false(streams_has_ended(&sender, 0));
}

static void close_ends_threads_that_wait_for_the_other_end(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	open_both(0);
	streams_go(&sender, sender_fds, NULL); /* nobody reads: all senders block */
	wait_for_bytes(&sender, 1);
	streams_close(&sender);
	streams_close(&receiver);
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
		TEST(a_limit_is_met_to_the_byte),
		TEST(a_dead_peer_is_told_for_its_stream),
		TEST(close_ends_threads_that_wait_for_the_other_end),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/measure/streams", tests, NULL, NULL);
}
