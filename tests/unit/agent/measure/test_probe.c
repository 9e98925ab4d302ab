/* SPDX-License-Identifier: MIT */
/* Probes over a socket pair, against each other and against a peer that the test plays. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/probe.h"
#include "tests/support/test.h"

#define MS CLOCK_NS_PER_MS

static struct probe timing;
static struct probe echoing;
static int pair[2];

static int open_both(void **state)
{
	static const struct request here = {.probe_ns = 2 * MS};
	static const struct request there = {.probe_ns = 2 * MS, .is_listener = true};
	struct failure f;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_true(probe_open(&timing, &here, &f));
	assert_true(probe_open(&echoing, &there, &f));
	return 0;
}

static int close_both(void **state)
{
	(void)state;
	probe_close(&timing);
	probe_close(&echoing);
	return 0;
}

static void start(struct probe *p, int fd)
{
	struct failure f;

	if (!probe_start(p, fd, &f))
		fail_msg("%s", f.reason);
}

static void rest_ms(uint64_t ms)
{
	clock_sleep_until(clock_now_ns() + ms * MS);
}

/* The next byte of the timing end; fails when there is none. */
static unsigned char take_byte(void)
{
	struct pollfd p = {.fd = pair[1], .events = POLLIN};
	unsigned char byte;

	assert_int_equal(poll(&p, 1, 5000), 1);
	assert_int_equal(recv(pair[1], &byte, 1, 0), 1);
	return byte;
}

static void round_trips_of_the_measured_time_count(void **state)
{
	const struct histogram *h;
	uint64_t start_ns = clock_now_ns();
	uint64_t open_ns;
	uint64_t most;
	uint64_t end_ns;

	(void)state;
	start(&echoing, pair[1]);
	start(&timing, pair[0]);
	rest_ms(30); /* before: none of these */
	open_ns = clock_now_ns();
	probe_set_time(&timing, PROBE_MEASURED);
	rest_ms(100);
	probe_set_time(&timing, PROBE_AFTER);
	most = (clock_now_ns() - open_ns) / (2 * MS) +
	       2; /* one each 2 ms, and those at both ends */
	rest_ms(30);
	end_ns = clock_now_ns();
	probe_end(&timing);
	h = probe_latency(&timing);
	assert_non_null(h);
	assert_in_range(h->count, 1, most);
	assert_in_range(h->min_ns, 1, h->max_ns);
	assert_in_range(h->max_ns, 1, end_ns - start_ns);
	assert_null(probe_latency(&echoing));
}

static void one_is_under_way_and_late_ones_are_not_caught_up(void **state)
{
	struct pollfd p = {.fd = pair[1], .events = POLLIN};
	const struct histogram *h;
	unsigned char byte;

	(void)state;
	start(&timing, pair[0]);
	probe_set_time(&timing, PROBE_MEASURED);
	byte = take_byte();
	assert_int_equal(byte, 1);            /* 0 is of the probes before the load */
	assert_int_equal(poll(&p, 1, 50), 0); /* no other meanwhile */
	assert_int_equal(send(pair[1], &byte, 1, 0), 1);
	assert_int_equal(take_byte(), 2);
	rest_ms(20);
	probe_set_time(&timing, PROBE_AFTER);
	probe_end(&timing); /* with the second one under way */
	h = probe_latency(&timing);
	assert_non_null(h);
	assert_int_equal(h->count, 1);
	assert_in_range(h->min_ns, 50 * MS, 10000 * MS);
	(void)close(pair[1]);
}

