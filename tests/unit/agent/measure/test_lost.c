/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "measure/lost.h"
#include "tests/support/test.h"

static struct streams streams;
static struct request request;
static struct lost lost;

static void start(enum request_side side, uint64_t bytes, enum request_protocol protocol)
{
	memset(&streams, 0, sizeof(streams));
	request =
		(struct request){.side = side, .streams = 4, .bytes = bytes, .protocol = protocol};
	streams.side = side;
	streams.count = 4;
	streams.request = &request;
}

static void end_stream(uint32_t index, int why, uint64_t bytes)
{
	atomic_store(&streams.stream[index].bytes, bytes);
	streams.stream[index].end_errno = why;
	atomic_store(&streams.stream[index].has_ended, true);
}

static void an_end_is_a_loss_while_the_test_goes_on(void **state)
{
	struct failure f;

	(void)state;
	start(REQUEST_RECV, 0, REQUEST_TCP);
	assert_false(lost_find(&streams, false, &lost));
	end_stream(1, 0, 77);
	assert_true(lost_find(&streams, false, &lost));
	assert_false(lost_find(&streams, true, &lost));
	end_stream(3, ECONNRESET, 77);
	assert_true(lost_find(&streams, true, &lost)); /* an error is one at any time */
	assert_null(lost.why[1]);
	assert_true(lost_find(&streams, false, &lost));
	assert_false(lost_fail(&lost, &f));
	assert_int_equal(f.kind, FAILURE_SYSTEM);
	assert_string_equal(f.reason, "stream 2: the sender ended it too early; "
	                              "stream 4: Connection reset by peer");
}

static void who_has_its_share_may_end(void **state)
{
	struct failure f;

	(void)state;
	start(REQUEST_RECV, 4001, REQUEST_TCP); /* 1001, then 1000 each */
	end_stream(0, 0, 1000);
	end_stream(1, 0, 1000);
	assert_true(lost_find(&streams, false, &lost));
	assert_false(lost_fail(&lost, &f));
	assert_int_equal(f.kind, FAILURE_TRUNCATED);
	assert_string_equal(f.reason, "stream 1: the sender ended it too early");
	start(REQUEST_RECV, 4001, REQUEST_UDP); /* some are lost on the way */
	end_stream(0, 0, 900);
	assert_false(lost_find(&streams, false, &lost));
	start(REQUEST_SEND, 4001, REQUEST_TCP);
	end_stream(0, 0, 1001);
	assert_false(lost_find(&streams, false, &lost));
	end_stream(1, EPIPE, 10);
	assert_true(lost_find(&streams, false, &lost));
}

static void all_streams_fit_one_reason(void **state)
{
	static char reasons[REQUEST_STREAMS_MAX][16];
	struct failure f;
	char text[64];

	(void)state;
	lost = (struct lost){0};
	for (size_t i = 0; i < REQUEST_STREAMS_MAX; i++)
		lost.why[i] = "gone";
	assert_false(lost_fail(&lost, &f));
	assert_string_equal(f.reason, "streams 1-128: gone");
	for (size_t i = 0; i < REQUEST_STREAMS_MAX; i++) {
		(void)snprintf(reasons[i], sizeof(reasons[i]), "reason %zu", i);
		lost.why[i] = reasons[i];
	}
	assert_false(lost_fail(&lost, &f)); /* as many as fit, each whole */
	assert_memory_equal(f.reason, "stream 1: reason 0; stream 2: reason 1; ", 40);
	assert_int_equal(strstr(f.reason, "reason 0") == NULL, 0);
	lost.why[0] = lost.why[5] = NULL;
	lost_format(&lost, text, sizeof(text));
	assert_string_equal(text, "2-5,7-128");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_is_a_loss_while_the_test_goes_on),
		cmocka_unit_test(who_has_its_share_may_end),
		cmocka_unit_test(all_streams_fit_one_reason),
	};

	return cmocka_run_group_tests_name("agent/measure/lost", tests, NULL, NULL);
}
