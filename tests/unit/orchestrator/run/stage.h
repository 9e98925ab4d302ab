/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a run of a small lab's plan on scripted hosts and a scripted clock.
 */
#ifndef TESTS_UNIT_RUN_STAGE_H
#define TESTS_UNIT_RUN_STAGE_H

#include "run/run.h"
#include "tests/unit/orchestrator/run/lab.h"

struct stage {
	struct lab lab;
	struct lab_sink sink;
	struct run_outcome out;
	struct err err;
	struct run_consent consent;
	unsigned level; /* what stop_level() answers */
	unsigned stop_go, stop_level, gos;
	unsigned warnings;
	char warning[192];
};

/* For cmocka: *state is a struct stage with hosts that do all that is asked. */
int stage_set_up(void **state);
int stage_tear_down(void **state);

/* From the nth go on the user wants the run to stop: 1 after the running tests, 2 at once. */
void stage_stop_at(struct stage *s, unsigned nth, unsigned level);

bool stage_go(struct stage *s); /* run_plan() */

#endif
