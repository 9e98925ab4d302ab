/* SPDX-License-Identifier: MIT */
/* test_options.c - what a test asks of sockets and threads is set, told as the system
 * granted it, and refused with what is possible before there is any traffic. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  500u
#define LEASE_MS 20000u

static struct agent one;
static struct agent two;
static struct outcome sent;
static struct outcome received;
static char caps[WIRE_STR_BYTES]; /* of the agent under test */

static int start_two(void **state)
{
	struct msg msg;

	(void)state;
	agent_start(&one, BEAT_MS, LEASE_MS);
	agent_exec(&two, driver_agent_path(), NULL);
	agent_say(&two, "hello id=1 version=%d beat_ms=%u lease_ms=%u", WIRE_VERSION, BEAT_MS,
	          LEASE_MS);
	agent_expect(&two, MSG_READY, 1, &msg);
	memcpy(caps, msg.u.ready.caps, sizeof(caps));
	two.next_id = 2;
	return 0;
}

static int end_two(void **state)
{
	(void)state;
	return agent_bye(&one) == 0 && agent_bye(&two) == 0 ? 0 : -1;
}

static void run_between(struct agent *listener, struct agent *connector, const struct spec *spec)
{
	driver_run(listener, connector, spec, &sent, &received);
	if (sent.has_failed || received.has_failed)
		fail_msg("%s; %s", sent.failed.reason, received.failed.reason);
	assert_int_equal(sent.result.bytes, received.result.bytes);
}

static void run(const struct spec *spec)
{
	run_between(&one, &two, spec);
}

static bool has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

static void socket_options_are_granted_at_both_ends_or_told(void **state)
{
	static const char *const addresses[] = {"127.0.0.1", "::1"};
	const struct msg_connected *ends[] = {&sent.connected, &received.connected};
	bool can_choose = strstr(caps, "tcp_info") != NULL; /* a system that is known */

	(void)state;
	for (size_t i = 0; i < (has_ipv6() ? 4u : 2u); i++) {
		struct spec spec = {.address = addresses[i / 2],
		                    .duration_ms = 100,
		                    .streams = 2,
		                    .is_listener_sender = i % 2 == 1,
		                    .options = " mss_bytes=1000 no_delay=1 dscp=46"};

		if (can_choose)
			spec.options = " mss_bytes=1000 no_delay=1 dscp=46 congestion=reno";
		run(&spec);
		for (size_t k = 0; k < COUNT_OF(ends); k++) {
			/* RFC 7323: 12 bytes of it may go to the timestamps. */
			assert_in_range(ends[k]->mss_bytes, 988, 1000);
			assert_int_equal(ends[k]->no_delay, 1);
			assert_int_equal(ends[k]->dscp, 46);
			if (can_choose)
				assert_string_equal(ends[k]->congestion, "reno");
		}
		spec.options = NULL;
		run(&spec);
		for (size_t k = 0; k < COUNT_OF(ends); k++) {
			assert_true(ends[k]->mss_bytes > 1000);
			assert_int_equal(ends[k]->no_delay, 0);
			assert_int_equal(ends[k]->dscp, 0);
			assert_string_equal(ends[k]->affinity, "");
		}
	}
}

/* `count` ports in a row of which none is in use now; the first of them. */
static uint32_t find_ports(uint32_t count)
{
	for (;;) {
		int fds[8];
		uint32_t first = 0;
		uint32_t got = 1;

		fds[0] = driver_listen(&first);
		for (; got < count && first + got <= 65535; got++) {
			uint32_t port = first + got;
			int fd = driver_try_listen(&port);

			if (fd < 0)
				break;
			fds[got] = fd;
		}
		for (uint32_t i = 0; i < got; i++)
			(void)close(fds[i]);
		if (got == count)
			return first;
	}
}

