/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "store/dataset.h"
#include "store/store_columns.h"
#include "store/store_db.h"

/* Rows of one kind, in an arena of the caller's. */
struct dataset_list {
	struct arena *arena;
	void *at;
	size_t count;
};

/* What dataset_load*() asks. */
static const struct {
	const struct sql_column *columns;
	const char *rest;
} questions[] = {
	{store_run_columns, "FROM runs r"},      {store_cell_columns, CELLS_OF_RUN},
	{store_test_columns, TESTS_OF_CELL},     {store_interval_columns, INTERVALS_OF_TEST},
	{store_stream_columns, STREAMS_OF_TEST},
};

bool store_can_read(struct store *store)
{
	struct err ignored;

	for (size_t i = 0; i < COUNT_OF(questions); i++) {
		sqlite3_stmt *stmt = NULL;
		bool ok = sql_prepare_select(&store->sql, questions[i].columns, questions[i].rest,
		                             &stmt, &ignored);

		(void)sqlite3_finalize(stmt);
		if (!ok)
			return false;
	}
	return true;
}

/* Rows of a bound SELECT as a list in the arena; a row's struct has `size` bytes. */
static bool read_rows(struct store *store, sqlite3_stmt *stmt, const struct sql_column *columns,
                      size_t size, struct dataset_list *out, struct err *err)
{
	char *list = NULL;
	size_t used = 0;
	size_t room = 0;
	bool row = true;
	bool ok = true;

	while (ok) {
		ok = sql_step(&store->sql, stmt, &row, err);
		if (!ok || !row)
			break;
		if (used == room) {
			room = room == 0 ? 16 : 2 * room;
			list = reallocarray(list, room, size);
			if (list == NULL)
				oom_end();
		}
		memset(list + used * size, 0, size);
		sql_read_row(stmt, columns, out->arena, list + used * size);
		used++;
	}
	if (ok) {
		out->at = arena_alloc(out->arena, used, size);
		if (used > 0)
			memcpy(out->at, list, used * size);
		out->count = used;
	}
	free(list);
	return ok;
}

/* One SELECT with one value. */
struct question {
	const struct sql_column *columns;
	size_t size; /* of a row's struct, bytes */
	const char *rest;
	int64_t value; /* for ?1; SQL_UNKNOWN: none */
};

static bool ask(struct store *store, const struct question *q, struct dataset_list *out,
                struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	const struct sql_value value = sql_int(q->value);
	bool ok = sql_prepare_select(&store->sql, q->columns, q->rest, &stmt, err) &&
	          sql_bind(&store->sql, stmt,
	                   (struct sql_values){&value, q->value == SQL_UNKNOWN ? 0 : 1}, err) &&
	          read_rows(store, stmt, q->columns, q->size, out, err);

	(void)sqlite3_finalize(stmt);
	return ok;
}

/* A run that nobody writes any more was killed, whatever its row says. */
static void set_true_status(struct store *store, struct dataset_run *run)
{
	if (store->mode == STORE_READ && strcmp(run->status, "running") == 0 &&
	    !store_lock_is_held(store->path))
		run->status = "interrupted";
}

bool dataset_load_runs(struct store *store, struct dataset_runs *out, struct err *err)
{
	const struct question q = {store_run_columns, sizeof(struct dataset_run),
	                           "FROM runs r ORDER BY r.run_id DESC", SQL_UNKNOWN};
	struct dataset_runs runs = {0};
	struct dataset_list list = {.arena = &runs.arena};

	if (!ask(store, &q, &list, err)) {
		dataset_runs_done(&runs);
		return false;
	}
	runs.at = list.at;
	runs.count = list.count;
	for (size_t i = 0; i < runs.count; i++)
		set_true_status(store, &runs.at[i]);
	*out = runs;
	return true;
}

void dataset_runs_done(struct dataset_runs *runs)
{
	if (runs == NULL)
		return;
	arena_done(&runs->arena);
	*runs = (struct dataset_runs){0};
}

static bool load_run(struct store *store, int64_t run_id, struct dataset *data, struct err *err)
{
	const struct question q = {store_run_columns, sizeof(struct dataset_run),
	                           "FROM runs r WHERE r.run_id=?1", run_id};
	struct dataset_list list = {.arena = &data->arena};

	if (!ask(store, &q, &list, err))
		return false;
	if (list.count == 0)
		return err_set(err, ERR_USAGE,
		               "%s: there is no run %" PRId64 "; `vnm list` shows them",
		               store->name, run_id);
	data->run = *(const struct dataset_run *)list.at;
	set_true_status(store, &data->run);
	return true;
}

static bool load_cells(struct store *store, const char *rest, int64_t id, struct dataset *data,
                       struct err *err)
{
	const struct question q = {store_cell_columns, sizeof(struct dataset_cell), rest, id};
	struct dataset_list list = {.arena = &data->arena};

