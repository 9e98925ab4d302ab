/* SPDX-License-Identifier: MIT */
/*
 * check_problem.h - what a preflight found wrong, and what to do about each.
 *
 * check_text.c and check_json.c show the same list.
 */
#ifndef CLI_CHECK_PROBLEM_H
#define CLI_CHECK_PROBLEM_H

#include "common/arena.h"
#include "run/check.h"

#define CHECK_CLOCK_US 1000000 /* a clock further off than this is a warning */

struct check_problem {
	size_t host;        /* index into check->hosts.at */
	bool is_warning;    /* it does not keep the host from being measured */
	const char *text;   /* begins with the host's name, or that of one of its NICs */
	const char *remedy; /* NULL: the text has it */
	/* An earlier host with the very same fault on this machine, a broken ssh_config say;
	 * NULL: none. */
	const char *same_as;
};

struct check_problems {
	struct check_problem *at;
	size_t count;
	size_t errors; /* of them no warnings */
};

/* In the order of the hosts. All texts are in the arena or constant. */
struct check_problems check_find_problems(const struct check *check, struct arena *arena);

#endif
