/* SPDX-License-Identifier: MIT */
/* Requests and responses over socket pairs, without an agent. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "measure/histogram.h"
#include "measure/rr.h"
#include "measure/streams.h"
#include "platform/platform.h"
#include "tests/support/test.h"

#define STREAMS 3u

static struct streams requester;
static struct streams responder;
static struct request to_request;
static struct request to_respond;
static int requester_fds[STREAMS];
static int responder_fds[STREAMS];

static int set_up(void **state)
{
	struct failure f;

	(void)state;
	memset(&requester, 0, sizeof(requester));
	memset(&responder, 0, sizeof(responder));
	assert_true(streams_init(&requester, &f));
	assert_true(streams_init(&responder, &f));
	for (uint32_t i = 0; i < STREAMS; i++) {
		int pair[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		requester_fds[i] = pair[0];
		responder_fds[i] = pair[1];
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	streams_done(&requester);
	streams_done(&responder);
	for (uint32_t i = 0; i < STREAMS; i++) {
		(void)close(requester_fds[i]);
		(void)close(responder_fds[i]);
	}
	return 0;
}

static void open_requester(uint64_t buffer_bytes, uint64_t omit_ns)
{
	struct failure f;

	to_request = (struct request){.side = REQUEST_SEND,
	                              .streams = STREAMS,
	                              .mode = REQUEST_RR,
	                              .buffer_bytes = buffer_bytes,
	                              .omit_ns = omit_ns};
	assert_true(streams_open(&requester, &rr_requester, &to_request, &f));
}

static void open_responder(uint64_t buffer_bytes)
{
	struct failure f;

	to_respond = (struct request){.side = REQUEST_RECV,
	                              .streams = STREAMS,
	                              .mode = REQUEST_RR,
	                              .buffer_bytes = buffer_bytes};
	assert_true(streams_open(&responder, &rr_responder, &to_respond, &f));
}

static void go_both(void)
{
	streams_go(&responder, responder_fds, NULL);
	streams_go(&requester, requester_fds, NULL);
}

static void rest(void)
{
	clock_sleep_until(clock_now_ns() + CLOCK_NS_PER_MS);
}

static void wait_for_end(const struct streams *t)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		for (int n = 0; !streams_has_ended(t, i); n++) {
			if (n > 10000)
				fail_msg("stream %u goes on", i + 1);
			rest();
		}
	}
}

static uint64_t units(struct streams *t, uint32_t index)
{
	struct streams_reading r;

	streams_read(t, index, false, &r);
	return r.units;
}

static void wait_for_units(struct streams *t, uint64_t wanted)
{
	for (uint32_t i = 0; i < STREAMS; i++) {
		for (int n = 0; units(t, i) < wanted; n++) {
			if (n > 10000)
				fail_msg("stream %u stands still", i + 1);
			rest();
		}
	}
}

static void both_ends_count_the_same(void **state)
{
	static const uint64_t sizes[] = {0, 1, 100, RR_PIECE_BYTES, RR_PIECE_BYTES + 1, 1000000};

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		uint64_t size = sizes[i] == 0 ? RR_DEFAULT_BYTES : sizes[i];
		uint64_t all = 0;

		open_responder(sizes[i]);
		open_requester(sizes[i], 0);
		go_both();
		wait_for_units(&responder, 20);
		streams_stop(&requester);
		wait_for_end(&requester);
		wait_for_end(&responder);
		for (uint32_t s = 0; s < STREAMS; s++) {
			assert_int_equal(requester.stream[s].end_errno, 0);
			assert_int_equal(responder.stream[s].end_errno, 0);
			assert_true(units(&requester, s) >= 20);
			assert_int_equal(units(&requester, s), units(&responder, s));
			assert_int_equal(streams_bytes(&requester, s), units(&requester, s) * size);
			assert_int_equal(streams_bytes(&responder, s), units(&requester, s) * size);
			all += units(&requester, s);
		}
		assert_int_equal(rr_requester.latency(&requester)->count, all);
		/* Every byte went there and back. */
		assert_int_equal(streams_moved_all(&requester), 3 * all * size);
		streams_close(&requester);
		streams_close(&responder);
		(void)tear_down(state);
		(void)set_up(state);
	}
}

