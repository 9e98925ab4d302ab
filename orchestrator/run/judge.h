/* SPDX-License-Identifier: MIT */
/*
 * judge.h - does a finished test count? Pure: no clock, no messages.
 *
 * The rules are those of the validity list: bytes sent equal bytes taken, every
 * stream told its result, the measured time as asked, not above the line rate,
 * the window as asked, the bytes on the NIC that was meant and little else there.
 */
#ifndef RUN_JUDGE_H
#define RUN_JUDGE_H

#include "common/arena.h"
#include "run/measure.h"
#include "run/result.h"

/* Throughput above this share of the line rate is a measurement error. */
#define JUDGE_LINE_RATE_PCT_MAX 100.5
/* The measured time may differ from the one asked for by this much. */
#define JUDGE_DURATION_OFF_PCT_MAX 5.0

/* The NIC's own counters may be this far below the test's bytes, and above what headers explain. */
#define JUDGE_NIC_BELOW 0.03
#define JUDGE_NIC_ABOVE 0.02
/* What may pass besides: ARP, and our own session where it uses the same NIC. */
#define JUDGE_NIC_BESIDE_BYTES_PER_S 200000.0
/* Reckoned with where the MTU is not known: its headers weigh most. */
#define JUDGE_MTU_LEAST 576.0

struct judge_limits {
	int64_t src_wmem_max, dst_rmem_max; /* for the remedy of a clamped window; RESULT_UNKNOWN */
	int64_t mtu_bytes;                  /* of the path's smaller NIC; RESULT_UNKNOWN */
};

/*
 * Fills *out as figures_take() does, then sets its status and reason. `*retry`
 * tells whether measuring again may help.
 */
void judge_test(const struct measure *m, const struct judge_limits *limits, struct arena *arena,
                struct test_result *out, bool *retry);

#endif
