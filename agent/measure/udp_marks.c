/* SPDX-License-Identifier: MIT */
#include "measure/udp_marks.h"

#include <string.h>

void udp_marks_start(struct udp_marks *m)
{
	memset(m, 0, sizeof(*m));
}

void udp_marks_cut(struct udp_marks *m, const struct streams *streams,
                   const struct sampler_cut *cut)
{
	for (uint32_t i = 0; i < streams->count; i++) {
		if (cut->opens)
			udp_read(streams, i, &m->opened[i]);
		if (cut->closes)
			udp_read(streams, i, &m->closed[i]);
	}
}

/* What was lost before may have come late after all: then there is less than nothing. */
static uint64_t since(uint64_t after, uint64_t before)
{
	if (after == PLATFORM_UNKNOWN)
		return after;
	return after > before ? after - before : 0;
}

static void measure(const struct udp_marks *m, uint32_t index, struct udp_reading *out)
{
	const struct udp_reading *opened = &m->opened[index];
	const struct udp_reading *closed = &m->closed[index];

	out->count = since(closed->count, opened->count);
	out->lost = since(closed->lost, opened->lost);
	out->reordered = since(closed->reordered, opened->reordered);
	out->duplicates = since(closed->duplicates, opened->duplicates);
	out->no_room = since(closed->no_room, opened->no_room);
	out->jitter_ns = closed->jitter_ns; /* it has a memory of its own: 16 datagrams */
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = value == PLATFORM_UNKNOWN ? value : *sum + value;
}

void udp_marks_measured(const struct udp_marks *m, const struct streams *streams, uint32_t index,
                        struct udp_reading *out)
{
	struct udp_reading one;

	if (index < streams->count) {
		measure(m, index, out);
		return;
	}
	*out = (struct udp_reading){0};
	for (uint32_t i = 0; i < streams->count; i++) {
		measure(m, i, &one);
		add(&out->count, one.count);
		add(&out->lost, one.lost);
		add(&out->reordered, one.reordered);
		add(&out->duplicates, one.duplicates);
		add(&out->no_room, one.no_room);
		add(&out->jitter_ns, one.jitter_ns);
	}
	if (out->jitter_ns != PLATFORM_UNKNOWN && streams->count > 0)
		out->jitter_ns /= streams->count;
}
