/* SPDX-License-Identifier: MIT */
/* test_network.c - between two namespaces: what the agents tell is held against what the kernel
 * counts, and the network is made worse meanwhile. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/bed.h"
#include "tests/support/test.h"

static struct outcome sent;
static struct outcome received;

static bool knows(const char *cap)
{
	char word[32];

	(void)snprintf(word, sizeof(word), ",%s,", cap);
	return strstr(bed_one.caps, word) != NULL;
}

static void run(struct spec spec)
{
	if (spec.address == NULL) {
		spec.address = BED_ADDRESS;
		spec.peer = BED_PEER;
	}
	driver_run(&bed_one, &bed_two, &spec, &sent, &received);
	if (sent.has_failed || received.has_failed)
		fail_msg("%s; %s", sent.failed.reason, received.failed.reason);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

/* Bytes that the NIC of `a` took (1) and gave (9), as the kernel counts them. */
static uint64_t nic_bytes(const struct agent *a, int nth)
{
	return bed_figure(a, "net/dev", a == &bed_one ? "nic1:" : "nic2:", 1, nth);
}

static uint64_t retransmitted(const struct agent *a)
{
	return bed_figure(a, "net/snmp", "Tcp:", 2, 12); /* the first line has the names */
}

/* A bucket of 100 Mbit/s counts 14 bytes of Ethernet beside each packet; TCP leaves 1448. */
#define SHAPED_BPS (100e6 * 1448 / 1514)

static double received_bps(void)
{
	return (double)received.result.measured_bytes * 8e9 / (double)received.result.measured_ns;
}

/* Nothing that waits in the sender's buffers counts, nor what comes after the time. */
static void the_headline_is_what_a_shaped_link_carries(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct agent *from = i == 0 ? &bed_two : &bed_one;
		struct agent *to = i == 0 ? &bed_one : &bed_two;
		double bps = 0;

		bed_do(from, "tc qdisc add dev nic%d root tbf rate 100mbit burst 64k limit 4m",
		       i == 0 ? 2 : 1);
		for (int tries = 0;
		     tries < 4 && (bps < 0.99 * SHAPED_BPS || bps > 1.01 * SHAPED_BPS);
		     tries++) { /* on a busy machine a bucket runs over */
			uint64_t taken = nic_bytes(to, 1);

			run((struct spec){.streams = 2,
			                  .omit_ms = 300,
			                  .duration_ms = 1000,
			                  .is_listener_sender = i == 1});
			taken = nic_bytes(to, 1) - taken;
			/* All that was received went through the NIC, with its headers. */
			assert_true(taken > received.result.bytes);
			assert_true((double)taken < 1.08 * (double)received.result.bytes);
			bps = received_bps();
		}
		if (bps < 0.99 * SHAPED_BPS || bps > 1.01 * SHAPED_BPS)
			fail_msg("%.1f Mbit/s instead of %.1f", bps / 1e6, SHAPED_BPS / 1e6);
		bed_mend();
	}
}

static void retransmits_are_the_senders_in_both_directions(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct agent *from = i == 0 ? &bed_two : &bed_one;
		uint64_t before = retransmitted(from);
		uint64_t there;

		bed_do(i == 0 ? &bed_one : &bed_two,
		       "nft add table inet t;"
		       " nft \"add chain inet t c { type filter hook input priority 0; }\";"
		       " nft add rule inet t c meta length gt 500"
		       " numgen random mod 100 lt 2 drop");
		run((struct spec){.streams = 3, .duration_ms = 1000, .is_listener_sender = i == 1});
		there = retransmitted(from) - before;
		assert_true(there > 0);
		assert_int_equal(received.result.retransmits, WIRE_UNKNOWN_U64);
		if (knows("tcp_info")) { /* the kernel counts until the last byte */
			assert_in_range(sent.result.retransmits, there / 2, there);
			assert_int_equal(sent.retransmits[0], sent.result.retransmits);
		} else {
			assert_int_equal(sent.result.retransmits, WIRE_UNKNOWN_U64);
		}
		bed_mend();
	}
}

