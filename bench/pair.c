/* SPDX-License-Identifier: MIT */
/*
 * pair.c - one test between two agents of vnm, each in a network namespace, and what it cost.
 *
 * usage: pair [--listener-ns NAME] [--connector-ns NAME] [--address A] [--peer A] [--reverse]
 *             [--streams N] [--omit-ms N] [--duration-ms N] [--buffer BYTES] [--window BYTES]
 *             [--option KEY=VALUE]... AGENT
 *        pair --starts N AGENT       how long from fork to the answer to hello: median of N, ms
 *
 * The listener is at --address; the connector, at --peer, sends (--reverse: receives). Each
 * --option is a further field of `prepare` (schemas/protocol.def) for both ends. Prints one
 * line of key=value; the figures are the receiver's unless they say whose they are.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gauge.h"
#include "bench/netns.h"
#include "common/clock.h"
#include "tests/agent/driver.h"

#define STARTS_MAX 1000u

static struct spec spec = {.duration_ms = 3000, .omit_ms = 1000, .interval_ms = 1000};
static const char *listener_ns;
static const char *connector_ns;
static char options[512];
static uint32_t starts; /* 0: a test */
static bool is_complete;
static struct agent listener;
static struct agent connector;
static struct outcome sent;
static struct outcome received;
static struct gauge_reading before;
static struct gauge_reading after;

static void add_option(const char *text)
{
	size_t len = strlen(options);

	if (len + strlen(text) + 2 > sizeof(options)) {
		(void)fprintf(stderr, "too many options\n");
		exit(2);
	}
	(void)snprintf(options + len, sizeof(options) - len, " %s", text);
	spec.options = options;
}

