/* SPDX-License-Identifier: MIT */
/*
 * test_truth.c - exact ends by bytes, intervals that say where the time went, each lost
 * stream told, and a wall clock that jumps.
 *
 * Faults that other tools have and where the agents are tested for them: a window that is
 * clamped silently, intervals that do not sum up to the total, bytes counted after the sender
 * stopped or in the time left out: test_measure.c; a lost orchestrator, client or server, an end
 * that hangs: test_faults.c; a bound address that is ignored: test_faults.c, source ports that
 * cannot be chosen: test_options.c; retransmits that nobody knows in one direction, figures of
 * short tests with the start in them, steps of the wall clock: here. Numbers below 0 and NaN
 * have no form on the wire: tests/unit/common/wire/test_codec.c.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  500u
#define LEASE_MS 20000u

static struct agent one;
static struct agent two;
static struct outcome sent;
static struct outcome received;

static int start_two(void **state)
{
	(void)state;
	agent_start(&one, BEAT_MS, LEASE_MS);
	agent_start(&two, BEAT_MS, LEASE_MS);
	return 0;
}

static int end_two(void **state)
{
	(void)state;
	return agent_bye(&one) == 0 && agent_bye(&two) == 0 ? 0 : -1;
}

static void run(const struct spec *spec)
{
	driver_run(&one, &two, spec, &sent, &received);
	if (sent.has_failed || received.has_failed)
		fail_msg("%s; %s", sent.failed.reason, received.failed.reason);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

/* The intervals have all bytes of the measured time and all of the time. */
static void check_sums(const struct outcome *o, uint32_t streams)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i <= streams; i++) {
		assert_int_equal(o->measured_bytes[i], o->stream[i].measured_bytes);
		sum += o->stream[i].measured_bytes;
	}
	assert_int_equal(o->measured_bytes[0], sum);
	assert_int_equal(o->result.measured_bytes, sum);
	assert_int_equal(o->result.measured_ns, o->last_end_ns[0] - o->opened_ns);
	assert_true(o->result.measured_ns > 0);
}

static void a_test_by_bytes_moves_exactly_so_many(void **state)
{
	static const struct spec specs[] = {
		{.streams = 3, .duration_ms = 20000, .options = " bytes=100000001"},
		{.streams = 3,
	         .duration_ms = 20000,
	         .options = " bytes=100000001",
	         .is_listener_sender = true},
		{.streams = 1, .duration_ms = 20000, .options = " bytes=1"},
		{.streams = 2,
	         .duration_ms = 20000,
	         .buffer_bytes = 1500,
	         .options = " bytes=5000"},
		{.streams = 128, .duration_ms = 20000, .options = " bytes=128"},
	};
	static const uint64_t wanted[] = {100000001, 100000001, 1, 5000, 128};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		uint32_t streams = specs[i].streams;

		run(&specs[i]);
		for (uint32_t n = 1; n <= streams; n++)
			assert_int_equal(received.stream[n].bytes,
			                 wanted[i] / streams + (n <= wanted[i] % streams));
		assert_int_equal(received.result.bytes, wanted[i]);
		assert_int_equal(received.result.measured_bytes, wanted[i]);
		assert_int_equal(sent.result.measured_bytes, wanted[i]);
		check_sums(&sent, streams);
		check_sums(&received, streams);
		/* Until the last byte, not until the next look. */
		assert_true(received.result.measured_ns < 10 * CLOCK_NS_PER_S);
	}
}

static void a_test_by_bytes_may_leave_its_start_out(void **state)
{
	static const struct spec spec = {
		.streams = 2, .omit_ms = 100, .duration_ms = 20000, .options = " bytes=200000000"};

	(void)state;
	run(&spec);
	/* A call that was under way when the time began may be over what was asked for. */
	assert_in_range(sent.result.measured_bytes, 200000000, 200000000 + 4 * (UINT64_C(1) << 20));
	assert_true(sent.result.bytes > sent.result.measured_bytes);
	assert_in_range(received.result.measured_bytes, 1, received.result.bytes - 1);
	check_sums(&sent, 2);
	check_sums(&received, 2);
	assert_in_range(received.opened_ns, 100 * CLOCK_NS_PER_MS, 5 * CLOCK_NS_PER_S);
}

