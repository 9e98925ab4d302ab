/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "store/dataset.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

/* schemas/results, as store.c has them */
extern const char store_schema_001[];
extern const char store_schema_002[];
extern const char store_schema_003[];

/* A program of the future: our versions and these. */
#define FUTURE(...)                                                                           \
	static const struct store_script scripts[] = {{1, "first release", store_schema_001}, \
	                                              {2, "engine", store_schema_002},        \
	                                              {3, "settings", store_schema_003},      \
	                                              __VA_ARGS__};                           \
	struct store_options options = store_defaults;                                        \
                                                                                              \
	options.scripts = scripts;                                                            \
	options.script_count = COUNT_OF(scripts)

static bool exists(const struct fixture *f, const char *suffix)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s%s", f->path, suffix);
	return access(path, F_OK) == 0;
}

/* The backup, to be asked as the file itself. */
static const char *ask_backup(const struct fixture *f, const char *sql)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s.v3.bak", f->path);
	return fixture_ask(path, sql);
}

static void an_older_database_is_brought_up_to_date_after_a_copy(void **state)
{
	FUTURE({4, "wobble", "ALTER TABLE tests ADD COLUMN wobble_us REAL"},
	       {5, "notes",
	        "CREATE TABLE notes(a TEXT) STRICT; INSERT INTO notes SELECT name FROM runs"});
	struct fixture *f = *state;
	struct err err = {0};
	struct store *store;
	struct dataset data;

	(void)fixture_whole_run(f);
	store = store_open_with(f->path, STORE_WRITE, &options, &err);
	if (store == NULL)
		fail_msg("%s", err.msg);
	assert_true(dataset_load(store, 0, &data, &err));
	assert_int_equal(data.run.tests, 30);
	dataset_done(&data);
	store_close(store);
	EXPECT(f, "PRAGMA user_version", "5");
	EXPECT(f, "SELECT group_concat(version||description,' ') FROM schema_migrations",
	       "1first release 2what the engine measures 3what puts a setting back 4wobble 5notes");
	EXPECT(f, "SELECT count(*) FROM tests WHERE wobble_us IS NULL", "30");
	EXPECT(f, "SELECT a FROM notes", "lab");
	EXPECT(f, "SELECT n FROM v_cells WHERE cell_id=1", "6");
	assert_string_equal(ask_backup(f, "PRAGMA user_version"), "3");
	assert_string_equal(ask_backup(f, "PRAGMA integrity_check"), "ok");
	assert_string_equal(ask_backup(f, "SELECT count(*) FROM tests"), "30");
	assert_false(exists(f, ".v3.bak.part"));

	/* Up to date: nothing is done again. */
	store = store_open_with(f->path, STORE_WRITE, &options, &err);
	assert_non_null(store);
	store_close(store);
	assert_false(exists(f, ".v5.bak"));
}

static void a_table_can_be_rebuilt_that_others_refer_to(void **state)
{
	FUTURE({4, "hosts with a note",
	        "CREATE TABLE hosts_new(host_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
	        "kind TEXT NOT NULL,"
	        " note TEXT) STRICT;"
	        "INSERT INTO hosts_new(host_id,name,kind) SELECT host_id,name,kind FROM hosts;"
	        "DROP TABLE hosts; ALTER TABLE hosts_new RENAME TO hosts"});
	struct fixture *f = *state;
	struct err err = {0};
	struct store *store;
	struct dataset data;

	(void)fixture_whole_run(f);
	store = store_open_with(f->path, STORE_WRITE, &options, &err);
	if (store == NULL)
		fail_msg("%s", err.msg);
	assert_true(dataset_load(store, 0, &data, &err));
	assert_string_equal(data.cells[0].src, "pc.eth0");
	dataset_done(&data);
	assert_false(
		sql_exec(&store->sql, "DELETE FROM hosts", &err)); /* foreign keys are on again */
	store_close(store);
}

