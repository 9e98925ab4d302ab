/* SPDX-License-Identifier: MIT */
/* test_window.c - the test itself sends, so it knows to the byte what belongs to the measured
 * time; and when each stream began. */
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define STREAMS 3

static struct agent receiver;
static struct outcome received;
static int fds[STREAMS];

static int start(void **state)
{
	(void)state;
	agent_start(&receiver, 500, 20000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return agent_bye(&receiver) == 0 ? 0 : -1;
}

/* The receiver has these streams of ours, and its go of id 90. */
static void go(const struct spec *spec)
{
	uint32_t id = agent_prepare_listen(&receiver, spec);
	struct msg msg;

	agent_expect(&receiver, MSG_PREPARED, id, &msg);
	for (uint16_t i = 0; i < spec->streams; i++)
		fds[i] = driver_join(msg.u.prepared.port, (uint16_t)(i + 1),
		                     PREAMBLE_CONNECTOR_SENDS);
	agent_expect(&receiver, MSG_CONNECTED, id, NULL);
	agent_say(&receiver, "go id=90 test=%u", id);
	memset(&received, 0, sizeof(received));
}

static void send_bytes(int fd, size_t count)
{
	static const char bytes[4096];

	assert_int_equal(write(fd, bytes, count), count);
}

static void collect(uint32_t streams)
{
	for (uint32_t i = 0; i < streams; i++)
		(void)close(fds[i]);
	agent_collect(&receiver, 90, &received);
	if (received.has_failed)
		fail_msg("%s", received.failed.reason);
}

/* The steps are far apart, so that a machine that is late puts none in the wrong time. */
static void only_what_came_in_the_measured_time_counts(void **state)
{
	static const struct spec spec = {
		.streams = 2, .omit_ms = 600, .duration_ms = 1000, .interval_ms = 250};

	(void)state;
	go(&spec);
	send_bytes(fds[0], 1000); /* t0; omitted */
	send_bytes(fds[1], 1);
	driver_sleep_ms(1000); /* in the middle of the measured time */
	send_bytes(fds[0], 2000);
	send_bytes(fds[1], 30);
	assert_int_equal(driver_read_byte(fds[0], 5000), 1); /* it has measured enough */
	send_bytes(fds[0], 4000);                            /* in the drain */
	send_bytes(fds[1], 500);
	collect(2);
	assert_int_equal(received.stream[1].measured_bytes, 2000);
	assert_int_equal(received.stream[2].measured_bytes, 30);
	assert_int_equal(received.result.measured_bytes, 2030);
	assert_int_equal(received.measured_bytes[0], 2030);
	assert_int_equal(received.stream[1].bytes, 7000);
	assert_int_equal(received.stream[2].bytes, 531);
	assert_int_equal(received.result.bytes, 7531);
	assert_in_range(received.result.measured_ns, UINT64_C(1000) * CLOCK_NS_PER_MS,
	                UINT64_C(1200) * CLOCK_NS_PER_MS);
}

/* Time that passes between go and the first byte belongs to no interval. */
static void the_time_begins_with_the_first_byte_and_the_skew_is_told(void **state)
{
	static const struct spec spec = {.streams = STREAMS, .duration_ms = 1000};
	uint64_t from = clock_now_ns();
	uint64_t first;

	(void)state;
	go(&spec);
	driver_sleep_ms(500);
	first = clock_now_ns();
	send_bytes(fds[1], 10);
	driver_sleep_ms(300);
	send_bytes(fds[0], 10);
	send_bytes(fds[2], 10);
	assert_int_equal(driver_read_byte(fds[0], 5000), 1);
	assert_true(clock_now_ns() - first >= UINT64_C(1000) * CLOCK_NS_PER_MS);
	assert_true(clock_now_ns() - from >= UINT64_C(1500) * CLOCK_NS_PER_MS);
	collect(STREAMS);
	assert_int_equal(received.result.measured_bytes, 30);
	assert_in_range(received.result.measured_ns, UINT64_C(1000) * CLOCK_NS_PER_MS,
	                UINT64_C(1200) * CLOCK_NS_PER_MS);
	assert_in_range(received.result.skew_ns, UINT64_C(290) * CLOCK_NS_PER_MS,
	                UINT64_C(500) * CLOCK_NS_PER_MS);
}

/* One stream that trickles keeps the test from being stalled; all must be silent. */
static void a_trickle_is_no_stall(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 4500};

	(void)state;
	go(&spec);
	send_bytes(fds[0], 5);
	for (int i = 0; i < 2; i++) {
		driver_sleep_ms(2000);
		send_bytes(fds[1], 1);
	}
	assert_int_equal(driver_read_byte(fds[0], 5000), 1);
	collect(2);
	assert_int_equal(received.result.bytes, 7);
}

/* 3 s without a byte, and what came before is told, not as a small number. */
static void silence_is_a_stall(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 8000};
	uint64_t from;

	(void)state;
	go(&spec);
	send_bytes(fds[0], 1234);
	from = clock_now_ns();
	agent_collect(&receiver, 90, &received);
	assert_true(received.has_failed);
	assert_string_equal(received.failed.kind, "stalled");
	assert_non_null(strstr(received.failed.reason, "no byte for 3 s: 1234 bytes in the "));
	assert_in_range((clock_now_ns() - from) / CLOCK_NS_PER_MS, 2900, 4500);
	for (uint32_t i = 0; i < 2; i++)
		(void)close(fds[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_came_in_the_measured_time_counts),
		cmocka_unit_test(the_time_begins_with_the_first_byte_and_the_skew_is_told),
		cmocka_unit_test(a_trickle_is_no_stall),
		cmocka_unit_test(silence_is_a_stall),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/window", tests, start, end);
}
