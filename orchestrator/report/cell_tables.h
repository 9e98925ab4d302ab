/* SPDX-License-Identifier: MIT */
/* cell_tables.h - the tests of one cell and the intervals of the last, as tables for people. */
#ifndef REPORT_CELL_TABLES_H
#define REPORT_CELL_TABLES_H

#include "report/format.h"
#include "report/report.h"

/* What each test moved, with an explanation of the heads; the way back below it. */
void cell_tables_flow(FILE *out, const struct dataset_cell *cell, struct format_unit unit);

/* What was asked beside what the systems gave, and how busy they were. */
void cell_tables_ends(FILE *out, const struct dataset_cell *cell);

/* How the last test went, a table for each direction. */
void cell_tables_intervals(FILE *out, const struct report_cell *cell, struct format_unit unit);

#endif
