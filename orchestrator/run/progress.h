/* SPDX-License-Identifier: MIT */
/*
 * progress.h - what a running plan tells the user interface, as it happens.
 *
 * Called from the thread that runs the plan; a callback must return quickly and
 * must not call back into run. Any pointer may be NULL: then nothing is told.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdint.h>

#include "link/link.h"
#include "plan/plan.h"
#include "run/result.h"

struct run_counts {
	size_t tests_done, tests_total; /* tests that this call of run_plan() has to do */
	size_t failed, invalid;         /* tests that did not end well, retried or not */
	uint64_t elapsed_ms, left_ms;   /* left: an estimate */
	uint32_t block, blocks;
};

struct run_progress {
	void *ctx;
	void (*host_up)(void *ctx, size_t host, const struct link_info *info);
	void (*host_down)(void *ctx, size_t host, const struct err *why, bool will_retry);
	void (*test_begin)(void *ctx, const struct plan_slot *slot,
	                   const struct run_counts *counts);
	/* seconds into the measured time (below 0: still omitting); throughput of the last interval */
	void (*test_sample)(void *ctx, const struct plan_slot *slot, double at_s, double bps);
	void (*test_end)(void *ctx, const struct plan_slot *slot, const struct test_result *test,
	                 bool will_retry, const struct run_counts *counts);
	/* of a cell whose tests count: what to think of, once in a run */
	void (*warned)(void *ctx, const char *text);
	void (*stopping)(void *ctx, unsigned level); /* 1: after the running tests, 2: at once */
};

#endif
