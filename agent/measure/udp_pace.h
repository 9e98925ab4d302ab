/* SPDX-License-Identifier: MIT */
/*
 * udp_pace.h - when a sender's next datagrams are due.
 *
 * Pure bookkeeping in absolute time: a batch that went late does not push the
 * later ones, so the rate holds. After a stall only UDP_PACE_BURST_BYTES are made up
 * for, or the last UDP_PACE_CATCH_UP_MS where that is more: a greater burst would not find
 * room on its way. The rest is not sent, and the rate that is told is lower.
 */
#ifndef AGENT_MEASURE_UDP_PACE_H
#define AGENT_MEASURE_UDP_PACE_H

#include <stdint.h>

#define UDP_PACE_BATCH_US    100u /* a batch has at most this much of the rate */
#define UDP_PACE_CATCH_UP_MS 10u
#define UDP_PACE_BURST_BYTES UINT64_C(262144)

struct udp_pace {
	uint64_t rate_bps; /* of payload; 0: no limit */
	uint64_t catch_up_ns;
	uint64_t next_ns;
	uint64_t rest; /* of the last division */
};

void udp_pace_start(struct udp_pace *p, uint64_t rate_bps, uint64_t now_ns);

/* When the next batch may go; not after now_ns: at once. */
uint64_t udp_pace_due_ns(struct udp_pace *p, uint64_t now_ns);

/* So much went; at most 64 MiB. */
void udp_pace_spend(struct udp_pace *p, uint64_t bytes);

/* Datagrams of this size in a batch, from 1 to most. */
unsigned udp_pace_batch(uint64_t rate_bps, uint64_t datagram_bytes, unsigned most);

#endif
