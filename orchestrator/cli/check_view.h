/* SPDX-License-Identifier: MIT */
/* check_view.h - a preflight as text and as JSON. */
#ifndef CLI_CHECK_VIEW_H
#define CLI_CHECK_VIEW_H

#include <stdio.h>

#include "cli/check_problem.h"

#define CHECK_REASON_BYTES 256

/* How many of the plan's cells could be measured, would be skipped by choice, or not. */
struct check_cells {
	size_t all, open, choice, fault;
	char choice_reason[CHECK_REASON_BYTES]; /* of the first */
};

struct check_view {
	const struct check *check;
	const struct check_problems *problems;
	const struct check_cells *cells; /* NULL: no profile, no pairs */
	unsigned width;                  /* of the terminal; 0: not known */
};

/* A fact that the host's agent told of its machine; NULL: it did not. */
const char *check_fact(const struct hosts_entry *e, const char *key);

/* A line a host, below it what is known of it, its problems and their remedies. */
void check_print_text(FILE *out, const struct check_view *view);

/* One object. */
void check_print_json(FILE *out, const struct check_view *view);

#endif
