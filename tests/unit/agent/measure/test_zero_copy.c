/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "measure/copy.h"
#include "measure/zero_copy.h"
#include "platform/platform.h"
#include "tests/support/tcp_bed.h"
#include "tests/support/test.h"

static struct tcp_bed bed;

static int set_up(void **state)
{
	(void)state;
	tcp_bed_init(&bed);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tcp_bed_done(&bed);
	return 0;
}

static void again(void **state)
{
	(void)tear_down(state);
	(void)set_up(state);
}

static void methods_are_those_of_the_platform(void **state)
{
	bool is_linux = strcmp(platform_name, "linux") == 0;

	(void)state;
	assert_string_equal(zero_copy_sender()->method, is_linux ? "splice" : "writev");
	assert_string_equal(zero_copy_receiver()->method, is_linux ? "msg_trunc" : "readv");
}

static void all_that_is_sent_arrives_in_every_combination(void **state)
{
	const struct mover *senders[] = {&copy_sender, zero_copy_sender()};
	const struct mover *receivers[] = {&copy_receiver, zero_copy_receiver()};

	for (size_t i = 0; i < COUNT_OF(senders) * COUNT_OF(receivers); i++) {
		tcp_bed_open(&bed, senders[i % 2], receivers[i / 2], 0);
		tcp_bed_go(&bed);
		tcp_bed_wait_bytes(&bed, 1000000);
		(void)streams_adapt(&bed.sender, 1, UINT64_C(1) << 40);
		tcp_bed_wait_bytes(&bed, 20000000);
		streams_stop(&bed.sender);
		tcp_bed_wait_end(&bed);
		again(state);
	}
}

static void each_call_has_the_bytes_that_were_asked_for(void **state)
{
	static const uint64_t sizes[] = {1, 1500, 65536, 65537, 300000, 2097153};

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		tcp_bed_open(&bed, zero_copy_sender(), zero_copy_receiver(), sizes[i]);
		tcp_bed_go(&bed);
		tcp_bed_wait_bytes(&bed, 3 * sizes[i]);
		(void)streams_adapt(&bed.sender, 1, 1);
		streams_stop(&bed.sender);
		tcp_bed_wait_end(&bed);
		for (uint32_t n = 0; n < TCP_BED_STREAMS; n++)
			assert_int_equal(streams_bytes(&bed.sender, n) % sizes[i], 0);
		again(state);
	}
}

static void a_limit_is_met_to_the_byte(void **state)
{
	static const uint64_t limits[TCP_BED_STREAMS] = {1, 3000017, 65536};

	(void)state;
	tcp_bed_open(&bed, zero_copy_sender(), zero_copy_receiver(), 0);
	for (uint32_t i = 0; i < TCP_BED_STREAMS; i++)
		streams_limit(&bed.sender, i, limits[i]);
	tcp_bed_go(&bed);
	tcp_bed_wait_end(&bed);
	for (uint32_t i = 0; i < TCP_BED_STREAMS; i++)
		assert_int_equal(streams_bytes(&bed.receiver, i), limits[i]);
}

/* Whatever packets the slices make, what arrives is the memory, never anything else. */
static void what_arrives_is_what_the_copying_sender_sends(void **state)
{
	const struct mover *senders[] = {&copy_sender, zero_copy_sender()};
	unsigned char got[2][4096];

	for (size_t i = 0; i < COUNT_OF(senders); i++) {
		struct failure f;
		int fd = bed.receiver_fds[0];

		bed.to_send = (struct request){.side = REQUEST_SEND, .streams = TCP_BED_STREAMS};
		assert_true(streams_open(&bed.sender, senders[i], &bed.to_send, &f));
		streams_limit(&bed.sender, 0, sizeof(got[0]));
		streams_go(&bed.sender, bed.sender_fds, NULL);
		assert_int_equal(recv(fd, got[i], sizeof(got[i]), MSG_WAITALL), sizeof(got[i]));
		assert_int_equal(recv(fd, got[i], 1, 0), 0);
		again(state);
	}
	assert_memory_equal(got[0], got[1], sizeof(got[0]));
	assert_memory_not_equal(got[0], got[0] + 2048, 2048);
}

