/* SPDX-License-Identifier: MIT */
/* run_json.c - a run or a cell as one JSON object. */
#include "report/columns.h"
#include "report/report.h"

static void add_objects(struct json *j, const char *key, const struct column_list *list,
                        const void *objects, size_t count, size_t size)
{
	json_list_begin(j, key);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(j, NULL);
		columns_to_json(list, (const char *)objects + i * size, j);
		json_object_end(j);
	}
	json_list_end(j);
}

static void add_tests(struct json *j, const struct dataset_cell *cell)
{
	add_objects(j, "tests", &columns_of_test, cell->tests, cell->test_count,
	            sizeof(*cell->tests));
}

static void print(FILE *out, struct text *t)
{
	(void)fputs(text_str(t), out);
	text_clear(t);
}

void report_run_json(FILE *out, const struct dataset *data)
{
	struct text t = {0};
	struct json j = {.out = &t};

	json_object_begin(&j, NULL);
	json_object_begin(&j, "run");
	columns_to_json(&columns_of_run, &data->run, &j);
	json_object_end(&j);
	json_list_begin(&j, "cells");
	for (size_t i = 0; i < data->cell_count; i++) {
		/* Printed as it goes: a long run is not held twice. */
		json_object_begin(&j, NULL);
		columns_to_json(&columns_of_cell, &data->cells[i], &j);
		add_tests(&j, &data->cells[i]);
		json_object_end(&j);
		print(out, &t);
	}
	json_list_end(&j);
	json_object_end(&j);
	print(out, &t);
	(void)fputc('\n', out);
	text_done(&t);
}

void report_cell_json(FILE *out, const struct report_cell *cell)
{
	const struct dataset_cell *c = &cell->data->cells[0];
	struct text t = {0};
	struct json j = {.out = &t};

	json_object_begin(&j, NULL);
	json_int(&j, "run_id", cell->data->run.run_id);
	columns_to_json(&columns_of_cell, c, &j);
	add_tests(&j, c);
	add_objects(&j, "intervals", &columns_of_interval, cell->intervals, cell->interval_count,
	            sizeof(*cell->intervals));
	add_objects(&j, "streams", &columns_of_stream, cell->streams, cell->stream_count,
	            sizeof(*cell->streams));
	add_objects(&j, "troubles", &columns_of_trouble, cell->troubles, cell->trouble_count,
	            sizeof(*cell->troubles));
	json_object_end(&j);
	print(out, &t);
	(void)fputc('\n', out);
	text_done(&t);
}
