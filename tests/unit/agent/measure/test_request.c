/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/wire/codec.h"
#include "measure/request.h"
#include "tests/support/test.h"

#define TOKEN "000102030405060708090a0b0c0d0e0f"

/* A good one, with some words exchanged or added at its end. */
static struct msg_prepare prepare(const char *role, const char *rest)
{
	char line[WIRE_LINE_MAX];
	struct err err;
	struct msg msg;

	int len = snprintf(line, sizeof(line), "prepare id=1 role=%s %s", role, rest);

	while (len > 0 && line[len - 1] == ' ')
		len--;
	if (!wire_decode(line, (size_t)len, &msg, &err))
		fail_msg("%s", err.msg);
	return msg.u.prepare;
}

#define COMMON "token=" TOKEN " omit_ms=200 duration_ms=1000 interval_ms=100 rtt_probes=20 "

static void a_good_request_is_taken_over(void **state)
{
	struct msg_prepare m =
		prepare("listen", COMMON "side=recv address=192.0.2.7 streams=128 port_min=5201 "
	                                 "port_max=5210 window_bytes=65536 buffer_bytes=1500");
	struct request r;
	struct failure f;

	(void)state;
	assert_true(request_check(&m, &r, &f));
	assert_true(r.is_listener);
	assert_int_equal(r.side, REQUEST_RECV);
	assert_int_equal(r.streams, 128);
	assert_int_equal(r.port_min, 5201);
	assert_int_equal(r.port_max, 5210);
	assert_int_equal(r.window_bytes, 65536);
	assert_int_equal(r.buffer_bytes, 1500);
	assert_int_equal(r.omit_ns, 200 * CLOCK_NS_PER_MS);
	assert_int_equal(r.duration_ns, 1000 * CLOCK_NS_PER_MS);
	assert_int_equal(r.interval_ns, 100 * CLOCK_NS_PER_MS);
	assert_int_equal(r.rtt_probes, 20);
	assert_int_equal(r.token[15], 15);
	assert_int_equal(address_port(&r.own), 0);
}

static void what_is_left_out_is_for_the_agent_to_choose(void **state)
{
	struct msg_prepare m = prepare("connect", COMMON "side=send address=192.0.2.7 streams=1 "
	                                                 "peer=192.0.2.8 port=5201");
	struct request r;
	struct failure f;

	(void)state;
	assert_true(request_check(&m, &r, &f));
	assert_false(r.is_listener);
	assert_int_equal(r.side, REQUEST_SEND);
	assert_int_equal(r.window_bytes, 0);
	assert_int_equal(r.buffer_bytes, 0);
	assert_int_equal(address_port(&r.peer), 5201);
}

static void the_preamble_names_the_direction_from_the_connectors_side(void **state)
{
	static const struct {
		bool is_listener;
		enum request_side side;
		enum preamble_kind kind;
	} cases[] = {
		{true, REQUEST_RECV, PREAMBLE_CONNECTOR_SENDS},
		{false, REQUEST_SEND, PREAMBLE_CONNECTOR_SENDS},
		{true, REQUEST_SEND, PREAMBLE_CONNECTOR_RECEIVES},
		{false, REQUEST_RECV, PREAMBLE_CONNECTOR_RECEIVES},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct request r = {.is_listener = cases[i].is_listener, .side = cases[i].side};

		assert_int_equal(request_preamble_kind(&r), cases[i].kind);
	}
}

