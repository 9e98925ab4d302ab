/* SPDX-License-Identifier: MIT */
/* test_faults.c - strangers, dead and frozen peers, refusals: every test ends, in
 * bounded time, with the reason, and the agent can do the next one. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  200u
#define LEASE_MS 30000u

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
	if (two.pid >= 0)
		assert_int_equal(agent_bye(&two), 0);
	assert_int_equal(agent_bye(&one), 0);
	return 0;
}

static uint64_t ms_since(uint64_t start_ns)
{
	return (clock_now_ns() - start_ns) / CLOCK_NS_PER_MS;
}

/* A test that must work, after whatever happened before. */
static void run_well(void)
{
	static const struct spec spec = {.duration_ms = 100};

	driver_run(&one, &two, &spec, &sent, &received);
	assert_false(sent.has_failed || received.has_failed);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

static void prepares_that_cannot_work_are_refused(void **state)
{
#define PREPARE(token, role, side, address, streams, rest)                           \
	"prepare id=50 token=" token " role=" role " side=" side " address=" address \
	" streams=" streams " omit_ms=0 duration_ms=1000 interval_ms=100 rtt_probes=0" rest
	static const struct {
		const char *line;
		const char *kind;
		const char *reason;
	} cases[] = {
		{PREPARE(DRIVER_TOKEN, "listen", "recv", "192.0.2.1", "1", ""), "usage",
	         "no NIC of this machine has the address 192.0.2.1"},
		{PREPARE(DRIVER_TOKEN, "listen", "recv", "0.0.0.0", "1", ""), "usage",
	         "address '0.0.0.0' is not the address of a NIC"},
		{PREPARE(DRIVER_TOKEN, "listen", "recv", "127.0.0.1", "129", ""), "usage",
	         "streams 129 is out of range: 1 to 128"},
		{PREPARE(DRIVER_TOKEN, "listen", "recv", "127.0.0.1", "1", " window_bytes=4095"),
	         "usage", "window_bytes 4095 is out of range: 4096 to 536870912"},
		{PREPARE("beef", "listen", "recv", "127.0.0.1", "1", ""), "usage",
	         "token is not 32 hex digits"},
		{PREPARE(DRIVER_TOKEN, "watch", "recv", "127.0.0.1", "1", ""), "usage",
	         "role 'watch' is not listen or connect"},
		{PREPARE(DRIVER_TOKEN, "connect", "recv", "127.0.0.1", "1", ""), "usage",
	         "connect needs peer and port"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		agent_say(&one, "%s", cases[i].line);
		agent_expect_failed(&one, 50, cases[i].kind, cases[i].reason);
	}
	run_well();
}

static void a_listener_takes_a_free_port_of_its_range(void **state)
{
	uint32_t busy = 0;
	uint32_t next = 0;
	int fd = driver_listen(&busy);
	struct msg msg;
	char wanted[96];

	(void)state;
	agent_say(&one,
	          "prepare id=51 token=%s role=listen side=recv address=127.0.0.1 port_min=%u"
	          " port_max=%u streams=1 omit_ms=0 duration_ms=100 interval_ms=100 rtt_probes=0",
	          DRIVER_TOKEN, busy, busy);
	agent_expect(&one, MSG_FAILED, 51, &msg);
	assert_string_equal(msg.u.failed.kind, "port");
	/* What follows is the C library's own text, then what to do. */
	(void)snprintf(wanted, sizeof(wanted), "listen on 127.0.0.1 port %u: Address ", busy);
	assert_int_equal(strncmp(msg.u.failed.reason, wanted, strlen(wanted)), 0);
	assert_non_null(strstr(msg.u.failed.reason, "; give it other `ports`"));

	next = busy < 65535 ? busy + 1 : busy;
	for (uint32_t i = 0; i < 4 && next > busy; i++) { /* from a random place on */
		agent_say(&one,
		          "prepare id=52 token=%s role=listen side=recv address=127.0.0.1"
		          " port_min=%u port_max=%u streams=1 omit_ms=0 duration_ms=100"
		          " interval_ms=100 rtt_probes=0",
		          DRIVER_TOKEN, busy, next);
		agent_expect(&one, MSG_PREPARED, 52, &msg);
		assert_int_equal(msg.u.prepared.port, next);
		agent_say(&one, "stop id=53 test=52");
		agent_expect_failed(&one, 52, "cancelled", "stopped");
		assert_int_equal(driver_dial(next), -1);
	}
	(void)close(fd);
}

/* An agent that may open so many files, softly and at all. */
static void start_limited(struct agent *a, const char *limits)
{
	const char *args[] = {"-c", limits, driver_agent_path(), NULL};

	agent_exec(a, "/bin/sh", args);
	agent_say(a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(a, MSG_READY, 1, NULL);
	a->next_id = 2;
}

static void limits_are_raised_as_far_as_allowed_and_told(void **state)
{
	static const struct spec most = {.streams = 128, .duration_ms = 100};
	static const struct spec few = {.streams = 4, .duration_ms = 100};
	struct agent limited;
	uint32_t id;

	(void)state;
	start_limited(&limited, "ulimit -S -n 40; exec \"$0\"");
	driver_run(&one, &limited, &most, &sent, &received);
	assert_false(sent.has_failed || received.has_failed);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	assert_int_equal(agent_bye(&limited), 0);

	start_limited(&limited, "ulimit -n 120; exec \"$0\"");
	id = agent_prepare_listen(&limited, &most);
	agent_expect_failed(&limited, id, "system",
	                    "128 streams need 224 open files, the limit is 120: raise ulimit -n");
	driver_run(&one, &limited, &few, &sent, &received); /* fewer are possible */
	assert_false(sent.has_failed || received.has_failed);
	assert_int_equal(agent_bye(&limited), 0);
}

static void only_one_test_at_a_time(void **state)
{
	static const struct spec spec = {.duration_ms = 100};
	uint32_t id = agent_prepare_listen(&one, &spec);
	uint32_t second;
	char wanted[64];

	(void)state;
	agent_expect(&one, MSG_PREPARED, id, NULL);
	second = agent_prepare_listen(&one, &spec);
	(void)snprintf(wanted, sizeof(wanted), "test %u is not over: one at a time", id);
	agent_expect_failed(&one, second, "usage", wanted);
	agent_say(&one, "go id=60 test=%u", id); /* not yet connected */
	(void)snprintf(wanted, sizeof(wanted), "test %u is not connected", id);
	agent_expect_failed(&one, 60, "usage", wanted);
	agent_say(&one, "stop id=61 test=%u", id);
	agent_expect_failed(&one, id, "cancelled", "stopped");
	run_well();
}

static void send_preamble(int fd, uint16_t stream, enum preamble_kind kind, unsigned char first)
{
	struct preamble p = {.stream = stream, .kind = kind};
	unsigned char bytes[PREAMBLE_BYTES];

	assert_true(preamble_token_parse(DRIVER_TOKEN, p.token));
	p.token[0] ^= first;
	preamble_format(&p, bytes);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
}

static void strangers_do_not_disturb(void **state)
{
	static const struct spec spec = {.streams = 2, .rtt_probes = 3, .duration_ms = 200};
	uint32_t test[2];
	struct msg msg;
	int strangers[7];
	uint64_t start;
	uint32_t port;

	(void)state;
	test[0] = agent_prepare_listen(&one, &spec);
	agent_expect(&one, MSG_PREPARED, test[0], &msg);
	port = msg.u.prepared.port;
	start = clock_now_ns();
	for (size_t i = 0; i < COUNT_OF(strangers); i++) {
		strangers[i] = driver_dial(port);
		assert_true(strangers[i] >= 0);
	}
	/* 0 says nothing, 1 not enough, 2 something else, the others the wrong thing. */
	assert_int_equal(write(strangers[1], "VNMD", 4), 4);
	assert_int_equal(write(strangers[2], "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", 37),
	                 37);
	send_preamble(strangers[3], 1, PREAMBLE_CONNECTOR_SENDS, 1);    /* token */
	send_preamble(strangers[4], 3, PREAMBLE_CONNECTOR_SENDS, 0);    /* no such stream */
	send_preamble(strangers[5], 1, PREAMBLE_CONNECTOR_RECEIVES, 0); /* direction */
	(void)close(strangers[6]);
	for (size_t i = 2; i < 6; i++)
		assert_true(driver_read_byte(strangers[i], 1000) <= 0);
	assert_in_range(ms_since(start), 0, 1500);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(driver_read_byte(strangers[i], 4000), 0);
	assert_in_range(ms_since(start), 1900, 4000);

	test[1] = agent_prepare_connect(&two, &spec, port);
	agent_expect(&two, MSG_PREPARED, test[1], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	agent_expect(&one, MSG_CONNECTED, test[0], &msg);
	assert_int_equal(msg.u.connected.strangers, 7);
	agent_say(&one, "go id=62 test=%u", test[0]);
	agent_say(&two, "go id=63 test=%u", test[1]);
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	agent_collect(&one, 62, &received);
	agent_collect(&two, 63, &sent);
	assert_false(sent.has_failed || received.has_failed);
	assert_int_equal(sent.result.bytes, received.result.bytes);
	for (size_t i = 0; i < 6; i++)
		(void)close(strangers[i]);
}

static void a_crowd_of_silent_strangers_does_not_keep_the_test_out(void **state)
{
	static const struct spec spec = {.streams = 8, .rtt_probes = 1, .duration_ms = 100};
	static int crowd[150];
	uint32_t test[2];
	struct msg msg;
	uint32_t port;

	(void)state;
	test[0] = agent_prepare_listen(&one, &spec);
	agent_expect(&one, MSG_PREPARED, test[0], &msg);
	port = msg.u.prepared.port;
	for (size_t i = 0; i < COUNT_OF(crowd); i++)
		crowd[i] = driver_dial(port);
	test[1] = agent_prepare_connect(&two, &spec, port);
	agent_expect(&two, MSG_PREPARED, test[1], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	agent_expect(&one, MSG_CONNECTED, test[0], &msg);
	assert_in_range(msg.u.connected.strangers, 1, COUNT_OF(crowd));
	for (size_t i = 0; i < COUNT_OF(crowd); i++)
		(void)close(crowd[i]);
	agent_say(&one, "stop id=64 test=%u", test[0]);
	agent_expect_failed(&one, test[0], "cancelled", "stopped");
	agent_expect(&two, MSG_FAILED, test[1], NULL); /* the sender notices by itself */
	run_well();
}

static void a_connector_says_who_refused(void **state)
{
	static const struct spec spec = {.duration_ms = 100};
	uint32_t port = 0;
	int fd = driver_listen(&port);
	char wanted[128];
	uint32_t id;

	(void)state;
	(void)close(fd);
	id = agent_prepare_connect(&one, &spec, port);
	agent_expect(&one, MSG_PREPARED, id, NULL);
	(void)snprintf(wanted, sizeof(wanted), "connect to 127.0.0.1 port %u: Connection refused",
	               port);
	agent_expect_failed(&one, id, "refused", wanted);
	run_well();
}

static void a_connector_keeps_to_its_address_and_distrusts_its_peer(void **state)
{
	static const struct spec spec = {.peer = "127.0.0.9", .streams = 3, .duration_ms = 100};
	static const struct {
		const char *says; /* NULL: closes */
		const char *reason;
	} cases[] = {
		{NULL, "closed without an answer: not this test's port?"},
		{"S", "something else answers there"},
	};
	uint32_t port = 0;
	int fd = driver_listen(&port);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sockaddr_in from = {0};
		socklen_t len = sizeof(from);
		unsigned char bytes[PREAMBLE_BYTES];
		struct preamble p;
		char wanted[160];
		uint32_t id = agent_prepare_connect(&one, &spec, port);
		int peer;

		agent_expect(&one, MSG_PREPARED, id, NULL);
		peer = accept(fd, (struct sockaddr *)&from, &len);
		assert_true(peer >= 0);
		assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000009);
		assert_int_equal(recv(peer, bytes, sizeof(bytes), MSG_WAITALL), sizeof(bytes));
		assert_true(preamble_parse(bytes, &p));
		assert_int_equal(p.stream, 1);
		assert_int_equal(p.kind, PREAMBLE_CONNECTOR_SENDS);
		if (cases[i].says != NULL)
			assert_int_equal(write(peer, cases[i].says, 1), 1);
		(void)close(peer);
		(void)snprintf(wanted, sizeof(wanted), "connect to 127.0.0.1 port %u: %s", port,
		               cases[i].reason);
		agent_expect_failed(&one, id, "refused", wanted);
		for (int more = 0; more < 2; more++) /* its other streams */
			(void)close(accept(fd, NULL, NULL));
	}
	(void)close(fd);
	run_well();
}

/* Takes as many connections, and answers that of stream 2 alone. */
static void answer_one(int fd, int peers[3])
{
	for (size_t i = 0; i < 3; i++) {
		unsigned char bytes[PREAMBLE_BYTES];
		struct preamble p;

		peers[i] = accept(fd, NULL, NULL);
		assert_int_equal(recv(peers[i], bytes, sizeof(bytes), MSG_WAITALL), sizeof(bytes));
		assert_true(preamble_parse(bytes, &p));
		if (p.stream == 2)
			assert_int_equal(write(peers[i], &(char){PREAMBLE_ACCEPTED}, 1), 1);
	}
}

static void streams_that_do_not_connect_are_told_one_by_one(void **state)
{
	static const struct spec spec = {.streams = 3, .duration_ms = 100};
	uint32_t port = 0;
	int fd = driver_listen(&port);
	uint64_t start = clock_now_ns();
	char wanted[128];
	uint32_t connecting = agent_prepare_connect(&one, &spec, port);
	uint32_t listening = agent_prepare_listen(&two, &spec);
	int peers[4];
	struct msg msg;

	(void)state;
	agent_expect(&one, MSG_PREPARED, connecting, NULL);
	agent_expect(&two, MSG_PREPARED, listening, &msg);
	answer_one(fd, peers);
	peers[3] = driver_join(msg.u.prepared.port, 1, PREAMBLE_CONNECTOR_SENDS);
	(void)snprintf(wanted, sizeof(wanted),
	               "connect to 127.0.0.1 port %u: streams 1,3: taken, but no answer in 5 s",
	               port);
	agent_expect_failed(&one, connecting, "timeout", wanted);
	assert_true(number_set_has(&one.troubles, 1) && number_set_has(&one.troubles, 3));
	assert_int_equal(number_set_count(&one.troubles), 2);
	assert_string_equal(one.trouble.reason, "taken, but no answer");
	(void)snprintf(wanted, sizeof(wanted),
	               "port %u: 1 of 3 streams came in 10 s, not 2-3, 0 strangers: a firewall?",
	               msg.u.prepared.port);
	agent_expect_failed(&two, listening, "timeout", wanted);
	assert_true(number_set_has(&two.troubles, 2) && number_set_has(&two.troubles, 3));
	assert_int_equal(number_set_count(&two.troubles), 2);
	assert_in_range(ms_since(start), 9900, 12000);
	for (size_t i = 0; i < 4; i++)
		(void)close(peers[i]);
	(void)close(fd);
	run_well();
}

static void a_peer_that_says_nothing_is_given_up(void **state)
{
	static const struct spec spec = {.duration_ms = 100, .rtt_probes = 5};
	uint32_t port = 0;
	int fd = driver_listen(&port);
	uint64_t start = clock_now_ns();
	char wanted[128];
	uint32_t connecting = agent_prepare_connect(&one, &spec, port);

	(void)state;
	agent_expect(&one, MSG_PREPARED, connecting, NULL);
	(void)snprintf(wanted, sizeof(wanted),
	               "connect to 127.0.0.1 port %u: taken, but no answer in 5 s", port);
	agent_expect_failed(&one, connecting, "timeout", wanted);
	assert_in_range(ms_since(start), 4900, 7000);
	(void)close(fd);
	run_well();
}

/* Both ends of a long test that runs; returns the ids of go. */
static void start_long_test(const struct spec *spec, uint32_t *one_go, uint32_t *two_go)
{
	uint32_t test[2];

	(void)driver_connect(&one, &two, spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	*one_go = one.next_id++;
	*two_go = two.next_id++;
	agent_say(&one, "go id=%u test=%u", *one_go, test[0]);
	agent_say(&two, "go id=%u test=%u", *two_go, test[1]);
	driver_sleep_ms(400);
}

static void check_failure(const struct outcome *o, const char *kind, const char *part)
{
	assert_true(o->has_failed);
	assert_string_equal(o->failed.kind, kind);
	if (strstr(o->failed.reason, part) == NULL)
		fail_msg("'%s' does not say '%s'", o->failed.reason, part);
}

static void a_peer_that_dies_ends_the_test_at_once(void **state)
{
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct spec spec = {
			.streams = 4, .duration_ms = 20000, .is_listener_sender = i == 1};
		uint64_t start;

		memset(&received, 0, sizeof(received));
		start_long_test(&spec, &one_go, &two_go);
		start = clock_now_ns();
		assert_int_equal(kill(two.pid, SIGKILL), 0);
		agent_collect(&one, one_go, &received);
		assert_in_range(ms_since(start), 0, 2000);
		assert_true(received.has_failed);
		/* Each is told, and the reason names them all, together or each with its own. */
		assert_int_equal(number_set_count(&received.troubles), 4);
		assert_non_null(strstr(received.failed.reason, "stream"));
		if (strcmp(received.failed.kind, "truncated") != 0) /* by end of file, or reset */
			assert_string_equal(received.failed.kind, "system");
		assert_int_equal(agent_wait_end(&two, 2000), -SIGKILL);
		agent_start(&two, BEAT_MS, LEASE_MS);
		run_well();
	}
}

static void a_peer_that_freezes_stalls_the_test(void **state)
{
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct spec spec = {
			.streams = 2, .duration_ms = 20000, .is_listener_sender = i == 1};
		uint64_t start;

		memset(&received, 0, sizeof(received));
		start_long_test(&spec, &one_go, &two_go);
		start = clock_now_ns();
		assert_int_equal(kill(two.pid, SIGSTOP), 0);
		agent_collect(&one, one_go, &received);
		assert_in_range(ms_since(start), 2900, 5000);
		check_failure(&received, "stalled", "no byte for 3 s: ");
		assert_int_equal(kill(two.pid, SIGCONT), 0);
		memset(&sent, 0, sizeof(sent));
		agent_collect(&two, two_go, &sent); /* it finds its peer gone */
		assert_true(sent.has_failed);
		run_well();
	}
}

static void a_receiver_without_a_sender_stalls(void **state)
{
	static const struct spec spec = {.duration_ms = 1000};
	uint32_t test[2];

	(void)state;
	(void)driver_connect(&one, &two, &spec, test);
	agent_expect(&one, MSG_CONNECTED, test[0], NULL);
	agent_expect(&two, MSG_CONNECTED, test[1], NULL);
	agent_say(&one, "go id=66 test=%u", test[0]);
	agent_expect_failed(&one, 66, "stalled", "no byte came within 3 s of go");
	agent_expect_failed(&two, test[1], "truncated",
	                    "stream 1: the other end closed it before go");
	run_well();
}

static void stop_ends_a_running_test_at_once(void **state)
{
	static const struct spec spec = {.streams = 4, .duration_ms = 20000};
	uint32_t one_go;
	uint32_t two_go;
	uint64_t start;

	(void)state;
	memset(&sent, 0, sizeof(sent));
	memset(&received, 0, sizeof(received));
	start_long_test(&spec, &one_go, &two_go);
	start = clock_now_ns();
	agent_say(&one, "facts id=67");
	agent_say(&one, "stop id=68 test=%u", one_go - 1);
	for (bool was_refused = false; !was_refused;) { /* nothing disturbs a test */
		struct msg msg;

		assert_true(agent_next(&one, DRIVER_WAIT_MS, &msg));
		was_refused = msg.type == MSG_FAILED;
		if (msg.type == MSG_SAMPLE) /* one more may come between refusal and stop */
			received.last_end_ns[msg.u.sample.stream] = msg.u.sample.end_ns;
		if (was_refused) {
			assert_int_equal(msg.id, 67);
			assert_string_equal(msg.u.failed.reason, "a test is running");
		}
	}
	agent_collect(&one, one_go, &received);
	check_failure(&received, "cancelled", "stopped");
	agent_collect(&two, two_go, &sent);
	check_failure(&sent, "system", "stream"); /* its peer is gone, for each as it meets it */
	assert_int_equal(number_set_count(&sent.troubles), 4);
	assert_in_range(ms_since(start), 0, 1500);
	run_well();
}

static void losing_the_orchestrator_ends_a_running_test(void **state)
{
	static const struct spec spec = {.streams = 4, .duration_ms = 20000};
	uint32_t one_go;
	uint32_t two_go;

	(void)state;
	memset(&received, 0, sizeof(received));
	start_long_test(&spec, &one_go, &two_go);
	(void)close(two.in);
	two.in = -1;
	assert_int_equal(agent_wait_end(&two, 2000), 0);
	agent_collect(&one, one_go, &received);
	assert_true(received.has_failed);
	agent_start(&two, BEAT_MS, LEASE_MS);
	run_well();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepares_that_cannot_work_are_refused),
		cmocka_unit_test(a_listener_takes_a_free_port_of_its_range),
		cmocka_unit_test(limits_are_raised_as_far_as_allowed_and_told),
		cmocka_unit_test(only_one_test_at_a_time),
		cmocka_unit_test(strangers_do_not_disturb),
		cmocka_unit_test(a_crowd_of_silent_strangers_does_not_keep_the_test_out),
		cmocka_unit_test(a_connector_says_who_refused),
		cmocka_unit_test(a_connector_keeps_to_its_address_and_distrusts_its_peer),
		cmocka_unit_test(a_peer_that_says_nothing_is_given_up),
		cmocka_unit_test(streams_that_do_not_connect_are_told_one_by_one),
		cmocka_unit_test(a_peer_that_dies_ends_the_test_at_once),
		cmocka_unit_test(a_peer_that_freezes_stalls_the_test),
		cmocka_unit_test(a_receiver_without_a_sender_stalls),
		cmocka_unit_test(stop_ends_a_running_test_at_once),
		cmocka_unit_test(losing_the_orchestrator_ends_a_running_test),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/faults", tests, start_two, end_two);
}