/* The same ports at both ends, so nothing of one test may be in the next one's way. */
static void use_ports(struct agent *listener, struct agent *connector, uint32_t port)
{
	char source[64];
	char listen_on[64];

	(void)snprintf(source, sizeof(source), " source_port=%u", port + 1);
	(void)snprintf(listen_on, sizeof(listen_on), " port_min=%u port_max=%u", port, port);
	for (int i = 0; i < 4; i++) {
		bool is_reverse = i >= 2;
		struct spec spec = {.duration_ms = 100,
		                    .streams = 4,
		                    .rtt_probes = 2,
		                    .is_listener_sender = is_reverse,
		                    .options = source,
		                    .listener_options = listen_on};
		const struct outcome *there = is_reverse ? &received : &sent;

		run_between(listener, connector, &spec);
		for (uint32_t n = 1; n <= 4; n++) {
			assert_int_equal(there->stream[n].local_port, port + n);
			assert_int_equal(there->stream[n].peer_port, port);
		}
	}
}

static void streams_have_the_source_ports_asked_for_again_and_again(void **state)
{
	(void)state;
	use_ports(&one, &two, find_ports(5));
}

/* Asks two to connect with these; it must refuse. */
static void refuse(const char *options, const char *kind, const char *reason)
{
	struct spec spec = {.streams = 3, .options = options};

	agent_expect_failed(&two, agent_prepare_connect(&two, &spec, 9), kind, reason);
}

static void a_source_port_in_use_is_named(void **state)
{
	char options[64];
	char reason[128];
	uint32_t first = find_ports(3);
	uint32_t third = first + 2;
	int fd = driver_listen(&third);

	(void)state;
	(void)snprintf(options, sizeof(options), " source_port=%u", first);
	(void)snprintf(reason, sizeof(reason),
	               "source port %u of stream 3 on 127.0.0.1: %s; choose another `source_port`",
	               third, strerror(EADDRINUSE));
	refuse(options, "port", reason);
	(void)close(fd);
	refuse(" source_port=65534", "usage",
	       "source_port 65534 leaves no room for 3 streams: at most 65533");
	refuse(" source_port=80", "usage", "source_port 80 is out of range: 1024 to 65535");
}

static void what_the_system_does_not_have_is_refused(void **state)
{
	bool has_cores = strstr(caps, "affinity") != NULL;
	bool has_device = strstr(caps, "device") != NULL;

	(void)state;
	refuse(" device=nosuch0", "usage", "no NIC of this machine is called nosuch0");
	refuse(" congestion=no_such_thing", "usage",
	       strstr(caps, "tcp_info") != NULL
	               ? "congestion control 'no_such_thing': there are: *"
	               : "congestion control cannot be chosen on this system");
	if (!has_device)
		refuse(" device=lo", "usage",
		       "this system cannot bind a socket to a NIC: leave bind_device");
	refuse(" affinity=1000", "usage",
	       has_cores ? "affinity: there is no core 1000 here, but *"
	                 : "this system cannot keep threads to cores: leave affinity");
	refuse(" affinity=0-", "usage", "affinity '0-' is not auto or a list as 0-3,6");
	refuse(" mss_bytes=65483", "usage", "mss 65483 *");
	refuse(" mss_bytes=65484", "usage", "mss_bytes 65484 is out of range: 88 to 65483");
	refuse(" dscp=64", "usage", "dscp 64 is out of range: 0 to 63");
	refuse(" bytes=2", "usage", "bytes 2 are too few for 3 streams");
}

static void threads_stay_on_their_cores(void **state)
{
	struct spec spec = {.duration_ms = 100, .streams = 4, .options = " affinity=0"};

	(void)state;
	if (strstr(caps, "affinity") == NULL)
		skip();
	run(&spec);
	assert_string_equal(sent.connected.affinity, "0");
	assert_string_equal(received.connected.affinity, "0");
	for (uint32_t i = 1; i <= 4; i++) {
		assert_int_equal(sent.stream[i].cpu, 0);
		assert_int_equal(received.stream[i].cpu, 0);
	}
	spec.options = " affinity=0-1";
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		run(&spec);
		assert_string_equal(sent.connected.affinity, "0-1");
		for (uint32_t i = 1; i <= 4; i++)
			assert_int_equal(sent.stream[i].cpu, (i - 1) % 2);
	}
	spec.options = " affinity=auto"; /* the loopback is near to no core */
	run(&spec);
	assert_string_equal(sent.connected.affinity, "");
}

