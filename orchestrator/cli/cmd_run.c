/* SPDX-License-Identifier: MIT */
/* `vnm run`: measure what the profiles of a topology file ask for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent_file.h"
#include "cli/command.h"
#include "cli/consent.h"
#include "cli/lab.h"
#include "cli/plan_view.h"
#include "cli/session.h"
#include "cli/unrestored.h"
#include "common/text.h"

struct run_command_options {
	const char *only;
	const char *db;
	struct option_u64 seed;
	struct option_list allow;
	bool yes, no_change, quiet, json, demo;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "only", .letter = 'o', .kind = OPTION_TEXT, .offset = offsetof(struct run_command_options, only),
	 .value = "TERMS", .help = "only the cells that fit, such as src=esx1.vmk1,streams=4"},
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct run_command_options, db),
	 .value = "FILE", .help = "keep the results there instead of the topology's store"},
	{.name = "seed", .kind = OPTION_U64, .offset = offsetof(struct run_command_options, seed),
	 .unit = UNIT_COUNT, .max = LAB_SEED_MAX, .value = "N", .help = "order of the tests; stored with the run"},
	{.name = "yes", .letter = 'y', .kind = OPTION_FLAG, .offset = offsetof(struct run_command_options, yes),
	 .help = "agree to the tests and the changes of settings: do not ask"},
	{.name = "no-change", .kind = OPTION_FLAG, .offset = offsetof(struct run_command_options, no_change),
	 .help = CONSENT_NO_CHANGE_HELP},
	{.name = "allow", .kind = OPTION_LIST, .offset = offsetof(struct run_command_options, allow),
	 .value = "WHAT", .help = CONSENT_ALLOW_HELP},
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = offsetof(struct run_command_options, quiet),
	 .help = "no progress; a summary only when something failed"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct run_command_options, json),
	 .help = "the run as JSON on stdout"},
	{.name = "demo", .kind = OPTION_FLAG, .offset = offsetof(struct run_command_options, demo),
	 .help = "mark the run as a demonstration, kept out of comparisons"},
	{0},
};
/* clang-format on */

static const char *profile_names(const struct plan *plan, struct arena *arena)
{
	struct text t = {0};
	const char *copy;

	for (size_t i = 0; i < plan->profile_count; i++)
		text_printf(&t, "%s%s", i > 0 ? " " : "", plan->profiles[i]->name);
	copy = arena_strndup(arena, text_str(&t), t.len);
	text_done(&t);
	return copy;
}

static const char *this_machine(struct arena *arena)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) != 0)
		return NULL;
	return arena_strndup(arena, name, strlen(name));
}

static bool measure(const struct command_context *ctx, const struct run_command_options *opt,
                    struct session *s, int *exit_code, struct err *err)
{
	char agent_sha256[SHA256_HEX_BYTES];
	struct arena arena = {0};
	struct store_new_run run = {.name = s->plan->topology->name,
	                            .profile = profile_names(s->plan, &arena),
	                            .only = opt->only,
	                            .argv = ctx->command_line,
	                            .origin = opt->demo ? "demo" : "measured",
	                            .design =
	                                    plan_view_order_names[s->plan->topology->design.order],
	                            .tool_version = VNM_VERSION,
	                            .agent_sha256 = agent_sha256,
	                            .controller = this_machine(&arena),
	                            .operator_name = ctx->user};
	bool ok = agent_file_find(&arena, &s->agent_path, &s->more_agents, agent_sha256, err);

	s->done = arena_alloc(&arena, s->plan->slot_count, sizeof(*s->done));
	if (ok)
		s->store = store_open(s->db_path, STORE_WRITE, err);
	ok = ok && s->store != NULL && unrestored_tell(ctx, s->store, s->db_path, err) &&
	     store_begin_run(s->store, s->plan, &run, &s->run_id, err) &&
	     session_go(s, exit_code, err);
	store_close(s->store);
	arena_done(&arena);
	return ok;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct run_command_options *opt = raw;
	struct lab_request request = {.only = opt->only, .seed = opt->seed};
	struct session s = {.ctx = ctx, .is_quiet = opt->quiet, .is_json = opt->json};
	struct lab_operands given;
	struct topology topo;
	struct plan plan;
	bool ok;

	lab_split_operands(operand_count, operands, &given);
	if (!consent_parse(opt->no_change, &opt->allow, &s.consent, err))
		return false;
	ok = lab_load(ctx, given.file, &topo, err) && lab_plan(&topo, &given, &request, &plan, err);
	if (ok) {
		s.plan = &plan;
		s.file = given.file;
		s.db_path = opt->db != NULL ? opt->db : topo.store;
		s.is_agreed = opt->yes;
		ok = session_agree(&s, err) && measure(ctx, opt, &s, exit_code, err);
		plan_done(&plan);
	}
	topology_done(&topo);
	return ok;
}

/* clang-format off */
const struct command cmd_run = {
	.name = "run",
	.summary = "measure a lab",
	.operands = "[FILE] [PROFILE...]",
	.details =
		"Reaches every host over SSH, puts the agent there, measures the profiles' cells\n"
		"(all profiles when none is named), takes the agents away, and shows the matrix.\n"
		"Settings that `safety.change` of the topology lists are changed where cells ask for\n"
		"it, once that is agreed to, and put back at the end. Ctrl-C once ends after the\n"
		"running test, twice at once; `vnm resume` goes on. Every finished test is kept at once.",
	.operand_min = 0,
	.operand_max = COMMAND_ANY_OPERANDS,
	.options = options,
	.options_size = sizeof(struct run_command_options),
	.run = run,
};
/* clang-format on */