/* Both are connected; starts them, the receiver bed_one first. Returns the ids of go. */
static void start(const struct spec *spec, uint32_t *one_go, uint32_t *two_go)
{
	uint32_t test[2];
	struct msg msg;

	(void)driver_connect(&bed_one, &bed_two, spec, test);
	agent_expect(&bed_one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&bed_two, MSG_CONNECTED, test[1], &msg);
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	sent.connected = msg.u.connected;
	*one_go = bed_one.next_id++;
	*two_go = bed_two.next_id++;
	agent_say(&bed_one, "go id=%u test=%u", *one_go, test[0]);
	agent_say(&bed_two, "go id=%u test=%u", *two_go, test[1]);
}

static void a_path_that_narrows_shows_in_the_intervals(void **state)
{
	static const struct spec spec = {
		.address = BED_ADDRESS, .peer = BED_PEER, .duration_ms = 1500};
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	if (!knows("tcp_info"))
		skip();
	start(&spec, &one_go, &two_go);
	driver_sleep_ms(400);
	bed_do(&bed_two, "ip link set nic2 mtu 1300");
	agent_collect(&bed_one, one_go, &received);
	agent_collect(&bed_two, two_go, &sent);
	assert_false(sent.has_failed || received.has_failed);
	assert_int_equal(sent.connected.path_mtu_bytes, 1500);
	assert_int_equal(sent.connected.mss_bytes, 1448);
	assert_int_equal(sent.last_sample[1].path_mtu_bytes, 1300);
	assert_int_equal(sent.last_sample[1].mss_bytes, 1248);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

static void drop_output(const struct agent *a, const char *what)
{
	bed_do(a,
	       "nft add table inet t;"
	       " nft \"add chain inet t c { type filter hook output priority 0; }\";"
	       " nft \"add rule inet t c %s drop\"",
	       what);
}

static void check_failed(const struct outcome *o, const char *kind, const char *part)
{
	assert_true(o->has_failed);
	assert_string_equal(o->failed.kind, kind);
	if (strstr(o->failed.reason, part) == NULL)
		fail_msg("'%s' does not say '%s'", o->failed.reason, part);
}

/* The others go on, so it is no stall; but these cannot be ended, and each is named. */
static void fall_silent(const char *options)
{
	const struct spec spec = {.address = BED_ADDRESS,
	                          .peer = BED_PEER,
	                          .streams = 4,
	                          .duration_ms = 1000,
	                          .options = options};
	const struct outcome *ends[] = {&sent, &received};
	uint64_t from = clock_now_ns();
	uint32_t one_go;
	uint32_t two_go;

	start(&spec, &one_go, &two_go);
	driver_sleep_ms(300);
	drop_output(&bed_two, "tcp sport { 20002, 20004 }");
	agent_collect(&bed_one, one_go, &received);
	agent_collect(&bed_two, two_go, &sent);
	check_failed(&received, "truncated", "streams 2,4: the sender has not ended it ");
	check_failed(&sent, "truncated", "streams 2,4: bytes could not be sent ");
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		assert_int_equal(number_set_count(&ends[i]->troubles), 2);
		assert_true(number_set_has(&ends[i]->troubles, 2));
		assert_true(number_set_has(&ends[i]->troubles, 4));
	}
	assert_in_range((clock_now_ns() - from) / CLOCK_NS_PER_MS, 3000, 9000);
	bed_mend();
}

static void streams_that_fall_silent_are_told_by_their_numbers(void **state)
{
	(void)state;
	fall_silent(" source_port=20001");
	if (knows("zero_copy"))
		fall_silent(" source_port=20001 zero_copy=both");
	run((struct spec){.duration_ms = 100}); /* and nothing of it is left */
}

