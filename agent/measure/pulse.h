/* SPDX-License-Identifier: MIT */
/*
 * pulse.h - looks now and then whether bytes still move, and how fast: to notice
 * a stall, and to let the mover size its calls.
 */
#ifndef AGENT_MEASURE_PULSE_H
#define AGENT_MEASURE_PULSE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/streams.h"

#define PULSE_STALL_MS 3000u /* without any byte: stalled */

struct pulse {
	uint64_t go_ns;
	uint64_t look_ns;      /* when to look next */
	uint64_t look_step_ns; /* and how long after that again */
	uint64_t looked_ns;    /* last look, and what was seen then */
	uint64_t looked_bytes;
	uint64_t looked_moved;
	uint64_t looked_acked;
	uint64_t progress_ns; /* the last look at which a byte had moved */
};

void pulse_start(struct pulse *p, uint64_t go_ns);

/* Looks when a look is due. */
void pulse_look(struct pulse *p, struct streams *streams, uint64_t now_ns);

/* What comes now has its full time again. */
void pulse_restart(struct pulse *p, uint64_t now_ns);

/* How long no byte has been seen to move. */
uint64_t pulse_silence_ns(const struct pulse *p, uint64_t now_ns);

bool pulse_has_stalled(const struct pulse *p, uint64_t now_ns);

/* Says so, and what moved before. Returns false. */
bool pulse_fail(const struct pulse *p, struct failure *f);

#endif
