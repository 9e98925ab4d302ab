/* SPDX-License-Identifier: MIT */
/* Finding a run that can go on, and which of its tests are still missing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "store/store_db.h"

static const char sql_resumable[] =
	"SELECT run_id,topology_yaml,topology_path,profile,selection,random_seed,plan_sha256"
	" FROM runs WHERE status<>'complete' AND origin<>'imported'"
	" AND (?1 IS NULL OR topology_sha256=?1) ORDER BY run_id DESC LIMIT 1";
static const char sql_cells[] =
	"SELECT cell_id,fingerprint FROM cells WHERE run_id=? ORDER BY cell_id";
static const char sql_ok_tests[] =
	"SELECT t.cell_id,t.replicate FROM cells c JOIN tests t ON t.cell_id=c.cell_id"
	" WHERE c.run_id=? AND t.status='ok'";
/* What made a cell bad, or kept it out by choice, may have been mended since. */
static const char sql_reopen_cells[] =
	"UPDATE cells SET state='pending',reason=NULL WHERE run_id=?1 AND state<>'done'";

static char *take_text(sqlite3_stmt *stmt, int at)
{
	const char *text = (const char *)sqlite3_column_text(stmt, at);
	char *copy;

	if (text == NULL)
		return NULL;
	copy = strdup(text);
	if (copy == NULL)
		oom_end();
	return copy;
}

bool store_find_resumable(struct store *store, const char *topology_sha256,
                          struct store_resumable *out, bool *found, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok = sql_prepare(&store->sql, sql_resumable, &stmt, err) &&
	          sql_bind(&store->sql, stmt, SQL_VALUES(sql_text(topology_sha256)), err) &&
	          sql_step(&store->sql, stmt, &row, err);

	if (ok && row) {
		*out = (struct store_resumable){
			.run_id = sqlite3_column_int64(stmt, 0),
			.topology_yaml = take_text(stmt, 1),
			.topology_path = take_text(stmt, 2),
			.profile = take_text(stmt, 3),
			.only = take_text(stmt, 4),
			.seed = (uint64_t)sqlite3_column_int64(stmt, 5),
			.plan_sha256 = take_text(stmt, 6),
		};
	}
	(void)sqlite3_finalize(stmt);
	if (ok)
		*found = row;
	return ok;
}

void store_resumable_done(struct store_resumable *r)
{
	if (r == NULL)
		return;
	free(r->topology_yaml);
	free(r->topology_path);
	free(r->profile);
	free(r->only);
	free(r->plan_sha256);
	*r = (struct store_resumable){0};
}

static bool check_plan(struct store *store, int64_t run_id, const struct plan *plan,
                       struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	bool ok =
		sql_prepare(&store->sql, "SELECT plan_sha256,tool_version FROM runs WHERE run_id=?",
	                    &stmt, err) &&
		sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(run_id)), err) &&
		sql_step(&store->sql, stmt, &row, err);

	if (ok && !row)
		ok = err_set(err, ERR_USAGE,
		             "%s: there is no run %" PRId64 "; `vnm list` shows them", store->name,
		             run_id);
	else if (ok && strcmp((const char *)sqlite3_column_text(stmt, 0), plan->sha256) != 0)
		ok = err_set(err, ERR_INPUT,
		             "run %" PRId64 " cannot go on: vnm " VNM_VERSION
		             " plans it differently than vnm %s "
		             "did; begin a new one with `vnm run`",
		             run_id, (const char *)sqlite3_column_text(stmt, 1));
	(void)sqlite3_finalize(stmt);
	return ok;
}

/* What is known of the run's cells while their slots are sorted out. */
struct cell_marks {
	struct arena arena;
	bool *is_ok; /* by first_replicate[cell] + replicate - 1 */
	size_t *first_replicate;
};

static bool fail_cells(int64_t run_id, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "run %" PRId64
	               " cannot go on: its stored cells are not those of its plan; begin a new one "
	               "with `vnm run`",
	               run_id);
}

