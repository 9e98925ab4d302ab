/* SPDX-License-Identifier: MIT */
/*
 * udp_marks.h - what the streams of datagrams had come to where the measured time
 * opened and where it closed.
 */
#ifndef AGENT_MEASURE_UDP_MARKS_H
#define AGENT_MEASURE_UDP_MARKS_H

#include "measure/request.h"
#include "measure/sampler.h"
#include "measure/streams.h"
#include "measure/udp.h"

struct udp_marks {
	struct udp_reading opened[REQUEST_STREAMS_MAX];
	struct udp_reading closed[REQUEST_STREAMS_MAX];
};

/* Opened at 0, until a reading says otherwise. */
void udp_marks_start(struct udp_marks *m);

/* Control thread, when the counters were read: notes them where this was a mark. */
void udp_marks_cut(struct udp_marks *m, const struct streams *streams,
                   const struct sampler_cut *cut);

/* One stream in the measured time; index streams->count: all of them, with the mean of the jitter.
 * Unknown numbers are PLATFORM_UNKNOWN. */
void udp_marks_measured(const struct udp_marks *m, const struct streams *streams, uint32_t index,
                        struct udp_reading *out);

#endif
