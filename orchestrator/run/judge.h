/* SPDX-License-Identifier: MIT */
/*
 * judge.h - does a finished test count? Pure: no clock, no messages.
 *
 * The rules are those of the validity list: what was sent was taken or is known to be
 * lost, every stream told its result, the measured time as asked, not above the line rate
 * or the rate asked for, every option as asked, the bytes on the NIC that was meant and
 * little else there. Of a bidirectional cell both directions must stand.
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
/* Below this the start of the streams weighs more than their pace: told where bytes end a test. */
#define JUDGE_SHORT_S 0.1
/* The rate may differ by this much from the one asked for, and by one burst a stream. */
#define JUDGE_RATE_OFF_PCT_MAX 5.0
#define JUDGE_BURST_BYTES      65536.0
/* Datagrams of a stream that may come behind others and behind the end of the measured time. */
#define JUDGE_LATE_MAX 1000u
/* Beyond the bytes asked for, what each stream may have on its way when they are reached. */
#define JUDGE_BYTES_BEYOND 4194304.0

/* The NIC's own counters may be this far below the test's bytes, and above what headers explain. */
#define JUDGE_NIC_BELOW 0.03
#define JUDGE_NIC_ABOVE 0.02
/* What may pass besides: ARP, and our own session where it uses the same NIC. */
#define JUDGE_NIC_BESIDE_BYTES_PER_S 200000.0
/* Reckoned with where the MTU is not known: its headers weigh most. */
#define JUDGE_MTU_LEAST 576.0

/* Of the cell's src [0] and dst [1]; for the remedy of a clamped window. RESULT_UNKNOWN. */
struct judge_limits {
	int64_t wmem_max[2], rmem_max[2];
	int64_t mtu_bytes; /* of the path's smaller NIC */
};

struct judge_verdict {
	bool retry;        /* measuring again may help */
	char warning[192]; /* of a test that counts: what to think of; "" = nothing */
};

/* Fills *out as figures_take() does, then sets its status and reason. */
void judge_test(const struct measure *m, const struct judge_limits *limits, struct arena *arena,
                struct test_result *out, struct judge_verdict *verdict);

#endif
