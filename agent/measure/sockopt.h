/* SPDX-License-Identifier: MIT */
/*
 * sockopt.h - socket options: set what a test asks for, read back what the
 * kernel gave.
 */
#ifndef AGENT_MEASURE_SOCKOPT_H
#define AGENT_MEASURE_SOCKOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "platform/platform.h"

struct request;

#define SOCKOPT_UNKNOWN UINT64_MAX

/* All that the test asks of a TCP socket: window, NIC, DSCP, segment size, congestion control,
 * no delay. Before bind, connect and listen. */
bool sockopt_apply(int fd, const struct request *r, struct failure *f) NODISCARD;

/* What of it a socket of any kind has: window, NIC, DSCP. */
bool sockopt_apply_any(int fd, const struct request *r, struct failure *f) NODISCARD;

/* What of it a stream's socket need not have from the one that listened: on some systems it
 * has, on some not. */
bool sockopt_renew(int fd, const struct request *r, struct failure *f) NODISCARD;

/* Asks for a send and a receive buffer of this size; before connect or listen,
 * as the TCP window scale is fixed then. A kernel may give less without a word:
 * read back. Fails where the kernel says no. */
bool sockopt_set_window(int fd, uint64_t bytes, struct failure *f) NODISCARD;

/* No waiting to fill a segment: for the round-trip probes. */
void sockopt_set_nodelay(int fd);

/* Its close() ends the connection at once, by a reset: nothing of it lingers at either end, so
 * that the same ports can be used again. For a stream of which all has been read. */
void sockopt_set_no_linger(int fd);

bool sockopt_set_blocking(int fd, bool blocking, struct failure *f) NODISCARD;

/* True for the errno of a call that could be made again in a moment. (EWOULDBLOCK
 * is the same number as EAGAIN on every system that has an agent.) */
bool sockopt_is_passing(int errnum);

/* What the kernel gave; SOCKOPT_UNKNOWN where it does not tell. */
struct sockopt_granted {
	uint64_t sndbuf_bytes; /* as getsockopt tells it, least of the sockets */
	uint64_t rcvbuf_bytes;
	uint64_t doubling;  /* what a kernel multiplies a buffer's size by: 1 or 2 */
	uint64_t mss_bytes; /* of the first socket, and so are these */
	uint64_t no_delay;  /* 0 or 1 */
	uint64_t dscp;
	char congestion[PLATFORM_NAME_BYTES]; /* "": not known */
};

void sockopt_read(const int *fds, size_t count, struct sockopt_granted *out);

#endif