/* A firewall that resets one of them; the sender has the reason, the receiver the rest. */
static void a_stream_that_is_reset_is_told_by_its_number(void **state)
{
	static const struct spec spec = {.address = BED_ADDRESS,
	                                 .peer = BED_PEER,
	                                 .streams = 4,
	                                 .duration_ms = 20000,
	                                 .options = " source_port=20001"};
	uint32_t one_go;
	uint32_t two_go;
	uint64_t from;

	(void)state;
	start(&spec, &one_go, &two_go);
	driver_sleep_ms(300);
	from = clock_now_ns();
	bed_do(&bed_one, "nft add table inet t;"
	                 " nft \"add chain inet t c { type filter hook input priority 0; }\";"
	                 " nft \"add rule inet t c tcp sport 20003 reject with tcp reset\"");
	agent_collect(&bed_two, two_go, &sent);
	agent_collect(&bed_one, one_go, &received);
	assert_in_range((clock_now_ns() - from) / CLOCK_NS_PER_MS, 0, 2000);
	check_failed(&sent, "system", "stream 3: Connection reset by peer");
	assert_int_equal(number_set_count(&sent.troubles), 1);
	assert_true(received.has_failed);
}

static void an_end_that_is_lost_on_the_way_is_told(void **state)
{
	static const struct spec spec = {
		.address = BED_ADDRESS, .peer = BED_PEER, .streams = 2, .duration_ms = 300};
	uint64_t from = clock_now_ns();
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	start(&spec, &one_go, &two_go);
	drop_output(&bed_two, "tcp flags & fin == fin");
	agent_collect(&bed_one, one_go, &received);
	agent_collect(&bed_two, two_go, &sent);
	check_failed(&received, "truncated", "streams 1-2: the sender has not ended it ");
	assert_in_range((clock_now_ns() - from) / CLOCK_NS_PER_MS, 2300, 8000);
}

/* Of two directions one: the other one is measured to its end. */
static void one_direction_may_stall_alone(void **state)
{
	struct spec spec = {.address = BED_ADDRESS, .peer = BED_PEER, .duration_ms = 4500};
	static struct outcome back[2];
	char beside[2][32];
	uint32_t test[2][2];
	uint32_t go[2][2];
	uint32_t port;

	(void)state;
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	memset(back, 0, sizeof(back));
	for (int t = 0; t < 2; t++) {
		uint32_t its = driver_connect(&bed_one, &bed_two, &spec, test[t]);

		agent_expect(&bed_one, MSG_CONNECTED, test[t][0], NULL);
		agent_expect(&bed_two, MSG_CONNECTED, test[t][1], NULL);
		if (t == 0)
			port = its;
		(void)snprintf(beside[0], sizeof(beside[0]), " beside=%u", test[0][0]);
		(void)snprintf(beside[1], sizeof(beside[1]), " beside=%u", test[0][1]);
		spec.listener_options = beside[0];
		spec.connector_options = beside[1];
		spec.is_listener_sender = true;
	}
	for (int t = 0; t < 2; t++) {
		go[0][t] = bed_one.next_id++;
		go[1][t] = bed_two.next_id++;
		agent_say(&bed_one, "go id=%u test=%u", go[0][t], test[t][0]);
		agent_say(&bed_two, "go id=%u test=%u", go[1][t], test[t][1]);
	}
	driver_sleep_ms(300);
	bed_do(&bed_two,
	       "nft add table inet t;"
	       " nft \"add chain inet t c { type filter hook output priority 0; }\";"
	       " nft add rule inet t c tcp dport %u drop",
	       port);
	agent_collect_both(&bed_one, go[0], (struct outcome *const[2]){&received, &back[0]});
	agent_collect_both(&bed_two, go[1], (struct outcome *const[2]){&sent, &back[1]});
	check_failed(&received, "stalled", "no byte for 3 s: ");
	check_failed(&sent, "stalled", "no byte for 3 s: ");
	assert_false(back[0].has_failed || back[1].has_failed);
	assert_int_equal(back[0].result.bytes, back[1].result.bytes);
	assert_in_range(back[1].result.measured_ns, UINT64_C(4500) * CLOCK_NS_PER_MS,
	                UINT64_C(5500) * CLOCK_NS_PER_MS);
}