static void a_script_that_fails_leaves_the_file_as_it_was(void **state)
{
	static const struct {
		const char *sql, *message;
	} rows[] = {
		{"CREATE TABLE half(a) STRICT", "schema 5: "},
		{"CREATE TABLE half(a TEXT) STRICT; INSERT INTO nowhere VALUES(1)",
	         "no such table: nowhere"},
		{"DELETE FROM cells; CREATE TABLE runs(a)", "table runs already exists"},
		{"INSERT INTO run_tags VALUES(99,'a','b')",
	         "PRAGMA foreign_key_check finds: run_tags"},
		{"PRAGMA user_version=77; SELECT bogus()", "no such function: bogus"},
	};
	struct fixture *f = *state;
	char path[256];

	(void)fixture_whole_run(f);
	(void)snprintf(path, sizeof(path), "the file is as it was, a copy is %s.v3.bak: ", f->path);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct store_script scripts[] = {
			{1, "first release", store_schema_001},
			{2, "engine", store_schema_002},
			{3, "settings", store_schema_003},
			{4, "fine", "CREATE TABLE fine(a TEXT) STRICT"},
			{5, "bad", rows[i].sql}};
		struct store_options options = store_defaults;
		struct err err = {0};

		options.scripts = scripts;
		options.script_count = COUNT_OF(scripts);
		assert_null(store_open_with(f->path, STORE_WRITE, &options, &err));
		assert_int_equal(strncmp(err.msg, path, strlen(path)), 0);
		if (strstr(err.msg, rows[i].message) == NULL)
			fail_msg("%s", err.msg);
		EXPECT(f, "PRAGMA user_version", "3");
		EXPECT(f, "PRAGMA integrity_check", "ok");
		EXPECT(f, "SELECT count(*) FROM sqlite_schema WHERE name IN('fine','half')", "0");
		EXPECT(f, "SELECT count(*) FROM schema_migrations", "3");
		EXPECT(f, "SELECT n FROM v_cells WHERE cell_id=5", "6");
		assert_string_equal(ask_backup(f, "SELECT count(*) FROM tests"), "30");
		/* and this program goes on with it */
		store_close(store_open(f->path, STORE_WRITE, &err));
	}
}

static void a_new_file_gets_all_scripts_and_no_copy(void **state)
{
	FUTURE({4, "notes", "CREATE TABLE notes(a TEXT) STRICT"});
	struct fixture *f = *state;
	struct err err = {0};
	struct store *store = store_open_with(f->path, STORE_WRITE, &options, &err);

	assert_non_null(store);
	store_close(store);
	EXPECT(f, "PRAGMA user_version", "4");
	assert_false(exists(f, ".v0.bak"));
	assert_null(store_open(f->path, STORE_WRITE, &err));
	assert_non_null(strstr(
		err.msg, "was written by a newer vnm (schema 4, this one knows 3); update vnm"));
}

static void a_copy_that_cannot_be_made_stops_the_change(void **state)
{
	FUTURE({4, "notes", "CREATE TABLE notes(a TEXT) STRICT"});
	struct fixture *f = *state;
	struct err err = {0};
	char path[256];

	(void)fixture_whole_run(f);
	(void)snprintf(path, sizeof(path), "%s.v3.bak", f->path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_null(store_open_with(f->path, STORE_WRITE, &options, &err));
	assert_non_null(strstr(err.msg, "copy before the schema changes: "));
	assert_non_null(strstr(err.msg, "results.db.v3.bak: Is a directory"));
	assert_int_equal(rmdir(path), 0);
	assert_false(exists(f, ".v3.bak.part"));
	EXPECT(f, "PRAGMA user_version", "3");
}

static void an_older_database_is_read_where_it_can_be(void **state)
{
	struct fixture *f = *state;
	const struct store_script scripts[] = {{1, "first release", store_schema_001},
	                                       {2, "engine", store_schema_002},
	                                       {3, "settings", store_schema_003},
	                                       {4, "later", ""}};
	struct store_options options = store_defaults;
	struct err err = {0};
	struct store *store;

	options.scripts = scripts;
	options.script_count = COUNT_OF(scripts);
	(void)fixture_whole_run(f);
	store = store_open_with(f->path, STORE_READ, &options, &err);
	assert_non_null(store);
	assert_int_equal(store_newer_schema(store), 0);
	store_close(store);
	EXPECT(f, "PRAGMA user_version", "3");

	store = store_open(f->path, STORE_WRITE, &err);
	assert_true(sql_exec(&store->sql,
	                     "DROP VIEW v_cells; DROP VIEW v_latest; DROP VIEW v_driver_mtu; DROP "
	                     "VIEW v_mtu_effect;"
	                     "DROP VIEW v_latency; DROP VIEW v_udp; DROP VIEW v_limits;"
	                     "DROP VIEW v_asymmetry; DROP VIEW v_history; DROP VIEW v_problems;"
	                     "ALTER TABLE cells DROP COLUMN reason",
	                     &err));
	store_close(store);
	assert_null(store_open_with(f->path, STORE_READ, &options, &err));
	assert_non_null(strstr(err.msg,
	                       ": was written by an older vnm (schema 3, this one needs 4); "
	                       "`vnm run` or `vnm resume` with it brings it up to date"));
}

/* ---- a file of each released schema ---- */

static void copy_file(const char *from, const char *to)
{
	struct err err = {0};
	char *bytes = NULL;
	size_t len = 0;
	int fd;

	if (!io_read_file(from, (size_t)1 << 24, &bytes, &len, &err))
		fail_msg("%s", err.msg);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0 && io_write_all(fd, bytes, len, &err));
	(void)close(fd);
	free(bytes);
}

