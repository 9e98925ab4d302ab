/* SPDX-License-Identifier: MIT */
/* plan_view.h - what `vnm plan` shows of a plan; a file of plan_*.c for each part. */
#ifndef CLI_PLAN_VIEW_H
#define CLI_PLAN_VIEW_H

#include "cli/lab.h"
#include "common/text.h"

/* A plan and the words that led to it. */
struct plan_view {
	const struct plan *plan;
	const struct lab_operands *operands;
	const struct lab_request *request;
	bool seed_was_drawn; /* neither --seed nor the file gave it */
};

/* Profiles with cells, tests, time; what would have to be changed; order, limits, warnings. */
void plan_view_overview(const struct plan_view *view);

/* Every test in its order. */
void plan_view_tests(const struct plan_view *view);

/* The same as CSV, a column for each setting; nothing where it has its default. */
void plan_view_csv(const struct plan_view *view);

/* The whole plan as one JSON object. */
void plan_view_json(const struct plan_view *view);

/*
 * Which resources keep the tests of two things apart; each is a NIC ("esx1.vmk1"),
 * a host, or the first 8 or more digits of a cell's fingerprint. ERR_USAGE: no
 * cell of the plan is meant.
 */
bool plan_view_explain(const struct plan_view *view, const char *a, const char *b,
                       struct err *err) NODISCARD;

/* "esx1.vmk1" */
void plan_view_add_nic(struct text *out, const struct nic *nic);

/* "mtu 9000, window 64K, 4 streams": see treatment.h. */
void plan_view_add_settings(struct text *out, const struct plan_cell *cell);

/* Digits of a fingerprint that name a cell, here and in --only cell=. */
#define PLAN_VIEW_CELL_DIGITS 8

extern const char *const plan_view_order_names[];     /* by enum design_order */
extern const char *const plan_view_zero_copy_names[]; /* by enum zero_copy */
const char *plan_view_toggle_name(enum toggle toggle);
const char *plan_view_engine_name(enum engine engine); /* ENGINE_AUTO is resolved in a plan */

#endif