/* Nothing leaves either end without it. */
static void every_packet_carries_the_dscp(void **state)
{
	static const char *const addresses[][3] = {{BED_ADDRESS, BED_PEER, "ip"},
	                                           {"fd00:6::1", "fd00:6::2", "ip6"}};
	const struct agent *ends[] = {&bed_one, &bed_two};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(addresses); i++) {
		const char *const *at = addresses[i / 2];

		for (size_t k = 0; k < COUNT_OF(ends); k++)
			bed_do(ends[k],
			       "nft add table inet t;"
			       " nft \"add chain inet t c { type filter hook output priority 0; "
			       "}\";"
			       " nft add rule inet t c meta l4proto tcp %s dscp != 46"
			       " counter;"
			       " nft add rule inet t c %s dscp 46 counter",
			       at[2], at[2]);
		run((struct spec){.address = at[0],
		                  .peer = at[1],
		                  .streams = 2,
		                  .rtt_probes = 2,
		                  .duration_ms = 200,
		                  .is_listener_sender = i % 2 == 1,
		                  .options = " dscp=46"});
		for (size_t k = 0; k < COUNT_OF(ends); k++)
			bed_do(ends[k], "nft list ruleset |"
			                " grep -q \"dscp != ef counter packets 0 \";"
			                " nft list ruleset |"
			                " grep -q \"dscp ef counter packets [1-9]\"");
		bed_mend();
	}
}

/* Where the route of a bound address leads to another NIC, only `device` tells the kernel. */
static void a_device_keeps_the_bytes_on_its_nic(void **state)
{
	(void)state;
	if (!knows("device"))
		skip();
	bed_do(&bed_one, "ip link add other1 type veth peer name other2 netns %d",
	       (int)bed_two.pid);
	bed_do(&bed_one, "ip addr add 10.6.0.11/24 dev other1; ip link set other1 up");
	bed_do(&bed_two, "ip addr add 10.6.0.12/24 dev other2; ip link set other2 up");
	for (int i = 0; i < 2; i++) {
		uint64_t before = bed_figure(&bed_two, "net/dev", "other2:", 1, 9);
		uint64_t through;

		run((struct spec){.address = "10.6.0.11",
		                  .peer = "10.6.0.12",
		                  .duration_ms = 200,
		                  .listener_options = i == 0 ? NULL : " device=other1",
		                  .connector_options = i == 0 ? NULL : " device=other2"});
		through = bed_figure(&bed_two, "net/dev", "other2:", 1, 9) - before;
		if (i == 0)
			assert_true(through < sent.result.bytes / 10);
		else
			assert_true(through > sent.result.bytes);
	}
	bed_do(&bed_one, "ip link del other1");
}

static int start_network(void **state)
{
	(void)state;
	bed_start();
	return 0;
}

static int end_network(void **state)
{
	(void)state;
	return bed_end() ? 0 : -1;
}

#define NETWORK_TEST(f) cmocka_unit_test_setup_teardown(f, start_network, end_network)
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		NETWORK_TEST(the_headline_is_what_a_shaped_link_carries),
		NETWORK_TEST(retransmits_are_the_senders_in_both_directions),
		NETWORK_TEST(a_path_that_narrows_shows_in_the_intervals),
		NETWORK_TEST(streams_that_fall_silent_are_told_by_their_numbers),
		NETWORK_TEST(a_stream_that_is_reset_is_told_by_its_number),
		NETWORK_TEST(an_end_that_is_lost_on_the_way_is_told),
		NETWORK_TEST(one_direction_may_stall_alone),
		NETWORK_TEST(every_packet_carries_the_dscp),
		NETWORK_TEST(a_device_keeps_the_bytes_on_its_nic),
	};

	driver_init(argc, argv);
	if (geteuid() != 0) {
		(void)printf("skipped: networks of its own take root\n");
		return 77;
	}
	return cmocka_run_group_tests_name("agent/network", tests, NULL, NULL);
}
