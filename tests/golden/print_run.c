/* SPDX-License-Identifier: MIT */
/*
 * print_run.c - the end of a run as `vnm run` prints it, from a database.
 * usage: print_run summary|colour|json DB RUN
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static void print(const char *how, const struct dataset *data, const char *db)
{
	const struct report_style style = {
		.has_colour = strcmp(how, "colour") == 0,
		.width = strcmp(how, "colour") == 0 ? 40 : 0,
		.db_path = db,
	};

	if (strcmp(how, "json") == 0)
		report_run_json(stdout, data);
	else
		report_summary(stdout, data, &style);
}

int main(int argc, char *argv[])
{
	struct store *store;
	struct dataset data = {0};
	struct err err = {0};
	bool ok;

	if (argc != 4)
		return 2;
	store = store_open(argv[2], STORE_READ, &err);
	ok = store != NULL && dataset_load(store, strtol(argv[3], NULL, 10), &data, &err) &&
	     dataset_load_tests(store, &data, &err);
	if (ok)
		print(argv[1], &data, argv[2]);
	else
		(void)fprintf(stderr, "print_run: %s\n", err.msg);
	dataset_done(&data);
	store_close(store);
	return ok ? 0 : 1;
}
