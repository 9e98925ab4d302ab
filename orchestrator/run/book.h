/* SPDX-License-Identifier: MIT */
/*
 * book.h - the books of a run: what became of each cell, told to the sink and
 * to the user interface.
 *
 * run.c decides what happens next; this keeps account of what happened. Once
 * the sink has failed nothing more is written and the run must end.
 */
#ifndef RUN_BOOK_H
#define RUN_BOOK_H

#include "run/gate.h"
#include "run/hosts.h"
#include "run/progress.h"
#include "run/queue.h"
#include "run/run.h"

/* A cell's fate in this run. */
struct book_cell {
	uint32_t tests_left; /* slots not finished */
	bool is_bad;         /* one of its tests failed for good, or it was skipped for a fault */
	bool is_invalid;     /* one of its tests was invalid for good */
	bool is_choice;      /* skipped by choice */
	bool is_warned;      /* a test of it counts, but has been warned of */
};

struct book {
	const struct plan *plan;
	const struct result_sink *sink;
	const struct run_progress *progress;
	struct queue queue;
	struct book_cell *cells;
	bool *host_told;   /* its row and its facts `before` are kept */
	size_t total;      /* tests that this run has to do */
	uint64_t spent_ms; /* of the finished tests, as planned */
	uint64_t started_ns;
	struct run_counts counts;
	struct err first_fault; /* kind ERR_NONE: none */
	bool has_failed;        /* the sink has, or there is no randomness; *err says why */
	struct err *err;
	struct arena arena;
};

/* `done` as in struct run_job. */
void book_open(struct book *b, const struct plan *plan, const bool *done);
void book_close(struct book *b);

void book_host_ready(struct book *b, const struct hosts *hosts, size_t host);
void book_host_lost(struct book *b, const struct hosts *hosts, size_t host, const struct err *why);
void book_facts_after(struct book *b, const struct hosts *hosts, size_t host);

/* The cell will not be measured: its waiting tests are dropped. */
void book_skip(struct book *b, uint32_t cell, enum gate_answer why, const char *reason);

void book_test_begin(struct book *b, size_t slot);

/*
 * One attempt is over. `may_retry`: doing it again might help and the run goes
 * on. Fills in the test's place in the plan; the queue is told.
 */
void book_test_end(struct book *b, size_t slot, struct test_result *test, bool may_retry);

/* What is to be thought of in a cell whose tests count; told once in a run. */
void book_warn(struct book *b, uint32_t cell, const char *text);

void book_sum_up(const struct book *b, struct run_outcome *out);

#endif
