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
#include "remote/wait.h"

#define RESOLVE_MAX 8

struct resolved {
	size_t count; /* at least 1 */
	struct {
		struct sockaddr_storage address; /* port included */
		socklen_t len;
	} at[RESOLVE_MAX]; /* in the order of preference (RFC 6724) */
};

/* family is AF_UNSPEC, AF_INET or AF_INET6. False when there is no address, at the deadline
 * (ERR_TIMEOUT), or when woken (ERR_CANCELLED). */
bool resolve(const char *address, uint32_t port, int family, const struct wait_limit *limit,
             struct resolved *out, struct err *err) NODISCARD;

#endif
