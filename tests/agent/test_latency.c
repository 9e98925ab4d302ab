/* SPDX-License-Identifier: MIT */
/* test_latency.c - requests and responses, and round trips under load, between two
 * real agents: true figures, and an end to every test whatever the peer does. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  200u
#define LEASE_MS 30000u

/* How late a thread may be on a machine with two busy cores. */
#define LATE_NS (UINT64_C(200) * CLOCK_NS_PER_MS)

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

static void check_order(const struct msg_latency *l)
{
	assert_in_range(l->min_ns, 1, l->p50_ns);
	assert_in_range(l->p50_ns, l->min_ns, l->p90_ns);
	assert_in_range(l->p90_ns, l->p50_ns, l->p99_ns);
	assert_in_range(l->p99_ns, l->p90_ns, l->p999_ns);
	assert_in_range(l->p999_ns, l->p99_ns, l->max_ns);
	assert_in_range(l->mean_ns, l->min_ns, l->max_ns);
	assert_in_range(l->max_ns, l->min_ns, 10 * CLOCK_NS_PER_S);
}

static void check_worked(const struct outcome *o)
{
	if (o->has_failed)
		fail_msg("%s: %s", o->failed.kind, o->failed.reason);
}

/* What holds for each end of a test with requests of this size. */
static void check_end(const struct spec *spec, const struct outcome *o)
{
	uint64_t size = spec->buffer_bytes == 0 ? 1 : spec->buffer_bytes;
	uint64_t units = 0;

	check_worked(o);
	assert_true(o->result.units > 0 && o->result.units != WIRE_UNKNOWN_U64);
	assert_int_equal(o->result.measured_bytes, o->result.units * size);
	assert_int_equal(o->units[0], o->result.units);
	assert_int_equal(o->result.bytes % size, 0);
	for (uint32_t i = 1; i <= o->stream_count; i++) {
		assert_int_equal(o->stream[i].measured_bytes, o->units[i] * size);
		units += o->units[i];
	}
	assert_int_equal(o->result.units, units);
	assert_string_equal(o->connected.method, "rr");
}

static void run_rr(const struct spec *spec)
{
	driver_run(&one, &two, spec, &sent, &received);
	check_end(spec, &sent);
	check_end(spec, &received);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	for (uint32_t i = 1; i <= sent.stream_count; i++)
		assert_int_equal(sent.stream[i].bytes, received.stream[i].bytes);
	check_order(&sent.rr);
	/* To the transaction. */
	assert_int_equal(sent.rr.count, sent.result.units);
	assert_int_equal(received.rr.count, 0);
}

static void transactions_are_the_same_at_both_ends(void **state)
{
	static const struct spec specs[] = {
		{.options = " mode=rr"},
		{.options = " mode=rr", .is_listener_sender = true},
		{.options = " mode=rr", .streams = 4, .omit_ms = 100, .rtt_probes = 5},
		{.options = " mode=rr", .streams = 2, .buffer_bytes = 1000},
		{.options = " mode=rr",
	         .streams = 2,
	         .buffer_bytes = 300000,
	         .is_listener_sender = true},
		{.options = " mode=rr", .buffer_bytes = 16777216, .duration_ms = 1500},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++)
		run_rr(&specs[i]);
}

/* One transaction follows the other, so together they take all of the time. */
static void the_round_trips_fill_the_measured_time(void **state)
{
	static const struct spec spec = {
		.options = " mode=rr", .streams = 2, .omit_ms = 100, .duration_ms = 500};
	uint64_t all_ns;
	uint64_t slack_ns;

	(void)state;
	run_rr(&spec);
	all_ns = sent.result.measured_ns * 2;
	slack_ns = 2 * sent.rr.max_ns + LATE_NS;
	assert_in_range(sent.rr.count * sent.rr.mean_ns, all_ns - slack_ns, all_ns + slack_ns);
}

static void many_streams_of_transactions_work(void **state)
{
	static const struct spec spec = {.options = " mode=rr", .streams = 128, .omit_ms = 100};
	struct spec reverse = spec;

	(void)state;
	run_rr(&spec);
	reverse.is_listener_sender = true;
	run_rr(&reverse);
}

static void a_late_go_of_the_responder_starts_its_time_late(void **state)
{
	static const struct spec spec = {.options = " mode=rr", .streams = 2, .duration_ms = 200};
	uint32_t test[2];
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	one_go = one.next_id++;
	two_go = two.next_id++;
	agent_say(&two, "go id=%u test=%u", two_go, test[1]);
	driver_sleep_ms(400); /* the requester's own time is over */
	agent_say(&one, "go id=%u test=%u", one_go, test[0]);
	agent_collect(&one, one_go, &received);
	agent_collect(&two, two_go, &sent);
	check_worked(&received);
	check_worked(&sent);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	assert_true(received.result.units > 0);
	assert_int_equal(sent.rr.count, sent.result.units); /* none, where nobody was late */
}

