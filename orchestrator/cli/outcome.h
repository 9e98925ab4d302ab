/* SPDX-License-Identifier: MIT */
/* outcome.h - a test that ended in a few words, for the screen of a run. */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "common/text.h"
#include "plan/plan.h"
#include "run/result.h"

/* A rate of the test's payload: "9.41 Gbit/s", of mode rr "41000 transactions/s". NAN: "-". */
void outcome_add_rate(struct text *out, const struct plan_config *config, double bps);

/* The figures of a test that is ok: "9.13 / 8.95 Gbit/s", "499 Mbit/s, 0.15 % lost",
 * "41000 transactions/s, p50 23.5 us, p99 61 us". */
void outcome_add(struct text *out, const struct plan_config *config,
                 const struct test_result *test);

#endif