static uint32_t to_u32(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static void take(int option, const char *value)
{
	switch (option) {
	case 'l':
		listener_ns = value;
		break;
	case 'c':
		connector_ns = value;
		break;
	case 'a':
		spec.address = value;
		break;
	case 'p':
		spec.peer = value;
		break;
	case 'r':
		spec.is_listener_sender = true;
		break;
	case 's':
		spec.streams = to_u32(value);
		break;
	case 'o':
		spec.omit_ms = to_u32(value);
		break;
	case 'd':
		spec.duration_ms = to_u32(value);
		break;
	case 'b':
		spec.buffer_bytes = strtoull(value, NULL, 10);
		break;
	case 'w':
		spec.window_bytes = strtoull(value, NULL, 10);
		break;
	case 'x':
		add_option(value);
		break;
	case 'n':
		starts = to_u32(value);
		break;
	default:
		is_complete = true;
		(void)fprintf(stderr, "see the head of bench/pair.c for the usage\n");
		exit(2);
	}
}

static char *parse(int argc, char **argv)
{
	static const struct option known[] = {
		{"listener-ns", required_argument, NULL, 'l'},
		{"connector-ns", required_argument, NULL, 'c'},
		{"address", required_argument, NULL, 'a'},
		{"peer", required_argument, NULL, 'p'},
		{"reverse", no_argument, NULL, 'r'},
		{"streams", required_argument, NULL, 's'},
		{"omit-ms", required_argument, NULL, 'o'},
		{"duration-ms", required_argument, NULL, 'd'},
		{"buffer", required_argument, NULL, 'b'},
		{"window", required_argument, NULL, 'w'},
		{"option", required_argument, NULL, 'x'},
		{"starts", required_argument, NULL, 'n'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) >= 0)
		take(option, optarg);
	if (optind + 1 != argc || starts > STARTS_MAX)
		take('?', NULL);
	return argv[optind];
}

/* From fork to the answer to hello, ms; it hashes itself before, as for the orchestrator. */
static double start(struct agent *a, const char *ns)
{
	const char *const args[] = {"--self", driver_agent_path(), NULL};
	struct msg msg;
	uint64_t from;

	netns_enter(ns);
	from = clock_now_ns();
	agent_exec(a, driver_agent_path(), args);
	agent_say(a, "hello id=%u version=%d beat_ms=500 lease_ms=30000", a->next_id, WIRE_VERSION);
	agent_expect(a, MSG_READY, a->next_id++, &msg);
	return (double)(clock_now_ns() - from) / (double)CLOCK_NS_PER_MS;
}

static int compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

static void print_starts(void)
{
	double ms[STARTS_MAX] = {0};

	for (uint32_t i = 0; i < starts; i++) {
		ms[i] = start(&connector, NULL);
		(void)agent_bye(&connector);
	}
	qsort(ms, starts, sizeof(ms[0]), compare);
	printf("ready_ms=%.2f\n", ms[starts / 2]);
}

/* CPU time of an agent from its exec to its end, s. */
static double end(struct agent *a)
{
	double ended = gauge_children_s();

	(void)agent_bye(a);
	return gauge_children_s() - ended;
}

static void check(const char *which, const struct outcome *o)
{
	if (!o->has_failed)
		return;
	(void)fprintf(stderr, "the %s: %s: %s\n", which, o->failed.kind, o->failed.reason);
	is_complete = true;
	exit(1);
}

static void print_number(const char *key, uint64_t value)
{
	if (value == WIRE_UNKNOWN_U64)
		printf(" %s=-", key);
	else
		printf(" %s=%llu", key, (unsigned long long)value);
}

static void print_word(const char *key, const char *value)
{
	printf(" %s=%s", key, value[0] == '\0' ? "-" : value);
}

/* What was lost, of those that should have come. */
static void print_datagrams(const struct msg_datagrams *d)
{
	print_number("datagrams", d->measured);
	if (d->lost == WIRE_UNKNOWN_U64 || d->measured + d->lost == 0)
		printf(" lost_percent=-");
	else
		printf(" lost_percent=%.3f",
		       100.0 * (double)d->lost / (double)(d->measured + d->lost));
}

static void print_round_trips(const struct msg_latency *l)
{
	print_number("transactions", l->count);
	print_number("p50_ns", l->p50_ns);
	print_number("p99_ns", l->p99_ns);
}

static void print_test(void)
{
	const struct msg_result *r = &received.result;
	double bps = 0;

	if (r->measured_ns > 0)
		bps = (double)r->measured_bytes * 8e9 / (double)r->measured_ns;
	printf("bps=%.0f", bps);
	print_number("bytes", r->bytes);
	print_number("measured_bytes", r->measured_bytes);
	print_number("measured_ns", r->measured_ns);
	print_number("retransmits", sent.result.retransmits);
	print_word("send", sent.connected.method);
	print_word("receive", received.connected.method);
	print_word("congestion", sent.connected.congestion);
	if (received.datagrams_count > 0)
		print_datagrams(&received.datagrams[0]);
	if (sent.rr.count > 0)
		print_round_trips(&sent.rr);
}

/* A wrong answer fails what in a test would be the test; here it ends the program. */
static void tell_when_cut(void)
{
	if (!is_complete)
		(void)fprintf(stderr,
		              "the agents did not answer as tests/agent/driver.c expects\n");
}

static void test(void)
{
	struct agent *sender = spec.is_listener_sender ? &listener : &connector;
	struct agent *receiver = spec.is_listener_sender ? &connector : &listener;
	struct gauge_figures cost;
	uint64_t sender_kib;
	uint64_t receiver_kib;

	(void)start(&listener, listener_ns);
	(void)start(&connector, connector_ns);
	if (!gauge_read(&before))
		exit(2);
	driver_run(&listener, &connector, &spec, &sent, &received);
	if (!gauge_read(&after))
		exit(2);
	check("sender", &sent);
	check("receiver", &received);
	gauge_figures(&before, &after, &cost);
	sender_kib = gauge_resident_kib(sender->pid);
	receiver_kib = gauge_resident_kib(receiver->pid);
	print_test();
	printf(" sender_s=%.4f", end(sender));
	printf(" receiver_s=%.4f", end(receiver));
	printf(" machine_s=%.2f wall_s=%.3f steal_s=%.2f foreign_s=%.2f", cost.machine_s,
	       cost.wall_s, cost.steal_s, cost.foreign_s);
	printf(" sender_kib=%llu receiver_kib=%llu\n", (unsigned long long)sender_kib,
	       (unsigned long long)receiver_kib);
}

int main(int argc, char **argv)
{
	char *driver_arguments[] = {argv[0], parse(argc, argv), NULL};

	driver_init(2, driver_arguments);
	(void)atexit(tell_when_cut);
	if (starts > 0)
		print_starts();
	else
		test();
	is_complete = true;
	return fflush(stdout) == 0 ? 0 : 1;
}
