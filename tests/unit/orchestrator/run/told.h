/* SPDX-License-Identifier: MIT */
/*
 * told.h - what both ends of a finished test told, as plain data, for the tests
 * of figures.c and judge.c.
 */
#ifndef TESTS_UNIT_RUN_TOLD_H
#define TESTS_UNIT_RUN_TOLD_H

#include <math.h>

#include "run/judge.h"
#include "tests/unit/orchestrator/run/lab.h"

#define TOLD_SAMPLES_MAX 16
#define TOLD_FEW_MAX     4

/* What an end's lists point to. */
struct told_lists {
	struct msg_sample samples[TOLD_SAMPLES_MAX];
	struct msg_stream streams[TOLD_FEW_MAX];
	struct msg_counter counters[TOLD_FEW_MAX];
	struct msg_datagrams datagrams[TOLD_FEW_MAX];
	struct msg_latency latencies[TOLD_FEW_MAX];
	struct msg_trouble troubles[TOLD_FEW_MAX];
};

struct told {
	struct lab lab;
	struct measure measure;
	struct plan_config *config; /* of the cell a to b */
	struct told_lists lists[MEASURE_FLOWS][MEASURE_ENDS];
};

/*
 * A good test of two streams for one second: three intervals, the first omitted, 120 Mbit/s,
 * 40,000,000 bytes in all, 42,000,000 at b's NIC.
 */
void told_fill(struct told *t);
/* The same, and back at the same time. */
void told_fill_both(struct told *t);
struct measure_end *told_end(struct told *t, size_t flow, enum measure_end_index end);

/* Adds a line to an end's list, its fields unknown. */
struct msg_counter *told_counter(struct measure_end *e, const char *name, uint64_t delta);
struct msg_datagrams *told_datagrams(struct measure_end *e, uint32_t stream, uint64_t count);
struct msg_latency *told_latency(struct measure_end *e, const char *kind, uint64_t count);
void told_trouble(struct measure_end *e, uint32_t stream, const char *reason);

/* The test's figures and what becomes of it; lists in `arena`. MTU 1500, limits unknown. */
struct judge_verdict told_judge(struct told *t, struct arena *arena, struct test_result *out);
/* The same, only what becomes of it. */
struct judge_verdict told_verdict(struct told *t, struct test_result *out);

#define NEAR(a, b) assert_true(fabs((a) - (double)(b)) <= 1e-9 * fabs((double)(b)) + 1e-12)

#endif
