/* SPDX-License-Identifier: MIT */
/*
 * session.h - what `vnm run` and `vnm resume` share: measure what is missing of
 * a run that the store has open, close it, show it.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/command.h"
#include "plan/plan.h"
#include "run/consent.h"
#include "store/store.h"

struct session {
	const struct command_context *ctx;
	const struct plan *plan;
	struct store *store;
	int64_t run_id;
	const bool *done; /* as in struct run_job */
	const char *db_path;
	const char *file; /* topology, for the line that says how to resume */
	const char *agent_path;
	const char *const *more_agents;
	struct run_consent consent;
	bool is_agreed;  /* --yes: nobody is asked */
	bool is_resumed; /* the tests were agreed to */
	bool is_quiet;   /* no progress, no summary beyond failures */
	bool is_json;    /* the run as JSON instead of the summary */
};

/*
 * Lists what would be changed on hosts, and asks where somebody can answer. ERR_CANCELLED: no.
 * ERR_USAGE: nobody can answer, and settings would be changed.
 */
bool session_agree(const struct session *s, struct err *err) NODISCARD;

/* False only when the run could not go on; what was kept is shown all the same. */
bool session_go(const struct session *s, int *exit_code, struct err *err) NODISCARD;

#endif
