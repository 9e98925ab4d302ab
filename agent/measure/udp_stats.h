/* SPDX-License-Identifier: MIT */
/*
 * udp_stats.h - loss, order, duplicates and jitter of one stream's datagrams.
 *
 * Pure bookkeeping. Sequences count from 1, so what is missing up to the highest
 * one is its number less that of the different ones received. A bitmap of the
 * last UDP_STATS_WINDOW sequences tells late ones from duplicates; what comes
 * later than that is taken for late.
 */
#ifndef AGENT_MEASURE_UDP_STATS_H
#define AGENT_MEASURE_UDP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/udp_header.h"

#define UDP_STATS_WINDOW 65536u /* a power of two; 0.08 s of 10 Gbit/s in datagrams of 1472 bytes */

/* {0} is a good beginning. */
struct udp_stats {
	uint64_t received; /* all, duplicates too */
	uint64_t unique;
	uint64_t highest;
	uint64_t reordered; /* came after a later one */
	uint64_t duplicates;
	uint64_t jitter_16ths_ns;
	uint64_t last_transit_ns;
	uint64_t last_sent_ns;
	uint64_t seen[UDP_STATS_WINDOW / 64];
};

/* One datagram that arrived at now_ns of the receiver's clock; h->sequence is not 0. */
void udp_stats_take(struct udp_stats *s, const struct udp_header *h, uint64_t now_ns);

/* The sender sent so many: the last ones may be missing. */
void udp_stats_end(struct udp_stats *s, uint64_t sent);

/* Falls again when late ones come. */
uint64_t udp_stats_lost(const struct udp_stats *s);

/* RFC 3550 section 6.4.1, in the integer form of appendix A.8, of the datagrams in the order in
 * which they came, without duplicates. Of those that were sent at one moment the first that
 * comes counts: a batch would else look as steady as it is long. The clocks of the two ends
 * need not agree. */
uint64_t udp_stats_jitter_ns(const struct udp_stats *s);

#endif
