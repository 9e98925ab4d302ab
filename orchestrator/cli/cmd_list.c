/* SPDX-License-Identifier: MIT */
/* `vnm list`: the runs of a database. */
#include <stdio.h>

#include "cli/results.h"
#include "report/columns.h"
#include "report/format.h"

struct list_options {
	const char *db;
	bool csv, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct list_options, db),
	 .value = "FILE", .help = "the database to read"},
	{.name = "csv", .letter = 'c', .kind = OPTION_FLAG, .offset = offsetof(struct list_options, csv),
	 .help = "all columns as CSV"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct list_options, json),
	 .help = "all columns as JSON"},
	{0},
};
/* clang-format on */

static void print_text(const struct dataset_runs *runs)
{
	static const char *const columns[] = {"run", "started (UTC)", "status", "done",    "of",
	                                      "bad", "tests",         "lab",    "profiles"};
	struct writer w;

	writer_begin(&w, &writer_text, stdout, columns, COUNT_OF(columns));
	for (size_t i = 0; i < runs->count; i++) {
		const struct dataset_run *r = &runs->at[i];
		char started[FORMAT_BYTES];

		writer_row(&w, (const struct writer_value[]){
				       writer_int(r->run_id),
				       writer_str(format_utc(r->started_utc, started)),
				       writer_str(r->status),
				       writer_int(r->cells_done),
				       writer_int(r->cells),
				       writer_int(r->cells_bad),
				       writer_int(r->tests),
				       writer_str(r->name),
				       writer_str(r->profile),
			       });
	}
	writer_end(&w);
}

static void print_columns(const struct dataset_runs *runs, const struct writer_format *format)
{
	struct arena arena = {0};
	const void **rows = arena_alloc(&arena, runs->count, sizeof(*rows));

	for (size_t i = 0; i < runs->count; i++)
		rows[i] = &runs->at[i];
	columns_to_writer(&columns_of_run, rows, runs->count, format, stdout);
	arena_done(&arena);
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct list_options *opt = raw;
	const struct writer_format *format;
	struct dataset_runs runs = {0};
	struct results r = {0};
	bool ok;

	(void)operand_count;
	(void)operands;
	*exit_code = EXIT_DONE;
	ok = results_pick_format(opt->csv, opt->json, &format, err) &&
	     results_open(ctx, opt->db, &r, err) && dataset_load_runs(r.store, &runs, err);
	if (ok && format == &writer_text)
		print_text(&runs);
	else if (ok)
		print_columns(&runs, format);
	dataset_runs_done(&runs);
	results_close(&r);
	return ok;
}

/* clang-format off */
const struct command cmd_list = {
	.name = "list",
	.summary = "list the runs of a database, newest first",
	.operands = "",
	.details =
		"The database is the one --db names, else the store of ./lab.yaml where there is\n"
		"one, else ./results.db.",
	.options = options,
	.options_size = sizeof(struct list_options),
	.run = run,
};
/* clang-format on */
