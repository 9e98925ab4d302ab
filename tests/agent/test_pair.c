/* SPDX-License-Identifier: MIT */
/* test_pair.c - two tests at a time between two real agents: each is as if it were
 * alone, whatever becomes of the other. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  200u
#define LEASE_MS 30000u

static struct agent one;
static struct agent two;

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

/* Two tests: by test, then by agent one and two. */
static uint32_t test[2][2];
static uint32_t go[2][2];
static struct outcome outcome[2][2];

/* Connects both. `swaps`: agent one connects in the second. The data of the first flows
 * from two to one, of the second from one to two. */
static void connect_two(const struct spec *first, bool swaps)
{
	struct spec second = *first;
	char beside[2][32];
	uint32_t ids[2];

	(void)driver_connect(&one, &two, first, test[0]);
	agent_expect(&one, MSG_CONNECTED, test[0][0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[0][1], NULL);
	for (int i = 0; i < 2; i++)
		(void)snprintf(beside[i], sizeof(beside[i]), " beside=%u", test[0][i]);
	second.is_listener_sender = !swaps;
	second.listener_options = beside[swaps ? 1 : 0];
	second.connector_options = beside[swaps ? 0 : 1];
	(void)driver_connect(swaps ? &two : &one, swaps ? &one : &two, &second, ids);
	test[1][0] = ids[swaps ? 1 : 0];
	test[1][1] = ids[swaps ? 0 : 1];
	agent_expect(&one, MSG_CONNECTED, test[1][0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1][1], NULL);
}

static void say_go(int t, int end)
{
	struct agent *a = end == 0 ? &one : &two;

	go[t][end] = a->next_id++;
	agent_say(a, "go id=%u test=%u", go[t][end], test[t][end]);
}

/* The receivers first. */
static void go_all(void)
{
	say_go(0, 0);
	say_go(1, 1);
	say_go(0, 1);
	say_go(1, 0);
	memset(outcome, 0, sizeof(outcome));
}

static void collect_end(int end)
{
	const uint32_t ids[2] = {go[0][end], go[1][end]};
	struct outcome *const outcomes[2] = {&outcome[0][end], &outcome[1][end]};

	agent_collect_both(end == 0 ? &one : &two, ids, outcomes);
}

static void check_test(int t, uint32_t streams)
{
	for (int end = 0; end < 2; end++) {
		const struct outcome *o = &outcome[t][end];
		uint64_t bytes = 0;

		if (o->has_failed)
			fail_msg("test %d, end %d: %s: %s", t, end, o->failed.kind,
			         o->failed.reason);
		assert_int_equal(o->stream_count, streams);
		for (uint32_t i = 1; i <= streams; i++) {
			assert_int_equal(o->stream[i].bytes, outcome[t][1 - end].stream[i].bytes);
			assert_int_equal(o->stream[i].measured_bytes, o->measured_bytes[i]);
			assert_int_equal(o->stream[i].local_port,
			                 outcome[t][1 - end].stream[i].peer_port);
			bytes += o->stream[i].bytes;
		}
		assert_int_equal(o->result.bytes, bytes);
		assert_true(o->result.measured_bytes > 0);
		assert_int_equal(o->measured_bytes[0], o->result.measured_bytes);
	}
}

static void both_directions_at_the_same_time(void **state)
{
	static const struct spec specs[] = {
		{.streams = 1},
		{.streams = 4, .omit_ms = 100, .rtt_probes = 5, .options = " probe_ms=10"},
		{.streams = 64, .duration_ms = 500},
		{.streams = 2, .options = " mode=rr"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(specs); i++) {
		const struct spec *spec = &specs[i / 2];

		connect_two(spec, i % 2 == 1);
		go_all();
		collect_end(0);
		collect_end(1);
		check_test(0, spec->streams);
		check_test(1, spec->streams);
		if (spec->rtt_probes > 0) /* the one that connected probed */
			assert_true(outcome[0][1].loaded.count > 0 &&
			            outcome[1][i % 2 == 1 ? 0 : 1].loaded.count > 0);
	}
}

/* A test of one direction must work, after whatever happened before. */
static void run_well(void)
{
	static const struct spec spec = {.duration_ms = 100};

	memset(outcome, 0, sizeof(outcome));
	driver_run(&one, &two, &spec, &outcome[0][1], &outcome[0][0]);
	assert_false(outcome[0][0].has_failed || outcome[0][1].has_failed);
	assert_int_equal(outcome[0][0].result.bytes, outcome[0][1].result.bytes);
}

static void expect_refusal(const struct spec *base, uint32_t beside, const char *reason)
{
	struct spec spec = *base;
	char options[32];
	uint32_t id;

	(void)snprintf(options, sizeof(options), " beside=%u", beside);
	spec.listener_options = beside == 0 ? NULL : options;
	id = agent_prepare_listen(&one, &spec);
	agent_expect_failed(&one, id, "usage", reason);
}

static void what_may_not_run_beside_disturbs_nothing(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 300};
	char wanted[128];

	(void)state;
	expect_refusal(&spec, 4711, "test 4711, to run beside, is not open");
	(void)driver_connect(&one, &two, &spec, test[0]);
	agent_expect(&one, MSG_CONNECTED, test[0][0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[0][1], NULL);
	(void)snprintf(wanted, sizeof(wanted), "test %u is not over: one at a time", test[0][0]);
	expect_refusal(&spec, 0, wanted);
	(void)snprintf(wanted, sizeof(wanted), "test %u cannot run beside 4711: test %u is open",
	               one.next_id, test[0][0]);
	expect_refusal(&spec, 4711, wanted);
	one.next_id = test[0][0]; /* an id that is taken */
	(void)snprintf(wanted, sizeof(wanted), "test %u cannot run beside %u: test %u is open",
	               test[0][0], test[0][0], test[0][0]);
	expect_refusal(&spec, test[0][0], wanted);
	one.next_id += 10;
	say_go(0, 0); /* and it still works */
	say_go(0, 1);
	memset(outcome, 0, sizeof(outcome));
	agent_collect(&one, go[0][0], &outcome[0][0]);
	agent_collect(&two, go[0][1], &outcome[0][1]);
	check_test(0, 2);
	/* What is over is nothing to run beside. */
	(void)snprintf(wanted, sizeof(wanted), "test %u, to run beside, is not open", test[0][0]);
	expect_refusal(&spec, test[0][0], wanted);
}

static void a_third_test_disturbs_neither(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 300};
	char wanted[128];

	(void)state;
	connect_two(&spec, false);
	(void)snprintf(wanted, sizeof(wanted), "tests %u and %u are not over: two at a time",
	               test[0][0], test[1][0]);
	expect_refusal(&spec, 0, wanted);
	expect_refusal(&spec, test[0][0], wanted);
	go_all();
	collect_end(0);
	collect_end(1);
	check_test(0, 2);
	check_test(1, 2);
}

static void one_that_cannot_be_prepared_leaves_the_other_alone(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 300};
	struct spec bad = spec;

	(void)state;
	(void)driver_connect(&one, &two, &spec, test[0]);
	agent_expect(&one, MSG_CONNECTED, test[0][0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[0][1], NULL);
	bad.streams = 129;
	expect_refusal(&bad, test[0][0], "streams 129 is out of range: 1 to 128");
	say_go(0, 0);
	say_go(0, 1);
	memset(outcome, 0, sizeof(outcome));
	agent_collect(&one, go[0][0], &outcome[0][0]);
	agent_collect(&two, go[0][1], &outcome[0][1]);
	check_test(0, 2);
}

/* Whichever is stopped, at whichever end. */
static void stop_ends_one_and_leaves_the_other_alone(void **state)
{
	static const struct spec spec = {
		.streams = 2, .duration_ms = 700, .options = " probe_ms=5"};

	(void)state;
	for (int t = 0; t < 2; t++) {
		for (int end = 0; end < 2; end++) {
			struct agent *a = end == 0 ? &one : &two;

			connect_two(&spec, false);
			go_all();
			driver_sleep_ms(150);
			agent_say(a, "stop id=%u test=%u", a->next_id++, test[t][end]);
			collect_end(0);
			collect_end(1);
			assert_true(outcome[t][0].has_failed && outcome[t][1].has_failed);
			assert_string_equal(outcome[t][end].failed.kind, "cancelled");
			check_test(1 - t, 2);
		}
	}
}

/* The first is over while the second is not; then a new one runs beside the second. */
static void either_place_is_free_again(void **state)
{
	static const struct spec spec = {.duration_ms = 200};
	struct spec third = spec;
	char beside[2][32];
	uint32_t ids[2];

	(void)state;
	connect_two(&spec, false);
	memset(outcome, 0, sizeof(outcome));
	say_go(0, 0);
	say_go(0, 1);
	agent_collect(&one, go[0][0], &outcome[0][0]);
	agent_collect(&two, go[0][1], &outcome[0][1]);
	check_test(0, 1);
	for (int i = 0; i < 2; i++)
		(void)snprintf(beside[i], sizeof(beside[i]), " beside=%u", test[1][i]);
	third.listener_options = beside[0];
	third.connector_options = beside[1];
	(void)driver_connect(&one, &two, &third, ids);
	agent_expect(&one, MSG_CONNECTED, ids[0], NULL);
	agent_expect(&two, MSG_CONNECTED, ids[1], NULL);
	test[0][0] = ids[0];
	test[0][1] = ids[1];
	go_all();
	collect_end(0);
	collect_end(1);
	check_test(0, 1);
	check_test(1, 1);
}

static void a_peer_that_dies_ends_both(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 20000};
	uint64_t start;

	(void)state;
	connect_two(&spec, false);
	go_all();
	driver_sleep_ms(200);
	start = clock_now_ns();
	assert_int_equal(kill(two.pid, SIGKILL), 0);
	collect_end(0);
	assert_true(outcome[0][0].has_failed && outcome[1][0].has_failed);
	assert_in_range((clock_now_ns() - start) / CLOCK_NS_PER_MS, 0, 2000);
	assert_int_equal(agent_wait_end(&two, 2000), -SIGKILL);
	agent_start(&two, BEAT_MS, LEASE_MS);
	run_well();
}

