/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/dataset.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

#define NOBODY 65534

/* The path before the message is left out: it differs in each run. */
static void expect_refusal(const char *path, enum store_mode mode, enum err_kind kind,
                           const char *message)
{
	struct err err = {0};
	struct store *store = store_open(path, mode, &err);

	assert_null(store);
	assert_int_equal(strncmp(err.msg, path, strlen(path)), 0);
	assert_string_equal(err.msg + strlen(path), message);
	assert_int_equal(err.kind, kind);
}

static void put_file(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(close(fd), 0);
}

static void exec_sql(const char *path, const char *text)
{
	struct sql db = {.name = path, .busy_ms = 1000};
	struct err err = {0};

	if (!sql_open(&db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &err) ||
	    !sql_exec(&db, text, &err))
		fail_msg("%s: %s", text, err.msg);
	sql_close(&db);
}

static bool exists(const struct fixture *f, const char *suffix)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s%s", f->path, suffix);
	return access(path, F_OK) == 0;
}

static void a_missing_database_is_made(void **state)
{
	struct fixture *f = *state;

	store_close(fixture_open(f->path, STORE_WRITE));
	EXPECT(f, "PRAGMA application_id", "1447972145"); /* 0x564E4D31 */
	EXPECT(f, "PRAGMA user_version", "3");
	EXPECT(f, "PRAGMA journal_mode", "wal");
	EXPECT(f,
	       "SELECT version||' '||tool_version||' '||description||' '||length(script_sha256) "
	       "FROM schema_migrations",
	       "1 0.1.0 first release 64");
	EXPECT(f, "SELECT max(version) FROM schema_migrations", "3");
	EXPECT(f, "SELECT count(*) FROM sqlite_schema WHERE type='view'", "13");
	EXPECT(f,
	       "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%' "
	       "AND sql NOT LIKE '%STRICT%'",
	       "0");
	assert_false(exists(f, "-wal"));
	assert_false(exists(f, ".lock"));
	assert_false(exists(f, ".v0.bak"));
}

static void an_empty_file_is_as_good_as_none(void **state)
{
	struct fixture *f = *state;

	put_file(f->path, "", 0);
	expect_refusal(f->path, STORE_READ, ERR_INPUT, ": is empty: no run was stored in it");
	store_close(fixture_open(f->path, STORE_WRITE));
	EXPECT(f, "PRAGMA user_version", "3");
}

static void reading_needs_a_database(void **state)
{
	struct fixture *f = *state;

	expect_refusal(
		f->path, STORE_READ, ERR_USAGE,
		": there is no such results database; `vnm run` makes it, --db names another");
	assert_false(exists(f, ""));
}

static void what_is_no_vnm_database_is_refused_and_left_alone(void **state)
{
	static const char text[] = "This is a text of more than a hundred bytes, so that it could "
				   "have the header of a "
				   "database, which it has not.";
	struct fixture *f = *state;

	put_file(f->path, text, sizeof(text));
	expect_refusal(f->path, STORE_WRITE, ERR_INPUT, ": is not a vnm database");
	expect_refusal(f->path, STORE_READ, ERR_INPUT, ": is not a vnm database");
	put_file(f->path, "short", 5);
	expect_refusal(f->path, STORE_WRITE, ERR_INPUT, ": is not a vnm database");
	expect_refusal(f->path, STORE_READ, ERR_INPUT, ": is not a vnm database");
	assert_int_equal(unlink(f->path), 0);

	exec_sql(f->path, "CREATE TABLE t(a)");
	expect_refusal(f->path, STORE_WRITE, ERR_INPUT,
	               ": is a database of another program, not of vnm");
	expect_refusal(f->path, STORE_READ, ERR_INPUT,
	               ": is a database of another program, not of vnm");
	EXPECT(f, "PRAGMA journal_mode", "delete");
	assert_int_equal(unlink(f->path), 0);

	exec_sql(f->path, "PRAGMA application_id=7");
	expect_refusal(f->path, STORE_WRITE, ERR_INPUT,
	               ": is a database of another program, not of vnm");

	expect_refusal(f->folder, STORE_WRITE, ERR_INPUT, ": is not a file");
	expect_refusal("/nowhere/at/all.db", STORE_WRITE, ERR_SYSTEM,
	               ": the results database cannot be made: No such file or directory");
}

