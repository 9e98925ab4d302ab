/* SPDX-License-Identifier: MIT */
/*
 * judge_parts.h - the rules that judge.c asks: each true when it is kept, else
 * with the reason in `r`. Only for judge*.c.
 */
#ifndef RUN_JUDGE_PARTS_H
#define RUN_JUDGE_PARTS_H

#include "run/judge.h"

/* What was asked of the sockets, the threads and the way of moving bytes is what the agents
 * were given: all that is not, with what would mend it. */
bool judge_options(const struct measure *m, const struct judge_limits *limits,
                   struct test_result *r);

/*
 * The NIC named in the topology carried the flow's bytes, and little else. *retry is made false
 * where measuring again cannot help.
 */
bool judge_nic(const struct measure *m, size_t flow, enum measure_end_index end,
               const struct judge_limits *limits, struct test_result *r, bool *retry);

#endif
