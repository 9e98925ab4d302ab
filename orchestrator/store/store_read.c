/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "store/dataset.h"
#include "store/store_db.h"

#define MEMBER(type, member, kind, expression)                  \
	{                                                       \
		expression, kind, offsetof(struct type, member) \
	}

/* clang-format off */
#define CELLS_IN(states) \
	"(SELECT count(*) FROM cells c WHERE c.run_id=r.run_id AND c.state IN(" states "))"

static const struct sql_column run_columns[] = {
	MEMBER(dataset_run, run_id, SQL_INT, "r.run_id"),
	MEMBER(dataset_run, name, SQL_TEXT, "r.name"),
	MEMBER(dataset_run, status, SQL_TEXT, "r.status"),
	MEMBER(dataset_run, started_utc, SQL_TEXT, "r.started_utc"),
	MEMBER(dataset_run, ended_utc, SQL_TEXT, "r.ended_utc"),
	MEMBER(dataset_run, profile, SQL_TEXT, "r.profile"),
	MEMBER(dataset_run, origin, SQL_TEXT, "r.origin"),
	MEMBER(dataset_run, tool_version, SQL_TEXT, "r.tool_version"),
	MEMBER(dataset_run, seed, SQL_U64, "r.random_seed"),
	MEMBER(dataset_run, cells, SQL_COUNT,
	       "(SELECT count(*) FROM cells c WHERE c.run_id=r.run_id)"),
	MEMBER(dataset_run, cells_done, SQL_COUNT, CELLS_IN("'done'")),
	MEMBER(dataset_run, cells_skipped, SQL_COUNT, CELLS_IN("'skipped'")),
	MEMBER(dataset_run, cells_bad, SQL_COUNT, CELLS_IN("'failed','invalid','unstable'")),
	MEMBER(dataset_run, cells_pending, SQL_COUNT, CELLS_IN("'pending','running'")),
	MEMBER(dataset_run, tests, SQL_COUNT,
	       "(SELECT count(*) FROM cells c JOIN tests t ON t.cell_id=c.cell_id"
	       " WHERE c.run_id=r.run_id)"),
	{0},
};

static const struct sql_column cell_columns[] = {
	MEMBER(dataset_cell, cell_id, SQL_INT, "c.cell_id"),
	MEMBER(dataset_cell, src, SQL_TEXT, "sh.name||'.'||sn.name"),
	MEMBER(dataset_cell, dst, SQL_TEXT, "dh.name||'.'||dn.name"),
	MEMBER(dataset_cell, src_host, SQL_TEXT, "sh.name"),
	MEMBER(dataset_cell, dst_host, SQL_TEXT, "dh.name"),
	MEMBER(dataset_cell, initiator, SQL_TEXT, "c.initiator"),
	MEMBER(dataset_cell, path_class, SQL_TEXT, "c.path_class"),
	MEMBER(dataset_cell, src_driver, SQL_TEXT, "srn.driver"),
	MEMBER(dataset_cell, dst_driver, SQL_TEXT, "drn.driver"),
	MEMBER(dataset_cell, engine, SQL_TEXT, "k.engine"),
	MEMBER(dataset_cell, mtu_bytes, SQL_INT, "k.mtu_bytes"),
	MEMBER(dataset_cell, window_bytes, SQL_INT, "k.window_bytes"),
	MEMBER(dataset_cell, streams, SQL_INT, "k.streams"),
	MEMBER(dataset_cell, buffer_bytes, SQL_INT, "k.buffer_bytes"),
	MEMBER(dataset_cell, lro, SQL_TEXT, "k.lro"),
	MEMBER(dataset_cell, tso, SQL_TEXT, "k.tso"),
	MEMBER(dataset_cell, duration_s, SQL_REAL, "k.duration_s"),
	MEMBER(dataset_cell, omit_s, SQL_REAL, "k.omit_s"),
	MEMBER(dataset_cell, state, SQL_TEXT, "c.state"),
	MEMBER(dataset_cell, reason, SQL_TEXT, "c.reason"),
	MEMBER(dataset_cell, profiles, SQL_TEXT,
	       "(SELECT group_concat(profile,' ') FROM (SELECT p.profile FROM cell_profiles p"
	       " WHERE p.cell_id=c.cell_id ORDER BY p.rowid))"),
	MEMBER(dataset_cell, published_bps, SQL_REAL,
	       "(SELECT p.published_bps FROM cell_profiles p"
	       " WHERE p.cell_id=c.cell_id AND p.published_bps IS NOT NULL"
	       " ORDER BY p.rowid LIMIT 1)"),
	MEMBER(dataset_cell, n, SQL_COUNT, "s.n"),
	MEMBER(dataset_cell, n_invalid, SQL_COUNT, "s.n_invalid"),
	MEMBER(dataset_cell, median_bps, SQL_REAL, "s.median_bps"),
	MEMBER(dataset_cell, ci_lo_bps, SQL_REAL, "s.ci_lo_bps"),
	MEMBER(dataset_cell, ci_hi_bps, SQL_REAL, "s.ci_hi_bps"),
	MEMBER(dataset_cell, ci_confidence, SQL_REAL, "s.ci_confidence"),
	MEMBER(dataset_cell, min_bps, SQL_REAL, "s.min_bps"),
	MEMBER(dataset_cell, max_bps, SQL_REAL, "s.max_bps"),
	MEMBER(dataset_cell, cv_pct, SQL_REAL, "s.cv_pct"),
	MEMBER(dataset_cell, line_rate_pct, SQL_REAL, "s.line_rate_pct"),
	{0},
};
#define CELLS_FROM                                                                        \
	"FROM cells c JOIN configs k ON k.config_id=c.config_id"                          \
	" JOIN nics sn ON sn.nic_id=c.src_nic_id JOIN hosts sh ON sh.host_id=sn.host_id"  \
	" JOIN nics dn ON dn.nic_id=c.dst_nic_id JOIN hosts dh ON dh.host_id=dn.host_id"  \
	" LEFT JOIN run_nics srn ON srn.run_id=c.run_id AND srn.nic_id=c.src_nic_id"      \
	" LEFT JOIN run_nics drn ON drn.run_id=c.run_id AND drn.nic_id=c.dst_nic_id"      \
	" LEFT JOIN cell_stats s ON s.cell_id=c.cell_id"
