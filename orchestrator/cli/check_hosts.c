/* SPDX-License-Identifier: MIT */
#include "cli/check_hosts.h"

#include <string.h>

#include "cli/agent_file.h"
#include "cli/check_view.h"
#include "cli/vault.h"
#include "run/check.h"
#include "run/gate.h"

static bool pair_is_reached(const struct check *check, const struct plan_cell *cell)
{
	const struct nic *connector = cell->dst_initiates ? cell->dst : cell->src;
	const struct nic *listener = cell->dst_initiates ? cell->src : cell->dst;

	for (size_t i = 0; i < check->probe_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (p->connector == connector && p->listener == listener)
			return p->answer == CHECK_REACHED;
	}
	return false;
}

static void count_cells(const struct check *check, const struct plan *plan, struct check_cells *out)
{
	memset(out, 0, sizeof(*out));
	out->all = plan->cell_count;
	for (size_t i = 0; i < plan->cell_count; i++) {
		char reason[256];
		const struct run_consent consent = {.no_change = false};
		enum gate_answer a = gate_cell(&check->hosts, &plan->cells[i], &consent, reason);

		if (a == GATE_CHOICE) {
			if (out->choice++ == 0)
				memcpy(out->choice_reason, reason, sizeof(reason));
		} else if (a == GATE_OPEN && pair_is_reached(check, &plan->cells[i])) {
			out->open++;
		} else {
			out->fault++;
		}
	}
}

static void show(const struct command_context *ctx, const struct check *check,
                 const struct plan *plan, enum check_output output, int *exit_code)
{
	struct arena arena = {0};
	struct check_problems problems = check_find_problems(check, &arena);
	struct check_cells cells;
	struct check_view view = {.check = check, .problems = &problems, .width = ctx->out.width};

	if (plan != NULL) {
		count_cells(check, plan, &cells);
		view.cells = &cells;
	}
	if (output == CHECK_JSON)
		check_print_json(stdout, &view);
	else if (output == CHECK_TEXT || problems.count > 0 || (plan != NULL && cells.fault > 0))
		check_print_text(stdout, &view);
	if (plan == NULL)
		*exit_code = problems.errors > 0 ? EXIT_CELLS : EXIT_DONE;
	else if (cells.fault > 0)
		*exit_code = cells.open == 0 ? EXIT_BLOCKED : EXIT_CELLS;
	arena_done(&arena);
}

bool check_hosts(const struct command_context *ctx, const struct topology *topo,
                 const struct plan *plan, enum check_output output, int *exit_code, struct err *err)
{
	struct link_options options = {.auth_sock = ctx->ssh_auth_sock};
	char agent_sha256[SHA256_HEX_BYTES];
	struct arena arena = {0};
	struct check check;
	struct vault vault;
	bool ok = vault_open(&vault, ctx, topo, err) &&
	          agent_file_find(&arena, &options.agent_path, &options.more_agents, agent_sha256,
	                          err);

	if (ok) {
		options.secrets = vault.secrets;
		ok = check_open(&check, topo, plan, &options, err);
		if (ok)
			show(ctx, &check, plan, output, exit_code);
		check_close(&check);
	}
	vault_close(&vault);
	arena_done(&arena);
	return ok;
}