static void what_is_not_the_byte_under_way_is_passed_over(void **state)
{
	static const unsigned char stale[] = {0, 7, 255};
	unsigned char byte;

	(void)state;
	assert_int_equal(send(pair[1], stale, sizeof(stale), 0), sizeof(stale));
	start(&timing, pair[0]);
	probe_set_time(&timing, PROBE_MEASURED);
	for (unsigned i = 1; i <= 300; i++) { /* numbers come round, without 0 */
		byte = take_byte();
		assert_int_equal(byte, (i - 1) % 255 + 1);
		assert_int_equal(send(pair[1], stale, 1, 0), 1);
		assert_int_equal(send(pair[1], &byte, 1, 0), 1);
		assert_int_equal(send(pair[1], &byte, 1, 0), 1); /* twice: once too often */
	}
	(void)take_byte(); /* so the last one was taken */
	probe_set_time(&timing, PROBE_AFTER);
	probe_end(&timing);
	assert_int_equal(probe_latency(&timing)->count, 300);
	(void)close(pair[1]);
}

static void a_connection_that_ends_early_tells_nothing(void **state)
{
	unsigned char byte;

	(void)state;
	start(&timing, pair[0]);
	probe_set_time(&timing, PROBE_MEASURED);
	byte = take_byte();
	assert_int_equal(send(pair[1], &byte, 1, 0), 1);
	(void)take_byte();
	(void)close(pair[1]);
	for (int i = 0; i < 5000 && !atomic_load(&timing.is_broken); i++)
		rest_ms(1);
	probe_set_time(&timing, PROBE_AFTER);
	probe_end(&timing);
	assert_null(probe_latency(&timing));
}

static void one_that_ends_after_the_measured_time_tells_all(void **state)
{
	unsigned char byte;

	(void)state;
	start(&timing, pair[0]);
	probe_set_time(&timing, PROBE_MEASURED);
	byte = take_byte();
	assert_int_equal(send(pair[1], &byte, 1, 0), 1);
	(void)take_byte();
	probe_set_time(&timing, PROBE_AFTER);
	(void)close(pair[1]);
	rest_ms(10);
	probe_end(&timing);
	assert_non_null(probe_latency(&timing));
	assert_int_equal(probe_latency(&timing)->count, 1);
}

static void it_ends_at_once_whatever_the_other_end_does(void **state)
{
	uint64_t start_ns = clock_now_ns();

	(void)state;
	start(&timing, pair[0]);
	(void)take_byte(); /* which is never given back */
	probe_end(&timing);
	assert_in_range(clock_now_ns() - start_ns, 0, 2000 * MS);
	assert_int_equal(recv(pair[1], &(char){0}, 1, 0), 0);
	start(&echoing, pair[1]);
	probe_end(&echoing);
	probe_end(&echoing); /* again: nothing */
}

static void an_echo_that_nobody_reads_ends_too(void **state)
{
	static char many[65536];
	ssize_t n = 1;

	(void)state;
	start(&echoing, pair[1]);
	for (int i = 0; i < 10000 && n > 0; i++) { /* until both directions are full */
		n = send(pair[0], many, sizeof(many), MSG_DONTWAIT);
		if (n < 0)
			rest_ms(1);
	}
	probe_end(&echoing);
	(void)close(pair[0]);
}

static void without_probes_there_is_nothing(void **state)
{
	static const struct request none = {.probe_ns = 0};
	struct failure f;
	struct probe p;

	(void)state;
	assert_true(probe_open(&p, &none, &f));
	probe_set_time(&p, PROBE_MEASURED);
	probe_end(&p);
	assert_null(probe_latency(&p));
	probe_close(&p);
	start(&timing, -1); /* wanted, but there is no connection */
	probe_end(&timing);
	assert_null(probe_latency(&timing));
	(void)close(pair[0]);
	(void)close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_both, close_both)
		TEST(round_trips_of_the_measured_time_count),
		TEST(one_is_under_way_and_late_ones_are_not_caught_up),
		TEST(what_is_not_the_byte_under_way_is_passed_over),
		TEST(a_connection_that_ends_early_tells_nothing),
		TEST(one_that_ends_after_the_measured_time_tells_all),
		TEST(it_ends_at_once_whatever_the_other_end_does),
		TEST(an_echo_that_nobody_reads_ends_too),
		TEST(without_probes_there_is_nothing),
	};

	return cmocka_run_group_tests_name("agent/measure/probe", tests, NULL, NULL);
}
