/* SPDX-License-Identifier: MIT */
#include "cli/check_hosts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/agent_file.h"
#include "cli/vault.h"
#include "common/text.h"
#include "run/check.h"
#include "run/gate.h"

#define COLUMNS 6

/* One line of the table, cell by cell. */
struct row {
	char at[COLUMNS][96];
};

static const char *fact(const struct hosts_entry *e, const char *key)
{
	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next) {
		if (f->fact.nic == NULL && strcmp(f->fact.key, key) == 0)
			return f->fact.value;
	}
	return NULL;
}

static void add_word(struct text *t, const char *word)
{
	if (word != NULL && word[0] != '\0')
		text_printf(t, "%s%s", t->len > 0 ? ", " : "", word);
}

static void system_text(const struct hosts_entry *e, char *out, size_t size)
{
	const char *name = fact(e, "os.version");
	struct text t = {0};

	add_word(&t, name != NULL ? name : fact(e, "os.name"));
	add_word(&t, fact(e, "os.kernel"));
	add_word(&t, e->info.arch);
	(void)snprintf(out, size, "%s", t.len > 0 ? text_str(&t) : "-");
	text_done(&t);
}

/* "key /root/.ssh/id_lab" -> "key id_lab" */
static void login_text(const char *login, char *out, size_t size)
{
	const char *slash = strrchr(login, '/');
	const char *blank = strchr(login, ' ');

	if (slash != NULL && blank != NULL && blank < slash)
		(void)snprintf(out, size, "%.*s %s", (int)(blank - login), login, slash + 1);
	else
		(void)snprintf(out, size, "%s", login);
}

/* The place without the agent's own folder there: its name is another each time. */
static void agent_text(const struct hosts_entry *e, char *out, size_t size)
{
	const char *slash = strrchr(e->info.folder, '/');

	(void)snprintf(out, size, "%s in %.*s", e->info.agent_version,
	               slash == NULL || slash == e->info.folder ? 1 : (int)(slash - e->info.folder),
	               e->info.folder);
}

static void count_probes(const struct check *check, const struct host *host, size_t *reached,
                         size_t *all)
{
	*reached = 0;
	*all = 0;
	for (size_t i = 0; i < check->probe_count; i++) {
		const struct host *other = check->probes[i].connector->host;

		if (check->probes[i].listener->host != host ||
		    check->hosts.at[hosts_index(&check->hosts, other)].state != HOSTS_READY)
			continue; /* not tried */
		(*all)++;
		*reached += check->probes[i].is_reached;
	}
}

static void fill_row(const struct check *check, const struct hosts_entry *e, struct row *row)
{
	bool is_up = e->state == HOSTS_READY;
	size_t reached;
	size_t all;

	memset(row, 0, sizeof(*row));
	for (int i = 1; i < COLUMNS; i++)
		(void)snprintf(row->at[i], sizeof(row->at[i]), "-");
	(void)snprintf(row->at[0], sizeof(row->at[0]), "%s", e->host->name);
	if (e->info.address[0] != '\0')
		(void)snprintf(row->at[1], sizeof(row->at[1]), "%s", e->info.address);
	if (e->info.login[0] != '\0')
		login_text(e->info.login, row->at[2], sizeof(row->at[2]));
	if (!is_up)
		return;
	agent_text(e, row->at[3], sizeof(row->at[3]));
	system_text(e, row->at[4], sizeof(row->at[4]));
	count_probes(check, e->host, &reached, &all);
	if (all > 0)
		(void)snprintf(row->at[5], sizeof(row->at[5]), "%zu of %zu", reached, all);
}

static void print_table(const struct row *rows, size_t count)
{
	size_t width[COLUMNS] = {0};

	for (size_t r = 0; r < count; r++) {
		for (int c = 0; c < COLUMNS; c++) {
			size_t len = strlen(rows[r].at[c]);

			width[c] = len > width[c] ? len : width[c];
		}
	}
	for (size_t r = 0; r < count; r++) {
		for (int c = 0; c < COLUMNS; c++)
			(void)printf("%-*s%s", c == COLUMNS - 1 ? 0 : (int)width[c], rows[r].at[c],
			             c == COLUMNS - 1 ? "\n" : "  ");
	}
}

