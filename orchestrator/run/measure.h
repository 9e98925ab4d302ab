/* SPDX-License-Identifier: MIT */
/*
 * measure.h - one test: both agents prepared, started, listened to, ended.
 *
 * A state machine that is fed with messages and the time; it sends messages and
 * never waits. What the agents say is kept as they said it (struct measure_end);
 * what it means is judge.h's business. One at a time for a host.
 *
 * A test has a flow, or two of a bidirectional cell: each is prepared by itself, the
 * second beside the first, and all ends are told to go once every flow is connected.
 */
#ifndef RUN_MEASURE_H
#define RUN_MEASURE_H

#include "common/wire/msg.h"
#include "plan/plan.h"
#include "run/hosts.h"

#define MEASURE_PREPARE_MS 5000u  /* to open the port */
#define MEASURE_CONNECT_MS 12000u /* for all streams to connect; the agents give up earlier */
#define MEASURE_END_MS     12000u /* beyond omit and duration: grace, drain, telling */
#define MEASURE_STOP_MS    3000u  /* for an agent to confirm that it stopped */
#define MEASURE_RTT_PROBES 20u
/* Between round trips under load: a hundred in the shortest test that has them, so that its
 * 99th percentile is one of them, and some 100 kbit/s beside the streams. */
#define MEASURE_PROBE_MS          10u
#define MEASURE_PROBE_DURATION_MS 1000u
/* A test that is ended by its bytes may take so long. */
#define MEASURE_BYTES_MS_MAX 3600000u

enum measure_state {
	MEASURE_IDLE,
	MEASURE_LISTENING,  /* a flow's listener asked to open its port */
	MEASURE_CONNECTING, /* its connector asked to connect */
	MEASURE_RUNNING,    /* all told to go */
	MEASURE_STOPPING,   /* something failed or was cancelled; waiting for all to confirm */
	MEASURE_OVER
};

/* The ends of a flow. Of the first, SRC is the cell's src; of the second, its dst. */
enum measure_end_index { MEASURE_SRC, MEASURE_DST, MEASURE_ENDS };
enum measure_flow_index { MEASURE_FORTH, MEASURE_BACK, MEASURE_FLOWS };

/* What one end said. */
struct measure_end {
	size_t host;
	const struct nic *nic;
	uint32_t id;  /* of its prepare; 0: not sent */
	bool is_over; /* done, failed, or the host is lost */
	bool is_connected, has_result;
	struct msg_connected connected;
	struct msg_result result;
	char failed_kind[16]; /* "" = has not failed */
	char failed_reason[192];
	struct msg_sample *samples;
	size_t sample_count, sample_room;
	struct msg_stream *streams;
	size_t stream_count, stream_room;
	struct msg_counter *counters;
	size_t counter_count, counter_room;
	struct msg_datagrams *datagrams;
	size_t datagram_count, datagram_room;
	struct msg_latency *latencies;
	size_t latency_count, latency_room;
	struct msg_trouble *troubles;
	size_t trouble_count, trouble_room;
};

struct measure_flow {
	char token[33];
	struct measure_end ends[MEASURE_ENDS];
};

struct measure {
	enum measure_state state;
	const struct plan_cell *cell;
	bool probe_only; /* connect, measure the round trip, and stop: `check --hosts` */
	uint16_t port_min, port_max;
	uint32_t interval_ms;
	uint64_t deadline_ns;
	int64_t started_wall_ms;
	size_t flow_count; /* 2: bidirectional */
	size_t opening;    /* the flow that is being set up */
	struct measure_flow flows[MEASURE_FLOWS];
	/* Why it did not end well; kind "" = it did. "timeout" and "lost" are our own kinds. */
	char kind[16];
	char reason[256];
	bool is_cancelled;
};

/* Starts the test of `cell`. `m` is zeroed or was ended by measure_done(). False: no randomness. */
bool measure_start(struct measure *m, struct hosts *hosts, const struct plan_cell *cell,
                   uint64_t now_ns, struct err *err) NODISCARD;

/* True when the message belonged to this test. */
bool measure_message(struct measure *m, struct hosts *hosts, const struct link_event *event,
                     uint64_t now_ns);
void measure_host_lost(struct measure *m, struct hosts *hosts, size_t host, const struct err *why,
                       uint64_t now_ns);
void measure_tick(struct measure *m, struct hosts *hosts, uint64_t now_ns);
void measure_cancel(struct measure *m, struct hosts *hosts, uint64_t now_ns);
void measure_done(struct measure *m); /* releases; {0} again */

bool measure_uses(const struct measure *m, size_t host);

/* The end of a flow that opens its connections: on the same host for both flows of a cell. */
enum measure_end_index measure_connector(const struct plan_cell *cell, size_t flow);
enum measure_end_index measure_listener(const struct plan_cell *cell, size_t flow);

/* 100 ms for tests below 3 s, else 1 s; 1 s where bytes end it, which may take an hour. */
uint32_t measure_interval_ms(const struct plan_config *config);

#endif