/* The memory's byte N is N % 64, so all slices must fit to what went before them. */
static void what_is_sent_lies_in_memory_as_in_the_stream(void **state)
{
	static unsigned char got[100000];
	unsigned char *memory = aligned_alloc(4096, 65536);
	int room = 1 << 20;

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < 65536; i++)
		memory[i] = i % PLATFORM_COPY_ALIGN;
	for (int way = PLATFORM_SOURCE_SPLICE; way <= PLATFORM_SOURCE_FILE; way++) {
		struct platform_source source;
		size_t at = 0;

		if (!platform_source_open(&source, 1, (enum platform_source_way)way, memory, 65536))
			continue; /* not on this system */
		assert_int_equal(
			setsockopt(bed.sender_fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)),
			0);
		platform_source_fit(&source, 33333);
		while (at < sizeof(got)) {
			size_t taken;
			ssize_t n = platform_source_send(&source, bed.sender_fds[0],
			                                 sizeof(got) - at, at, &taken);

			assert_true(n > 0);
			assert_int_equal(
				recv(bed.receiver_fds[0], got + at, (size_t)n, MSG_WAITALL), n);
			at += (size_t)n;
		}
		for (size_t i = 0; i < sizeof(got); i++)
			assert_int_equal(got[i], i % PLATFORM_COPY_ALIGN);
		platform_source_close(&source, 1);
	}
	free(memory);
}

static void a_dead_peer_is_told_for_its_stream(void **state)
{
	struct failure f;
	uint64_t until = clock_now_ns() + 10 * CLOCK_NS_PER_S;

	(void)state;
	bed.to_send = (struct request){.side = REQUEST_SEND, .streams = TCP_BED_STREAMS};
	assert_true(streams_open(&bed.sender, zero_copy_sender(), &bed.to_send, &f));
	streams_go(&bed.sender, bed.sender_fds, NULL);
	/* As a process that is killed: what lies there unread makes it a reset. */
	while (streams_bytes(&bed.sender, 1) == 0 && clock_now_ns() < until)
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	assert_int_equal(setsockopt(bed.receiver_fds[1], SOL_SOCKET, SO_LINGER,
	                            &(struct linger){1, 0}, sizeof(struct linger)),
	                 0);
	assert_int_equal(dup2(bed.receiver_fds[0], bed.receiver_fds[1]), bed.receiver_fds[1]);
	while (!streams_has_ended(&bed.sender, 1) && clock_now_ns() < until)
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	assert_true(streams_has_ended(&bed.sender, 1));
	assert_true(bed.sender.stream[1].end_errno == EPIPE ||
	            bed.sender.stream[1].end_errno == ECONNRESET);
	assert_false(streams_has_ended(&bed.sender, 0));
}

static void close_ends_threads_that_wait_for_the_other_end(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	tcp_bed_open(&bed, zero_copy_sender(), zero_copy_receiver(), 0);
	streams_go(&bed.sender, bed.sender_fds, NULL); /* nobody reads */
	while (streams_bytes_all(&bed.sender) == 0 && clock_now_ns() - start < CLOCK_NS_PER_S)
		clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
	streams_close(&bed.sender);
	streams_close(&bed.receiver);
	assert_in_range(clock_now_ns() - start, 0, 5 * CLOCK_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(methods_are_those_of_the_platform),
		TEST(all_that_is_sent_arrives_in_every_combination),
		TEST(each_call_has_the_bytes_that_were_asked_for),
		TEST(a_limit_is_met_to_the_byte),
		TEST(what_arrives_is_what_the_copying_sender_sends),
		TEST(what_is_sent_lies_in_memory_as_in_the_stream),
		TEST(a_dead_peer_is_told_for_its_stream),
		TEST(close_ends_threads_that_wait_for_the_other_end),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/measure/zero_copy", tests, NULL, NULL);
}
