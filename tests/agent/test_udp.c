/* SPDX-License-Identifier: MIT */
/* test_udp.c - whole tests with datagrams between two real agents. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/agent/lossy.h"
#include "tests/support/test.h"

/* Slow enough for small socket buffers and a receiver that has to wait for its core. */
#define PACED " protocol=udp rate_bps=20000000"

static struct agent one;
static struct agent two;
static struct outcome sent;
static struct outcome received;

static int start_two(void **state)
{
	(void)state;
	agent_start(&one, 200, 20000);
	agent_start(&two, 200, 20000);
	return 0;
}

static int end_two(void **state)
{
	(void)state;
	return agent_bye(&one) == 0 && agent_bye(&two) == 0 ? 0 : -1;
}

/* The messages of one end agree with each other. */
static void check_end(const struct spec *spec, const struct outcome *o, bool is_sender)
{
	uint32_t streams = spec->streams == 0 ? 1 : spec->streams;
	uint64_t count = 0;
	uint64_t measured = 0;
	uint64_t bytes = 0;

	if (o->has_failed)
		fail_msg("%s: %s", o->failed.kind, o->failed.reason);
	assert_int_equal(o->datagrams_count, streams + 1);
	for (uint32_t i = 1; i <= streams; i++) {
		const struct msg_datagrams *d = &o->datagrams[i];

		assert_int_equal(d->stream, i);
		assert_int_equal(d->measured, o->units[i]);
		assert_true(d->count >= d->measured);
		assert_int_equal(d->lost == WIRE_UNKNOWN_U64, is_sender);
		assert_int_equal(d->reordered == WIRE_UNKNOWN_U64, is_sender);
		assert_int_equal(d->duplicates == WIRE_UNKNOWN_U64, is_sender);
		assert_int_equal(d->jitter_ns == WIRE_UNKNOWN_U64, is_sender);
		count += d->count;
		measured += d->measured;
		bytes += o->stream[i].measured_bytes;
	}
	assert_int_equal(o->datagrams[0].count, count);
	assert_int_equal(o->datagrams[0].measured, measured);
	assert_int_equal(o->result.measured_bytes, bytes);
	assert_int_equal(o->measured_bytes[0], bytes);
	assert_int_equal(o->result.retransmits, WIRE_UNKNOWN_U64);
	assert_int_equal(o->result.units, WIRE_UNKNOWN_U64);
}

static void check_both(const struct spec *spec)
{
	uint32_t streams = spec->streams == 0 ? 1 : spec->streams;

	check_end(spec, &sent, true);
	check_end(spec, &received, false);
	for (uint32_t i = 1; i <= streams; i++) {
		assert_true(received.datagrams[i].count <= sent.datagrams[i].count);
		if (spec->buffer_bytes > 0) {
			assert_int_equal(sent.stream[i].bytes,
			                 sent.datagrams[i].count * spec->buffer_bytes);
			assert_int_equal(received.stream[i].bytes,
			                 received.datagrams[i].count * spec->buffer_bytes);
		}
		assert_int_equal(sent.stream[i].local_port, received.stream[i].peer_port);
		assert_int_equal(sent.stream[i].peer_port, received.stream[i].local_port);
	}
}

static void run(const struct spec *spec)
{
	driver_run(&one, &two, spec, &sent, &received);
	check_both(spec);
}

static void a_paced_test_loses_nothing_in_any_role(void **state)
{
	static const struct spec specs[] = {
		{.buffer_bytes = 1200, .options = PACED},
		{.buffer_bytes = 1200, .options = PACED, .is_listener_sender = true},
		{.buffer_bytes = 24, .options = " protocol=udp rate_bps=1000000"},
		{.buffer_bytes = 1472, .options = PACED, .streams = 4, .omit_ms = 150},
		{.buffer_bytes = 1000,
	         .options = PACED,
	         .streams = 4,
	         .omit_ms = 150,
	         .rtt_probes = 5,
	         .is_listener_sender = true},
		{.buffer_bytes = 60000, .options = PACED, .streams = 2},
		{.buffer_bytes = 1200, .options = " protocol=udp rate_bps=1000000", .streams = 128},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(specs); i++) {
		run(&specs[i]);
		assert_int_equal(sent.result.bytes, received.result.bytes);
		assert_int_equal(received.datagrams[0].count, sent.datagrams[0].count);
		assert_int_equal(received.datagrams[0].lost, 0);
		assert_int_equal(received.datagrams[0].reordered, 0);
		assert_int_equal(received.datagrams[0].duplicates, 0);
		assert_true(received.datagrams[0].jitter_ns < CLOCK_NS_PER_S);
	}
}

