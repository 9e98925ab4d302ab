/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/output.h"
#include "common/clock.h"
#include "tests/support/test.h"

#define PATIENCE_NS (50 * CLOCK_NS_PER_MS)

static struct output *output;
static int ends[2];

static int set_up(void **state)
{
	(void)state;
	output = malloc(sizeof(*output));
	assert_non_null(output);
	assert_int_equal(pipe(ends), 0);
	output_init(output, ends[1], PATIENCE_NS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)close(ends[0]);
	(void)close(ends[1]);
	free(output);
	return 0;
}

static void send_alive(uint64_t clock_ns)
{
	struct msg msg;

	msg_init(&msg, MSG_ALIVE, 0);
	msg.u.alive.clock_ns = clock_ns;
	assert_true(output_send(output, &msg));
}

static void lines_are_written_in_order_at_the_flush(void **state)
{
	static const char wanted[] = "hello\nalive id=0 clock_ns=5\ndone id=7\n"
				     "failed id=8 kind=port reason=no%20port\n";
	struct failure f;
	char text[256];

	(void)state;
	output_text(output, "hello\n");
	send_alive(5);
	output_done(output, 7);
	(void)failure_set(&f, FAILURE_PORT, "no port");
	output_failed(output, 8, &f);
	output_flush(output, 1);
	assert_int_equal(output->len, 0);
	assert_int_equal(read(ends[0], text, sizeof(text)), sizeof(wanted) - 1);
	assert_memory_equal(text, wanted, sizeof(wanted) - 1);
}

static void a_message_that_is_not_whole_is_not_sent(void **state)
{
	struct msg msg;

	(void)state;
	msg_init(&msg, MSG_ALIVE, 0); /* its clock is missing */
	assert_false(output_send(output, &msg));
	assert_int_equal(output->len, 0);
}

/* Queues until the pipe is full and something is left. */
static void fill_pipe(void)
{
	for (uint64_t i = 0; output->len == 0; i++) {
		for (int n = 0; n < 100; n++)
			send_alive(i);
		output_flush(output, 1);
	}
}

static void nothing_is_lost_when_the_reader_is_slow(void **state)
{
	static char text[OUTPUT_BYTES * 2];
	size_t got = 0;
	size_t queued;

	(void)state;
	fill_pipe();
	queued = output->len;
	output_flush(output, 2);
	assert_int_equal(output->len, queued); /* does not wait */
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	while (output->len > 0) {
		ssize_t n = read(ends[0], text + got, 1000);

		assert_true(n > 0);
		got += (size_t)n;
		output_flush(output, 3);
	}
	for (ssize_t n = 1; n > 0; got += n > 0 ? (size_t)n : 0)
		n = read(ends[0], text + got, sizeof(text) - got);
	assert_false(output->is_broken);
	assert_int_equal(text[got - 1], '\n');
	for (size_t at = 0; at < got; at++) { /* whole lines all the way */
		assert_memory_equal(text + at, "alive id=0 clock_ns=", 20);
		at += strcspn(text + at, "\n");
	}
}

static void a_reader_that_does_not_read_is_given_up_after_the_patience(void **state)
{
	uint64_t start;

	(void)state;
	fill_pipe(); /* stuck since 1 */
	output_flush(output, 1 + PATIENCE_NS);
	assert_false(output->is_broken);
	output_flush(output, 2 + PATIENCE_NS);
	assert_true(output->is_broken);

	/* And when the queue is full a sender waits no longer than that. */
	output->is_broken = false;
	output->stuck_ns = 0;
	start = clock_now_ns();
	while (!output->is_broken)
		send_alive(1);
	assert_in_range(clock_now_ns() - start, PATIENCE_NS, 40 * PATIENCE_NS);
	send_alive(2); /* nothing happens any more */
	output_drain(output, clock_now_ns() + PATIENCE_NS);
}

static void a_reader_that_is_gone_breaks_the_output(void **state)
{
	(void)state;
	(void)close(ends[0]);
	send_alive(1);
	output_flush(output, 1);
	assert_true(output->is_broken);
	ends[0] = -1;
}

static void draining_waits_for_the_reader_but_not_for_ever(void **state)
{
	uint64_t start = clock_now_ns();

	(void)state;
	fill_pipe();
	output->patience_ns = CLOCK_NS_PER_S;
	output->stuck_ns = 0;
	output_drain(output, start + PATIENCE_NS);
	assert_true(output->len > 0);
	assert_in_range(clock_now_ns() - start, PATIENCE_NS, 40 * PATIENCE_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(lines_are_written_in_order_at_the_flush),
		TEST(a_message_that_is_not_whole_is_not_sent),
		TEST(nothing_is_lost_when_the_reader_is_slow),
		TEST(a_reader_that_does_not_read_is_given_up_after_the_patience),
		TEST(a_reader_that_is_gone_breaks_the_output),
		TEST(draining_waits_for_the_reader_but_not_for_ever),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/output", tests, NULL, NULL);
}
