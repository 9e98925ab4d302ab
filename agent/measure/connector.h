/* SPDX-License-Identifier: MIT */
/*
 * connector.h - the end of a test that connects.
 *
 * First, when asked for, a connection of its own for round-trip probes while
 * nothing else moves, which stays open when there are to be some under load; then the streams, a few at a time. Each brings the test's
 * token and is done when the listener said yes. Never blocks; the owner polls
 * and calls connector_step(). All of it ends within CONNECTOR_DEADLINE_MS.
 */
#ifndef AGENT_MEASURE_CONNECTOR_H
#define AGENT_MEASURE_CONNECTOR_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/lost.h"
#include "measure/request.h"

#define CONNECTOR_DEADLINE_MS 5000u
#define CONNECTOR_ACTIVE_MAX  16u   /* at a time: a short backlog must not drop any */
#define CONNECTOR_PROBES_MS   1000u /* for all probes; on a long path fewer are made */
#define CONNECTOR_POLL_MAX    CONNECTOR_ACTIVE_MAX

enum connector_phase {
	CONNECTOR_TO_CONNECT,
	CONNECTOR_CONNECTING,
	CONNECTOR_GREETING, /* sent the preamble, waits for the yes */
	CONNECTOR_READY
};

struct connector {
	const struct request *request;
	int *fds;            /* the owner's: a stream's socket is there from its first moment on */
	int *data_fds;       /* the same for those of datagrams */
	uint32_t tries_left; /* when the port of a connection is taken for datagrams */
	uint64_t until_ns;
	enum connector_phase phase[REQUEST_STREAMS_MAX];
	int probe_fd; /* -1: none, done, or taken */
	enum connector_phase probe_phase;
	uint32_t probes_left;
	uint64_t probe_sent_ns; /* 0: no probe is under way */
	uint64_t probes_until_ns;
	uint64_t rtt_least_ns; /* UINT64_MAX: not known */
	uint32_t failed;       /* the stream that failed by itself; 0: none */
};

/* Nothing open; {0} is not. */
void connector_init(struct connector *c);

/* Begins. fds and data_fds have room for all streams and are set to -1; the latter stays so for
 * tcp. All must live until connector_close(). */
void connector_start(struct connector *c, const struct request *request, int *fds, int *data_fds,
                     uint64_t now_ns);

size_t connector_poll(const struct connector *c,
                      struct pollfd *fds); /* at most CONNECTOR_POLL_MAX */
uint64_t connector_due_ns(const struct connector *c) NODISCARD;

/* Does what can be done without waiting. Fails with kind refused, timeout or
 * system, and names the listener. */
bool connector_step(struct connector *c, uint64_t now_ns, struct failure *f) NODISCARD;

bool connector_is_complete(const struct connector *c);

/* The probe's socket, which is the caller's then; -1: there is none. */
int connector_take_probe(struct connector *c);

/* After a failure: the stream that failed, for the reason given; after a timeout the streams
 * that are not connected, and how far each is, but none where no stream is: f tells then. */
void connector_missing(const struct connector *c, const struct failure *f, struct lost *out);

/* Closes the probe; not the streams. */
void connector_close(struct connector *c);

#endif