static void ipv6_works(void **state)
{
	static const struct spec spec = {
		.address = "::1", .streams = 2, .buffer_bytes = 1000, .options = PACED};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	bool has_ipv6 = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;

	(void)state;
	if (fd >= 0)
		(void)close(fd);
	if (!has_ipv6)
		skip();
	run(&spec);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

static uint64_t bps_of(const struct outcome *o)
{
	if (o->has_failed)
		fail_msg("%s: %s", o->failed.kind, o->failed.reason);
	return o->result.measured_bytes * 8 * 1000000 / (o->result.measured_ns / 1000);
}

static bool is_about(uint64_t bps, uint64_t wanted, uint64_t tolerance)
{
	return bps >= wanted - tolerance && bps <= wanted + tolerance;
}

/* At both ends. On a machine with other work to do a thread may not get its core in time, so
 * one of some tries must do. */
static void expect_rate(const struct spec *spec, uint64_t bps, uint64_t tolerance)
{
	for (int i = 0; i < 6; i++) {
		driver_run(&one, &two, spec, &sent, &received);
		if (is_about(bps_of(&sent), bps, tolerance) &&
		    is_about(bps_of(&received), bps, tolerance))
			return;
	}
	fail_msg("sent %llu bit/s, received %llu", (unsigned long long)bps_of(&sent),
	         (unsigned long long)bps_of(&received));
}

static void the_rate_is_that_asked_for(void **state)
{
	static const struct spec spec = {.buffer_bytes = 1000,
	                                 .duration_ms = 1000,
	                                 .omit_ms = 100,
	                                 .options = " protocol=udp rate_bps=20000000"};

	(void)state;
	expect_rate(&spec, 20000000, 1000000);
}

static void an_unlimited_one_is_as_fast_as_it_can(void **state)
{
	static const struct spec spec = {.duration_ms = 500, .options = " protocol=udp"};

	(void)state;
	run(&spec);
	/* All that was sent and did not come was lost: nothing of it is anywhere. */
	assert_true(received.datagrams[1].measured + received.datagrams[1].lost <=
	            sent.datagrams[1].count);
	/* The loopback's MTU is 65536, so datagrams are large; how fast is the machine's matter. */
	assert_true(received.result.measured_bytes > 1000000);
	assert_int_equal(received.stream[1].bytes % received.datagrams[1].count, 0);
	assert_true(strlen(sent.connected.method) > 0 && strlen(received.connected.method) > 0);
	assert_string_not_equal(sent.connected.method, received.connected.method);
	assert_int_equal(sent.connected.mss_bytes, WIRE_UNKNOWN_U32);
}

static void loss_order_and_duplicates_are_those_of_the_way(void **state)
{
	static const struct spec spec = {.buffer_bytes = 1000,
	                                 .duration_ms = 800,
	                                 .options = " protocol=udp rate_bps=16000000"};
	static const struct lossy_wish wish = {
		.lose_every = 10, .double_every = 7, .delay_every = 13};
	const struct msg_datagrams *d = &received.datagrams[1];
	struct lossy way;
	struct msg msg;
	uint32_t test[2];

	(void)state;
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	test[0] = agent_prepare_listen(&one, &spec);
	agent_expect(&one, MSG_PREPARED, test[0], &msg);
	lossy_start(&way, &wish, msg.u.prepared.port);
	test[1] = agent_prepare_connect(&two, &spec, way.port);
	agent_expect(&two, MSG_PREPARED, test[1], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_say(&one, "go id=%u test=%u", one.next_id, test[0]);
	agent_say(&two, "go id=%u test=%u", two.next_id, test[1]);
	agent_collect(&one, one.next_id++, &received);
	agent_collect(&two, two.next_id++, &sent);
	lossy_end(&way);
	check_end(&spec, &sent, true);
	check_end(&spec, &received, false);

	/* To the datagram. */
	assert_int_equal(way.taken, sent.datagrams[1].count);
	assert_int_equal(d->count + way.lost - way.doubled, sent.datagrams[1].count);
	/* In the measured time; of what came in it one may be late, one lost more or less. */
	assert_in_range(d->lost, (d->measured - d->duplicates) / 9 - 2,
	                (d->measured - d->duplicates) / 9 + 2);
	assert_in_range(d->duplicates, way.doubled * 8 / 10, way.doubled);
	assert_in_range(d->reordered, way.delayed * 8 / 10, way.delayed);
	assert_true(d->reordered > 10 && d->duplicates > 20);
	assert_in_range(received.measured_lost[1], d->lost, d->lost + d->reordered + 2);
}

static void a_datagram_that_does_not_fit_goes_in_fragments(void **state)
{
	static const struct spec large = {.buffer_bytes = 8972, .options = PACED};
	static const struct spec fitting = {.options = PACED};
	uint32_t mtu;
	bool in_fragments;

	(void)state;
	run(&large);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	mtu = sent.connected.path_mtu_bytes;
	in_fragments = strstr(sent.result.method, " in fragments") != NULL;
	assert_int_equal(in_fragments, mtu < 9000); /* what is not known is more */
	if (mtu == WIRE_UNKNOWN_U32)
		return;
	run(&fitting);
	assert_int_equal(sent.result.bytes / sent.datagrams[0].count,
	                 mtu - 28 < 65507 ? mtu - 28 : 65507);
	assert_null(strstr(sent.result.method, " in fragments"));
}

static void bytes_end_the_test(void **state)
{
	static const struct spec spec = {.streams = 2,
	                                 .buffer_bytes = 1000,
	                                 .duration_ms = 5000,
	                                 .options = PACED " bytes=1000001"};

	(void)state;
	driver_run(&one, &two, &spec, &sent, &received);
	check_both(&spec);
	assert_int_equal(sent.result.bytes, 1001000); /* 501 and 500 datagrams */
	assert_int_equal(received.result.bytes, 1001000);
	/* 400 us apart; the wait for more is no part of it. */
	assert_in_range(received.result.measured_ns, 180 * CLOCK_NS_PER_MS, 600 * CLOCK_NS_PER_MS);
}

static void expect_refused(const struct spec *spec, const char *kind, const char *reason)
{
	uint32_t id = agent_prepare_listen(&one, spec);

	agent_expect_failed(&one, id, kind, reason);
}

static void what_cannot_be_is_refused(void **state)
{
	struct spec spec = {.options = PACED, .buffer_bytes = 23};

	(void)state;
	expect_refused(&spec, "usage", "a datagram of 23 bytes is out of range: 24 to 65507");
	spec.buffer_bytes = 65508;
	expect_refused(&spec, "usage", "a datagram of 65508 bytes is out of range: 24 to 65507");
	spec.buffer_bytes = 0;
	spec.options = " protocol=udp mode=rr";
	expect_refused(&spec, "usage", "datagrams go one way and are copied: no rr, no zero_copy");
	spec.options = " protocol=udp zero_copy=sender";
	expect_refused(&spec, "usage", "datagrams go one way and are copied: no rr, no zero_copy");
}

static void a_rate_below_a_datagram_a_second_is_refused(void **state)
{
	static const struct spec spec = {.buffer_bytes = 1001,
	                                 .options = " protocol=udp rate_bps=8000"};
	uint32_t test[2];

	(void)state;
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect_failed(&two, test[1], "usage", "8000 bit/s are less than a datagram*");
	agent_expect(&one, MSG_CONNECTED, test[0], NULL); /* then the sender is gone */
	agent_say(&one, "stop id=%u test=%u", one.next_id++, test[0]);
	agent_expect_failed(&one, test[0], "cancelled", "stopped");
}

static int occupy(uint32_t *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	*port = ntohs(at.sin_port);
	return fd;
}

static void a_port_that_somebody_has_for_udp_is_told(void **state)
{
	char options[128];
	char reason[128];
	struct spec spec = {.buffer_bytes = 1000};
	uint32_t test[2];
	uint32_t port;
	int fd = occupy(&port);

	(void)state;
	(void)snprintf(options, sizeof(options), PACED " port_min=%u port_max=%u", port, port);
	(void)snprintf(reason, sizeof(reason), "listen on 127.0.0.1 port %u: Address*", port);
	spec.options = options;
	expect_refused(&spec, "port", reason);

	(void)snprintf(options, sizeof(options), PACED " source_port=%u", port);
	(void)snprintf(reason, sizeof(reason),
	               "a program of this machine has UDP port %u of 127.0.0.1", port);
	spec.options = PACED;
	spec.connector_options = options + strlen(PACED);
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect_failed(&two, test[1], "port", reason);
	agent_say(&one, "stop id=%u test=%u", one.next_id++, test[0]);
	agent_expect_failed(&one, test[0], "cancelled", "stopped");
	(void)close(fd);
}

/* Connects and starts a long test; returns the ids of the two go. */
static void start_long(uint32_t *go)
{
	static const struct spec spec = {
		.buffer_bytes = 1000, .duration_ms = 20000, .options = PACED};
	uint32_t test[2];

	(void)driver_connect(&one, &two, &spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	go[0] = one.next_id++;
	go[1] = two.next_id++;
	agent_say(&one, "go id=%u test=%u", go[0], test[0]);
	agent_say(&two, "go id=%u test=%u", go[1], test[1]);
	driver_sleep_ms(200);
}

static void kill_and_replace(struct agent *a)
{
	assert_int_equal(kill(a->pid, SIGKILL), 0);
	assert_int_equal(agent_wait_end(a, 5000), -SIGKILL);
}

static void a_dead_peer_is_noticed_at_once(void **state)
{
	uint64_t start;
	uint32_t go[2];

	(void)state;
	start_long(go);
	start = clock_now_ns();
	kill_and_replace(&one); /* the receiver */
	memset(&sent, 0, sizeof(sent));
	agent_collect(&two, go[1], &sent);
	assert_true(sent.has_failed);
	assert_string_equal(sent.failed.reason, "stream 1: Connection refused");
	agent_start(&one, 200, 20000);

	start_long(go);
	kill_and_replace(&two); /* the sender */
	memset(&received, 0, sizeof(received));
	agent_collect(&one, go[0], &received);
	assert_true(received.has_failed);
	assert_string_equal(received.failed.reason, "stream 1: Connection reset by peer");
	agent_start(&two, 200, 20000);
	assert_in_range(clock_now_ns() - start, 0, 5 * CLOCK_NS_PER_S);
}

/* An emulator that does not know the option refuses it. */
static bool can_pace(void)
{
	struct utsname here;

	return strstr(one.caps, ",pacing,") != NULL && uname(&here) == 0 &&
	       strcmp(here.machine, driver_machine()) == 0;
}

static void tcp_is_paced_or_refused(void **state)
{
	static const struct spec spec = {.duration_ms = 1000,
	                                 .omit_ms = 300,
	                                 .options = " rate_bps=100000000",
	                                 .is_listener_sender = true};

	(void)state;
	if (!can_pace()) {
		expect_refused(
			&spec, "usage",
			"this system cannot limit the rate of TCP: leave bitrate, or use udp");
		return;
	}
	expect_rate(&spec, 100000000, 5000000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_paced_test_loses_nothing_in_any_role),
		cmocka_unit_test(ipv6_works),
		cmocka_unit_test(the_rate_is_that_asked_for),
		cmocka_unit_test(an_unlimited_one_is_as_fast_as_it_can),
		cmocka_unit_test(loss_order_and_duplicates_are_those_of_the_way),
		cmocka_unit_test(a_datagram_that_does_not_fit_goes_in_fragments),
		cmocka_unit_test(bytes_end_the_test),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_rate_below_a_datagram_a_second_is_refused),
		cmocka_unit_test(a_port_that_somebody_has_for_udp_is_told),
		cmocka_unit_test(a_dead_peer_is_noticed_at_once),
		cmocka_unit_test(tcp_is_paced_or_refused),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/udp", tests, start_two, end_two);
}