static void a_name_that_means_something_to_sqlite_is_a_file_name(void **state)
{
	static const char *const names[] = {":memory:", "file:a.db?mode=memory", "100%.db",
	                                    "b#c?.db"};
	struct fixture *f = *state;
	char cwd[512];

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(f->folder), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct stat st;

		store_close(fixture_open(names[i], STORE_WRITE));
		assert_int_equal(stat(names[i], &st), 0);
		assert_true(st.st_size > 0);
		store_close(fixture_open(names[i], STORE_READ));
	}
	assert_int_equal(chdir(cwd), 0);
}

static void a_second_writer_is_told_who_is_first(void **state)
{
	struct fixture *f = *state;
	struct store *first = fixture_open(f->path, STORE_WRITE);
	char message[256];
	char alias[160];

	(void)snprintf(message, sizeof(message),
	               ": another vnm run is writing to it (pid %ld); wait for it, or use another "
	               "file with --db",
	               (long)getpid());
	expect_refusal(f->path, STORE_WRITE, ERR_USAGE, message);
	(void)snprintf(alias, sizeof(alias), "%s/alias.db", f->folder);
	assert_int_equal(symlink(f->path, alias), 0);
	expect_refusal(alias, STORE_WRITE, ERR_USAGE, message);

	store_close(fixture_open(f->path, STORE_READ)); /* readers are not hindered */
	store_close(first);
	store_close(fixture_open(alias, STORE_WRITE));
}

static void a_lock_left_by_a_killed_run_does_no_harm(void **state)
{
	struct fixture *f = *state;
	char lock[160];

	(void)snprintf(lock, sizeof(lock), "%s.lock", f->path);
	put_file(lock, "4711\n", 5);
	store_close(fixture_open(f->path, STORE_WRITE));
	assert_false(exists(f, ".lock"));
}

/* In a folder like /tmp somebody could have laid it there for root to write through. */
static void a_lock_that_is_a_link_is_not_followed(void **state)
{
	struct fixture *f = *state;
	struct err err = {0};
	char lock[160];
	char target[160];
	struct stat st;

	(void)snprintf(lock, sizeof(lock), "%s.lock", f->path);
	(void)snprintf(target, sizeof(target), "%s/target", f->folder);
	put_file(target, "precious", 8);
	assert_int_equal(symlink(target, lock), 0);
	assert_null(store_open(f->path, STORE_WRITE, &err));
	assert_non_null(strstr(err.msg, "results.db.lock cannot be opened: "));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_size, 8);
}

static void a_killed_run_is_interrupted_whoever_asks(void **state)
{
	struct fixture *f = *state;
	struct store *writer = fixture_open(f->path, STORE_WRITE);
	struct store *reader;
	struct dataset_runs runs;
	struct err err = {0};
	int64_t run_id = 0;

	assert_true(store_begin_run(writer, &f->plan, &f->run, &run_id, &err));
	reader = fixture_open(f->path, STORE_READ);
	assert_true(dataset_load_runs(reader, &runs, &err));
	assert_string_equal(runs.at[0].status, "running");
	dataset_runs_done(&runs);

	store_close(writer); /* without an end of the run: as after a kill */
	assert_true(dataset_load_runs(reader, &runs, &err));
	assert_string_equal(runs.at[0].status, "interrupted");
	dataset_runs_done(&runs);
	store_close(reader);
	EXPECT(f, "SELECT status FROM runs", "running");

	store_close(fixture_open(f->path, STORE_WRITE));
	EXPECT(f, "SELECT status FROM runs", "interrupted");
}

