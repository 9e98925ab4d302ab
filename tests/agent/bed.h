/* SPDX-License-Identifier: MIT */
/*
 * bed.h - two agents with a network between them, each in a network namespace of its own.
 *
 * bed_one has 10.6.0.1 and fd00:6::1 on nic1, bed_two 10.6.0.2 and fd00:6::2 on nic2. The
 * namespaces end with the agents. It takes root and ip, tc, nft.
 */
#ifndef TESTS_AGENT_BED_H
#define TESTS_AGENT_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "tests/agent/driver.h"

#define BED_ADDRESS "10.6.0.1"
#define BED_PEER    "10.6.0.2"

extern struct agent bed_one;
extern struct agent bed_two;

void bed_start(void);
bool bed_end(void); /* both agents ended as they should */

/* Runs a shell's commands in the network of this agent; they must work. */
void bed_do(const struct agent *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* No filters and no shaping, as at the start. */
void bed_mend(void);

/* A figure of a file below the agent's /proc/PID: the nth number of the nth line that begins
 * with this word, both counted from 1. */
uint64_t bed_figure(const struct agent *a, const char *file, const char *word, int line, int nth);

#endif