#define CELLS_OF_RUN CELLS_FROM " WHERE c.run_id=?1 ORDER BY c.cell_id"
#define CELL_OF_ID   CELLS_FROM " WHERE c.cell_id=?1"

#define TEST(member, kind) MEMBER(dataset_test, member, kind, #member)
static const struct sql_column test_columns[] = {
	TEST(test_id, SQL_INT), TEST(replicate, SQL_U32), TEST(block, SQL_U32),
	TEST(round, SQL_U32), TEST(seq, SQL_U32), TEST(attempt, SQL_U32),
	TEST(started_utc, SQL_TEXT), TEST(status, SQL_TEXT), TEST(reason, SQL_TEXT),
	TEST(duration_s, SQL_REAL), TEST(throughput_bps, SQL_REAL), TEST(sender_bps, SQL_REAL),
	TEST(retransmits_per_gib, SQL_REAL), TEST(rtt_base_us, SQL_REAL),
	TEST(rtt_loaded_us, SQL_REAL), TEST(src_cpu_pct, SQL_REAL), TEST(dst_cpu_pct, SQL_REAL),
	TEST(src_core_max_pct, SQL_REAL), TEST(dst_core_max_pct, SQL_REAL),
	TEST(line_rate_bps, SQL_REAL), TEST(src_cpu_us_per_gib, SQL_REAL),
	TEST(dst_cpu_us_per_gib, SQL_REAL), TEST(nic_byte_match_pct, SQL_REAL),
	TEST(tcp_efficiency_pct, SQL_REAL), TEST(buffer_delay_pct, SQL_REAL),
	TEST(bytes, SQL_INT), TEST(retransmits, SQL_INT), TEST(cwnd_max_bytes, SQL_INT),
	TEST(window_requested_bytes, SQL_INT), TEST(sndbuf_actual_bytes, SQL_INT),
	TEST(rcvbuf_actual_bytes, SQL_INT), TEST(mss_bytes, SQL_INT),
	TEST(path_mtu_bytes, SQL_INT), TEST(rx_drops, SQL_INT), TEST(concurrent_tests, SQL_INT),
	{0},
};
#define TESTS_OF_CELL "FROM tests WHERE cell_id=?1 ORDER BY seq,attempt"

/* SQLite has no bool; read into an int64_t beside. */
struct interval_row {
	struct dataset_interval interval;
	int64_t omitted;
};
#define INTERVAL(member, kind) {#member, kind, offsetof(struct interval_row, interval.member)}
static const struct sql_column interval_columns[] = {
	INTERVAL(stream, SQL_INT), INTERVAL(start_s, SQL_REAL), INTERVAL(end_s, SQL_REAL),
	{"omitted", SQL_COUNT, offsetof(struct interval_row, omitted)},
	INTERVAL(throughput_bps, SQL_REAL), INTERVAL(cpu_pct, SQL_REAL),
	INTERVAL(retransmits, SQL_INT), INTERVAL(cwnd_bytes, SQL_INT), INTERVAL(rtt_us, SQL_INT),
	{0},
};
#define INTERVALS_OF_TEST "FROM intervals WHERE test_id=?1 AND direction=0 ORDER BY stream,start_s"
#define NEWEST_RUN        "SELECT max(run_id) FROM runs"
#define RUN_OF_CELL       "SELECT run_id FROM cells WHERE cell_id=?1"
/* clang-format on */

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
	{run_columns, "FROM runs r"},
	{cell_columns, CELLS_OF_RUN},
	{test_columns, TESTS_OF_CELL},
	{interval_columns, INTERVALS_OF_TEST},
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
	const struct question q = {run_columns, sizeof(struct dataset_run),
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
	const struct question q = {run_columns, sizeof(struct dataset_run),
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
	const struct question q = {cell_columns, sizeof(struct dataset_cell), rest, id};
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
	bool ok = sql_prepare_select(&store->sql, test_columns, TESTS_OF_CELL, &stmt, err);

	for (size_t i = 0; ok && i < data->cell_count; i++) {
		struct dataset_cell *cell = &data->cells[i];
		struct dataset_list list = {.arena = &data->arena};

		ok = sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(cell->cell_id)), err) &&
		     read_rows(store, stmt, test_columns, sizeof(struct dataset_test), &list, err);
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
	const struct question q = {interval_columns, sizeof(struct interval_row), INTERVALS_OF_TEST,
	                           test_id};
	struct arena scratch = {0};
	struct dataset_list list = {.arena = &scratch};
	const struct interval_row *row;
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

void dataset_done(struct dataset *data)
{
	if (data == NULL)
		return;
	arena_done(&data->arena);
	*data = (struct dataset){0};
}