static void views_are_those_of_the_program_and_the_users_own_stay(void **state)
{
	struct fixture *f = *state;

	store_close(fixture_open(f->path, STORE_WRITE));
	exec_sql(f->path,
	         "DROP VIEW v_latest; CREATE VIEW v_latest AS SELECT 1 AS old;"
	         "CREATE VIEW v_gone AS SELECT 2; CREATE VIEW mine AS SELECT 3; DROP VIEW v_help");
	store_close(fixture_open(f->path, STORE_WRITE));
	EXPECT(f, "SELECT count(*) FROM v_latest", "0");
	EXPECT(f, "SELECT sql LIKE '%fingerprint%' FROM sqlite_schema WHERE name='v_latest'", "1");
	EXPECT(f, "SELECT count(*) FROM sqlite_schema WHERE name='v_gone'", "0");
	EXPECT(f, "SELECT * FROM mine", "3");
	EXPECT(f, "SELECT count(*)>5 FROM v_help", "1");
}

static void a_newer_database_is_read_where_its_tables_are_known_and_never_written(void **state)
{
	struct fixture *f = *state;
	struct store *store;
	struct dataset data;
	struct err err = {0};

	(void)fixture_whole_run(f);
	exec_sql(f->path, "ALTER TABLE tests ADD COLUMN wobble_us REAL; PRAGMA user_version=9");
	expect_refusal(f->path, STORE_WRITE, ERR_INPUT,
	               ": was written by a newer vnm (schema 9, this one knows 3); update vnm");
	store = fixture_open(f->path, STORE_READ);
	assert_true(dataset_load(store, 0, &data, &err));
	assert_int_equal(data.cell_count, FIXTURE_CELLS);
	dataset_done(&data);
	assert_int_equal(store_newer_schema(store), 9);
	store_close(store);

	exec_sql(f->path, "DROP VIEW v_cells; DROP VIEW v_latest; DROP VIEW v_driver_mtu; DROP "
	                  "VIEW v_mtu_effect;"
	                  "DROP VIEW v_asymmetry; DROP VIEW v_history; DROP VIEW v_problems; DROP "
	                  "VIEW v_latency; DROP VIEW v_udp; DROP VIEW v_limits;"
	                  "ALTER TABLE cell_stats RENAME COLUMN median_bps TO middle_bps");
	expect_refusal(f->path, STORE_READ, ERR_INPUT,
	               ": was written by a newer vnm (schema 9, this one knows 3); update vnm");
}

static void a_truncated_database_is_told_and_never_taken_for_a_new_one(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	(void)fixture_whole_run(f);
	assert_int_equal(stat(f->path, &st), 0);
	for (off_t size = st.st_size - 4096; size > 4096; size /= 2) {
		struct err err = {0};

		assert_int_equal(truncate(f->path, size), 0);
		assert_null(store_open(f->path, STORE_WRITE, &err));
		assert_non_null(strstr(err.msg,
		                       "results.db: is damaged (database disk image is malformed); "
		                       "`sqlite3 FILE .recover` saves what can be read"));
		assert_int_equal(err.kind, ERR_SYSTEM);
		assert_null(store_open(f->path, STORE_READ, &err));
		assert_non_null(strstr(err.msg, "is damaged"));
	}
	assert_int_equal(truncate(f->path, 50), 0);
	expect_refusal(f->path, STORE_WRITE, ERR_SYSTEM,
	               ": is damaged (database disk image is malformed); `sqlite3 FILE .recover` "
	               "saves what can be read");
}

static void damage_in_the_middle_is_told_when_it_is_met(void **state)
{
	static const char noise[4096 * 4] = "x";
	struct fixture *f = *state;
	struct store *store;
	struct dataset data;
	struct err err = {0};
	int fd;
	long page;

	(void)fixture_whole_run(f);
	page = strtol(fixture_ask(f->path, "SELECT rootpage FROM sqlite_schema WHERE name='cells'"),
	              NULL, 10);
	fd = open(f->path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, noise, 4096, (page - 1) * 4096), 4096);
	(void)close(fd);
	store = fixture_open(f->path, STORE_READ);
	assert_false(dataset_load(store, 1, &data, &err));
	assert_non_null(strstr(err.msg, "is damaged"));
	store_close(store);
}

