/* SPDX-License-Identifier: MIT */
/*
 * figures_parts.h - the lists of a test's figures, and what all figures.c files
 * share: from the protocol's unknowns to those of result.h. Only for figures*.c.
 */
#ifndef RUN_FIGURES_PARTS_H
#define RUN_FIGURES_PARTS_H

#include "run/figures.h"

#define FIGURES_NS_PER_S 1e9

int64_t figures_known64(uint64_t v);
int64_t figures_known32(uint32_t v);
double figures_real32(uint32_t v, double scale); /* v x scale, or NAN */
double figures_real64(uint64_t v, double scale);
double figures_rate_bps(uint64_t bytes, uint64_t ns); /* NAN when ns is 0 */

/* Each joins both ends of every flow into one list of *r, in `arena`. */
void figures_list_streams(const struct measure *m, struct arena *arena, struct test_result *r);
void figures_list_intervals(const struct measure *m, struct arena *arena, struct test_result *r);
void figures_list_troubles(const struct measure *m, struct arena *arena, struct test_result *r);
void figures_list_counters(const struct measure *m, struct arena *arena, struct test_result *r);

#endif
