/* SPDX-License-Identifier: MIT */
/* wait.h - waiting for a descriptor, with an end. */
#ifndef REMOTE_WAIT_H
#define REMOTE_WAIT_H

#include <stdint.h>

#include "common/attr.h"

/* When waiting ends even so. */
struct wait_limit {
	uint64_t deadline_ns; /* clock_now_ns() */
	int wake_fd;          /* an eventfd that is readable when the caller wants it; -1: none */
};

enum wait_end {
	WAIT_READY,
	WAIT_TIMEOUT,
	WAIT_WOKEN,
	WAIT_FAILED /* errno */
};

/* Waits until fd has one of `events` (poll()) or an error, or until the limit. Does not
 * reset wake_fd. */
enum wait_end wait_for(int fd, short events, const struct wait_limit *limit) NODISCARD;

/* Milliseconds from now until at_ns, rounded up, for poll(): 0 when it is past, at most 1000. */
int wait_ms(uint64_t at_ns) NODISCARD;

#endif