static const char *on_nfs(const char *path)
{
	(void)path;
	return "NFS";
}

static void a_network_file_system_gets_the_safe_journal_and_a_warning(void **state)
{
	struct fixture *f = *state;
	struct store_options options = store_defaults;
	struct err err = {0};
	struct store *store;
	int64_t run_id = 0;

	options.network_system = on_nfs;
	store = store_open_with(f->path, STORE_WRITE, &options, &err);
	assert_non_null(store);
	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	store_close(store);
	EXPECT(f, "PRAGMA journal_mode", "delete");
	EXPECT(f, "SELECT level||': '||message FROM events",
	       "warn: the database lies on NFS: readers and vnm wait for each other, and a local "
	       "disk is safer");
}

static void a_database_that_moves_away_is_noticed(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	const struct result_sink *sink = store_sink(store);
	struct test_result result = fixture_result(f, 0, 1e9);
	struct err err = {0};
	int64_t run_id = 0;

	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	assert_int_equal(unlink(f->path), 0);
	assert_false(sink->test(sink->ctx, &result, CELL_RUNNING, NULL, &err));
	assert_non_null(
		strstr(err.msg, "results.db: was moved or deleted while vnm was writing it"));
	store_close(store);
}

static void a_disk_without_room_for_the_run_is_told_before_it(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct plan huge = f->plan;
	struct err err = {0};
	int64_t run_id = 0;

	huge.slot_count = (size_t)1 << 50; /* not looked at: refused before */
	assert_false(store_begin_run(store, &huge, &f->run, &run_id, &err));
	assert_non_null(
		strstr(err.msg, " MB of disk are free, 1125899906842624 tests need about "));
	assert_non_null(strstr(err.msg, "; make room or name another place with --db"));
	store_close(store);
	EXPECT(f, "SELECT count(*) FROM runs", "0");
}

/* Runs `what` as a user without rights; its result is the child's exit code. */
static int as_nobody(int (*what)(const struct fixture *f), const struct fixture *f)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
			_exit(99);
		_exit(what(f));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int write_in_vain(const struct fixture *f)
{
	struct err err = {0};
	char other[160];

	if (store_open(f->path, STORE_WRITE, &err) != NULL)
		return 1;
	if (strstr(err.msg, "results.db.lock cannot be opened: Permission denied") == NULL)
		return 2;
	(void)snprintf(other, sizeof(other), "%s/other.db", f->folder);
	if (store_open(other, STORE_WRITE, &err) != NULL)
		return 3;
	return strstr(err.msg,
	              "other.db: the results database cannot be made: Permission denied") != NULL
	               ? 0
	               : 4;
}

static int read_well(const struct fixture *f)
{
	struct err err = {0};
	struct store *store = store_open(f->path, STORE_READ, &err);
	struct dataset data;
	int rc = 0;

	if (store == NULL)
		return 1;
	if (!dataset_load(store, 0, &data, &err))
		rc = 2;
	else if (data.cell_count != FIXTURE_CELLS || data.cells[0].n != FIXTURE_REPEATS)
		rc = 3;
	else
		dataset_done(&data);
	store_close(store);
	return rc;
}

static int read_in_vain(const struct fixture *f)
{
	struct err err = {0};

	if (store_open(f->path, STORE_READ, &err) != NULL)
		return 1;
	return strstr(err.msg, "its newest results are in ") != NULL &&
	                       strstr(err.msg, "copy both files to another one") != NULL
	               ? 0
	               : 2;
}

static void a_folder_without_write_permission_can_be_read_and_not_written(void **state)
{
	struct fixture *f = *state;

	(void)fixture_whole_run(f);
	assert_int_equal(chmod(f->folder, 0555), 0);
	assert_int_equal(as_nobody(write_in_vain, f), 0);
	assert_int_equal(as_nobody(read_well, f), 0);
	assert_int_equal(chmod(f->folder, 0755), 0);
}

