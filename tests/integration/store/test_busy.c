/* SPDX-License-Identifier: MIT */
/* Other programs on the same database: what waits for whom, and for how long. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

#define BUSY_MS 300
#define HOLD_NS (1 * CLOCK_NS_PER_S)

/*
 * Another process holds the database as `sql` says, for hold_ns (0: until it is
 * killed). A child must not inherit SQLite's state of the file: so it is made,
 * closed, held, and only then opened here.
 */
static pid_t hold(const struct fixture *f, const char *sql, uint64_t hold_ns)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct sql db = {.name = f->path, .busy_ms = 1000};
		struct err err = {0};

		if (!sql_open(&db, f->path, SQLITE_OPEN_READWRITE, &err) ||
		    !sql_exec(&db, sql, &err) || write(ready[1], "r", 1) != 1)
			_exit(1);
		if (hold_ns == 0)
			(void)pause();
		clock_sleep_until(clock_now_ns() + hold_ns);
		sql_close(&db);
		_exit(0);
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static struct store *open_patient(const struct fixture *f, int busy_ms)
{
	struct store_options options = store_defaults;
	struct err err = {0};
	struct store *store;

	options.busy_ms = busy_ms;
	store = store_open_with(f->path, STORE_WRITE, &options, &err);
	if (store == NULL)
		fail_msg("%s", err.msg);
	return store;
}

static void a_lock_that_is_given_back_is_waited_for(void **state)
{
	struct fixture *f = *state;
	struct err err = {0};
	struct store *store;
	int64_t run_id = 0;
	uint64_t start;
	pid_t other;

	(void)fixture_whole_run(f);
	other = hold(f, "BEGIN IMMEDIATE", HOLD_NS);
	start = clock_now_ns();
	store = open_patient(f, STORE_BUSY_MS);
	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	assert_true(clock_now_ns() - start > HOLD_NS / 2);
	store_close(store);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_string_equal(fixture_ask(f->path, "SELECT count(*) FROM runs"), "2");
}

static void a_lock_that_is_not_given_back_is_told(void **state)
{
	struct fixture *f = *state;
	struct store_options options = store_defaults;
	struct err err = {0};
	uint64_t start;
	pid_t other;

	(void)fixture_whole_run(f);
	other = hold(f, "BEGIN IMMEDIATE", 0);
	options.busy_ms = BUSY_MS;
	start = clock_now_ns();
	assert_null(store_open_with(f->path, STORE_WRITE, &options, &err));
	assert_true(clock_now_ns() - start >= BUSY_MS / 2 * CLOCK_NS_PER_MS);
	assert_int_equal(err.kind, ERR_SYSTEM);
	assert_non_null(strstr(err.msg, "results.db: locked by another program for 300 ms; "
	                                "end what it does there and try again"));
	end(other);
	store_close(open_patient(f, BUSY_MS));
}

/* In the middle of a run: nothing of the result is kept, what was kept stays, the run goes on. */
static void a_result_meets_the_lock_and_can_be_kept_later(void **state)
{
	struct fixture *f = *state;
	struct err err = {0};
	struct test_result result = fixture_result(f, 0, 1e9);
	const struct result_sink *sink;
	struct store *store;
	int64_t run_id = 0;
	int go[2];
	int held[2];
	char byte;
	pid_t other;

	(void)fixture_whole_run(f);
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(held), 0);
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		struct sql db = {.name = f->path, .busy_ms = 1000};

		if (read(go[0], &byte, 1) != 1 ||
		    !sql_open(&db, f->path, SQLITE_OPEN_READWRITE, &err) ||
		    !sql_exec(&db, "BEGIN IMMEDIATE", &err) || write(held[1], "h", 1) != 1)
			_exit(1);
		(void)pause();
		_exit(0);
	}
	store = open_patient(f, BUSY_MS);
	sink = store_sink(store);
	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(read(held[0], &byte, 1), 1);
	assert_false(sink->test(sink->ctx, &result, CELL_RUNNING, NULL, &err));
	assert_non_null(strstr(err.msg, "locked by another program"));
	assert_false(sink->cell(sink->ctx, 0, CELL_FAILED, "x", &err));
	end(other);
	assert_true(sink->test(sink->ctx, &result, CELL_RUNNING, NULL, &err));
	store_close(store);
	for (int i = 0; i < 2; i++) {
		(void)close(go[i]);
		(void)close(held[i]);
	}
	assert_string_equal(
		fixture_ask(f->path,
	                    "SELECT count(*) FROM tests JOIN cells USING(cell_id) WHERE run_id=2"),
		"1");
}

static void a_reader_in_a_transaction_does_not_hinder_a_run(void **state)
{
	struct fixture *f = *state;
	pid_t other;

	(void)fixture_whole_run(f);
	other = hold(f, "BEGIN; SELECT count(*) FROM tests", 0);
	assert_int_equal(fixture_whole_run(f), 2);
	end(other);
	assert_string_equal(fixture_ask(f->path, "SELECT count(*) FROM tests"), "60");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_lock_that_is_given_back_is_waited_for),
		FIXTURE_TEST(a_lock_that_is_not_given_back_is_told),
		FIXTURE_TEST(a_result_meets_the_lock_and_can_be_kept_later),
		FIXTURE_TEST(a_reader_in_a_transaction_does_not_hinder_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
