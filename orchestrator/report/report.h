/* SPDX-License-Identifier: MIT */
/*
 * report.h - a run and its cells on paper: what cli/ prints, nothing else.
 *
 * Reads datasets, asks nobody. Writes to the stream it is given and does not
 * look whether that worked: cli/main.c does, once, at the end. What is for people
 * is cleaned of control characters, since reasons come from hosts; CSV and JSON
 * keep what was stored.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "report/matrix.h"
#include "store/dataset.h"

/* How text should look. */
struct report_style {
	bool has_colour;
	unsigned width;      /* columns to keep to; 0: any */
	const char *db_path; /* the database, for commands to copy */
};

/*
 * What a user reads when a run has ended: whether it is complete, what failed
 * and why, the matrix, the cells furthest below their ceiling, queries to try.
 * With tests loaded (dataset_load_tests) a cell that its window limits is not
 * counted as below its line rate.
 */
void report_summary(FILE *out, const struct dataset *data, const struct report_style *style);

/*
 * The whole run as one JSON object: run, cells, and of each cell its tests (a
 * list; empty when none were loaded). Unknown is null. Keys are the columns of
 * the database; they are never renamed.
 */
void report_run_json(FILE *out, const struct dataset *data);

/* The blocks of a matrix one below the other, with a legend of the marks that occur. */
void report_matrix(FILE *out, const struct matrix *matrix, const struct report_style *style);

/*
 * Everything about data->cells[0], which has its tests; intervals and streams
 * are those of its last test, troubles those of all.
 */
struct report_cell {
	const struct dataset *data;
	const struct dataset_interval *intervals;
	size_t interval_count;
	const struct dataset_stream *streams;
	size_t stream_count;
	const struct dataset_trouble *troubles;
	size_t trouble_count;
};
void report_cell_text(FILE *out, const struct report_cell *cell, const struct report_style *style);
void report_cell_json(FILE *out, const struct report_cell *cell);

#endif
