/* SPDX-License-Identifier: MIT */
/*
 * run.h - measures a plan: brings the hosts up, runs the tests that are missing,
 * ends all agents.
 *
 * Blocks until all is done or stopped; one thread besides those of the links.
 * Settings that cells ask for are changed where the user lets them be, and put back
 * (changes.h). A host that fails costs only its own cells: they
 * are recorded with the reason and the rest goes on.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/consent.h"
#include "run/journal.h"
#include "run/progress.h"
#include "run/result.h"

#define RUN_ATTEMPTS_MAX \
	3u /* a test that fails is tried again at most twice, at the end of its block */

/* What to run, and with what. Everything is borrowed and outlives the run. */
struct run_job {
	const struct plan *plan;
	const bool *done; /* one entry a slot: true = this test is kept already */
	struct link_options link;
	const struct result_sink *sink;
	const struct journal_sink *journal; /* of settings that are changed; NULL: none is */
	const char *owner;                  /* who changes settings, for people on the host */
	struct run_consent consent;
	const struct run_progress *progress;
	int wake_fd; /* readable when stop_level() may have changed; -1: none */
	unsigned (*stop_level)(
		void *ctx); /* 0 go on, 1 no new tests, 2 stop the running ones too; NULL: never */
	void *stop_ctx;
};

struct run_outcome {
	size_t cells_done;   /* every test of them is there */
	size_t cells_choice; /* skipped by choice: a setting would have to be changed */
	size_t cells_fault; /* skipped for a fault, failed, invalid or unstable: resume tries them again */
	size_t cells_missing; /* not reached: interrupted */
	size_t hosts_ready;   /* that could be used */
	bool is_interrupted;
	struct err first_fault; /* kind ERR_NONE: none */
};

/*
 * False with *err set only when the run itself could not go on (the sink failed,
 * no memory for threads); *out is filled in every case.
 */
bool run_plan(const struct run_job *job, struct run_outcome *out, struct err *err) NODISCARD;

#endif
