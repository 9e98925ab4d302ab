/* SPDX-License-Identifier: MIT */
/* engine_figures.h - what an engine measures beside the throughput, by arithmetic. */
#ifndef TESTS_GOLDEN_ENGINE_FIGURES_H
#define TESTS_GOLDEN_ENGINE_FIGURES_H

#include "plan/plan.h"
#include "run/result.h"

/* Adds to a test that has its throughput; of a cell over udp or of mode rr that is another one then. */
void engine_figures_test(const struct plan_cell *cell, struct test_result *t);

/* Adds to an interval of all streams. */
void engine_figures_interval(const struct plan_config *c, struct result_interval *v);

/* The streams of all directions: as many as `list` must have room for. */
size_t engine_figures_streams(const struct plan_config *c, const struct test_result *t,
                              struct result_stream *list);

#endif