static bool count_row(void *arg, int columns, const char *const *names, const char *const *values)
{
	(void)columns;
	(void)names;
	(void)values;
	++*(int *)arg;
	return true;
}

/* What version 1 had no column for is not known, and never 0. */
static void check_new_is_unknown(struct store *store, const struct dataset_cell *cell)
{
	const struct dataset_test *t = &cell->tests[0];
	struct dataset_interval *intervals;
	struct dataset_stream *streams;
	struct dataset_trouble *troubles;
	struct arena arena = {0};
	struct err err = {0};
	size_t count = 9;

	assert_string_equal(cell->protocol, "tcp");
	assert_string_equal(cell->mode, "bulk");
	assert_int_equal(cell->bidir, 0);
	assert_null(cell->zero_copy);
	assert_null(cell->affinity);
	assert_true(cell->bytes == RESULT_UNKNOWN && cell->no_delay == RESULT_UNKNOWN);
	assert_true(isnan(cell->reverse_median_bps) && isnan(cell->median_rr_per_s));
	assert_true(isnan(t->loss_pct) && isnan(t->rr_p99_us) && isnan(t->start_skew_us));
	assert_true(t->busy_us == RESULT_UNKNOWN && t->datagrams_lost == RESULT_UNKNOWN);
	assert_null(t->src_method);
	assert_true(dataset_load_troubles(store, cell->cell_id, &arena, &troubles, &count, &err));
	assert_int_equal(count, 0);
	assert_true(dataset_load_intervals(store, t->test_id, &arena, &intervals, &count, &err));
	assert_true(count > 0);
	assert_int_equal(intervals[0].direction, 0);
	assert_true(isnan(intervals[0].src_cpu_pct) && intervals[0].busy_us == RESULT_UNKNOWN);
	assert_true(dataset_load_streams(store, t->test_id, &arena, &streams, &count, &err));
	assert_true(count > 0);
	assert_true(streams[0].throughput_bps > 0 && streams[0].rtt_min_us == RESULT_UNKNOWN);
	arena_done(&arena);
}

