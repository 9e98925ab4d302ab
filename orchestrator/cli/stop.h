/* SPDX-License-Identifier: MIT */
/*
 * stop.h - Ctrl-C and its relatives, as a level that a run looks at.
 *
 * Signals belong to the process, so this is the one place with state of its
 * own: stop_install() before the run, stop_remove() after it.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"

/* INT raises the level by one: 1 = finish the running tests, 2 = stop them too. TERM and HUP
 * set it to 2 at once. *wake_fd becomes readable then. */
bool stop_install(int *wake_fd, struct err *err) NODISCARD;
void stop_remove(void);

/* The level, 0 to 2; empties the wake descriptor. `ctx` is not used. */
unsigned stop_level(void *ctx);

/* The level alone; 0 when nothing is installed. For other threads. */
unsigned stop_seen(void);

#endif
