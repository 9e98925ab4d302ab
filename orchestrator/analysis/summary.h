/* SPDX-License-Identifier: MIT */
/*
 * summary.h - what is to be said first about a run: pure, from the dataset.
 *
 * Borrows from the dataset, which must outlive it; its own lists lie in its
 * arena.
 */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "run/result.h"
#include "store/dataset.h"

/* Cells that ended alike for the same reason. */
struct summary_problem {
	enum cell_state state; /* CELL_FAILED, CELL_INVALID, CELL_UNSTABLE or CELL_SKIPPED */
	const char *reason;    /* "" when none was kept */
	bool is_by_choice;     /* skipped because a setting would have to be changed */
	const struct dataset_cell **cells;
	size_t cell_count;
};

/* A cell with the ceiling that it should reach. */
struct summary_gap {
	const struct dataset_cell *cell;
	double pct; /* of the line rate */
};

struct summary {
	struct arena arena;
	struct summary_problem *problems; /* faults before choices, greater groups first */
	size_t problem_count;
	struct summary_gap *gaps; /* furthest below the line rate first */
	size_t gap_count;
	size_t window_limited; /* cells left out of gaps: their window cannot fill the line */
};

void summary_make(const struct dataset *data, struct summary *out);
void summary_done(struct summary *summary);

/* The state of a cell; one that this version does not know counts as failed. */
enum cell_state summary_state(const struct dataset_cell *cell);

/* Its tests are requests and their answers, or datagrams. */
bool summary_is_rr(const struct dataset_cell *cell);
bool summary_is_udp(const struct dataset_cell *cell);

/* Bytes of a request of mode rr: a transaction moves eight times as many bits of its throughput. */
int64_t summary_request_bytes(const struct dataset_cell *cell);

/* Why a cell cannot be faster, as far as its tests tell; NAN where it is not known. */
struct summary_ceiling {
	double line_rate_bps; /* links and ports crossed */
	double window_bps;    /* window granted x streams / round-trip time without load */
};
struct summary_ceiling summary_ceiling_of(const struct dataset_cell *cell);

#endif
