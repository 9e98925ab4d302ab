/* SPDX-License-Identifier: MIT */
/*
 * trial.h - which of a few sizes of calls is the best on this path, by measurement.
 *
 * Each is tried several times in turn, for the same length of time, before the measured time
 * begins; the medians decide. The smallest call that is as good as the best one wins: on a path
 * that is limited by a link all are. The two ends of a test try at different times, each while
 * the other keeps still: the sender in the second quarter of the omitted time, the receiver in
 * the third. Where there is not enough of it nothing is tried.
 */
#ifndef AGENT_MEASURE_TRIAL_H
#define AGENT_MEASURE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/request.h"

#define TRIAL_CASES_MAX 4u
#define TRIAL_ROUNDS    3u
#define TRIAL_STEP_MS   10u /* at least for each turn; at most */
#define TRIAL_STEP_MAX  40u

/* What is this much worse than the best is as good. */
#define TRIAL_SAME_PERMILLE 30u

struct trial {
	unsigned cases;
	unsigned best; /* the case to use, from 0: the usual one until a trial has found another */
	unsigned turn; /* the one that runs, from 1; 0: before the first */
	uint64_t begin_ns; /* of the first turn; UINT64_MAX: no trial (any more) */
	uint64_t step_ns;
	uint64_t rate[TRIAL_CASES_MAX][TRIAL_ROUNDS];
};

/* Cases are numbered from the smallest call to the largest. */
void trial_init(struct trial *t, unsigned cases, unsigned usual);

/* At go. */
void trial_plan(struct trial *t, const struct request *r, uint64_t go_ns);

/* Which case to use from now on. `rate`, in any unit, is what was reached since the last call,
 * which was at the time that it asked for in *next_ns (0: any). */
unsigned trial_step(struct trial *t, uint64_t now_ns, uint64_t rate, uint64_t *next_ns);

/* This path is not one for trials. */
void trial_give_up(struct trial *t);

#endif
