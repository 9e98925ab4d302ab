/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/orchestrator/store/fixture.h"

static void keep(struct fixture *f, struct store *store, size_t slot, enum test_status status,
                 enum cell_state state, const char *reason)
{
	const struct result_sink *sink = store_sink(store);
	struct test_result result = fixture_result(f, slot, 1e9);
	struct err err = {0};

	result.status = status;
	if (!sink->test(sink->ctx, &result, state, reason, &err))
		fail_msg("%s", err.msg);
}

static void set_cell(struct store *store, uint32_t cell, enum cell_state state, const char *reason)
{
	const struct result_sink *sink = store_sink(store);
	struct err err = {0};

	if (!sink->cell(sink->ctx, cell, state, reason, &err))
		fail_msg("%s", err.msg);
}

static void the_newest_run_that_is_not_complete_is_found(void **state)
{
	static const char *const endings[] = {"interrupted", "failed", "aborted"};
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store_resumable r = {0};
	struct err err = {0};
	bool found = true;

	assert_true(store_find_resumable(store, NULL, &r, &found, &err));
	assert_false(found);
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		f->run.only = i == 1 ? "window=64K" : NULL;
		assert_int_equal(fixture_begin(f, store), i + 1);
		assert_true(store_end_run(store, endings[i], &err));
		assert_true(store_find_resumable(store, NULL, &r, &found, &err));
		assert_true(found);
		assert_int_equal(r.run_id, i + 1);
		assert_string_equal(r.topology_yaml, f->topo.source);
		assert_string_equal(r.topology_path, "labs/lab.yaml");
		assert_string_equal(r.profile, "sweep blog");
		if (i == 1)
			assert_string_equal(r.only, "window=64K");
		else
			assert_null(r.only);
		assert_true(r.seed == f->plan.seed);
		assert_string_equal(r.plan_sha256, f->plan.sha256);
		store_resumable_done(&r);
	}
	assert_int_equal(fixture_begin(f, store), 4);
	assert_true(store_end_run(store, "complete", &err));
	assert_true(store_find_resumable(store, f->topo.source_sha256, &r, &found, &err));
	assert_int_equal(r.run_id, 3);
	store_resumable_done(&r);
	assert_true(store_find_resumable(store, "another topology", &r, &found, &err));
	assert_false(found);
	store_close(store);
}

static void a_run_that_was_killed_is_found(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store_resumable r = {0};
	struct err err = {0};
	bool found = false;

	(void)fixture_begin(f, store);
	store_close(store);
	store = fixture_open(f->path, STORE_WRITE);
	assert_true(store_find_resumable(store, f->topo.source_sha256, &r, &found, &err));
	assert_true(found);
	store_resumable_done(&r);
	store_close(store);
}

static void exactly_the_missing_tests_are_left(void **state)
{
	/* Slots 0 to 4 are block 1 with cells 0 to 4, 5 to 9 are block 2... */
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	bool done[FIXTURE_SLOTS];
	struct err err = {0};
	int64_t run_id = fixture_begin(f, store);

	keep(f, store, 0, TEST_OK, CELL_RUNNING, NULL);
	keep(f, store, 5, TEST_OK, CELL_RUNNING, NULL);       /* cell 0, replicate 2 */
	keep(f, store, 1, TEST_FAILED, CELL_RUNNING, NULL);   /* cell 1: tried in vain */
	keep(f, store, 2, TEST_OK, CELL_RUNNING, NULL);       /* cell 2: one ok, then... */
	set_cell(store, 2, CELL_FAILED, "vm1: host is lost"); /* ...a fault */
	set_cell(store, 3, CELL_SKIPPED, RESULT_BY_CHOICE "mtu 9000 wanted"); /* by choice */
	set_cell(store, 4, CELL_SKIPPED, "vm2: cannot be reached");           /* for a fault */
	store_close(store);

	store = fixture_open(f->path, STORE_WRITE);
	memset(done, 0xff, sizeof(done));
	assert_true(store_resume_run(store, run_id, &f->plan, done, &err));
	for (size_t i = 0; i < FIXTURE_SLOTS; i++)
		assert_int_equal(done[i], i == 0 || i == 5 || i == 2);
	EXPECT(f,
	       "SELECT group_concat(state||ifnull(reason,''),'|') FROM (SELECT * FROM cells ORDER "
	       "BY cell_id)",
	       "pending|pending|pending|pending|pending");
	EXPECT(f, "SELECT status||ifnull(ended_utc,'-') FROM runs", "running-");
	EXPECT(f, "SELECT message FROM events", "resumed with vnm 0.1.0");

	/* The run goes on under the same number, its attempts too. */
	keep(f, store, 1, TEST_OK, CELL_RUNNING, NULL);
	store_close(store);
	EXPECT(f, "SELECT group_concat(attempt||status,' ') FROM tests WHERE cell_id=2",
	       "1failed 2ok");
	EXPECT(f, "SELECT count(*) FROM runs", "1");
	EXPECT(f, "SELECT count(*) FROM cells", "5");
}