/* one listens and receives with this spec; returns its id and port. */
static uint32_t listen_with(const struct spec *spec, uint32_t *port)
{
	struct msg msg;
	uint32_t id = agent_prepare_listen(&one, spec);

	agent_expect(&one, MSG_PREPARED, id, &msg);
	*port = msg.u.prepared.port;
	return id;
}

static void bytes_that_end_within_the_omitted_time_are_no_result(void **state)
{
	static const struct spec spec = {
		.omit_ms = 5000, .duration_ms = 20000, .options = " bytes=1000"};
	static const char bytes[1000];
	uint32_t port;
	uint32_t id = listen_with(&spec, &port);
	int fd = driver_join(port, 1, PREAMBLE_CONNECTOR_SENDS);

	(void)state;
	agent_expect(&one, MSG_CONNECTED, id, NULL);
	agent_say(&one, "go id=90 test=%u", id);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	(void)close(fd);
	agent_expect_failed(&one, 90, "usage", "all bytes were through *");
}

static void bytes_that_take_too_long_are_told_with_what_came(void **state)
{
	static const struct spec spec = {.duration_ms = 200, .options = " bytes=1125899906842624"};
	uint64_t start = clock_now_ns();

	(void)state;
	driver_run(&one, &two, &spec, &sent, &received);
	assert_true(received.has_failed && sent.has_failed);
	assert_string_equal(received.failed.kind, "timeout");
	assert_non_null(strstr(received.failed.reason,
	                       " of 1125899906842624 bytes in 200 ms, the longest"));
	assert_true(strtoull(received.failed.reason, NULL, 10) > 0);
	assert_true(clock_now_ns() - start < 5 * CLOCK_NS_PER_S);
}

static void a_sender_that_ends_early_is_told_by_its_streams(void **state)
{
	static const struct spec spec = {
		.streams = 3, .duration_ms = 20000, .options = " bytes=3000"};
	static const char bytes[1000];
	uint32_t port;
	uint32_t id = listen_with(&spec, &port);
	int fds[3];

	(void)state;
	for (uint16_t i = 0; i < 3; i++)
		fds[i] = driver_join(port, (uint16_t)(i + 1), PREAMBLE_CONNECTOR_SENDS);
	agent_expect(&one, MSG_CONNECTED, id, NULL);
	agent_say(&one, "go id=91 test=%u", id);
	for (size_t i = 0; i < 3; i++) { /* the second has its share, the others not */
		assert_int_equal(write(fds[i], bytes, i == 1 ? 1000 : 999), i == 1 ? 1000 : 999);
		(void)close(fds[i]);
	}
	agent_expect_failed(&one, 91, "truncated", "streams 1,3: the sender ended it too early");
	assert_int_equal(number_set_count(&one.troubles), 2);
	assert_string_equal(one.trouble.reason, "the sender ended it too early");
}

static void reset(int fd)
{
	struct linger at_once = {.l_onoff = 1};

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	(void)close(fd);
}

static void streams_that_die_are_told_one_by_one(void **state)
{
	static const struct spec spec = {.streams = 5, .duration_ms = 20000};
	uint64_t start;
	uint32_t port;
	uint32_t id = listen_with(&spec, &port);
	int fds[5];

	(void)state;
	for (uint16_t i = 0; i < 5; i++)
		fds[i] = driver_join(port, (uint16_t)(i + 1), PREAMBLE_CONNECTOR_SENDS);
	agent_expect(&one, MSG_CONNECTED, id, NULL);
	agent_say(&one, "go id=92 test=%u", id);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(write(fds[i], "x", 1), 1);
	start = clock_now_ns();
	reset(fds[1]);
	driver_sleep_ms(10); /* the others follow while it looks at them */
	reset(fds[3]);
	(void)close(fds[4]);
	agent_expect_failed(&one, 92, "system",
	                    "streams 2,4: Connection reset by peer; stream 5: the sender *");
	assert_in_range(clock_now_ns() - start, 0, CLOCK_NS_PER_S);
	assert_true(number_set_has(&one.troubles, 2) && number_set_has(&one.troubles, 4) &&
	            number_set_has(&one.troubles, 5));
	assert_int_equal(number_set_count(&one.troubles), 3);
	(void)close(fds[0]);
	(void)close(fds[2]);
}