/* An agent started by a shell's commands, which end in exec "$0". */
static void start_by_shell(struct agent *a, const char *commands)
{
	const char *args[] = {"-c", commands, driver_agent_path(), NULL};

	agent_exec(a, "/bin/sh", args);
	agent_say(a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(a, MSG_READY, 1, NULL);
	a->next_id = 2;
}

/* With timestamps Linux lets a connection follow another one on the same ports at once; without
 * them, as in some networks, the earlier one must really be gone. */
static void source_ports_are_free_without_timestamps_too(void **state)
{
	struct agent apart;
	struct agent beside;
	char commands[64];

	(void)state;
	if (geteuid() != 0 || strstr(caps, "device") == NULL)
		skip(); /* it takes a network of its own */
	start_by_shell(&apart, "exec unshare -n sh -c 'ip link set lo up &&"
	                       " echo 0 >/proc/sys/net/ipv4/tcp_timestamps && exec \"$0\"' \"$0\"");
	(void)snprintf(commands, sizeof(commands), "exec nsenter -n -t %d \"$0\"", (int)apart.pid);
	start_by_shell(&beside, commands);
	use_ports(&apart, &beside, 20000);
	assert_int_equal(agent_bye(&apart), 0);
	assert_int_equal(agent_bye(&beside), 0);
}

static void options_are_held_against_the_nic_of_the_address(void **state)
{
	static const struct spec cases[] = {
		{.options = " mss_bytes=9000"},
		{.address = "fd00:6::1", .options = " mss_bytes=1441"},
		{.options = " device=lo"},
	};
	static const char *const reasons[] = {
		"mss 9000 does not fit the MTU 1500 of 10.6.0.1: at most 1460",
		"mss 1441 does not fit the MTU 1500 of fd00:6::1: at most 1440",
		"the NIC lo has not the address 10.6.0.1: nic6 has",
	};
	static const struct spec good = {.address = "10.6.0.1",
	                                 .duration_ms = 100,
	                                 .options = " mss_bytes=1460 device=nic6"};
	struct agent apart;
	struct msg msg;

	(void)state;
	if (geteuid() != 0 || strstr(caps, "device") == NULL)
		skip(); /* it takes a network of its own, and a system that knows its NICs */
	start_by_shell(
		&apart,
		"exec unshare -n sh -c 'ip link set lo up &&"
		" ip link add nic6 mtu 1500 type veth peer name other6 && ip link set nic6 up &&"
		" ip addr add 10.6.0.1/24 dev nic6 &&"
		" ip addr add fd00:6::1/64 dev nic6 nodad && exec \"$0\"' \"$0\"");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct spec spec = cases[i];

		if (spec.address == NULL)
			spec.address = "10.6.0.1";
		agent_expect_failed(&apart, agent_prepare_listen(&apart, &spec), "usage",
		                    reasons[i]);
	}
	agent_expect(&apart, MSG_PREPARED, agent_prepare_listen(&apart, &good), &msg);
	assert_int_equal(agent_bye(&apart), 0);
}

static void threads_that_are_not_to_be_had_are_told_with_the_limit(void **state)
{
	static const struct spec spec = {.streams = 64};
	struct agent limited;

	(void)state;
	if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0)
		skip(); /* root has no such limit, and only root can be somebody with one */
	start_by_shell(&limited, "exec 9<\"$0\"; exec setpriv --reuid 54321 --clear-groups"
	                         " prlimit --nproc=20 /proc/self/fd/9");
	agent_expect_failed(&limited, agent_prepare_listen(&limited, &spec), "system",
	                    strstr(caps, "tcp_info") != NULL
	                            ? "64 streams need as many threads, the system gave 1*"
	                            : "64 streams need *");
	assert_int_equal(agent_bye(&limited), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(socket_options_are_granted_at_both_ends_or_told),
		cmocka_unit_test(streams_have_the_source_ports_asked_for_again_and_again),
		cmocka_unit_test(a_source_port_in_use_is_named),
		cmocka_unit_test(what_the_system_does_not_have_is_refused),
		cmocka_unit_test(threads_stay_on_their_cores),
		cmocka_unit_test(source_ports_are_free_without_timestamps_too),
		cmocka_unit_test(options_are_held_against_the_nic_of_the_address),
		cmocka_unit_test(threads_that_are_not_to_be_had_are_told_with_the_limit),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/options", tests, start_two, end_two);
}
