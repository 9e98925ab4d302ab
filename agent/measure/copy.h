/* SPDX-License-Identifier: MIT */
/*
 * copy.h - from user memory to user memory, as applications do it.
 *
 * A call moves several slices that are all the same piece of memory: large
 * calls, and a buffer that stays in the core's cache.
 */
#ifndef AGENT_MEASURE_COPY_H
#define AGENT_MEASURE_COPY_H

#include "measure/mover.h"

#define COPY_SLICES_MAX  16u
#define COPY_SLICE_BYTES (UINT64_C(64) * 1024)
#define COPY_CALL_BYTES  (COPY_SLICES_MAX * COPY_SLICE_BYTES)

/* On a slow path a call must not last longer than about this. */
#define COPY_CALL_MS 10u

extern const struct mover copy_sender;
extern const struct mover copy_receiver;

#endif
