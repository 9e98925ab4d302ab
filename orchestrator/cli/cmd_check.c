/* SPDX-License-Identifier: MIT */
/* `vnm check`: read a topology file, show everything that is wrong with it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/check_hosts.h"
#include "cli/command.h"
#include "cli/lab.h"
#include "config/suggest.h"
#include "report/writer.h"

struct check_options {
	bool hosts, quiet, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "hosts", .kind = OPTION_FLAG, .offset = offsetof(struct check_options, hosts),
	 .help = "also reach the hosts: host key, login, agent, data port, facts"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct check_options, json),
	 .help = "with --hosts: all that was learnt as one JSON object on stdout"},
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .offset = offsetof(struct check_options, quiet),
	 .help = "say nothing when all is well"},
	{0},
};
/* clang-format on */

static void print_counts(const char *file, const struct topology *topo)
{
	size_t kinds[3] = {0};
	size_t roles[2] = {0};

	for (size_t h = 0; h < topo->host_count; h++) {
		const struct host *host = &topo->hosts[h];

		kinds[host->kind]++;
		for (size_t n = 0; n < host->nic_count; n++)
			roles[host->nics[n].role]++;
	}
	(void)printf("%s: lab %s, %zu hosts (%zu esxi, %zu vm, %zu baremetal), "
	             "%zu test NICs, %zu management NICs\n",
	             file, topo->name, topo->host_count, kinds[HOST_ESXI], kinds[HOST_VM],
	             kinds[HOST_BAREMETAL], roles[NIC_TEST], roles[NIC_MGMT]);
}

/* A profile's row: its cells and tests, or why there are none. */
static bool add_profile(struct writer *w, const struct topology *topo,
                        const struct profile *profile, struct err *err)
{
	const struct lab_operands only = {.profiles = &profile->name, .profile_count = 1};
	const struct lab_request request = {0};
	struct writer_value values[] = {writer_str(profile->name), writer_str(NULL),
	                                writer_str(NULL), writer_str("")};
	struct plan plan;

	if (profile->is_search) {
		values[3] = writer_str("search: not yet supported, cannot be run");
	} else {
		if (!lab_plan(topo, &only, &request, &plan, err))
			return err_prefix(err, "profile %s", profile->name);
		values[1] = writer_int((int64_t)plan.cell_count);
		values[2] = writer_int((int64_t)plan.slot_count);
		plan_done(&plan);
	}
	writer_row(w, values);
	return true;
}

/* All profiles of the file, or those that were named. */
static bool is_asked_for(const struct lab_operands *given, const struct profile *profile)
{
	for (size_t i = 0; i < given->profile_count; i++) {
		if (strcmp(given->profiles[i], profile->name) == 0)
			return true;
	}
	return given->profile_count == 0;
}

static bool names_exist(const struct topology *topo, const struct lab_operands *given,
                        struct err *err)
{
	struct suggestion near;

	for (size_t i = 0; i < given->profile_count; i++) {
		if (topology_profile(topo, given->profiles[i]) != NULL)
			continue;
		near = suggest_for(given->profiles[i]);
		for (size_t k = 0; k < topo->profile_count; k++)
			suggest_try(&near, topo->profiles[k].name);
		return err_set(err, ERR_USAGE, "there is no profile '%s'%s%s%s", given->profiles[i],
		               near.best != NULL ? ", did you mean '" : "",
		               near.best != NULL ? near.best : "", near.best != NULL ? "'?" : "");
	}
	return true;
}

static bool print_profiles(const struct topology *topo, const struct lab_operands *given,
                           struct err *err)
{
	static const char *const columns[] = {"profile", "cells", "tests", ""};
	struct writer w;
	bool ok = true;

	writer_begin(&w, &writer_text, stdout, columns, COUNT_OF(columns));
	for (size_t i = 0; i < topo->profile_count && ok; i++) {
		if (is_asked_for(given, &topo->profiles[i]))
			ok = add_profile(&w, topo, &topo->profiles[i], err);
	}
	writer_end(&w);
	return ok;
}

static bool has_cells(const struct topology *topo)
{
	for (size_t i = 0; i < topo->profile_count; i++) {
		if (!topo->profiles[i].is_search)
			return true;
	}
	return false;
}

static bool reach_hosts(const struct command_context *ctx, const struct topology *topo,
                        const struct lab_operands *given, enum check_output output, int *exit_code,
                        struct err *err)
{
	const struct lab_request request = {0};
	struct plan plan;
	bool ok;

	if (!has_cells(topo))
		return check_hosts(ctx, topo, NULL, output, exit_code, err);
	if (!lab_plan(topo, given, &request, &plan, err))
		return false;
	ok = check_hosts(ctx, topo, &plan, output, exit_code, err);
	plan_done(&plan);
	return ok;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct check_options *opt = raw;
	enum check_output output = opt->json ? CHECK_JSON : opt->quiet ? CHECK_QUIET : CHECK_TEXT;
	struct lab_operands given;
	struct topology topo;
	bool ok;

	if (opt->json && !opt->hosts)
		return err_set(err, ERR_USAGE, "--json goes with --hosts");
	lab_split_operands(operand_count, operands, &given);
	ok = lab_load(ctx, given.file, &topo, err) && names_exist(&topo, &given, err);
	if (ok && !opt->quiet && !opt->json) {
		print_counts(given.file, &topo);
		ok = print_profiles(&topo, &given, err);
	}
	if (ok && opt->hosts)
		ok = reach_hosts(ctx, &topo, &given, output, exit_code, err);
	topology_done(&topo);
	return ok;
}

/* clang-format off */
const struct command cmd_check = {
	.name = "check",
	.summary = "show every mistake of a topology file",
	.operands = "[FILE] [PROFILE...]",
	.details =
		"Reads FILE (./lab.yaml) and prints what is wrong with it as FILE:line:column,\n"
		"then its hosts and the cells of its profiles. Opens no connection, except with\n"
		"--hosts, which reaches the hosts of the profiles and prints a line for each.",
	.operand_max = COMMAND_ANY_OPERANDS,
	.options = options,
	.options_size = sizeof(struct check_options),
	.run = run,
};
/* clang-format on */