/* What keeps the host from being measured, a line each; the number of lines. */
static size_t print_problems(const struct check *check, const struct hosts_entry *e)
{
	size_t lines = 0;

	if (e->state == HOSTS_GONE) {
		(void)printf("  %s%s%s\n",
		             strncmp(e->why.msg, e->host->name, strlen(e->host->name)) == 0
		                     ? ""
		                     : e->host->name,
		             strncmp(e->why.msg, e->host->name, strlen(e->host->name)) == 0 ? ""
		                                                                            : ": ",
		             e->why.msg);
		return 1;
	}
	for (const struct hosts_nic *n = e->nics; n != NULL; n = n->next) {
		if (!n->is_known) {
			(void)printf("  %s.%s: %s\n", e->host->name, n->nic->name,
			             n->problem[0] != '\0' ? n->problem
			                                   : "the agent does not know this NIC");
			lines++;
		} else if (n->name[0] != '\0' && strcmp(n->name, n->nic->name) != 0) {
			(void)printf("  %s.%s: its address %s belongs to %s there; the name in the "
			             "topology is wrong\n",
			             e->host->name, n->nic->name, n->nic->ip, n->name);
		}
	}
	for (size_t i = 0; i < check->probe_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (p->listener->host != e->host || p->is_reached)
			continue;
		if (check->hosts.at[hosts_index(&check->hosts, p->connector->host)].state !=
		    HOSTS_READY)
			continue; /* told there */
		(void)printf("  %s.%s -> %s.%s: %s\n", p->connector->host->name, p->connector->name,
		             e->host->name, p->listener->name, p->reason);
		lines++;
	}
	return lines;
}

/* How many of the plan's cells could be measured, skipped by choice, or not. */
struct cell_count {
	size_t open, choice, fault;
	char choice_reason[256]; /* of the first */
};

static bool pair_is_reached(const struct check *check, const struct plan_cell *cell)
{
	const struct nic *connector = cell->dst_initiates ? cell->dst : cell->src;
	const struct nic *listener = cell->dst_initiates ? cell->src : cell->dst;

	for (size_t i = 0; i < check->probe_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (p->connector == connector && p->listener == listener)
			return p->is_reached;
	}
	return false;
}

static void count_cells(const struct check *check, const struct plan *plan, struct cell_count *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < plan->cell_count; i++) {
		char reason[256];
		enum gate_answer a = gate_cell(&check->hosts, &plan->cells[i], reason);

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

static void print_check(const struct check *check, const struct topology *topo,
                        const struct plan *plan, int *exit_code)
{
	struct arena arena = {0};
	struct row *rows = arena_alloc(&arena, topo->host_count + 1, sizeof(*rows));
	size_t count = 1;
	size_t problems = 0;

	rows[0] = (struct row){{"host", "address", "login", "agent", "system", "data port"}};
	for (size_t h = 0; h < topo->host_count; h++) {
		if (check->hosts.at[h].state != HOSTS_UNUSED)
			fill_row(check, &check->hosts.at[h], &rows[count++]);
	}
	print_table(rows, count);
	for (size_t h = 0; h < topo->host_count; h++) {
		if (check->hosts.at[h].state != HOSTS_UNUSED)
			problems += print_problems(check, &check->hosts.at[h]);
	}
	if (plan != NULL) {
		struct cell_count cells;

		count_cells(check, plan, &cells);
		(void)printf("%zu of %zu cells can be measured\n", cells.open, plan->cell_count);
		if (cells.choice > 0)
			(void)printf("%zu will be skipped: %s\n", cells.choice,
			             cells.choice_reason);
		if (cells.fault > 0)
			*exit_code = cells.open == 0 ? EXIT_BLOCKED : EXIT_CELLS;
	} else if (problems > 0) {
		*exit_code = EXIT_CELLS;
	}
	arena_done(&arena);
}

bool check_hosts(const struct command_context *ctx, const struct topology *topo,
                 const struct plan *plan, int *exit_code, struct err *err)
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
			print_check(&check, topo, plan, exit_code);
		check_close(&check);
	}
	vault_close(&vault);
	arena_done(&arena);
	return ok;
}