static void streams_that_go_before_go_are_told_too(void **state)
{
	struct spec spec = {.streams = 3, .duration_ms = 100, .is_listener_sender = true};
	uint32_t port;
	uint32_t id = listen_with(&spec, &port);
	int fds[3];

	(void)state;
	for (uint16_t i = 0; i < 3; i++)
		fds[i] = driver_join(port, (uint16_t)(i + 1), PREAMBLE_CONNECTOR_RECEIVES);
	agent_expect(&one, MSG_CONNECTED, id, NULL);
	(void)close(fds[2]);
	driver_sleep_ms(10);
	(void)close(fds[0]);
	agent_expect_failed(&one, id, "truncated",
	                    "streams 1,3: the other end closed it before go");
	assert_int_equal(number_set_count(&one.troubles), 2);
	(void)close(fds[1]);
}

/* What the kernel tells of a sender's streams; all of it, or nothing at all. */
static void check_kernel_view(uint32_t streams)
{
	bool is_known = sent.result.retransmits != WIRE_UNKNOWN_U64;
	uint64_t retransmits = 0;

	for (uint32_t i = 1; i <= streams; i++) {
		const struct msg_sample *last = &sent.last_sample[i];
		const struct msg_stream *s = &sent.stream[i];

		assert_int_equal(is_known, last->mss_bytes != WIRE_UNKNOWN_U32);
		assert_int_equal(is_known, last->path_mtu_bytes != WIRE_UNKNOWN_U32);
		assert_int_equal(is_known, last->rttvar_us != WIRE_UNKNOWN_U64);
		assert_int_equal(is_known, s->min_rtt_us != WIRE_UNKNOWN_U64);
		assert_int_equal(is_known, s->busy_us != WIRE_UNKNOWN_U64);
		assert_int_equal(sent.retransmits[i], s->retransmits);
		assert_int_equal(sent.busy_us[i], s->busy_us);
		/* The receiver's sockets say nothing about this traffic. */
		assert_int_equal(received.last_sample[i].mss_bytes, WIRE_UNKNOWN_U32);
		assert_int_equal(received.stream[i].min_rtt_us, WIRE_UNKNOWN_U64);
		if (!is_known)
			continue;
		assert_in_range(last->mss_bytes, 500, 65535);
		assert_true(last->path_mtu_bytes > last->mss_bytes);
		/* In jiffies, and a little after the measured time's end. */
		assert_in_range(s->busy_us, 1, sent.result.measured_ns / 1000 + 100000);
		assert_true(s->rwnd_limited_us <= s->busy_us);
		assert_true(s->sndbuf_limited_us <= s->busy_us);
		retransmits += s->retransmits;
	}
	if (is_known)
		assert_int_equal(sent.result.retransmits, retransmits);
}

