/* SPDX-License-Identifier: MIT */
/* `vnm matrix`: the cells of a run, senders by receivers. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/results.h"
#include "cli/where.h"
#include "report/columns.h"
#include "report/format.h"

struct matrix_options {
	const char *db;
	const char *where;
	unsigned value; /* enum matrix_value */
	bool csv, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "value", .letter = 'v', .kind = OPTION_CHOICE, .offset = offsetof(struct matrix_options, value),
	 .choices = matrix_value_names, .value = "WHAT", .help = "gbps (the default), pct of line rate, retr, n, or cell: its number"},
	{.name = "where", .letter = 'w', .kind = OPTION_TEXT, .offset = offsetof(struct matrix_options, where),
	 .value = "TERMS", .help = "only the cells that fit, such as src=esx1,streams=4|8"},
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct matrix_options, db),
	 .value = "FILE", .help = "the database to read"},
	{.name = "csv", .letter = 'c', .kind = OPTION_FLAG, .offset = offsetof(struct matrix_options, csv),
	 .help = "a line a cell, all columns, as CSV"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct matrix_options, json),
	 .help = "a list of cells, all columns, as JSON"},
	{0},
};
/* clang-format on */

struct selection {
	const struct dataset_cell **cells;
	size_t count;
};

static bool select_cells(const struct dataset *data, const char *text, struct arena *arena,
                         struct selection *out, struct err *err)
{
	struct where where;

	if (!where_parse(text, arena, &where, err))
		return false;
	out->cells = arena_alloc(arena, data->cell_count, sizeof(*out->cells));
	for (size_t i = 0; i < data->cell_count; i++) {
		if (where_fits(&where, &data->cells[i]))
			out->cells[out->count++] = &data->cells[i];
	}
	if (out->count == 0)
		return err_set(err, ERR_USAGE, "run %" PRId64 " has no cell that fits",
		               data->run.run_id);
	return true;
}

static void print_text(const struct dataset *data, const struct selection *chosen,
                       enum matrix_value value, const struct report_style *style)
{
	struct matrix matrix;
	char started[FORMAT_BYTES];

	(void)printf("run %" PRId64 " of %s, %s, %s\n\n", data->run.run_id, data->run.name,
	             format_utc(data->run.started_utc, started), data->run.status);
	matrix_make(chosen->cells, chosen->count, value, &matrix);
	report_matrix(stdout, &matrix, style);
	matrix_done(&matrix);
}

static void print_columns(const struct selection *chosen, const struct writer_format *format,
                          struct arena *arena)
{
	const void **rows = arena_alloc(arena, chosen->count, sizeof(*rows));

	for (size_t i = 0; i < chosen->count; i++)
		rows[i] = chosen->cells[i];
	columns_to_writer(&columns_of_cell, rows, chosen->count, format, stdout);
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct matrix_options *opt = raw;
	const struct writer_format *format;
	struct results r = {0};
	struct dataset data = {0};
	struct selection chosen = {0};
	int64_t run_id;
	bool ok;

	*exit_code = EXIT_DONE;
	ok = results_pick_format(opt->csv, opt->json, &format, err) &&
	     results_parse_run(operand_count > 0 ? operands[0] : NULL, &run_id, err) &&
	     results_open(ctx, opt->db, &r, err) && dataset_load(r.store, run_id, &data, err) &&
	     select_cells(&data, opt->where, &r.arena, &chosen, err);
	if (ok && opt->value == MATRIX_RETR)
		ok = dataset_load_tests(r.store, &data, err);
	if (ok && format == &writer_text) {
		struct report_style style = results_style(ctx, &r);

		print_text(&data, &chosen, opt->value, &style);
	} else if (ok) {
		print_columns(&chosen, format, &r.arena);
	}
	dataset_done(&data);
	results_close(&r);
	return ok;
}

/* clang-format off */
const struct command cmd_matrix = {
	.name = "matrix",
	.summary = "show a run as a table of senders and receivers",
	.operands = "[RUN]",
	.details =
		"RUN is a number of `vnm list`, or last, which is the default. One block for each\n"
		"set of settings; a row sends, a column receives. --value cell tells the numbers that\n"
		"`vnm show` takes.",
	.operand_max = 1,
	.options = options,
	.options_size = sizeof(struct matrix_options),
	.run = run,
};
/* clang-format on */
