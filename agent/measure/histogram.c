/* SPDX-License-Identifier: MIT */
#include "measure/histogram.h"

#include <string.h>

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = UINT64_MAX;
}

/* The power of two at and above which a length is cut by so many bits. */
static unsigned shift_of(uint64_t ns)
{
	unsigned shift = 0;

	while (ns >> shift >= 2 * HISTOGRAM_PARTS)
		shift++;
	return shift;
}

static unsigned bucket_of(uint64_t ns)
{
	unsigned shift = shift_of(ns);
	uint64_t bucket = shift * HISTOGRAM_PARTS + (ns >> shift);

	return bucket < HISTOGRAM_BUCKETS ? (unsigned)bucket : HISTOGRAM_BUCKETS - 1;
}

/* The greatest length that belongs to the bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned shift = bucket < HISTOGRAM_PARTS ? 0 : bucket / HISTOGRAM_PARTS - 1;
	uint64_t part = bucket - shift * HISTOGRAM_PARTS;

	return ((part + 1) << shift) - 1;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	h->count++;
	h->sum_ns += ns;
	if (ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->bucket[bucket_of(ns)]++;
}

void histogram_merge(struct histogram *h, const struct histogram *from)
{
	h->count += from->count;
	h->sum_ns += from->sum_ns;
	if (from->min_ns < h->min_ns)
		h->min_ns = from->min_ns;
	if (from->max_ns > h->max_ns)
		h->max_ns = from->max_ns;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		h->bucket[i] += from->bucket[i];
}

uint64_t histogram_mean_ns(const struct histogram *h)
{
	return h->sum_ns / h->count;
}

uint64_t histogram_percentile_ns(const struct histogram *h, uint32_t permille)
{
	uint64_t wanted = (h->count * permille + 999) / 1000; /* so many, at least */
	uint64_t seen = 0;
	unsigned bucket = 0;

	while (bucket < HISTOGRAM_BUCKETS - 1) {
		seen += h->bucket[bucket];
		if (seen >= wanted)
			break;
		bucket++;
	}
	/* Nothing is longer than the longest, which is exact, nor does the last bucket have an end. */
	if (bucket == HISTOGRAM_BUCKETS - 1 || bucket_end(bucket) > h->max_ns)
		return h->max_ns;
	return bucket_end(bucket);
}
