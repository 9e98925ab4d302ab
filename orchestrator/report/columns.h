/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the members of a dataset's structs by their names in the database.
 *
 * CSV and JSON are written from these tables, so both have the same columns.
 * Names are never changed or reused; new ones go to the end.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "common/json.h"
#include "report/writer.h"

enum column_kind { COLUMN_STR, COLUMN_INT, COLUMN_U32, COLUMN_U64, COLUMN_REAL, COLUMN_BOOL };

struct column {
	const char *name;
	enum column_kind kind;
	size_t offset; /* into the struct that the list is for */
};

struct column_list {
	const struct column *at;
	size_t count;
};

extern const struct column_list columns_of_run;      /* struct dataset_run */
extern const struct column_list columns_of_cell;     /* struct dataset_cell */
extern const struct column_list columns_of_test;     /* struct dataset_test */
extern const struct column_list columns_of_interval; /* struct dataset_interval */
extern const struct column_list columns_of_stream;   /* struct dataset_stream */
extern const struct column_list columns_of_trouble;  /* struct dataset_trouble */

struct writer_value column_value(const struct column *column, const void *object);

/* Adds every column of an object to the JSON object that is open. */
void columns_to_json(const struct column_list *list, const void *object, struct json *j);

/*
 * A whole table: `objects` are `count` pointers to structs that the list is
 * for. The writer is begun and ended here.
 */
void columns_to_writer(const struct column_list *list, const void *const *objects, size_t count,
                       const struct writer_format *format, FILE *out);

#endif