#define GOOD(numbers) "token=" TOKEN " side=recv address=192.0.2.7 " numbers
#define TIMES         "omit_ms=0 duration_ms=100 interval_ms=20 rtt_probes=0 "
#define WITH(number)  GOOD("streams=1 " TIMES number)
#define TO(peer)      WITH("peer=" peer " port=5201")
static const struct {
	const char *role;
	const char *rest;
	const char *reason;
} wrong_requests[] = {
	{"talk", WITH(""), "role 'talk' is not listen or connect"},
	{"listen", "token=" TOKEN " side=both address=192.0.2.7 streams=1 " TIMES,
         "side 'both' is not send or recv"},
	{"listen", "token=0 side=recv address=192.0.2.7 streams=1 " TIMES,
         "token is not 32 hex digits"},
	{"listen", "token=" TOKEN " side=recv address=esx1 streams=1 " TIMES,
         "address 'esx1' is not the address of a NIC"},
	{"listen", GOOD("streams=0 " TIMES), "streams 0 is out of range: 1 to 128"},
	{"listen", GOOD("streams=129 " TIMES), "streams 129 is out of range: 1 to 128"},
	{"listen", WITH("window_bytes=4095"),
         "window_bytes 4095 is out of range: 4096 to 536870912"},
	{"listen", WITH("window_bytes=536870913"),
         "window_bytes 536870913 is out of range: 4096 to 536870912"},
	{"listen", WITH("buffer_bytes=0"), "buffer_bytes 0 is out of range: 1 to 16777216"},
	{"listen", WITH("buffer_bytes=16777217"),
         "buffer_bytes 16777217 is out of range: 1 to 16777216"},
	{"listen", GOOD("streams=1 omit_ms=600001 duration_ms=100 interval_ms=20 rtt_probes=0"),
         "omit_ms 600001 is out of range: 0 to 600000"},
	{"listen", GOOD("streams=1 omit_ms=0 duration_ms=99 interval_ms=20 rtt_probes=0"),
         "duration_ms 99 is out of range: 100 to 86400000"},
	{"listen", GOOD("streams=1 omit_ms=0 duration_ms=86400001 interval_ms=20 rtt_probes=0"),
         "duration_ms 86400001 is out of range: 100 to 86400000"},
	{"listen", GOOD("streams=1 omit_ms=0 duration_ms=100 interval_ms=19 rtt_probes=0"),
         "interval_ms 19 is out of range: 20 to 86400000"},
	{"listen", GOOD("streams=1 omit_ms=0 duration_ms=100 interval_ms=20 rtt_probes=1001"),
         "rtt_probes 1001 is out of range: 0 to 1000"},
	{"listen", WITH("port_min=5201"), "port_min and port_max go together"},
	{"listen", WITH("port_min=5202 port_max=5201"), "port_min 5202 is above port_max 5201"},
	{"listen", WITH("port_min=5202 port_max=65536"),
         "port_max 65536 is out of range: 1 to 65535"},
	{"listen", WITH("bytes=0"), "bytes 0 is out of range: 1 to 1125899906842624"},
	{"listen", WITH("mss_bytes=87"), "mss_bytes 87 is out of range: 88 to 65483"},
	{"listen", WITH("no_delay=2"), "no_delay 2 is out of range: 0 to 1"},
	{"listen", WITH("dscp=64"), "dscp 64 is out of range: 0 to 63"},
	{"listen", WITH("protocol=sctp"), "protocol 'sctp' is not known to this agent"},
	{"listen", WITH("affinity=1-"), "affinity '1-' is not auto or a list as 0-3,6"},
	{"listen", WITH("congestion=a_name_that_is_longer_than_any_system_has"),
         "congestion 'a_name_that_is_longer_than_any_s' is too long"},
	{"connect", WITH(""), "connect needs peer and port"},
	{"connect", WITH("peer=192.0.2.8"), "connect needs peer and port"},
	{"connect", WITH("port=5201"), "connect needs peer and port"},
	{"connect", WITH("peer=192.0.2.8 port=0"), "port 0 is out of range: 1 to 65535"},
	{"connect", TO("peer"), "peer 'peer' is not the address of a NIC"},
	{"connect", TO("2001:db8::8"), "192.0.2.7 and 2001:db8::8 are not of the same IP version"},
};

static void what_is_wrong_is_named_with_its_range(void **state)
{

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong_requests); i++) {
		struct msg_prepare m = prepare(wrong_requests[i].role, wrong_requests[i].rest);
		struct request r = {.streams = 77};
		struct failure f;

		assert_false(request_check(&m, &r, &f));
		assert_int_equal(f.kind, FAILURE_USAGE);
		assert_string_equal(f.reason, wrong_requests[i].reason);
		assert_int_equal(r.streams, 77); /* untouched */
	}
}

static void cores_are_a_list_or_the_agents_choice(void **state)
{
	struct request r;
	struct failure f;
	struct msg_prepare m;
	char text[32];

	(void)state;
	m = prepare("listen", WITH("affinity=6,0-3"));
	assert_true(request_check(&m, &r, &f));
	assert_false(r.is_affinity_auto);
	number_set_format(&r.cores, text, sizeof(text));
	assert_string_equal(text, "0-3,6");
	m = prepare("listen", WITH("affinity=auto"));
	assert_true(request_check(&m, &r, &f));
	assert_true(r.is_affinity_auto);
	assert_int_equal(number_set_count(&r.cores), 0);
}

static void bytes_are_shared_to_the_last_one(void **state)
{
	struct request r = {.streams = 7, .bytes = 100};
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < r.streams; i++) {
		assert_int_equal(request_share(&r, i), i < 2 ? 15 : 14);
		sum += request_share(&r, i);
	}
	assert_int_equal(sum, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_request_is_taken_over),
		cmocka_unit_test(what_is_left_out_is_for_the_agent_to_choose),
		cmocka_unit_test(the_preamble_names_the_direction_from_the_connectors_side),
		cmocka_unit_test(what_is_wrong_is_named_with_its_range),
		cmocka_unit_test(cores_are_a_list_or_the_agents_choice),
		cmocka_unit_test(bytes_are_shared_to_the_last_one),
	};

	return cmocka_run_group_tests_name("agent/measure/request", tests, NULL, NULL);
}
