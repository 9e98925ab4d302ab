/* SPDX-License-Identifier: MIT */
/* `vnm show`: everything about one cell. */
#include <stdio.h>

#include "cli/results.h"

struct show_options {
	const char *db;
	bool json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct show_options, db),
	 .value = "FILE", .help = "the database to read"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct show_options, json),
	 .help = "the cell as one JSON object"},
	{0},
};
/* clang-format on */

static bool load_lists(struct results *r, const struct dataset_cell *cell, struct report_cell *out,
                       struct err *err)
{
	struct dataset_interval *intervals = NULL;
	struct dataset_stream *streams = NULL;
	struct dataset_trouble *troubles = NULL;
	int64_t test_id;

	if (cell->test_count == 0)
		return true;
	test_id = cell->tests[cell->test_count - 1].test_id;
	if (!dataset_load_intervals(r->store, test_id, &r->arena, &intervals, &out->interval_count,
	                            err) ||
	    !dataset_load_streams(r->store, test_id, &r->arena, &streams, &out->stream_count,
	                          err) ||
	    !dataset_load_troubles(r->store, cell->cell_id, &r->arena, &troubles,
	                           &out->trouble_count, err))
		return false;
	out->intervals = intervals;
	out->streams = streams;
	out->troubles = troubles;
	return true;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct show_options *opt = raw;
	struct results r = {0};
	struct dataset data = {0};
	struct report_cell cell = {.data = &data};
	int64_t cell_id;
	bool ok;

	(void)operand_count;
	*exit_code = EXIT_DONE;
	ok = results_parse_id("CELL", operands[0], &cell_id, err) &&
	     results_open(ctx, opt->db, &r, err) &&
	     dataset_load_cell(r.store, cell_id, &data, err) &&
	     load_lists(&r, &data.cells[0], &cell, err);
	if (ok && opt->json) {
		report_cell_json(stdout, &cell);
	} else if (ok) {
		struct report_style style = results_style(ctx, &r);

		report_cell_text(stdout, &cell, &style);
	}
	dataset_done(&data);
	results_close(&r);
	return ok;
}

/* clang-format off */
const struct command cmd_show = {
	.name = "show",
	.summary = "show everything about one cell",
	.operands = "CELL",
	.details =
		"CELL is a cell's number, as the end of a run, `vnm matrix --value cell` and the\n"
		"column cell_id tell it. Shows its settings and tests, what was asked beside what the systems gave, and the\n"
		"intervals of its last test.",
	.operand_min = 1,
	.operand_max = 1,
	.options = options,
	.options_size = sizeof(struct show_options),
	.run = run,
};
/* clang-format on */
