/* SPDX-License-Identifier: MIT */
/* turn.h - something that one thread has at a time; waiting for it can be ended. */
#ifndef REMOTE_TURN_H
#define REMOTE_TURN_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/wait.h"

struct turn {
	int fd; /* an eventfd as a semaphore of one */
};

bool turn_init(struct turn *t, struct err *err) NODISCARD;
void turn_done(struct turn *t);

/* WAIT_READY: it is the caller's, who gives it back. */
enum wait_end turn_take(struct turn *t, const struct wait_limit *limit) NODISCARD;
void turn_give(struct turn *t);

#endif