/* Probes every 5 ms: as many as there is time for, at the connector alone. */
static void check_loaded(const struct spec *spec)
{
	const struct outcome *connector = spec->is_listener_sender ? &received : &sent;
	const struct outcome *listener = spec->is_listener_sender ? &sent : &received;

	check_worked(&sent);
	check_worked(&received);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	assert_in_range(connector->loaded.count, 1,
	                connector->result.measured_ns / (5 * CLOCK_NS_PER_MS) + 2);
	check_order(&connector->loaded);
	assert_int_equal(listener->loaded.count, 0);
	assert_int_equal(connector->connected.rtt_base_us == WIRE_UNKNOWN_U32,
	                 spec->rtt_probes == 0);
}

static void round_trips_are_probed_under_load(void **state)
{
	static const struct spec specs[] = {
		{.options = " probe_ms=5", .streams = 2, .rtt_probes = 5, .duration_ms = 500},
		{.options = " probe_ms=5", .omit_ms = 100, .is_listener_sender = true},
		{.options = " probe_ms=5", .streams = 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		driver_run(&one, &two, &specs[i], &sent, &received);
		check_loaded(&specs[i]);
	}
}

static void transactions_and_probes_go_together(void **state)
{
	static const struct spec spec = {.options = " mode=rr probe_ms=5", .duration_ms = 300};

	(void)state;
	run_rr(&spec);
	check_loaded(&spec);
}

static void what_does_not_go_with_requests_is_refused(void **state)
{
	static const char *const options[] = {" mode=rr rate_bps=8000000",
	                                      " mode=rr zero_copy=sender"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(options); i++) {
		struct spec spec = {.options = options[i]};
		uint32_t id = agent_prepare_listen(&one, &spec);

		agent_expect_failed(&one, id, "usage",
		                    "mode rr goes with neither zero_copy nor rate_bps");
	}
}

/* As many whole transactions as hold the bytes asked for. */
static void bytes_are_asked_for_to_the_transaction(void **state)
{
	static const struct spec spec = {.options = " mode=rr bytes=3001",
	                                 .streams = 2,
	                                 .buffer_bytes = 10,
	                                 .duration_ms = 10000};

	(void)state;
	run_rr(&spec);
	assert_int_equal(sent.result.units, 151 + 150);
	assert_int_equal(received.result.units, 151 + 150);
}

static void without_probes_nothing_is_told_of_them(void **state)
{
	static const struct spec spec = {.rtt_probes = 3, .duration_ms = 100};

	(void)state;
	driver_run(&one, &two, &spec, &sent, &received);
	check_worked(&sent);
	assert_int_equal(sent.loaded.count, 0);
	assert_int_equal(sent.rr.count, 0);
	assert_int_equal(sent.result.units, WIRE_UNKNOWN_U64);
	assert_int_equal(sent.units[0], 0);
}

static uint64_t ms_since(uint64_t start_ns)
{
	return (clock_now_ns() - start_ns) / CLOCK_NS_PER_MS;
}

/* A test that must work, after whatever happened before. */
static void run_well(void)
{
	static const struct spec spec = {.options = " mode=rr probe_ms=5", .duration_ms = 100};

	run_rr(&spec);
}

/* Both ends of a long test that runs; returns the ids of go. */
static void start_long_test(const struct spec *spec, uint32_t *one_go, uint32_t *two_go)
{
	uint32_t test[2];

	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	(void)driver_connect(&one, &two, spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	*one_go = one.next_id++;
	*two_go = two.next_id++;
	agent_say(&one, "go id=%u test=%u", *one_go, test[0]);
	agent_say(&two, "go id=%u test=%u", *two_go, test[1]);
	driver_sleep_ms(300);
}

/* With requests in both directions: test_pair.c. */
static void a_frozen_peer_does_not_keep_the_probe(void **state)
{
	static const struct spec spec = {
		.options = " probe_ms=5", .duration_ms = 20000, .is_listener_sender = true};
	uint32_t one_go;
	uint32_t two_go;
	uint64_t start;

	(void)state;
	start_long_test(&spec, &one_go, &two_go);
	start = clock_now_ns();
	assert_int_equal(kill(one.pid, SIGSTOP), 0);
	agent_collect(&two, two_go, &received);
	assert_in_range(ms_since(start), 2800, 5000);
	assert_true(received.has_failed);
	assert_string_equal(received.failed.kind, "stalled");
	assert_int_equal(kill(one.pid, SIGCONT), 0);
	agent_collect(&one, one_go, &sent); /* it finds its peer gone */
	assert_true(sent.has_failed);
	run_well();
}

static void a_dead_peer_ends_requester_and_responder_at_once(void **state)
{
	static const char *const options[] = {" mode=rr probe_ms=5", " probe_ms=5"};
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(options); i++) {
		struct spec spec = {.options = options[i / 2],
		                    .streams = 2,
		                    .duration_ms = 20000,
		                    .is_listener_sender = i % 2 == 1};
		uint64_t start;

		start_long_test(&spec, &one_go, &two_go);
		start = clock_now_ns();
		assert_int_equal(kill(two.pid, SIGKILL), 0);
		agent_collect(&one, one_go, &received);
		assert_in_range(ms_since(start), 0, 2000);
		assert_true(received.has_failed);
		assert_non_null(strstr(received.failed.reason, "stream"));
		assert_int_equal(agent_wait_end(&two, 2000), -SIGKILL);
		agent_start(&two, BEAT_MS, LEASE_MS);
	}
	run_well();
}

/* The peer goes away before its go: after prepare, after connect. */
static void a_peer_that_leaves_before_go_is_noticed(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct spec spec = {.options = " mode=rr probe_ms=5",
		                    .duration_ms = 1000,
		                    .is_listener_sender = i == 1};
		uint32_t test[2];
		uint32_t go;

		(void)driver_connect(&one, &two, &spec, test);
		agent_expect(&one, MSG_CONNECTED, test[0], NULL);
		agent_expect(&two, MSG_CONNECTED, test[1], NULL);
		agent_say(&two, "stop id=%u test=%u", two.next_id++, test[1]);
		agent_expect_failed(&two, test[1], "cancelled", "stopped");
		if (spec.is_listener_sender) {
			agent_expect(&one, MSG_FAILED, test[0], NULL); /* a sender hears it */
		} else {
			go = one.next_id++; /* a receiver reads it */
			agent_say(&one, "go id=%u test=%u", go, test[0]);
			memset(&received, 0, sizeof(received));
			agent_collect(&one, go, &received);
			assert_true(received.has_failed);
		}
		run_well();
	}
}

