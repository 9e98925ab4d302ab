/* SPDX-License-Identifier: MIT */
/* kill -9 of the writer at random moments, a reader beside: what was kept stays, whole. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "store/dataset.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

enum { ROUNDS = 30, ROUNDS_A_FILE = 10, KILL_AFTER_US = 500000, KEPT_MAX = 100000 };

/* What the writer says of a result after it was kept. */
struct kept {
	int64_t run_id;
	uint32_t cell, replicate;
};

static struct fixture fixture;
static struct kept kept[KEPT_MAX];
static size_t kept_count;

static bool keep_missing(struct store *store, int64_t run_id, const bool *done, int fd,
                         struct err *err)
{
	const struct result_sink *sink = store_sink(store);

	for (size_t i = 0; i < FIXTURE_SLOTS; i++) {
		const struct plan_slot *slot = &fixture.plan.slots[i];
		const struct kept k = {run_id, slot->cell, slot->replicate};
		struct test_result result = fixture_result(&fixture, i, 1e9);
		enum cell_state state =
			slot->replicate == FIXTURE_REPEATS ? CELL_DONE : CELL_RUNNING;

		if (done[i])
			continue;
		if (!sink->test(sink->ctx, &result, state, NULL, err))
			return false;
		if (write(fd, &k, sizeof(k)) != (ssize_t)sizeof(k))
			_exit(3);
	}
	return store_end_run(store, "complete", err);
}

/* Goes on with the run that was killed, then begins others, for ever. */
static bool write_runs(struct store *store, int fd, struct err *err)
{
	struct store_resumable r = {0};
	bool done[FIXTURE_SLOTS] = {false};
	bool found = false;
	int64_t run_id = 0;

	if (!store_find_resumable(store, fixture.topo.source_sha256, &r, &found, err))
		return false;
	if (found && (!store_resume_run(store, r.run_id, &fixture.plan, done, err) ||
	              !keep_missing(store, r.run_id, done, fd, err)))
		return false;
	memset(done, 0, sizeof(done));
	for (;;)
		if (!store_begin_run(store, &fixture.plan, &fixture.run, &run_id, err) ||
		    !keep_missing(store, run_id, done, fd, err))
			return false;
}

static pid_t start_writer(int *from)
{
	int fds[2];
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct err err = {0};
		struct store *store = store_open(fixture.path, STORE_WRITE, &err);

		(void)close(fds[0]);
		if (store == NULL || !write_runs(store, fds[1], &err))
			(void)fprintf(stderr, "writer: %s\n", err.msg);
		_exit(1);
	}
	(void)close(fds[1]);
	*from = fds[0];
	return child;
}

/* The statistics of a cell always rest on the tests that are there. */
static bool is_consistent(struct store *store, struct err *err)
{
	struct dataset data;
	bool ok = true;

	if (!dataset_load(store, 0, &data, err))
		return err->kind == ERR_USAGE; /* no run yet */
	for (size_t i = 0; i < data.cell_count; i++)
		ok = ok && (data.cells[i].n == 0) == !(data.cells[i].median_bps > 0) &&
		     (strcmp(data.cells[i].state, "done") != 0 ||
		      data.cells[i].n == FIXTURE_REPEATS);
	dataset_done(&data);
	return ok;
}

static pid_t start_reader(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child != 0)
		return child;
	for (;;) {
		struct err err = {0};
		struct store *store = store_open(fixture.path, STORE_READ, &err);

		/* Not made yet, or made and still empty, is no fault. */
		if (store == NULL && (err.kind == ERR_USAGE || strstr(err.msg, "is empty") != NULL))
			continue;
		if (store == NULL || !is_consistent(store, &err)) {
			(void)fprintf(stderr, "reader: %s\n", err.msg);
			_exit(1);
		}
		store_close(store);
	}
}

/* False when the writer or the reader ended by itself. */
static bool kill_and_wait(pid_t child)
{
	int status = 0;

	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status);
}

