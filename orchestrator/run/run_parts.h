/* SPDX-License-Identifier: MIT */
/* run_parts.h - what run.c and run_tests.c share. Not for others. */
#ifndef RUN_RUN_PARTS_H
#define RUN_RUN_PARTS_H

#include "run/book.h"
#include "run/changes.h"
#include "run/measure.h"
#include "run/run.h"

struct active {
	struct measure measure;
	size_t slot;
	uint32_t concurrent; /* most tests at once so far */
	bool is_verified;    /* over, and its hosts were asked for their settings */
	struct active *next;
};

struct runner {
	const struct run_job *job;
	const struct plan *plan; /* the job's */
	const struct run_progress *progress;
	struct hosts hosts;
	struct changes changes;
	struct book book;
	struct active *active;
	unsigned level; /* of stopping */
	struct run_outcome *out;
};

/* Starts what may be started now, and the gaps that come before it. */
void run_start_tests(struct runner *r, uint64_t now_ns);

/* Judges and keeps those that are over, and proven. */
void run_reap_tests(struct runner *r);

void run_show_sample(struct runner *r, const struct active *a, const struct link_event *event);

#endif