/* Cells were written in the order of the plan, so the order of their numbers is the plan's. */
static bool read_cells(struct store *store, const struct plan *plan, struct store_ids *ids,
                       struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	size_t i = 0;
	bool row = true;
	bool ok = sql_prepare(&store->sql, sql_cells, &stmt, err) &&
	          sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(ids->run_id)), err);

	ids->cells = arena_alloc(&ids->arena, plan->cell_count, sizeof(*ids->cells));
	ids->cell_count = plan->cell_count;
	while (ok) {
		ok = sql_step(&store->sql, stmt, &row, err);
		if (!ok || !row)
			break;
		ok = (i < plan->cell_count && strcmp((const char *)sqlite3_column_text(stmt, 1),
		                                     plan->cells[i].fingerprint) == 0) ||
		     fail_cells(ids->run_id, err);
		if (ok)
			ids->cells[i++] = sqlite3_column_int64(stmt, 0);
	}
	(void)sqlite3_finalize(stmt);
	return ok && (i == plan->cell_count || fail_cells(ids->run_id, err));
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool read_tests(struct store *store, const struct plan *plan, const struct store_ids *ids,
                       struct cell_marks *marks, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	bool ok = sql_prepare(&store->sql, sql_ok_tests, &stmt, err) &&
	          sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(ids->run_id)), err);

	while (ok) {
		int64_t cell_id;
		const int64_t *at;
		int64_t replicate;

		ok = sql_step(&store->sql, stmt, &row, err);
		if (!ok || !row)
			break;
		cell_id = sqlite3_column_int64(stmt, 0);
		replicate = sqlite3_column_int64(stmt, 1);
		at = bsearch(&cell_id, ids->cells, ids->cell_count, sizeof(*ids->cells), by_id);
		if (at != NULL && replicate >= 1 &&
		    replicate <= plan->cells[at - ids->cells].repeats)
			marks->is_ok[marks->first_replicate[at - ids->cells] + (size_t)replicate -
			             1] = true;
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static void make_marks(const struct plan *plan, struct cell_marks *marks)
{
	size_t replicates = 0;

	marks->first_replicate =
		arena_alloc(&marks->arena, plan->cell_count, sizeof(*marks->first_replicate));
	for (size_t i = 0; i < plan->cell_count; i++) {
		marks->first_replicate[i] = replicates;
		replicates += plan->cells[i].repeats;
	}
	marks->is_ok = arena_alloc(&marks->arena, replicates, sizeof(*marks->is_ok));
}

/* A cell that is done stays done; everything else is tried again. */
static bool reopen(struct store *store, int64_t run_id, struct err *err)
{
	return sql_run(&store->sql, sql_reopen_cells, SQL_VALUES(sql_int(run_id)), err) &&
	       sql_run(&store->sql,
	               "UPDATE runs SET status='running',ended_utc=NULL WHERE run_id=?",
	               SQL_VALUES(sql_int(run_id)), err);
}

bool store_resume_run(struct store *store, int64_t run_id, const struct plan *plan, bool *done,
                      struct err *err)
{
	struct store_ids ids = {.run_id = run_id};
	struct cell_marks marks = {0};
	bool ok;

	if (!sql_begin(&store->sql, err))
		return false;
	make_marks(plan, &marks);
	ok = check_plan(store, run_id, plan, err) &&
	     store_put_lab(store, plan->topology, &ids, err) &&
	     read_cells(store, plan, &ids, err) && read_tests(store, plan, &ids, &marks, err) &&
	     reopen(store, run_id, err) && store_commit(store, err);
	if (ok) {
		for (size_t i = 0; i < plan->slot_count; i++) {
			const struct plan_slot *slot = &plan->slots[i];

			done[i] = marks.is_ok[marks.first_replicate[slot->cell] + slot->replicate -
			                      1];
		}
		store_set_ids(store, &ids);
		ok = store_put_event(store, "info", SQL_UNKNOWN, "resumed with vnm " VNM_VERSION,
		                     err) &&
		     store_put_warning(store, err);
	} else {
		sql_rollback(&store->sql);
		arena_done(&ids.arena);
	}
	arena_done(&marks.arena);
	return ok;
}
