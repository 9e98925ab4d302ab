/* SPDX-License-Identifier: MIT */
#include "measure/pulse.h"

#include <inttypes.h>

#include "common/clock.h"
#include "platform/platform.h"

/* The first looks are early, so that a fast path need not wait for its large
 * calls; each pause is twice the one before. */
#define FIRST_LOOK_MS 5u
#define LOOK_MS       250u

void pulse_start(struct pulse *p, uint64_t go_ns)
{
	*p = (struct pulse){.go_ns = go_ns,
	                    .looked_ns = go_ns,
	                    .progress_ns = go_ns,
	                    .look_step_ns = FIRST_LOOK_MS * CLOCK_NS_PER_MS,
	                    .look_ns = go_ns + FIRST_LOOK_MS * CLOCK_NS_PER_MS};
}

/* Payload that the other ends have confirmed. A call that lasts for seconds does
 * not move our counter, so before a sender calls itself stalled it asks this. */
static uint64_t acked_bytes(const struct streams *streams)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < streams->count; i++) {
		struct platform_tcp_info info;

		platform_tcp_info(streams->stream[i].fd, &info);
		if (info.acked_bytes != PLATFORM_UNKNOWN)
			sum += info.acked_bytes;
	}
	return sum;
}

void pulse_look(struct pulse *p, struct streams *streams, uint64_t now_ns)
{
	uint64_t bytes = streams_bytes_all(streams);
	uint64_t moved = streams_moved_all(streams);
	uint64_t acked = p->looked_acked;
	uint64_t passed_us = (now_ns - p->looked_ns) / 1000;
	uint64_t wanted_ns;

	if (now_ns < p->look_ns || passed_us == 0)
		return;
	if (moved == p->looked_moved && streams->side == REQUEST_SEND)
		acked = acked_bytes(streams);
	if (moved != p->looked_moved || acked != p->looked_acked)
		p->progress_ns = now_ns;
	wanted_ns = streams_adapt(streams, now_ns,
	                          (bytes - p->looked_bytes) * 1000000 / passed_us / streams->count);
	p->looked_ns = now_ns;
	p->looked_bytes = bytes;
	p->looked_moved = moved;
	p->looked_acked = acked;
	p->look_step_ns *= 2;
	if (p->look_step_ns > LOOK_MS * CLOCK_NS_PER_MS)
		p->look_step_ns = LOOK_MS * CLOCK_NS_PER_MS;
	p->look_ns = now_ns + p->look_step_ns;
	if (wanted_ns > now_ns && wanted_ns < p->look_ns)
		p->look_ns = wanted_ns;
}

void pulse_restart(struct pulse *p, uint64_t now_ns)
{
	p->progress_ns = now_ns;
}

uint64_t pulse_silence_ns(const struct pulse *p, uint64_t now_ns)
{
	return now_ns - p->progress_ns;
}

bool pulse_has_stalled(const struct pulse *p, uint64_t now_ns)
{
	return pulse_silence_ns(p, now_ns) >= PULSE_STALL_MS * CLOCK_NS_PER_MS;
}

bool pulse_fail(const struct pulse *p, struct failure *f)
{
	return failure_set(f, FAILURE_STALLED,
	                   "no byte for %u s: %" PRIu64 " bytes in the %" PRIu64
	                   " ms since go before that",
	                   PULSE_STALL_MS / 1000, p->looked_bytes,
	                   (p->progress_ns - p->go_ns) / CLOCK_NS_PER_MS);
}
