/* SPDX-License-Identifier: MIT */
/*
 * measurement.h - one end of one test, from `go` to `done`.
 *
 *	receiver: first byte -> omit and measured time -> end of all streams
 *	sender:   go -> omit and measured time -> until the receiver has enough ->
 *	          no more writes -> until the receiver has closed all streams
 *
 * With `bytes` the measured time ends when they are through: each stream of the
 * sender ends with its share, and each end is measured until its last stream is.
 *
 * Each step is bounded, so whatever the other end does, it ends with a result or
 * a failure. The owner polls and calls measurement_step(). Nothing is allocated.
 */
#ifndef AGENT_MEASUREMENT_H
#define AGENT_MEASUREMENT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/output.h"
#include "agent/report.h"
#include "common/attr.h"
#include "measure/failure.h"
#include "measure/probe.h"
#include "measure/pulse.h"
#include "measure/request.h"
#include "measure/streams.h"
#include "measure/tally.h"
#include "measure/udp_marks.h"
#include "platform/platform.h"

/* The receiver's time may begin as late as its first byte may come; the sender goes on for its
 * sake at most so long. */
#define MEASUREMENT_GRACE_MS      PULSE_STALL_MS
#define MEASUREMENT_LOST_MS       300u  /* after a stream was lost: which others are */
#define MEASUREMENT_DRAIN_IDLE_MS 2000u /* after the end without any byte: truncated */
#define MEASUREMENT_DRAIN_MAX_MS  6000u /* after the end in all */
#define MEASUREMENT_LINGER_MS     2000u /* the sender waits for the receiver to close */
#define MEASUREMENT_POLL_MAX      (REQUEST_STREAMS_MAX + 1)

enum measurement_phase {
	MEASUREMENT_WAITING,   /* receiver: for the first byte */
	MEASUREMENT_RUNNING,   /* until the measured time is over */
	MEASUREMENT_GRACE,     /* sender: the receiver may have a little left to measure */
	MEASUREMENT_DRAINING,  /* until all threads have ended */
	MEASUREMENT_LINGERING, /* sender: until the receiver has closed */
	MEASUREMENT_OVER
};

struct measurement {
	const struct request *request;
	const int *fds;
	struct streams *streams;
	struct platform_watch *watch; /* NULL: nothing to watch */
	struct probe *probe;
	struct output *out;
	uint32_t id; /* of go */
	enum measurement_phase phase;
	uint64_t since_ns; /* the phase began */
	struct pulse pulse;
	struct udp_marks marks;
	uint64_t lost_ns; /* when a stream was found lost; 0: none */
	bool had_enough;  /* sender: the receiver said so */
	bool is_closed[REQUEST_STREAMS_MAX];
	struct report_ports ports[REQUEST_STREAMS_MAX];
	struct tally tally;
	struct tally_interval interval; /* the last one; here because of its size */
	struct platform_load load;
};

/* What the measurement works with; all of it must outlive it. */
struct measurement_parts {
	const struct request *request;
	const int *fds;          /* blocking, connected, of all streams */
	struct streams *streams; /* open, at the gate */
	struct platform_watch *watch;
	struct probe *probe; /* to be ended before measurement_report() */
	struct output *out;
	const int *data_fds; /* for datagrams; NULL: fds are for all */
};

void measurement_start(struct measurement *m, const struct measurement_parts *parts, uint32_t id);

size_t measurement_poll(const struct measurement *m,
                        struct pollfd *fds); /* at most MEASUREMENT_POLL_MAX */
uint64_t measurement_due_ns(const struct measurement *m) NODISCARD;

/* Does what is due. False when the test failed. In phase MEASUREMENT_OVER the
 * figures are complete: streams may be closed, then measurement_report(). */
bool measurement_step(struct measurement *m, uint64_t now_ns, struct failure *f) NODISCARD;

/* Sends stream..., datagrams..., latency..., counter..., result, done. */
void measurement_report(const struct measurement *m);

#endif