/* See tests/data/README.md for what is in the files. */
static void check_stored(struct store *store, bool is_up_to_date)
{
	static const struct {
		const char *view;
		int rows;
		bool is_new; /* not in the file as it was stored */
	} views[] = {
		{"v_cells", 10, false},
		{"v_latest", 5, false},
		{"v_driver_mtu", 2, false},
		{"v_mtu_effect", 2, false},
		{"v_asymmetry", 2, false},
		{"v_history", 10, false},
		{"v_unrestored", 1, false},
		{"v_problems", 1, false},
		{"v_what_changed", 1, false},
		/* What of these the first version measured: the round trip without load. */
		{"v_latency", 60, true},
		{"v_udp", 0, true},
		{"v_limits", 0, true},
	};
	struct dataset data;
	struct dataset_runs runs;
	struct err err = {0};

	for (size_t i = 0; i < COUNT_OF(views); i++) {
		char sql[64];
		int rows = 0;

		if (views[i].is_new && !is_up_to_date)
			continue;
		(void)snprintf(sql, sizeof(sql), "SELECT * FROM %s", views[i].view);
		if (!store_query(store, sql, count_row, &rows, &err))
			fail_msg("%s: %s", sql, err.msg);
		if (rows != views[i].rows)
			fail_msg("%s has %d rows, not %d", views[i].view, rows, views[i].rows);
	}
	assert_true(dataset_load_runs(store, &runs, &err));
	assert_int_equal(runs.count, 2);
	dataset_runs_done(&runs);
	assert_true(dataset_load(store, 2, &data, &err));
	assert_int_equal(data.cell_count, 5);
	assert_int_equal(data.cells[4].n, 6);
	assert_true(data.cells[4].median_bps > 5.0e9 && data.cells[4].median_bps < 5.1e9);
	dataset_done(&data);
	assert_true(dataset_load_cell(store, 1, &data, &err));
	assert_int_equal(data.cells[0].test_count, 7);
	assert_string_equal(data.cells[0].tests[1].reason, "window not granted");
	check_new_is_unknown(store, &data.cells[0]);
	dataset_done(&data);
}

static void every_stored_database_is_read_and_brought_up_to_date(void **state)
{
	static const char *const names[] = {"results-v1.db"};
	struct fixture *f = *state;
	struct err err = {0};
	struct store *store;
	int64_t run_id = 0;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char from[512];

		(void)snprintf(from, sizeof(from), "%s/%s", DATA_DIR, names[i]);
		copy_file(from, f->path);
		store = store_open(f->path, STORE_READ, &err);
		if (store == NULL)
			fail_msg("%s: %s", names[i], err.msg);
		check_stored(store, false);
		assert_false(store_query(store, "SELECT * FROM v_udp", count_row, &run_id, &err));
		assert_non_null(strstr(err.msg, "no such table: v_udp; "));
		assert_non_null(strstr(err.msg, "(schema 1, this one has 3): `vnm run`"));
		store_close(store);
		EXPECT(f, "PRAGMA user_version", "1"); /* reading changes nothing */
		store = store_open(f->path, STORE_WRITE, &err);
		if (store == NULL)
			fail_msg("%s: %s", names[i], err.msg);
		check_stored(store, true);
		assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
		assert_int_equal(run_id, 3);
		store_close(store);
		EXPECT(f, "PRAGMA integrity_check", "ok");
		EXPECT(f, "PRAGMA user_version", "3");
		/* A treatment that was known before is no other one now. */
		EXPECT(f,
		       "SELECT count(*) FROM configs WHERE zero_copy IS NOT NULL OR bytes IS NOT "
		       "NULL",
		       "0");
		EXPECT(f, "SELECT count(*) FROM tests WHERE loss_pct IS NOT NULL OR busy_us=0",
		       "0");
	}
}

/* A script that was released is never edited: a file of version 1 must say the same everywhere. */
static void released_scripts_stay_as_they_were(void **state)
{
	struct fixture *f = *state;
	char stored[96];
	struct err err = {0};

	copy_file(DATA_DIR "/results-v1.db", f->path);
	(void)snprintf(stored, sizeof(stored), "%s",
	               fixture_ask(f->path,
	                           "SELECT script_sha256 FROM schema_migrations WHERE version=1"));
	assert_int_equal(unlink(f->path), 0);
	store_close(store_open(f->path, STORE_WRITE, &err));
	EXPECT(f, "SELECT script_sha256 FROM schema_migrations WHERE version=1", stored);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(an_older_database_is_brought_up_to_date_after_a_copy),
		FIXTURE_TEST(a_table_can_be_rebuilt_that_others_refer_to),
		FIXTURE_TEST(a_script_that_fails_leaves_the_file_as_it_was),
		FIXTURE_TEST(a_new_file_gets_all_scripts_and_no_copy),
		FIXTURE_TEST(a_copy_that_cannot_be_made_stops_the_change),
		FIXTURE_TEST(an_older_database_is_read_where_it_can_be),
		FIXTURE_TEST(every_stored_database_is_read_and_brought_up_to_date),
		FIXTURE_TEST(released_scripts_stay_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
