/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - when a test's counters are read, and which interval a reading ends.
 *
 * Pure bookkeeping: no clock, no I/O; the caller brings the time. All times are
 * ns after the test's t0. The grid is absolute, so one late reading does not
 * push the later ones; an interval ends when it was read, not when it should
 * have been, so bytes over its length is a true rate. A reading that comes later
 * than a whole interval yields one long interval.
 *
 * The measured time starts with the first reading at or after omit_ns (with
 * omit_ns 0 at 0 exactly) and ends with the first one duration_ns after that, or
 * before by sampler_finish().
 */
#ifndef AGENT_MEASURE_SAMPLER_H
#define AGENT_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

#define SAMPLER_NEVER UINT64_MAX

struct sampler {
	uint64_t omit_ns;
	uint64_t duration_ns;
	uint64_t interval_ns;
	uint64_t last_ns;   /* end of the last interval */
	uint64_t opened_ns; /* true start of the measured time; SAMPLER_NEVER before */
	uint64_t closed_ns; /* its true end; SAMPLER_NEVER before */
};

struct sampler_cut {
	uint64_t start_ns;
	uint64_t end_ns;
	bool is_omitted; /* lies before the measured time */
	bool opens;      /* the measured time starts at its end */
	bool closes;     /* the measured time ends with it */
};

/* duration_ns and interval_ns are not 0. */
void sampler_init(struct sampler *s, uint64_t omit_ns, uint64_t duration_ns, uint64_t interval_ns);

/* When the next reading is due; SAMPLER_NEVER when the measured time is over. */
uint64_t sampler_due_ns(const struct sampler *s) NODISCARD;

/* The counters were read at at_ns, which must not go back: the interval that
 * this ends. Not to be called when the measured time is over. */
struct sampler_cut sampler_cut(struct sampler *s, uint64_t at_ns);

/* What is measured was over at at_ns, be it that the counters have been read since: the
 * interval that this ends, which may be empty. Only while the measured time runs. */
struct sampler_cut sampler_finish(struct sampler *s, uint64_t at_ns);

#endif
