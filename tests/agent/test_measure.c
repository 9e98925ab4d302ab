/* SPDX-License-Identifier: MIT */
/* test_measure.c - whole tests between two real agents: what comes out is true. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  UINT64_C(200)
#define LEASE_MS 20000u

/* How late a reading may be on a machine with two busy cores. */
#define LATE_NS (UINT64_C(1000) * CLOCK_NS_PER_MS)

static struct agent one;
static struct agent two;
static struct outcome sent;
static struct outcome received;

static int start_two(void **state)
{
	(void)state;
	agent_start(&one, (uint32_t)BEAT_MS, LEASE_MS);
	agent_start(&two, (uint32_t)BEAT_MS, LEASE_MS);
	return 0;
}

static int end_two(void **state)
{
	(void)state;
	return agent_bye(&one) == 0 && agent_bye(&two) == 0 ? 0 : -1;
}

/* What must hold for each end of each test. */
static void check_end(const struct spec *spec, const struct outcome *o)
{
	uint32_t streams = spec->streams == 0 ? 1 : spec->streams;
	uint64_t duration_ns = (spec->duration_ms == 0 ? 300 : spec->duration_ms) * CLOCK_NS_PER_MS;
	uint64_t bytes = 0;
	uint64_t measured = 0;

	if (o->has_failed)
		fail_msg("%s: %s", o->failed.kind, o->failed.reason);
	assert_int_equal(o->stream_count, streams);
	assert_int_equal(o->connected.streams, streams);
	for (uint32_t i = 1; i <= streams; i++) {
		const struct msg_stream *s = &o->stream[i];

		assert_int_equal(s->measured_bytes, o->measured_bytes[i]);
		assert_true(s->bytes >= o->sample_bytes[i]);
		assert_in_range(s->local_port, 1, 65535);
		assert_in_range(s->peer_port, 1, 65535);
		assert_int_equal(o->last_end_ns[i], o->last_end_ns[0]);
		bytes += s->bytes;
		measured += s->measured_bytes;
	}
	assert_int_equal(o->result.bytes, bytes);
	assert_int_equal(o->result.measured_bytes, measured);
	assert_int_equal(o->measured_bytes[0], measured);
	assert_true(measured > 0);
	assert_int_equal(o->result.measured_ns, o->last_end_ns[0] - o->opened_ns);
	assert_in_range(o->result.measured_ns, duration_ns, duration_ns + LATE_NS);
	assert_in_range(o->opened_ns, spec->omit_ms * CLOCK_NS_PER_MS,
	                spec->omit_ms * CLOCK_NS_PER_MS + LATE_NS);
	assert_int_equal(o->omitted_count > 0, spec->omit_ms > 0);
	assert_true(o->has_cpu);
	assert_in_range(o->result.cpu_us, 1, 100000000);
}

/* With many threads on few cores one may not have had its turn. */
static bool has_idle_stream(void)
{
	for (uint32_t i = 1; i <= received.stream_count; i++) {
		if (received.stream[i].bytes == 0)
			return true;
	}
	return false;
}

static void check_both(const struct spec *spec)
{
	uint32_t streams = spec->streams == 0 ? 1 : spec->streams;

	check_end(spec, &sent);
	check_end(spec, &received);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	for (uint32_t i = 1; i <= streams; i++) {
		assert_int_equal(sent.stream[i].bytes, received.stream[i].bytes);
		assert_int_equal(sent.stream[i].local_port, received.stream[i].peer_port);
		assert_int_equal(sent.stream[i].peer_port, received.stream[i].local_port);
	}
	assert_int_equal(sent.result.skew_ns, WIRE_UNKNOWN_U64);
	assert_int_equal(received.result.skew_ns == WIRE_UNKNOWN_U64, has_idle_stream());
	assert_int_equal(received.result.retransmits, WIRE_UNKNOWN_U64);
}

static void run(const struct spec *spec)
{
	driver_run(&one, &two, spec, &sent, &received);
	check_both(spec);
}

