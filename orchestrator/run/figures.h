/* SPDX-License-Identifier: MIT */
/*
 * figures.h - from what both agents said to the figures of a test. Pure.
 *
 * Each figure comes from the end that knows it: throughput, losses and jitter
 * from the receiver, retransmits, congestion window and loaded round trip from
 * the sender, transactions from the end that asks, the base round trip from
 * whoever connected. What no end told stays unknown.
 */
#ifndef RUN_FIGURES_H
#define RUN_FIGURES_H

#include "common/arena.h"
#include "run/measure.h"
#include "run/result.h"

/*
 * Fills *out (lists in `arena`; texts borrowed from `m`) with status
 * TEST_OK, except replicate, block, round, seq, attempt and concurrent_tests.
 * mtu_bytes is that of the path's smaller NIC, RESULT_UNKNOWN when not known.
 */
void figures_take(const struct measure *m, int64_t mtu_bytes, struct arena *arena,
                  struct test_result *out);

/* How far a counter of this end went; RESULT_UNKNOWN when it did not tell. */
int64_t figures_counter(const struct measure_end *e, const char *name);

/* What this end told of the datagrams of a stream (0: of all), NULL when it did not. */
const struct msg_datagrams *figures_datagrams(const struct measure_end *e, uint32_t stream);

/* How the end moved bytes, "writev 64x16K", as told at its end, else at its start; "" = not told. */
const char *figures_method(const struct measure_end *e);

#endif
