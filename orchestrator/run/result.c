/* SPDX-License-Identifier: MIT */
#include "run/result.h"

#include <string.h>

/* In the order of enum test_status; the CHECK of tests.status in schemas/results has the same list. */
const char *const test_status_names[] = {"ok",      "invalid",   "failed",    "timeout",
                                         "stalled", "truncated", "cancelled", NULL};

/* In the order of enum cell_state; the CHECK of cells.state in schemas/results has the same list. */
const char *const cell_state_names[] = {"pending",  "running", "done",    "invalid",
                                        "unstable", "failed",  "skipped", NULL};

bool result_is_by_choice(enum cell_state state, const char *reason)
{
	return state == CELL_SKIPPED && reason != NULL &&
	       strncmp(reason, RESULT_BY_CHOICE, strlen(RESULT_BY_CHOICE)) == 0;
}