static void totals_and_intervals_agree_in_every_role(void **state)
{
	static const struct spec specs[] = {
		{.streams = 1},
		{.streams = 1, .is_listener_sender = true},
		{.streams = 4, .omit_ms = 150, .rtt_probes = 10},
		{.streams = 4, .omit_ms = 150, .rtt_probes = 10, .is_listener_sender = true},
		{.streams = 2,
	         .duration_ms = 250,
	         .interval_ms = 100}, /* the last one is shorter */
		{.streams = 2, .duration_ms = 200, .interval_ms = 5000}, /* one for all */
		{.streams = 2, .omit_ms = 70, .duration_ms = 100, .interval_ms = 20},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		run(&specs[i]);
		/* And with the agents' parts exchanged. */
		driver_run(&two, &one, &specs[i], &sent, &received);
		check_both(&specs[i]);
	}
}

static void the_greatest_number_of_streams_works(void **state)
{
	static const struct spec spec = {.streams = 128, .omit_ms = 100, .rtt_probes = 5};
	struct spec reverse = spec;

	(void)state;
	run(&spec);
	reverse.is_listener_sender = true;
	run(&reverse);
}

static void ipv6_works(void **state)
{
	static const struct spec spec = {.address = "::1", .streams = 2, .rtt_probes = 3};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	bool has_ipv6 = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;

	(void)state;
	if (fd >= 0)
		(void)close(fd);
	if (!has_ipv6)
		skip();
	run(&spec);
}

/* A number from a file; 0 when there is none. */
static uint64_t read_number(const char *path)
{
	unsigned long long number = 0;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return 0;
	if (fscanf(f, "%llu", &number) != 1) /* NOLINT(cert-err34-c): the kernel wrote it */
		number = 0;
	(void)fclose(f);
	return number;
}

/* More than this limit of the system was asked for. */
static void check_clamped(const struct outcome *o, const char *limit)
{
	uint64_t most = read_number(limit);

	if (most == 0) /* not Linux */
		assert_in_range(o->connected.window_granted_bytes, 65536, 536870912);
	else
		assert_int_equal(o->connected.window_granted_bytes, most);
}

static void a_window_is_set_and_read_back(void **state)
{
	struct spec spec = {.streams = 2, .window_bytes = 65536};
	const struct outcome *ends[] = {&sent, &received};

	(void)state;
	run(&spec);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		assert_int_equal(ends[i]->connected.window_granted_bytes, 65536);
		assert_in_range(ends[i]->connected.sndbuf_bytes, 65536, 131072);
		assert_in_range(ends[i]->connected.rcvbuf_bytes, 65536, 131072);
	}
	/* More than any system gives without being told to: what it gave is told. */
	spec.window_bytes = 536870912;
	run(&spec);
	check_clamped(&sent, "/proc/sys/net/core/wmem_max");
	check_clamped(&received, "/proc/sys/net/core/rmem_max");
	/* Autotuning: there is no window to speak of. */
	spec.window_bytes = 0;
	run(&spec);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		assert_int_equal(ends[i]->connected.window_granted_bytes, WIRE_UNKNOWN_U64);
		assert_in_range(ends[i]->connected.mss_bytes, 500, 65535);
	}
}

static void every_write_carries_the_bytes_asked_for(void **state)
{
	static const uint64_t sizes[] = {1500, 65536, 200000, 1048577, 16777216};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		/* On a busy machine a call of 16 MiB takes its time. */
		struct spec spec = {.streams = 2,
		                    .buffer_bytes = sizes[i],
		                    .duration_ms = sizes[i] > 2000000 ? 600 : 100};

		run(&spec);
		for (uint32_t n = 1; n <= 2; n++)
			assert_int_equal(sent.stream[n].bytes % sizes[i], 0);
	}
}

static void round_trips_are_probed_by_the_connector_before_the_load(void **state)
{
	static const struct spec with = {.rtt_probes = 20};
	static const struct spec without = {.rtt_probes = 0};

	(void)state;
	run(&with);
	assert_in_range(sent.connected.rtt_base_us, 1, 1000000);
	assert_int_equal(received.connected.rtt_base_us, WIRE_UNKNOWN_U32);
	run(&without);
	assert_int_equal(sent.connected.rtt_base_us, WIRE_UNKNOWN_U32);
}

