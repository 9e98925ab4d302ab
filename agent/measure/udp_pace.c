/* SPDX-License-Identifier: MIT */
#include "measure/udp_pace.h"

#include "common/clock.h"

static uint64_t catch_up_ns(uint64_t rate_bps)
{
	uint64_t burst_ns = UDP_PACE_BURST_BYTES * 8 * CLOCK_NS_PER_S / rate_bps;
	uint64_t least_ns = UDP_PACE_CATCH_UP_MS * CLOCK_NS_PER_MS;

	return burst_ns > least_ns ? burst_ns : least_ns;
}

void udp_pace_start(struct udp_pace *p, uint64_t rate_bps, uint64_t now_ns)
{
	*p = (struct udp_pace){.rate_bps = rate_bps,
	                       .catch_up_ns = rate_bps == 0 ? 0 : catch_up_ns(rate_bps),
	                       .next_ns = now_ns};
}

uint64_t udp_pace_due_ns(struct udp_pace *p, uint64_t now_ns)
{
	if (p->rate_bps == 0)
		return now_ns;
	if (now_ns > p->next_ns && now_ns - p->next_ns > p->catch_up_ns)
		p->next_ns = now_ns - p->catch_up_ns;
	return p->next_ns;
}

void udp_pace_spend(struct udp_pace *p, uint64_t bytes)
{
	uint64_t due = bytes * 8 * CLOCK_NS_PER_S + p->rest;

	if (p->rate_bps == 0)
		return;
	p->next_ns += due / p->rate_bps;
	p->rest = due % p->rate_bps;
}

unsigned udp_pace_batch(uint64_t rate_bps, uint64_t datagram_bytes, unsigned most)
{
	uint64_t n = rate_bps / (1000000 / UDP_PACE_BATCH_US) / (datagram_bytes * 8);

	if (rate_bps == 0 || n > most)
		return most;
	return n > 0 ? (unsigned)n : 1;
}
