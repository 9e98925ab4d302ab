/* SPDX-License-Identifier: MIT */
/*
 * listener.h - the end of a test that is connected to.
 *
 * Takes exactly the connections that bring the test's token: one a stream, and
 * the round-trip probe, which it echoes until the owner takes it. Whoever else connects is a stranger: a
 * few at a time, none for longer than LISTENER_STRANGER_MS, none answered.
 * Never blocks; the owner polls and calls listener_step().
 */
#ifndef AGENT_MEASURE_LISTENER_H
#define AGENT_MEASURE_LISTENER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/wire/preamble.h"
#include "measure/failure.h"
#include "measure/lost.h"
#include "measure/request.h"

#define LISTENER_PENDING_MAX 64u /* connections whose preamble is not whole; the oldest gives way */
#define LISTENER_POLL_MAX    (LISTENER_PENDING_MAX + 2)
#define LISTENER_STRANGER_MS 2000u

struct listener_pending {
	int fd; /* -1: free */
	uint64_t until_ns;
	size_t got;
	unsigned char bytes[PREAMBLE_BYTES];
};

struct listener {
	const struct request *request;
	int *fds;      /* the owner's: a stream's socket goes here and is the owner's then */
	int *data_fds; /* the same for those of datagrams */
	int fd;        /* -1: closed */
	int probe_fd;
	bool had_probe;
	uint16_t port;
	uint32_t connected;
	uint32_t strangers;
	struct listener_pending pending[LISTENER_PENDING_MAX];
};

/* Closed; {0} is not. */
void listener_init(struct listener *l);

/*
 * Listens on a port of the request's range, trying all of them from a random one
 * on. fds and data_fds have room for all streams and are set to -1; the latter stays so
 * for tcp. All arguments must live until listener_close(). Fails with kind port when none is free.
 */
bool listener_open(struct listener *l, const struct request *request, int *fds, int *data_fds,
                   struct failure *f) NODISCARD;

/* What to wait for; returns the number, at most LISTENER_POLL_MAX. */
size_t listener_poll(const struct listener *l, struct pollfd *fds);
uint64_t listener_due_ns(const struct listener *l) NODISCARD; /* UINT64_MAX: nothing */

/* Does what can be done without waiting. */
bool listener_step(struct listener *l, uint64_t now_ns, struct failure *f) NODISCARD;

/* All streams are connected, and the probe if there is one. */
bool listener_is_complete(const struct listener *l);

/* The probe's socket, which is the caller's then; -1: there is none, or it has ended. */
int listener_take_probe(struct listener *l);

/* The streams that have not come. */
void listener_missing(const struct listener *l, struct lost *out);

/* Closes the port, the probe and the strangers; not the streams. */
void listener_close(struct listener *l);

#endif
