/* SPDX-License-Identifier: MIT */
/* The connector against the real listener, both in this thread, without an agent. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/connector.h"
#include "measure/listener.h"
#include "measure/sockopt.h"
#include "tests/support/test.h"

static struct listener listener;
static struct connector connector;
static struct request here;
static struct request there;
static int here_fds[REQUEST_STREAMS_MAX];
static int there_fds[REQUEST_STREAMS_MAX];
static int here_data_fds[REQUEST_STREAMS_MAX];
static int there_data_fds[REQUEST_STREAMS_MAX];

static void set_up(uint32_t streams, uint32_t rtt_probes)
{
	struct failure f;

	memset(&there, 0, sizeof(there));
	there.is_listener = true;
	there.side = REQUEST_SEND;
	there.streams = streams;
	there.rtt_probes = rtt_probes;
	assert_true(address_parse("127.0.0.1", &there.own));
	listener_init(&listener);
	assert_true(listener_open(&listener, &there, there_fds, there_data_fds, &f));
	here = there;
	here.is_listener = false;
	here.side = REQUEST_RECV;
	here.peer = there.own;
	address_set_port(&here.peer, listener.port);
	connector_start(&connector, &here, here_fds, here_data_fds, 0);
}

static void tear_down(void)
{
	connector_close(&connector);
	listener_close(&listener);
	for (uint32_t i = 0; i < here.streams; i++) {
		if (here_fds[i] >= 0)
			(void)close(here_fds[i]);
		if (there_fds[i] >= 0)
			(void)close(there_fds[i]);
		if (here_data_fds[i] >= 0)
			(void)close(here_data_fds[i]);
		if (there_data_fds[i] >= 0)
			(void)close(there_data_fds[i]);
	}
}

/* Lets both work until they have nothing to do, waiting as their owners would. */
static void work(uint64_t now_ns)
{
	struct failure f;

	for (int i = 0;
	     i < 2000 && !(connector_is_complete(&connector) && listener_is_complete(&listener));
	     i++) {
		struct pollfd fds[CONNECTOR_POLL_MAX + LISTENER_POLL_MAX];
		size_t count = connector_poll(&connector, fds);

		assert_in_range(count, 0, CONNECTOR_ACTIVE_MAX);
		count += listener_poll(&listener, fds + count);
		(void)poll(fds, (nfds_t)count, connector_due_ns(&connector) == 0 ? 0 : 10);
		if (!connector_step(&connector, now_ns, &f) ||
		    !listener_step(&listener, now_ns, &f))
			fail_msg("%s", f.reason);
	}
	assert_true(connector_is_complete(&connector));
	assert_true(listener_is_complete(&listener));
}

static void all_streams_connect_a_few_at_a_time(void **state)
{
	(void)state;
	set_up(100, 20);
	work(1);
	assert_int_equal(listener.connected, 100);
	assert_int_equal(listener.strangers, 0);
	assert_in_range(connector.rtt_least_ns, 1000, CLOCK_NS_PER_S);
	assert_int_equal(connector.probe_fd, -1);
	for (uint32_t i = 0; i < 100; i++) { /* each with its own number */
		char byte = (char)i;

		assert_int_equal(send(there_fds[i], &byte, 1, 0), 1);
		assert_int_equal(recv(here_fds[i], &byte, 1, 0), 1);
		assert_int_equal(byte, (char)i);
	}
	tear_down();
}

static void without_probes_nothing_is_known_of_the_round_trip(void **state)
{
	(void)state;
	set_up(1, 0);
	work(1);
	assert_int_equal(connector.rtt_least_ns, UINT64_MAX);
	tear_down();
}

