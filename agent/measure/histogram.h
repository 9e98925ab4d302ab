/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - round trips sorted by their length, in memory that does not grow.
 *
 * Below 256 ns each length has a bucket of its own; from there on each power of
 * two is divided into 128, so that a bucket is at most 1/128 (0.8 %) as wide as
 * the lengths in it. A percentile is told as the upper end of its bucket: never
 * below the true one, and at most 0.8 % above it. Count, least, greatest and
 * mean are exact. No locks: one thread adds, and nobody reads meanwhile.
 */
#ifndef AGENT_MEASURE_HISTOGRAM_H
#define AGENT_MEASURE_HISTOGRAM_H

#include <stdint.h>

#include "common/attr.h"

#define HISTOGRAM_PARTS_BITS 7
#define HISTOGRAM_PARTS      (1u << HISTOGRAM_PARTS_BITS) /* of a power of two */
#define HISTOGRAM_TOP_BITS   34 /* 17 s: longer than a test waits for any byte */
#define HISTOGRAM_BUCKETS    ((HISTOGRAM_TOP_BITS - HISTOGRAM_PARTS_BITS + 1) * HISTOGRAM_PARTS)

struct histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns; /* UINT64_MAX while count is 0 */
	uint64_t max_ns;
	uint64_t bucket[HISTOGRAM_BUCKETS]; /* what is longer than the last goes there, too */
};

/* Empties it, and touches all of its memory. */
void histogram_init(struct histogram *h);

void histogram_add(struct histogram *h, uint64_t ns);

/* Adds all that is in `from`. */
void histogram_merge(struct histogram *h, const struct histogram *from);

/* Both of a histogram that is not empty. */
uint64_t histogram_mean_ns(const struct histogram *h) NODISCARD;
/* The length that so many thousandths of the round trips did not exceed; 1 to 1000. */
uint64_t histogram_percentile_ns(const struct histogram *h, uint32_t permille) NODISCARD;

#endif