/* A requester and a responder. */
static void a_peer_that_freezes_stalls_both(void **state)
{
	static const struct spec spec = {
		.streams = 2, .duration_ms = 20000, .options = " mode=rr probe_ms=5"};
	uint64_t start;

	(void)state;
	connect_two(&spec, false);
	go_all();
	driver_sleep_ms(200);
	start = clock_now_ns();
	assert_int_equal(kill(two.pid, SIGSTOP), 0);
	collect_end(0);
	assert_in_range((clock_now_ns() - start) / CLOCK_NS_PER_MS, 2800, 5500);
	for (int t = 0; t < 2; t++) {
		assert_true(outcome[t][0].has_failed);
		assert_string_equal(outcome[t][0].failed.kind, "stalled");
	}
	assert_int_equal(kill(two.pid, SIGCONT), 0);
	collect_end(1);
	run_well();
}

static void the_limits_are_those_of_both(void **state)
{
	static const struct spec most = {.streams = 128, .duration_ms = 100};
	static const char *const limits[] = {"ulimit -S -n 250; exec \"$0\"",
	                                     "ulimit -n 300; exec \"$0\""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		const char *args[] = {"-c", limits[i], driver_agent_path(), NULL};
		struct spec second = most;
		struct agent limited;
		uint32_t id;

		agent_exec(&limited, "/bin/sh", args);
		agent_say(&limited, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION,
		          LEASE_MS);
		agent_expect(&limited, MSG_READY, 1, NULL);
		limited.next_id = 3;
		id = agent_prepare_listen(&limited, &most);
		agent_expect(&limited, MSG_PREPARED, id, NULL);
		second.listener_options = " beside=3";
		id = agent_prepare_listen(&limited, &second);
		if (i == 0) /* raised */
			agent_expect(&limited, MSG_PREPARED, id, NULL);
		else
			agent_expect_failed(&limited, id, "system",
			                    "128 streams need 448 open files, the limit is 300: "
			                    "raise ulimit -n");
		assert_int_equal(agent_bye(&limited), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_at_the_same_time),
		cmocka_unit_test(what_may_not_run_beside_disturbs_nothing),
		cmocka_unit_test(a_third_test_disturbs_neither),
		cmocka_unit_test(one_that_cannot_be_prepared_leaves_the_other_alone),
		cmocka_unit_test(stop_ends_one_and_leaves_the_other_alone),
		cmocka_unit_test(either_place_is_free_again),
		cmocka_unit_test(a_peer_that_dies_ends_both),
		cmocka_unit_test(a_peer_that_freezes_stalls_both),
		cmocka_unit_test(the_limits_are_those_of_both),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/pair", tests, start_two, end_two);
}
