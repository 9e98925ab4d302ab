/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "tests/unit/orchestrator/store/fixture.h"

static struct fixture fixture;

static int setup(void **state)
{
	fixture_init(&fixture);
	(void)fixture_whole_run(&fixture);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	fixture_done(*state);
	return 0;
}

struct answer {
	struct text text;
	size_t rows, rows_max; /* stops after rows_max; 0: never */
};

/* "name=value name=-\n" for each row. */
static bool add_row(void *arg, int columns, const char *const *names, const char *const *values)
{
	struct answer *a = arg;

	for (int i = 0; i < columns; i++)
		text_printf(&a->text, "%s%s=%s", i == 0 ? "" : " ", names[i],
		            values[i] == NULL ? "-" : values[i]);
	text_add(&a->text, "\n");
	return ++a->rows != a->rows_max;
}

static void one_statement_is_answered(void **state)
{
	static const struct {
		const char *sql, *answer;
	} rows[] = {
		{"SELECT 1 AS a, NULL AS b, 'x' AS c, 0.5 AS d, x'00ff' AS e",
	         "a=1 b=- c=x d=0.5 e=x'00ff'\n"},
		{"select count(*) as n from v_cells;", "n=5\n"},
		{"select 1 as a; ; -- and a remark\n /* more */ ", "a=1\n"},
		{"SELECT run_id FROM runs WHERE run_id=99", ""},
		{"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<3) SELECT i "
	         "FROM c",
	         "i=1\ni=2\ni=3\n"},
		{"VALUES(1),(2)", "column1=1\ncolumn1=2\n"},
		{"PRAGMA user_version", "user_version=3\n"},
		{"SELECT name FROM pragma_table_info('run_tags') LIMIT 1", "name=run_id\n"},
		{"SELECT count(*)>0 AS ok FROM sqlite_schema", "ok=1\n"},
	};
	const struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_READ);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer a = {0};
		struct err err = {0};

		if (!store_query(store, rows[i].sql, add_row, &a, &err))
			fail_msg("%s: %s", rows[i].sql, err.msg);
		assert_string_equal(text_str(&a.text), rows[i].answer);
		text_done(&a.text);
	}
	store_close(store);
}

/* On a store for writing too: what stops it is the check, not the file. */
static void what_would_write_or_reach_outside_is_refused(void **state)
{
	static const char *const statements[] = {
		"DELETE FROM tests",
		"UPDATE runs SET name='x'",
		"INSERT INTO run_tags VALUES(1,'a','b')",
		"INSERT INTO run_tags VALUES(1,'a','b') RETURNING key",
		"WITH x AS (SELECT 1) DELETE FROM runs",
		"DROP TABLE intervals",
		"CREATE TABLE t(a)",
		"CREATE TEMP TABLE t(a)",
		"CREATE TEMP VIEW t AS SELECT 1",
		"CREATE INDEX i ON tests(seq)",
		"ALTER TABLE runs ADD COLUMN x",
		"ATTACH '/tmp/vnm-attached.db' AS x",
		"ATTACH ':memory:' AS x",
		"DETACH main",
		"VACUUM",
		"VACUUM INTO '/tmp/vnm-copy.db'",
		"REINDEX",
		"ANALYZE",
		"BEGIN",
		"BEGIN EXCLUSIVE",
		"COMMIT",
		"SAVEPOINT s",
		"PRAGMA user_version=7",
		"PRAGMA journal_mode=DELETE",
		"PRAGMA writable_schema=1",
		"PRAGMA synchronous=OFF",
		"PRAGMA wal_checkpoint(TRUNCATE)",
		"PRAGMA query_only=0",
		"PRAGMA temp_store_directory='/tmp'",
		"PRAGMA optimize",
		"SELECT load_extension('/tmp/x.so')",
		"EXPLAIN DELETE FROM tests",
	};
	static const enum store_mode modes[] = {STORE_READ, STORE_WRITE};

	for (size_t m = 0; m < COUNT_OF(modes); m++) {
		const struct fixture *f = *state;
		struct store *store = fixture_open(f->path, modes[m]);

		for (size_t i = 0; i < COUNT_OF(statements); i++) {
			struct answer a = {0};
			struct err err = {0};

			if (store_query(store, statements[i], add_row, &a, &err))
				fail_msg("%s was carried out", statements[i]);
			assert_int_equal(err.kind, ERR_USAGE);
			if (strncmp(err.msg, "only reading is allowed here", 28) != 0)
				fail_msg("%s: %s", statements[i], err.msg);
			text_done(&a.text);
		}
		store_close(store);
	}
	assert_string_equal(fixture_ask(fixture.path, "SELECT count(*) FROM tests"), "30");
	assert_string_equal(fixture_ask(fixture.path, "SELECT count(*) FROM run_tags"), "0");
	assert_string_equal(fixture_ask(fixture.path, "PRAGMA user_version"), "3");
}

static void mistakes_are_told_as_sqlite_tells_them(void **state)
{
	static const struct {
		const char *sql, *message;
	} rows[] = {
		{"SELECT FORM runs", "no such column: FORM"},
		{"SELEC 1", "near \"SELEC\": syntax error"},
		{"SELECT * FROM nowhere", "no such table: nowhere"},
		{"SELECT bogus FROM v_cells", "no such column: bogus"},
		{"SELECT 'open", "unrecognized token: \"'open\""},
		{"", "there is no statement; try 'select * from v_help'"},
		{" -- nothing\n", "there is no statement; try 'select * from v_help'"},
		{"SELECT 1; SELECT 2", "one statement at a time"},
		{"SELECT 1; DELETE FROM runs", "one statement at a time"},
		{"SELECT 1; rubbish", "one statement at a time"},
		{"UPDATE sqlite_master SET sql=''", "table sqlite_master may not be modified"},
		{"SELECT zeroblob(100000000)", "string or blob too big"},
		{"SELECT abs(-9223372036854775807-1)", "integer overflow"},
	};
	const struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_READ);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer a = {0};
		struct err err = {0};

		assert_false(store_query(store, rows[i].sql, add_row, &a, &err));
		assert_string_equal(err.msg, rows[i].message);
		assert_int_equal(err.kind, ERR_USAGE);
		text_done(&a.text);
	}
	store_close(store);
}

static void the_caller_can_stop_an_endless_query(void **state)
{
	const struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_READ);
	struct answer a = {.rows_max = 3};
	struct err err = {0};

	assert_true(store_query(
		store,
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT i FROM c",
		add_row, &a, &err));
	assert_string_equal(text_str(&a.text), "i=1\ni=2\ni=3\n");
	text_done(&a.text);
	store_close(store);
}

static void a_store_for_writing_goes_on_after_a_query(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct answer a = {0};
	struct err err = {0};
	int64_t run_id = 0;

	assert_false(store_query(store, "DELETE FROM runs", add_row, &a, &err));
	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	store_close(store);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_statement_is_answered),
		cmocka_unit_test(what_would_write_or_reach_outside_is_refused),
		cmocka_unit_test(mistakes_are_told_as_sqlite_tells_them),
		cmocka_unit_test(the_caller_can_stop_an_endless_query),
		cmocka_unit_test(a_store_for_writing_goes_on_after_a_query),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