static int write_file_in_vain(const struct fixture *f)
{
	struct err err = {0};

	if (store_open(f->path, STORE_WRITE, &err) != NULL)
		return 1;
	return strstr(err.msg,
	              "results.db: cannot be written: file, folder or file system is read-only") !=
	                       NULL
	               ? 0
	               : 2;
}

static void a_file_without_write_permission_is_not_written(void **state)
{
	struct fixture *f = *state;

	(void)fixture_whole_run(f);
	assert_int_equal(chmod(f->path, 0444), 0);
	assert_int_equal(chmod(f->folder, 0777), 0);
	assert_int_equal(as_nobody(write_file_in_vain, f), 0);
	assert_int_equal(as_nobody(read_well, f), 0);
}

/*
 * A process that has the database open for writing, with something in the -wal
 * file. One of its own: SQLite's state of a file is the process's and would be
 * inherited by the readers that are forked here. Ends when *end is closed.
 */
static pid_t start_writer(const struct fixture *f, int *end)
{
	int ready[2];
	int stop[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(stop), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct err err = {0};
		struct store *store = store_open(f->path, STORE_WRITE, &err);

		(void)close(stop[1]);
		if (store == NULL || !sql_exec(&store->sql, "CREATE TABLE grows(a)", &err) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		(void)!read(stop[0], &byte, 1);
		store_close(store);
		_exit(0);
	}
	(void)close(ready[1]);
	(void)close(stop[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	*end = stop[1];
	return child;
}

static void a_running_runs_database_can_be_read_from_a_folder_without_write_permission(void **state)
{
	struct fixture *f = *state;
	char shm[160];
	int end = -1;
	int status = 0;
	pid_t writer;

	(void)fixture_whole_run(f);
	writer = start_writer(f, &end);
	assert_int_equal(chmod(f->folder, 0555), 0);
	assert_int_equal(as_nobody(read_well, f), 0);
	/* and when the helper file is out of reach, nothing stale is shown */
	(void)snprintf(shm, sizeof(shm), "%s-shm", f->path);
	assert_int_equal(chmod(shm, 0600), 0);
	assert_int_equal(as_nobody(read_in_vain, f), 0);
	assert_int_equal(chmod(f->folder, 0755), 0);
	(void)close(end);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
}

static void closing_nothing_is_allowed(void **state)
{
	(void)state;
	store_close(NULL);
	dataset_done(NULL);
	dataset_runs_done(NULL);
	store_resumable_done(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_missing_database_is_made),
		FIXTURE_TEST(an_empty_file_is_as_good_as_none),
		FIXTURE_TEST(reading_needs_a_database),
		FIXTURE_TEST(what_is_no_vnm_database_is_refused_and_left_alone),
		FIXTURE_TEST(a_name_that_means_something_to_sqlite_is_a_file_name),
		FIXTURE_TEST(a_second_writer_is_told_who_is_first),
		FIXTURE_TEST(a_lock_left_by_a_killed_run_does_no_harm),
		FIXTURE_TEST(a_lock_that_is_a_link_is_not_followed),
		FIXTURE_TEST(a_killed_run_is_interrupted_whoever_asks),
		FIXTURE_TEST(views_are_those_of_the_program_and_the_users_own_stay),
		FIXTURE_TEST(a_newer_database_is_read_where_its_tables_are_known_and_never_written),
		FIXTURE_TEST(a_truncated_database_is_told_and_never_taken_for_a_new_one),
		FIXTURE_TEST(damage_in_the_middle_is_told_when_it_is_met),
		FIXTURE_TEST(a_network_file_system_gets_the_safe_journal_and_a_warning),
		FIXTURE_TEST(a_database_that_moves_away_is_noticed),
		FIXTURE_TEST(a_disk_without_room_for_the_run_is_told_before_it),
		FIXTURE_TEST(a_folder_without_write_permission_can_be_read_and_not_written),
		FIXTURE_TEST(a_file_without_write_permission_is_not_written),
		FIXTURE_TEST(
			a_running_runs_database_can_be_read_from_a_folder_without_write_permission),
		cmocka_unit_test(closing_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