/* Whether or not there are any before the load; the owners take the connection. */
static void probes_under_load_have_their_connection(void **state)
{
	static const uint32_t before[] = {0, 5};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(before); i++) {
		unsigned char byte = 42;
		int ends[2];

		set_up(3, before[i]);
		there.probe_ns = here.probe_ns = CLOCK_NS_PER_MS;
		connector_start(&connector, &here, here_fds, here_data_fds, 0);
		work(1);
		assert_int_equal(connector.rtt_least_ns == UINT64_MAX, before[i] == 0);
		assert_int_equal(connector_due_ns(&connector), connector.until_ns); /* at rest */
		ends[0] = connector_take_probe(&connector);
		ends[1] = listener_take_probe(&listener);
		assert_int_equal(connector_take_probe(&connector), -1);
		assert_int_equal(listener_take_probe(&listener), -1);
		tear_down(); /* which leaves them open */
		assert_int_equal(send(ends[0], &byte, 1, 0), 1);
		byte = 0;
		assert_int_equal(recv(ends[1], &byte, 1, 0), 1);
		assert_int_equal(byte, 42);
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
}

static void it_gives_up_at_its_deadline(void **state)
{
	uint64_t limit = CONNECTOR_DEADLINE_MS * CLOCK_NS_PER_MS;
	struct failure f;

	(void)state;
	set_up(1, 3);
	assert_true(connector_step(&connector, limit - 1, &f)); /* connected, not answered */
	assert_true(connector_step(&connector, limit - 1, &f));
	assert_int_equal(connector_due_ns(&connector), limit);
	assert_false(connector_step(&connector, limit, &f));
	assert_int_equal(f.kind, FAILURE_TIMEOUT);
	assert_non_null(strstr(f.reason, "taken, but no answer in 5 s"));
	tear_down();
}

/* A listener whose queue is full answers no more: to the other end that looks
 * like a firewall. */
static void a_listener_that_never_answers_may_be_behind_a_firewall(void **state)
{
	struct lost missing;
	uint64_t limit = CONNECTOR_DEADLINE_MS * CLOCK_NS_PER_MS;
	struct failure f;
	int crowd[8];

	(void)state;
	set_up(1, 0);
	assert_int_equal(listen(listener.fd, 0), 0);
	for (size_t i = 0; i < COUNT_OF(crowd); i++) {
		crowd[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_true(sockopt_set_blocking(crowd[i], false, &f));
		(void)connect(crowd[i], &here.peer.at.any, here.peer.len);
	}
	(void)poll(NULL, 0, 20);
	assert_true(connector_step(&connector, 1, &f));
	(void)poll(NULL, 0, 20);
	assert_true(connector_step(&connector, 2, &f));
	assert_false(connector_step(&connector, limit, &f));
	assert_int_equal(f.kind, FAILURE_TIMEOUT);
	assert_non_null(strstr(f.reason, ": no answer in 5 s: a firewall?"));
	connector_missing(&connector, &f, &missing); /* no stream is better off than another */
	assert_null(missing.why[0]);
	for (size_t i = 0; i < COUNT_OF(crowd); i++)
		(void)close(crowd[i]);
	tear_down();
}

static void a_closed_port_refuses(void **state)
{
	struct failure f = {0};
	bool ok = true;

	(void)state;
	set_up(1, 0);
	listener_close(&listener);
	for (int i = 0; ok && i < 100; i++) {
		struct pollfd fds[CONNECTOR_POLL_MAX];

		ok = connector_step(&connector, 1, &f);
		(void)poll(fds, (nfds_t)connector_poll(&connector, fds), 10);
	}
	assert_false(ok);
	assert_int_equal(f.kind, FAILURE_REFUSED);
	assert_non_null(strstr(f.reason, "connect to 127.0.0.1 port "));
	assert_non_null(strstr(f.reason, ": Connection refused"));
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_streams_connect_a_few_at_a_time),
		cmocka_unit_test(without_probes_nothing_is_known_of_the_round_trip),
		cmocka_unit_test(probes_under_load_have_their_connection),
		cmocka_unit_test(it_gives_up_at_its_deadline),
		cmocka_unit_test(a_listener_that_never_answers_may_be_behind_a_firewall),
		cmocka_unit_test(a_closed_port_refuses),
	};

	return cmocka_run_group_tests_name("agent/measure/connector", tests, NULL, NULL);
}
