/* SPDX-License-Identifier: MIT */
/*
 * zero_copy.h - senders that hand the system the memory's pages, as a file server does, and
 * receivers that let it drop what came: the bytes go through all of TCP on the way in, only the
 * copy into the program is left out.
 *
 * MSG_ZEROCOPY is not among the ways: for memory that never changes splice does the same without
 * a confirmation for each call, and where the system copies after all (between namespaces, on
 * loopback) MSG_ZEROCOPY is the slowest way of all.
 */
#ifndef AGENT_MEASURE_ZERO_COPY_H
#define AGENT_MEASURE_ZERO_COPY_H

#include "measure/mover.h"

/* The best way that works here, tried on sockets of its own; the copying mover where none does. */
const struct mover *zero_copy_sender(void);
const struct mover *zero_copy_receiver(void);

#endif
