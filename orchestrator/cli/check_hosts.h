/* SPDX-License-Identifier: MIT */
/* check_hosts.h - the preflight: `vnm check --hosts`, and the first part of `vnm run`. */
#ifndef CLI_CHECK_HOSTS_H
#define CLI_CHECK_HOSTS_H

#include "cli/command.h"
#include "plan/plan.h"

enum check_output {
	CHECK_TEXT,
	CHECK_QUIET, /* text, and nothing when all is well */
	CHECK_JSON
};

/*
 * Reaches every host that the plan's cells use (all hosts of the topology when
 * `plan` is NULL) and prints a line a host to stdout: reach, host key, login,
 * agent, data port, facts, with each problem's remedy, or all that as one JSON
 * object. All is well when there is no problem, not even a note, and no cell is
 * blocked. Changes nothing and leaves nothing behind. *exit_code becomes
 * EXIT_BLOCKED when no cell could be measured, EXIT_CELLS when some could not.
 */
bool check_hosts(const struct command_context *ctx, const struct topology *topo,
                 const struct plan *plan, enum check_output output, int *exit_code,
                 struct err *err) NODISCARD;

#endif