static void a_requester_whose_responder_never_goes_fails(void **state)
{
	static const struct spec spec = {.options = " mode=rr probe_ms=5", .duration_ms = 100};
	uint32_t test[2];
	uint32_t go;

	(void)state;
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	go = two.next_id++;
	agent_say(&two, "go id=%u test=%u", go, test[1]);
	memset(&sent, 0, sizeof(sent));
	agent_collect(&two, go, &sent);
	assert_true(sent.has_failed);
	agent_say(&one, "stop id=%u test=%u", one.next_id++, test[0]);
	agent_expect_failed(&one, test[0], "cancelled", "stopped");
	run_well();
}

static void stop_ends_a_running_test_at_once(void **state)
{
	static const struct spec spec = {
		.options = " mode=rr probe_ms=5", .streams = 4, .duration_ms = 20000};
	uint32_t one_go;
	uint32_t two_go;
	uint64_t start;

	(void)state;
	start_long_test(&spec, &one_go, &two_go);
	start = clock_now_ns();
	agent_say(&two, "stop id=%u test=%u", two.next_id++, two_go - 1);
	agent_collect(&two, two_go, &sent);
	assert_true(sent.has_failed);
	assert_string_equal(sent.failed.kind, "cancelled");
	agent_collect(&one, one_go, &received);
	assert_true(received.has_failed);
	assert_in_range(ms_since(start), 0, 1500);
	run_well();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transactions_are_the_same_at_both_ends),
		cmocka_unit_test(the_round_trips_fill_the_measured_time),
		cmocka_unit_test(many_streams_of_transactions_work),
		cmocka_unit_test(a_late_go_of_the_responder_starts_its_time_late),
		cmocka_unit_test(round_trips_are_probed_under_load),
		cmocka_unit_test(transactions_and_probes_go_together),
		cmocka_unit_test(what_does_not_go_with_requests_is_refused),
		cmocka_unit_test(bytes_are_asked_for_to_the_transaction),
		cmocka_unit_test(without_probes_nothing_is_told_of_them),
		cmocka_unit_test(a_frozen_peer_does_not_keep_the_probe),
		cmocka_unit_test(a_dead_peer_ends_requester_and_responder_at_once),
		cmocka_unit_test(a_peer_that_leaves_before_go_is_noticed),
		cmocka_unit_test(a_requester_whose_responder_never_goes_fails),
		cmocka_unit_test(stop_ends_a_running_test_at_once),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/latency", tests, start_two, end_two);
}