static void each_side_reports_what_only_it_knows(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 500};

	(void)state;
	run(&spec);
	assert_int_equal(received.connected.strangers, 0);
	assert_int_equal(sent.connected.strangers, WIRE_UNKNOWN_U32);
	for (uint32_t i = 1; i <= 2; i++) {
		assert_int_equal(received.stream[i].rtt_us, WIRE_UNKNOWN_U64);
		assert_int_equal(received.stream[i].cwnd_max_bytes, WIRE_UNKNOWN_U64);
		/* All of it, or, on a platform that cannot tell, nothing. */
		assert_int_equal(sent.stream[i].rtt_us == WIRE_UNKNOWN_U64,
		                 sent.stream[i].cwnd_max_bytes == WIRE_UNKNOWN_U64);
		assert_int_equal(sent.stream[i].rtt_us == WIRE_UNKNOWN_U64,
		                 sent.result.retransmits == WIRE_UNKNOWN_U64);
	}
	if (sent.nic_bytes != WIRE_UNKNOWN_U64) /* all traffic of the loopback, so at least ours */
		assert_true(sent.nic_bytes >= sent.result.bytes);
	if (sent.result.core_max_permille != WIRE_UNKNOWN_U32)
		assert_in_range(sent.result.core_max_permille, 1, 1000);
}

static void the_agent_is_alive_under_full_load(void **state)
{
	static const struct spec spec = {.streams = 128, .duration_ms = 1500};
	struct agent *agents[] = {&one, &two};

	(void)state;
	one.beats = two.beats = 0;
	one.beat_gap_max_ns = two.beat_gap_max_ns = 0;
	run(&spec);
	/* An orchestrator gives a silent host up after 2.5 s. */
	for (size_t i = 0; i < COUNT_OF(agents); i++) {
		assert_true(agents[i]->beats >= 4);
		assert_in_range(agents[i]->beat_gap_max_ns, 1, 10 * BEAT_MS * CLOCK_NS_PER_MS);
	}
}

static void the_port_is_closed_once_all_are_connected(void **state)
{
	static const struct spec spec = {.streams = 2, .rtt_probes = 2};
	uint32_t test[2];
	uint32_t port = driver_connect(&one, &two, &spec, test);

	(void)state;
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	assert_int_equal(driver_dial(port), -1);
	assert_int_equal(errno, ECONNREFUSED);
	agent_say(&one, "stop id=90 test=%u", test[0]);
	agent_expect_failed(&one, test[0], "cancelled", "stopped");
	agent_expect(&two, MSG_FAILED, test[1], NULL); /* the sender notices by itself */
	run(&spec);
}

static void a_late_go_of_the_receiver_starts_its_time_late(void **state)
{
	static const struct spec spec = {.streams = 2, .duration_ms = 200};
	uint32_t test[2];

	(void)state;
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	agent_say(&two, "go id=70 test=%u", test[1]);
	driver_sleep_ms(2000); /* the sender's own time is over */
	agent_say(&one, "go id=71 test=%u", test[0]);
	agent_collect(&one, 71, &received);
	agent_collect(&two, 70, &sent);
	received.connected.streams = sent.connected.streams = 2;
	check_both(&spec); /* the sender went on until the receiver had enough */
	one.next_id = two.next_id = 100;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_intervals_agree_in_every_role),
		cmocka_unit_test(the_greatest_number_of_streams_works),
		cmocka_unit_test(ipv6_works),
		cmocka_unit_test(a_window_is_set_and_read_back),
		cmocka_unit_test(every_write_carries_the_bytes_asked_for),
		cmocka_unit_test(round_trips_are_probed_by_the_connector_before_the_load),
		cmocka_unit_test(each_side_reports_what_only_it_knows),
		cmocka_unit_test(the_agent_is_alive_under_full_load),
		cmocka_unit_test(the_port_is_closed_once_all_are_connected),
		cmocka_unit_test(a_late_go_of_the_receiver_starts_its_time_late),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/measure", tests, start_two, end_two);
}
