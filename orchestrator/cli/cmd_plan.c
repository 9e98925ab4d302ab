/* SPDX-License-Identifier: MIT */
/* `vnm plan`: what a run would do, without touching anything. */
#include "cli/command.h"
#include "cli/lab.h"
#include "cli/plan_view.h"

struct plan_options {
	const char *only;
	struct option_u64 seed;
	struct option_pair explain;
	bool cells, csv, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "only", .letter = 'o', .kind = OPTION_TEXT, .offset = offsetof(struct plan_options, only),
	 .value = "TERMS", .help = "only the cells that fit, such as src=esx1.vmk1,streams=4"},
	{.name = "seed", .kind = OPTION_U64, .offset = offsetof(struct plan_options, seed),
	 .unit = UNIT_COUNT, .max = LAB_SEED_MAX, .value = "N", .help = "order of the tests"},
	{.name = "explain", .kind = OPTION_PAIR, .offset = offsetof(struct plan_options, explain),
	 .value = "A B", .help = "what keeps tests of two NICs, hosts or cells apart"},
	{.name = "cells", .kind = OPTION_FLAG, .offset = offsetof(struct plan_options, cells),
	 .help = "every test in its order"},
	{.name = "csv", .letter = 'c', .kind = OPTION_FLAG, .offset = offsetof(struct plan_options, csv),
	 .help = "every test in its order as CSV, a column for each setting"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct plan_options, json),
	 .help = "the plan as one JSON object"},
	{0},
};
/* clang-format on */

static bool show(const struct plan_view *view, const struct plan_options *opt, struct err *err)
{
	if (opt->explain.first != NULL)
		return plan_view_explain(view, opt->explain.first, opt->explain.second, err);
	if (opt->json)
		plan_view_json(view);
	else if (opt->csv)
		plan_view_csv(view);
	else if (opt->cells)
		plan_view_tests(view);
	else
		plan_view_overview(view);
	return true;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct plan_options *opt = raw;
	const struct lab_request request = {.only = opt->only, .seed = opt->seed};
	struct lab_operands given;
	struct topology topo;
	struct plan plan;
	bool ok;

	*exit_code = EXIT_DONE;
	if ((opt->explain.first != NULL) + opt->cells + opt->csv + opt->json > 1)
		return err_set(err, ERR_USAGE,
		               "--explain, --cells, --csv and --json exclude each other");
	lab_split_operands(operand_count, operands, &given);
	ok = lab_load(ctx, given.file, &topo, err) && lab_plan(&topo, &given, &request, &plan, err);
	if (ok) {
		const struct plan_view view = {
			.plan = &plan,
			.operands = &given,
			.request = &request,
			.seed_was_drawn = !opt->seed.is_given && !topo.design.has_seed,
		};

		ok = show(&view, opt, err);
		plan_done(&plan);
	}
	topology_done(&topo);
	return ok;
}

/* clang-format off */
const struct command cmd_plan = {
	.name = "plan",
	.summary = "show what a run would do; touches nothing",
	.operands = "[FILE] [PROFILE...]",
	.details =
		"Prints the cells, tests and time of the profiles (all when none is named), the\n"
		"order, and what to look out for. The same seed gives the same order in a run.",
	.operand_max = COMMAND_ANY_OPERANDS,
	.options = options,
	.options_size = sizeof(struct plan_options),
	.run = run,
};
/* clang-format on */