static void take_what_was_kept(int fd)
{
	while (kept_count < KEPT_MAX &&
	       read(fd, &kept[kept_count], sizeof(*kept)) == (ssize_t)sizeof(*kept))
		kept_count++;
	(void)close(fd);
}

static void expect(const char *sql, const char *answer)
{
	const char *found = fixture_ask(fixture.path, sql);

	if (strcmp(found, answer) != 0)
		fail_msg("%s: %s, not %s", sql, found, answer);
}

static void check_kept(void)
{
	struct sql db = {.name = fixture.path, .busy_ms = 1000};
	struct err err = {0};

	assert_true(sql_open(&db, fixture.path, SQLITE_OPEN_READWRITE, &err));
	for (size_t i = 0; i < kept_count; i++) {
		int64_t found = 0;

		if (!sql_get_int(&db,
		                 "SELECT count(*) FROM cells c JOIN tests t ON t.cell_id=c.cell_id "
		                 "WHERE c.run_id=?1"
		                 " AND c.fingerprint=?2 AND t.replicate=?3 AND t.status='ok'",
		                 SQL_VALUES(sql_int(kept[i].run_id),
		                            sql_text(fixture.plan.cells[kept[i].cell].fingerprint),
		                            sql_int(kept[i].replicate)),
		                 &found, &err))
			fail_msg("%s", err.msg);
		if (found != 1)
			fail_msg("result %zu of %zu is there %d times", i, kept_count, (int)found);
	}
	sql_close(&db);
}

static void check_whole(void)
{
	expect("PRAGMA integrity_check", "ok");
	expect("PRAGMA foreign_key_check", "");
	expect("SELECT count(*) FROM tests t WHERE (SELECT count(*) FROM intervals i WHERE "
	       "i.test_id=t.test_id)<>3"
	       " OR (SELECT count(*) FROM streams s WHERE s.test_id=t.test_id)<>2"
	       " OR (SELECT count(*) FROM counters s WHERE s.test_id=t.test_id)<>2",
	       "0");
	expect("SELECT count(*) FROM cells c WHERE (SELECT count(*) FROM tests t WHERE "
	       "t.cell_id=c.cell_id)"
	       "<>ifnull((SELECT n FROM cell_stats s WHERE s.cell_id=c.cell_id),0)",
	       "0");
	expect("SELECT count(*) FROM runs r WHERE (SELECT count(*) FROM cells c WHERE "
	       "c.run_id=r.run_id)<>5",
	       "0");
	expect("SELECT count(*) FROM runs r WHERE status='complete'"
	       " AND (SELECT count(*) FROM cells JOIN tests USING(cell_id) WHERE "
	       "run_id=r.run_id)<>30",
	       "0");
	expect("SELECT max(0,count(*)-1) FROM runs WHERE status<>'complete'", "0");
}

static void kill_rounds(unsigned *seed)
{
	for (int round = 0; round < ROUNDS_A_FILE; round++) {
		int from = -1;
		pid_t reader = start_reader();
		pid_t writer = start_writer(&from);
		uint64_t moment_us = (uint64_t)rand_r(seed) % KILL_AFTER_US;
		bool writer_ran;
		bool reader_ran;

		clock_sleep_until(clock_now_ns() + moment_us * 1000);
		writer_ran = kill_and_wait(writer);
		take_what_was_kept(from);
		reader_ran = kill_and_wait(reader);
		assert_true(writer_ran);
		assert_true(reader_ran);
	}
}

static void nothing_that_was_kept_is_lost_by_kills(void **state)
{
	unsigned seed = (unsigned)clock_now_ns();

	(void)state;
	print_message("seed %u\n", seed);
	for (int file = 0; file < ROUNDS / ROUNDS_A_FILE; file++) {
		fixture_init(&fixture);
		kept_count = 0;
		kill_rounds(&seed);
		print_message("%zu results kept\n", kept_count);
		assert_true(kept_count > 0);
		check_kept();
		check_whole();
		fixture_done(&fixture);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_was_kept_is_lost_by_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