/* A user who mends what a reason tells (a sysctl, say) need only resume. */
static void what_does_not_count_is_measured_again(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store_resumable r = {0};
	bool done[FIXTURE_SLOTS];
	bool found = false;
	struct err err = {0};
	int64_t run_id = fixture_begin(f, store);

	for (size_t i = 0; i < FIXTURE_SLOTS; i++) {
		if (i == 0)
			keep(f, store, i, TEST_INVALID, CELL_PENDING, "window not granted");
		else if (i == 6) /* cell 1, replicate 2 */
			keep(f, store, i, TEST_INVALID, CELL_PENDING, "path mtu changed");
		else
			keep(f, store, i, TEST_OK, CELL_DONE, NULL);
	}
	set_cell(store, 0, CELL_INVALID, "window not granted");
	set_cell(store, 1, CELL_UNSTABLE, "path mtu changed");
	assert_true(store_end_run(store, "failed", &err));
	store_close(store);

	store = fixture_open(f->path, STORE_WRITE);
	assert_true(store_find_resumable(store, f->topo.source_sha256, &r, &found, &err));
	assert_true(found);
	store_resumable_done(&r);
	assert_true(store_resume_run(store, run_id, &f->plan, done, &err));
	for (size_t i = 0; i < FIXTURE_SLOTS; i++)
		assert_int_equal(done[i], i != 0 && i != 6);
	store_close(store);
	EXPECT(f,
	       "SELECT group_concat(state||ifnull(reason,''),' ') FROM (SELECT * FROM cells "
	       "ORDER BY cell_id)",
	       "pending pending done done done");
}

static void a_run_that_lacks_only_what_was_left_out_by_choice_is_not_found(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store_resumable r = {0};
	bool found = true;
	struct err err = {0};

	(void)fixture_begin(f, store);
	for (size_t i = 0; i < FIXTURE_SLOTS; i++)
		if (f->plan.slots[i].cell != 3)
			keep(f, store, i, TEST_OK, CELL_DONE, NULL);
	set_cell(store, 3, CELL_SKIPPED, RESULT_BY_CHOICE "mtu 9000 wanted");
	assert_true(store_end_run(store, "complete", &err));
	assert_true(store_find_resumable(store, NULL, &r, &found, &err));
	assert_false(found);
	store_close(store);
}

static void a_whole_run_leaves_nothing_to_do(void **state)
{
	struct fixture *f = *state;
	bool done[FIXTURE_SLOTS] = {false};
	int64_t run_id = fixture_whole_run(f);
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct err err = {0};

	assert_true(store_resume_run(store, run_id, &f->plan, done, &err));
	for (size_t i = 0; i < FIXTURE_SLOTS; i++)
		assert_true(done[i]);
	store_close(store);
	EXPECT(f, "SELECT group_concat(DISTINCT state) FROM cells", "done");
}

static void another_plan_is_refused(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct plan other = f->plan;
	struct plan_cell cells[FIXTURE_CELLS];
	bool done[FIXTURE_SLOTS];
	struct err err = {0};
	int64_t run_id = fixture_begin(f, store);

	assert_true(store_end_run(store, "interrupted", &err));
	other.sha256[0] = other.sha256[0] == 'a' ? 'b' : 'a';
	assert_false(store_resume_run(store, run_id, &other, done, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_string_equal(
		err.msg, "run 1 cannot go on: vnm 0.1.0 plans it differently than vnm 0.1.0 did; "
			 "begin a new one with `vnm run`");

	/* The same hash with other cells: a file that was tampered with. */
	memcpy(cells, f->plan.cells, sizeof(cells));
	other = f->plan;
	other.cells = cells;
	cells[2].fingerprint[0] = 'x';
	assert_false(store_resume_run(store, run_id, &other, done, &err));
	assert_string_equal(err.msg,
	                    "run 1 cannot go on: its stored cells are not those of its plan; "
	                    "begin a new one with `vnm run`");
	other = f->plan;
	other.cell_count--;
	assert_false(store_resume_run(store, run_id, &other, done, &err));
	assert_non_null(strstr(err.msg, "its stored cells are not those of its plan"));

	assert_false(store_resume_run(store, 77, &f->plan, done, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "results.db: there is no run 77; `vnm list` shows them"));
	EXPECT(f, "SELECT status FROM runs", "interrupted");
	store_close(store);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(the_newest_run_that_is_not_complete_is_found),
		FIXTURE_TEST(a_run_that_was_killed_is_found),
		FIXTURE_TEST(exactly_the_missing_tests_are_left),
		FIXTURE_TEST(what_does_not_count_is_measured_again),
		FIXTURE_TEST(a_run_that_lacks_only_what_was_left_out_by_choice_is_not_found),
		FIXTURE_TEST(a_whole_run_leaves_nothing_to_do),
		FIXTURE_TEST(another_plan_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