static void intervals_tell_where_the_time_went(void **state)
{
	static const struct spec specs[] = {
		{.streams = 3, .omit_ms = 200, .duration_ms = 600, .interval_ms = 100},
		{.streams = 3,
	         .omit_ms = 200,
	         .duration_ms = 600,
	         .interval_ms = 100,
	         .is_listener_sender = true},
	};
	const struct outcome *ends[] = {&sent, &received};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		run(&specs[i]);
		check_kernel_view(3);
		for (size_t k = 0; k < COUNT_OF(ends); k++) {
			const struct msg_result *r = &ends[k]->result;

			check_sums(ends[k], 3);
			assert_int_equal(ends[k]->has_load,
			                 r->core_max_permille != WIRE_UNKNOWN_U32);
			/* One thread of three; on a busy machine a little is counted late. */
			assert_in_range(r->thread_max_permille, 1, 1200);
			assert_true((uint64_t)r->thread_max_permille * r->measured_ns / 1000000 <=
			            r->cpu_us + 50000);
		}
	}
}

static void short_intervals_do_not_read_the_machine(void **state)
{
	static const struct spec spec = {.duration_ms = 200, .interval_ms = 20};

	(void)state;
	run(&spec);
	assert_false(sent.has_load); /* ticks are too long for a share of 20 ms */
	check_sums(&sent, 1);
	if (sent.result.retransmits != WIRE_UNKNOWN_U64) /* a system that is known */
		assert_in_range(sent.result.core_max_permille, 1, 1000);
}

static void the_agents_wall_clock_is_as_the_test_says(void **state)
{
	static const int64_t hour_ms = 3600000;
	int64_t off_ms[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct msg msg;

		agent_say(&one, "hello id=%u version=%d beat_ms=%u lease_ms=%u", one.next_id,
		          WIRE_VERSION, BEAT_MS, LEASE_MS);
		agent_expect(&one, MSG_READY, one.next_id++, &msg);
		off_ms[i] = (int64_t)msg.u.ready.wall_ms - clock_wall_ms();
	}
	if (strstr(driver_agent_path(), "vnm-agent-jumping") == NULL) {
		assert_in_range(off_ms[0] + 60000, 0, 120000);
		return;
	}
	/* From one look to the next by an hour or more, on or back. */
	assert_true(off_ms[0] - off_ms[1] >= hour_ms || off_ms[1] - off_ms[0] >= hour_ms);
}

static void the_drain_is_bounded(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 100};
	uint64_t start;
	uint32_t port;
	uint32_t id = listen_with(&spec, &port);
	int fds[2];

	(void)state;
	for (uint16_t i = 0; i < 2; i++)
		fds[i] = driver_join(port, (uint16_t)(i + 1), PREAMBLE_CONNECTOR_SENDS);
	agent_expect(&one, MSG_CONNECTED, id, NULL);
	agent_say(&one, "go id=93 test=%u", id);
	start = clock_now_ns();
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(write(fds[i], "x", 1), 1);
	assert_int_equal(driver_read_byte(fds[0], 2000), 1); /* it has enough */
	(void)close(fds[0]);                                 /* the other one is not ended */
	memset(&received, 0, sizeof(received));
	agent_collect(&one, 93, &received);
	assert_true(received.has_failed);
	assert_string_equal(received.failed.kind, "truncated");
	assert_non_null(strstr(received.failed.reason, "stream 2: the sender has not ended it "));
	assert_in_range(clock_now_ns() - start, 2 * CLOCK_NS_PER_S, 5 * CLOCK_NS_PER_S);
	(void)close(fds[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_agents_wall_clock_is_as_the_test_says),
		cmocka_unit_test(a_test_by_bytes_moves_exactly_so_many),
		cmocka_unit_test(a_test_by_bytes_may_leave_its_start_out),
		cmocka_unit_test(bytes_that_end_within_the_omitted_time_are_no_result),
		cmocka_unit_test(bytes_that_take_too_long_are_told_with_what_came),
		cmocka_unit_test(a_sender_that_ends_early_is_told_by_its_streams),
		cmocka_unit_test(streams_that_die_are_told_one_by_one),
		cmocka_unit_test(streams_that_go_before_go_are_told_too),
		cmocka_unit_test(intervals_tell_where_the_time_went),
		cmocka_unit_test(short_intervals_do_not_read_the_machine),
		cmocka_unit_test(the_drain_is_bounded),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/truth", tests, start_two, end_two);
}