/* To the transaction: what is counted in the measured time is what is sorted. */
static void only_the_measured_time_is_sorted(void **state)
{
	struct streams_reading opened[STREAMS];
	struct streams_reading closed[STREAMS];
	const struct histogram *h;
	uint64_t measured = 0;

	(void)state;
	open_responder(10);
	open_requester(10, 1);
	go_both();
	wait_for_units(&requester, 50);
	for (uint32_t i = 0; i < STREAMS; i++)
		streams_read(&requester, i, true, &opened[i]);
	wait_for_units(&requester, opened[0].units + 500);
	for (uint32_t i = 0; i < STREAMS; i++)
		streams_read(&requester, i, true, &closed[i]);
	wait_for_units(&requester, closed[0].units + 50);
	streams_stop(&requester);
	wait_for_end(&requester);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_true(opened[i].units >= 50);
		assert_true(units(&requester, i) >= closed[i].units);
		assert_int_equal(opened[i].bytes, opened[i].units * 10);
		assert_int_equal(closed[i].bytes, closed[i].units * 10);
		measured += closed[i].units - opened[i].units;
	}
	h = rr_requester.latency(&requester);
	assert_int_equal(h->count, measured);
	assert_in_range(h->min_ns, 1, h->max_ns);
	assert_int_equal(rr_requester.latency(&requester)->count, measured); /* again, not twice */
}

static void the_response_says_that_it_is_enough(void **state)
{
	(void)state;
	open_responder(0);
	open_requester(0, 0);
	go_both();
	wait_for_units(&requester, 10);
	assert_false(atomic_load(&requester.had_enough));
	atomic_store(&responder.say_enough, true);
	for (int n = 0; n < 10000 && !atomic_load(&requester.had_enough); n++)
		rest();
	assert_true(atomic_load(&requester.had_enough));
	assert_false(streams_has_ended(&requester, 0)); /* when is the owner's to say */
}

static void a_limit_holds_to_the_transaction(void **state)
{
	(void)state;
	open_responder(10);
	open_requester(10, 0);
	streams_limit(&requester, 0, 1000);
	streams_limit(&requester, 1, 1001);
	streams_limit(&requester, 2, 0);
	go_both();
	wait_for_end(&requester);
	wait_for_end(&responder);
	assert_int_equal(streams_bytes(&requester, 0), 1000);
	assert_int_equal(streams_bytes(&requester, 1), 1010);
	assert_int_equal(streams_bytes(&requester, 2), 0);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_int_equal(streams_bytes(&responder, i), streams_bytes(&requester, i));
		assert_int_equal(responder.stream[i].end_errno, 0);
	}
}

static void a_response_that_is_missing_is_an_error(void **state)
{
	char bytes[8];

	(void)state;
	open_requester(4, 0);
	streams_go(&requester, requester_fds, NULL);
	for (uint32_t i = 0; i < STREAMS; i++) {
		/* One gets nothing, one a part, one a whole response. */
		assert_int_equal(recv(responder_fds[i], bytes, sizeof(bytes), 0), 4);
		assert_int_equal(send(responder_fds[i], bytes, 2 * (size_t)i, 0), 2 * i);
		assert_int_equal(shutdown(responder_fds[i], SHUT_WR), 0);
	}
	wait_for_end(&requester);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_true(requester.stream[i].end_errno != 0);
		assert_int_equal(units(&requester, i), i == 2 ? 1 : 0);
	}
}

static void half_a_request_is_an_error_and_none_is_the_end(void **state)
{
	char bytes[4] = {PREAMBLE_ENOUGH, 0, 0, 0}; /* in a request it means nothing */

	(void)state;
	open_responder(4);
	streams_go(&responder, responder_fds, NULL);
	for (uint32_t i = 0; i < STREAMS; i++) {
		assert_int_equal(send(requester_fds[i], bytes, 2 * (size_t)i, 0), 2 * i);
		assert_int_equal(shutdown(requester_fds[i], SHUT_WR), 0);
	}
	wait_for_end(&responder);
	assert_int_equal(responder.stream[0].end_errno, 0);
	assert_true(responder.stream[1].end_errno != 0);
	assert_int_equal(responder.stream[2].end_errno, 0);
	assert_int_equal(units(&responder, 2), 1);
	assert_int_equal(streams_bytes(&responder, 1), 0);
	assert_int_equal(recv(requester_fds[2], bytes, sizeof(bytes), 0), 4);
	assert_int_not_equal(bytes[0], PREAMBLE_ENOUGH);
	assert_int_equal(atomic_load(&responder.stream[0].first_ns), 0);
	assert_true(atomic_load(&responder.stream[2].first_ns) != 0);
}

static void threads_that_wait_for_each_other_are_ended(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	open_responder(4);
	open_requester(4, 0);
	streams_go(&requester, requester_fds, NULL); /* and nobody responds */
	while (streams_moved_all(&requester) < UINT64_C(4) * STREAMS)
		rest();
	streams_close(&requester);
	streams_close(&responder);
	assert_in_range(clock_now_ns() - start, 0, 5 * CLOCK_NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(both_ends_count_the_same),
		TEST(only_the_measured_time_is_sorted),
		TEST(the_response_says_that_it_is_enough),
		TEST(a_limit_holds_to_the_transaction),
		TEST(a_response_that_is_missing_is_an_error),
		TEST(half_a_request_is_an_error_and_none_is_the_end),
		TEST(threads_that_wait_for_each_other_are_ended),
	};

	return cmocka_run_group_tests_name("agent/measure/rr", tests, NULL, NULL);
}
