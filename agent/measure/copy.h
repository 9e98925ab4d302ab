/* SPDX-License-Identifier: MIT */
/*
 * copy.h - from user memory to user memory, as applications do it.
 *
 * A call moves several slices that are all the same piece of memory: large calls, and a buffer
 * that stays in the core's cache. How many and how large is tried (trial.h).
 */
#ifndef AGENT_MEASURE_COPY_H
#define AGENT_MEASURE_COPY_H

#include "measure/mover.h"

#define COPY_SLICES_MAX  64u
#define COPY_SLICE_BYTES (UINT64_C(16) * 1024)
#define COPY_CALL_BYTES  (COPY_SLICES_MAX * COPY_SLICE_BYTES)

/* On a slow path a call must not last longer than about this. */
#define COPY_CALL_MS 10u

/* What a sender's socket takes beyond what TCP may send at once. Without this a writer fills the
 * whole send buffer and sleeps, and meanwhile what it has left is sent from the core on which
 * confirmations arrive, at the same time as from its own: packets overtake each other, and TCP
 * takes that for loss. */
#define COPY_UNSENT_BYTES (UINT32_C(256) * 1024)

extern const struct mover copy_sender;
extern const struct mover copy_receiver;

#endif
