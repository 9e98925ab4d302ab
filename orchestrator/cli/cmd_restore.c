/* SPDX-License-Identifier: MIT */
/* `vnm restore`: put back what the settings journal holds open. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/lab.h"
#include "cli/restore_view.h"
#include "cli/vault.h"
#include "report/format.h"
#include "run/restore.h"
#include "store/store.h"

struct restore_options {
	const char *db;
	bool check, json;
};

/* clang-format off */
static const struct option_spec options[] = {
	{.name = "check", .letter = 'c', .kind = OPTION_FLAG, .offset = offsetof(struct restore_options, check),
	 .help = "read the settings back and tell; change nothing"},
	{.name = "db", .letter = 'd', .kind = OPTION_TEXT, .offset = offsetof(struct restore_options, db),
	 .value = "FILE", .help = "the database with the journal (default: that of ./lab.yaml, or results.db)"},
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, .offset = offsetof(struct restore_options, json),
	 .help = "what became of each setting as JSON on stdout"},
	{0},
};
/* clang-format on */

/* The hosts of the rows, each as the newest run that changed it knew it. */
struct fleet {
	struct topology *read; /* one for each run of the rows */
	int64_t *run_ids;
	size_t read_count;
	struct topology hosts; /* only the hosts; the others own what they point to */
	struct arena arena;
};

static void fleet_done(struct fleet *f)
{
	for (size_t i = 0; i < f->read_count; i++)
		topology_done(&f->read[i]);
	arena_done(&f->arena);
	*f = (struct fleet){0};
}

/* The run's topology, empty where it cannot be read any more: that is told. */
static bool read_topology(const struct command_context *ctx, struct store *store, int64_t run_id,
                          struct fleet *f, const struct topology **out, struct err *err)
{
	struct store_topology stored = {0};
	struct diag_list diags = {0};
	struct topology *topo = &f->read[f->read_count];
	struct err why;

	for (size_t i = 0; i < f->read_count; i++) {
		if (f->run_ids[i] == run_id) {
			*out = &f->read[i];
			return true;
		}
	}
	if (!store_load_topology(store, run_id, &f->arena, &stored, err))
		return false;
	f->run_ids[f->read_count++] = run_id;
	if (!topology_load_text(stored.path == NULL ? "topology" : stored.path, stored.yaml,
	                        strlen(stored.yaml), ctx->home, topo, &diags, &why))
		(void)fprintf(stderr,
		              "note: the topology of run %" PRId64
		              " cannot be read by this vnm: %s\n",
		              run_id, why.msg);
	diag_done(&diags);
	*out = topo;
	return true;
}

static bool find_hosts(const struct command_context *ctx, struct store *store,
                       const struct store_changes *changes, struct fleet *f, struct err *err)
{
	f->read = arena_alloc(&f->arena, changes->count, sizeof(*f->read));
	f->run_ids = arena_alloc(&f->arena, changes->count, sizeof(*f->run_ids));
	f->hosts.hosts = arena_alloc(&f->arena, changes->count, sizeof(*f->hosts.hosts));
	for (size_t i = 0; i < changes->count; i++) {
		const struct journal_row *row = &changes->at[i];
		const struct topology *topo;
		const struct host *host;

		if (topology_host(&f->hosts, row->host) != NULL)
			continue;
		if (!read_topology(ctx, store, row->run_id, f, &topo, err))
			return false;
		host = topology_host(topo, row->host);
		if (host != NULL)
			f->hosts.hosts[f->hosts.host_count++] = *host;
	}
	return true;
}

static bool restore_with(const struct restore_options *opt, struct store *store, struct restore *r,
                         struct err *err)
{
	struct journal_sink journal = store_journal(store);
	bool ok;

	restore_look(r);
	ok = opt->check || restore_mend(r, &journal, err);
	if (opt->json)
		restore_view_json(r);
	else
		restore_view_text(r, opt->check);
	return ok;
}

static bool restore(const struct command_context *ctx, const struct restore_options *opt,
                    struct store *store, const struct store_changes *changes, struct err *err)
{
	struct link_options link = {.auth_sock = ctx->ssh_auth_sock};
	struct vault vault = {.secrets = NULL};
	struct restore r = {.links = NULL};
	struct fleet fleet = {.read = NULL};
	bool ok = find_hosts(ctx, store, changes, &fleet, err) &&
	          vault_open(&vault, ctx, &fleet.hosts, err);

	link.secrets = vault.secrets;
	ok = ok && restore_open(&r, &fleet.hosts, changes->at, changes->count, &link, err) &&
	     restore_with(opt, store, &r, err);
	if (ok)
		*ctx->unrestored = restore_view_open(&r);
	restore_close(&r);
	vault_close(&vault);
	fleet_done(&fleet);
	return ok;
}

static bool run(const struct command_context *ctx, const void *raw, int operand_count,
                char *operands[], int *exit_code, struct err *err)
{
	const struct restore_options *opt = raw;
	struct store_changes changes = {.count = 0};
	struct arena arena = {0};
	struct store *store = NULL;
	const char *db;
	size_t open = 0;
	bool ok;

	(void)operand_count;
	(void)operands;
	(void)exit_code; /* main knows of what is left: ctx->unrestored */
	ok = lab_find_db(ctx, opt->db, &arena, &db, err);
	/* A database that is not there is not made: a wrong name would read as "nothing to do". */
	if (ok && (store = store_open(db, STORE_READ, err)) == NULL)
		ok = false;
	if (ok && store_is_written_elsewhere(store))
		ok = err_set(
			err, ERR_USAGE,
			"%s: a run is going on, and puts its settings back itself: wait for it",
			db);
	ok = ok && store_count_changes(store, &open, err);
	if (ok && !opt->check && open > 0) {
		store_close(store);
		store = store_open(db, STORE_WRITE, err);
		ok = store != NULL;
	}
	ok = ok && store_load_changes(store, &changes, err);
	if (ok) {
		*ctx->unrestored = changes.count; /* unless it is found otherwise */
		ok = restore(ctx, opt, store, &changes, err);
	}
	store_changes_done(&changes);
	store_close(store);
	arena_done(&arena);
	return ok;
}

/* clang-format off */
const struct command cmd_restore = {
	.name = "restore",
	.summary = "put settings back that a run has left changed",
	.operands = "",
	.details =
		"Reads back on its host every setting that the journal of the database does not know\n"
		"to be as before, puts back those that still have a value which vnm has set, and reads\n"
		"them again. What somebody else has changed since is told and left alone. The hosts\n"
		"are those of the topology that was stored with the run.",
	.options = options,
	.options_size = sizeof(struct restore_options),
	.run = run,
};
/* clang-format on */