	if (!ask(store, &q, &list, err))
		return false;
	data->cells = list.at;
	data->cell_count = list.count;
	return true;
}

/* The tests of all cells: one statement, asked again for each. */
static bool load_tests(struct store *store, struct dataset *data, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare_select(&store->sql, store_test_columns, TESTS_OF_CELL, &stmt, err);

	for (size_t i = 0; ok && i < data->cell_count; i++) {
		struct dataset_cell *cell = &data->cells[i];
		struct dataset_list list = {.arena = &data->arena};

		ok = sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(cell->cell_id)), err) &&
		     read_rows(store, stmt, store_test_columns, sizeof(struct dataset_test), &list,
		               err);
		cell->tests = list.at;
		cell->test_count = list.count;
		(void)sqlite3_reset(stmt);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

/* One picture of the database although a run goes on writing it. */
static bool begin_reading(struct store *store, struct err *err)
{
	return sql_exec(&store->sql, "BEGIN", err);
}

static bool end_reading(struct store *store, bool ok, struct dataset *data, struct dataset *out)
{
	sql_rollback(&store->sql);
	if (ok)
		*out = *data;
	else
		dataset_done(data);
	return ok;
}

bool dataset_load(struct store *store, int64_t run_id, struct dataset *out, struct err *err)
{
	struct dataset data = {0};
	int64_t id = run_id;
	bool ok;

	if (!begin_reading(store, err))
		return false;
	ok = run_id != 0 || sql_get_int(&store->sql, NEWEST_RUN, (struct sql_values){0}, &id, err);
	if (ok && id == SQL_UNKNOWN)
		ok = err_set(err, ERR_USAGE, "%s: no run was stored yet", store->name);
	ok = ok && load_run(store, id, &data, err) &&
	     load_cells(store, CELLS_OF_RUN, id, &data, err);
	return end_reading(store, ok, &data, out);
}

bool dataset_load_cell(struct store *store, int64_t cell_id, struct dataset *out, struct err *err)
{
	struct dataset data = {0};
	int64_t run_id = 0;
	bool ok;

	if (!begin_reading(store, err))
		return false;
	ok = sql_get_int(&store->sql, RUN_OF_CELL, SQL_VALUES(sql_int(cell_id)), &run_id, err);
	if (ok && run_id == SQL_UNKNOWN)
		ok = err_set(err, ERR_USAGE,
		             "%s: there is no cell %" PRId64
		             "; `vnm matrix --value cell` shows them",
		             store->name, cell_id);
	ok = ok && load_run(store, run_id, &data, err) &&
	     load_cells(store, CELL_OF_ID, cell_id, &data, err) && load_tests(store, &data, err);
	return end_reading(store, ok, &data, out);
}

bool dataset_load_tests(struct store *store, struct dataset *data, struct err *err)
{
	bool ok;

	if (!begin_reading(store, err))
		return false;
	ok = load_tests(store, data, err);
	sql_rollback(&store->sql);
	return ok;
}

bool dataset_load_intervals(struct store *store, int64_t test_id, struct arena *arena,
                            struct dataset_interval **out, size_t *count, struct err *err)
{
	const struct question q = {store_interval_columns, sizeof(struct store_interval_row),
	                           INTERVALS_OF_TEST, test_id};
	struct arena scratch = {0};
	struct dataset_list list = {.arena = &scratch};
	const struct store_interval_row *row;
	bool ok = ask(store, &q, &list, err);

	if (ok) {
		*count = list.count;
		*out = arena_alloc(arena, list.count, sizeof(**out));
		row = list.at;
		for (size_t i = 0; i < list.count; i++) {
			(*out)[i] = row[i].interval;
			(*out)[i].omitted = row[i].omitted != 0;
		}
	}
	arena_done(&scratch);
	return ok;
}

bool dataset_load_streams(struct store *store, int64_t test_id, struct arena *arena,
                          struct dataset_stream **out, size_t *count, struct err *err)
{
	const struct question q = {store_stream_columns, sizeof(struct dataset_stream),
	                           STREAMS_OF_TEST, test_id};
	struct dataset_list list = {.arena = arena};

	if (!ask(store, &q, &list, err))
		return false;
	*out = list.at;
	*count = list.count;
	return true;
}

bool dataset_load_troubles(struct store *store, int64_t cell_id, struct arena *arena,
                           struct dataset_trouble **out, size_t *count, struct err *err)
{
	const struct question q = {store_trouble_columns, sizeof(struct dataset_trouble),
	                           TROUBLES_OF_CELL, cell_id};
	struct dataset_list list = {.arena = arena};

	*count = 0;
	if (store->sql.version != 0 && store->sql.version < TROUBLES_SINCE)
		return true;
	if (!ask(store, &q, &list, err))
		return false;
	*out = list.at;
	*count = list.count;
	return true;
}

void dataset_done(struct dataset *data)
{
	if (data == NULL)
		return;
	arena_done(&data->arena);
	*data = (struct dataset){0};
}
