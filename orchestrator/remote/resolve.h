/* SPDX-License-Identifier: MIT */
/*
 * resolve.h - names to addresses, within a time limit.
 *
 * getaddrinfo() takes as long as the resolver likes and cannot be interrupted, so
 * a name is looked up in a thread of its own that is left behind when the time is
 * up; a numeric address needs none.
 */
#ifndef REMOTE_RESOLVE_H
#define REMOTE_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/attr.h"
#include "common/err.h"

#define RESOLVE_MAX 8

struct resolved {
	size_t count; /* at least 1 */
	struct {
		struct sockaddr_storage address; /* port included */
		socklen_t len;
	} at[RESOLVE_MAX]; /* in the order of preference (RFC 6724) */
};

/* False when there is no address, at the deadline (ERR_TIMEOUT), or when wake_fd (>= 0)
 * becomes readable (ERR_CANCELLED). */
bool resolve(const char *address, uint32_t port, uint64_t deadline_ns, int wake_fd,
             struct resolved *out, struct err *err) NODISCARD;

#endif
