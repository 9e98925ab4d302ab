/* SPDX-License-Identifier: MIT */
/*
 * table.h - lists of structs as tables for people.
 *
 * A row of struct table_column tells all about a column. An optional one that no
 * row knows a value of is left out, so that a table is no wider than what it has
 * to tell.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "report/columns.h"
#include "report/format.h"

enum table_look {
	TABLE_PLAIN, /* as the writer shows it */
	TABLE_RATE,  /* bits per second, told in the table's unit */
	TABLE_ABOUT, /* a measured size: 3.45M */
	TABLE_SIZE,  /* a size that was set: 64K */
	TABLE_ASKED, /* the same; not known: "default" */
	TABLE_SWITCH /* 0, 1: "off", "on" */
};

struct table_column {
	struct column is; /* its name is the head; NULL: the unit's */
	enum table_look look;
	bool is_optional;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	struct format_unit unit;
};

void table_print(FILE *out, const struct table *table, const void *const *rows, size_t count);

/* An optional column has anything to tell. */
bool table_has_news(const struct table *table, const void *const *rows, size_t count);

#endif
