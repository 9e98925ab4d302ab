/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

static const struct journal_change mtu = {.host = FIXTURE_VM1,
                                          .nic = "vmx0",
                                          .object = "ens192",
                                          .setting = "mtu",
                                          .system = "linux",
                                          .address = "10.0.0.3:22",
                                          .boot_id = "b1",
                                          .guard_folder = "/run/vnm-guard",
                                          .guard_token = "0011",
                                          .value_before = "1500",
                                          .value_requested = "9000",
                                          .read_command = "read it",
                                          .apply_command = "ip link set dev ens192 mtu 9000",
                                          .restore_command = "ip link set dev ens192 mtu 1500"};
static const struct journal_change host_wide = {.host = FIXTURE_ESX1,
                                                .setting = "lro",
                                                .system = "esxi",
                                                .value_before = "1",
                                                .value_requested = "0",
                                                .read_command = "r",
                                                .apply_command = "a",
                                                .restore_command = "b"};

static int64_t intend(struct store *store, const struct journal_change *change)
{
	struct journal_sink journal = store_journal(store);
	struct err err = {0};
	int64_t id = 0;

	if (!journal.intend(journal.ctx, change, &id, &err))
		fail_msg("%s", err.msg);
	assert_true(id > 0);
	return id;
}

static void update(struct store *store, int64_t id, enum journal_state state, const char *after,
                   const char *reason)
{
	struct journal_sink journal = store_journal(store);
	const struct journal_update u = {state, after, reason};
	struct err err = {0};

	if (!journal.update(journal.ctx, id, &u, &err))
		fail_msg("%s", err.msg);
}

static size_t count(struct store *store)
{
	struct err err = {0};
	size_t n = 99;

	if (!store_count_changes(store, &n, &err))
		fail_msg("%s", err.msg);
	return n;
}

static void a_change_is_kept_before_it_is_made(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	int64_t run_id = fixture_begin(f, store);
	struct store_changes changes;
	struct err err = {0};
	const struct journal_row *r;

	EXPECT(f, "SELECT count(*) FROM setting_changes", "0");
	(void)intend(store, &mtu);
	/* Another connection sees it at once: it is committed, not only written. */
	EXPECT(f,
	       "SELECT state||' '||(intended_utc IS NOT NULL)||(applied_utc IS NULL) FROM "
	       "setting_changes",
	       "intended 11");
	EXPECT(f, "SELECT n.name FROM setting_changes j JOIN nics n USING(nic_id)", "vmx0");
	(void)intend(store, &host_wide);
	assert_true(store_load_changes(store, &changes, &err));
	assert_int_equal(changes.count, 2);
	r = &changes.at[0]; /* the newest */
	assert_string_equal(r->host, "esx1");
	assert_null(r->nic);
	assert_null(r->object);
	assert_null(r->boot_id);
	assert_null(r->guard_token);
	r = &changes.at[1];
	assert_true(r->run_id == run_id);
	assert_int_equal(r->state, JOURNAL_INTENDED);
	assert_string_equal(r->host, "vm1");
	assert_string_equal(r->nic, "vmx0");
	assert_string_equal(r->object, mtu.object);
	assert_string_equal(r->setting, mtu.setting);
	assert_string_equal(r->system, mtu.system);
	assert_string_equal(r->address, mtu.address);
	assert_string_equal(r->boot_id, mtu.boot_id);
	assert_string_equal(r->guard_folder, mtu.guard_folder);
	assert_string_equal(r->guard_token, mtu.guard_token);
	assert_string_equal(r->value_before, mtu.value_before);
	assert_string_equal(r->value_requested, mtu.value_requested);
	assert_null(r->value_after);
	assert_string_equal(r->read_command, mtu.read_command);
	assert_string_equal(r->apply_command, mtu.apply_command);
	assert_string_equal(r->restore_command, mtu.restore_command);
	assert_null(r->reason);
	store_changes_done(&changes);
	store_close(store);
}

/* What is durable is durable only when SQLite waits for the disk at each commit. */
static void the_database_waits_for_the_disk(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct err err = {0};
	int64_t level = 0;

	assert_true(sql_get_int(&store->sql, "PRAGMA synchronous", (struct sql_values){0}, &level,
	                        &err));
	assert_int_equal(level, 2); /* FULL */
	store_close(store);
}

static void a_row_is_open_until_it_is_closed_and_then_for_ever(void **state)
{
	static const struct {
		enum journal_state state;
		size_t open;
	} rows[] = {
		{JOURNAL_APPLIED, 1},  {JOURNAL_CONFIRMED, 1},   {JOURNAL_RESTORE_FAILED, 1},
		{JOURNAL_RESTORED, 0}, {JOURNAL_NOT_APPLIED, 0}, {JOURNAL_FOREIGN, 0},
	};
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct journal_sink journal = store_journal(store);
	const struct journal_update again = {JOURNAL_APPLIED, NULL, NULL};
	struct err err = {0};

	(void)fixture_begin(f, store);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t id = intend(store, &mtu);

		assert_int_equal(count(store), 1);
		update(store, id, rows[i].state, NULL, NULL);
		assert_int_equal(count(store), rows[i].open);
		if (rows[i].open > 0) {
			update(store, id, JOURNAL_RESTORED, NULL, NULL);
			continue;
		}
		assert_false(journal.update(journal.ctx, id, &again, &err));
		assert_non_null(strstr(err.msg, "of the settings journal is closed or not there"));
		assert_int_equal(count(store), 0);
	}
	assert_false(journal.update(journal.ctx, 4711, &again, &err));
	store_close(store);
}

static void times_and_values_of_what_happened_stay(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	int64_t id;

	(void)fixture_begin(f, store);
	id = intend(store, &mtu);
	update(store, id, JOURNAL_APPLIED, NULL, NULL);
	EXPECT(f,
	       "SELECT (applied_utc IS NOT NULL)||(confirmed_utc IS NULL)||(restored_utc IS NULL)"
	       "||(value_after IS NULL) FROM setting_changes",
	       "1111");
	update(store, id, JOURNAL_CONFIRMED, "9000", NULL);
	update(store, id, JOURNAL_RESTORE_FAILED, NULL, "Operation not permitted");
	EXPECT(f,
	       "SELECT state||' '||value_after||' '||reason||' '||(applied_utc IS NOT NULL)"
	       "||(confirmed_utc IS NOT NULL)||(restored_utc IS NULL) FROM setting_changes",
	       "restore_failed 9000 Operation not permitted 111");
	EXPECT(f, "SELECT host||' '||nic||' '||object||' '||reason FROM v_unrestored",
	       "vm1 vmx0 ens192 Operation not permitted");
	update(store, id, JOURNAL_RESTORED, "1500", NULL);
	EXPECT(f,
	       "SELECT value_after||(reason IS NULL)||(restored_utc IS NOT NULL) FROM "
	       "setting_changes",
	       "150011");
	EXPECT(f, "SELECT count(*) FROM v_unrestored", "0");
	store_close(store);
}

static void a_change_that_cannot_be_kept_is_told(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct journal_sink journal = store_journal(store);
	struct err err = {0};
	int64_t id = 7;

	(void)fixture_begin(f, store);
	assert_true(sql_exec(&store->sql, "PRAGMA query_only=ON", &err));
	assert_false(journal.intend(journal.ctx, &mtu, &id, &err));
	assert_int_equal(id, 7);
	assert_true(err.msg[0] != '\0');
	assert_true(sql_exec(&store->sql, "PRAGMA query_only=OFF", &err));
	assert_int_equal(count(store), 0);
	(void)intend(store, &mtu); /* and no transaction was left open */
	store_close(store);
}

static void readers_know_what_is_open_and_who_writes(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store *reader;
	struct store_topology topo = {0};
	struct arena arena = {0};
	struct err err = {0};
	int64_t run_id = fixture_begin(f, store);

	(void)intend(store, &mtu);
	assert_false(store_is_written_elsewhere(store));
	reader = fixture_open(f->path, STORE_READ);
	assert_int_equal(count(reader), 1);
	assert_true(store_is_written_elsewhere(reader));
	store_close(store);
	assert_false(store_is_written_elsewhere(reader));
	assert_true(store_load_topology(reader, run_id, &arena, &topo, &err));
	assert_string_equal(topo.path, "labs/lab.yaml");
	assert_string_equal(topo.yaml, f->topo.source);
	assert_false(store_load_topology(reader, run_id + 1, &arena, &topo, &err));
	assert_non_null(strstr(err.msg, ": there is no run "));
	arena_done(&arena);
	store_close(reader);
}

static void a_state_of_a_later_vnm_is_refused(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct store_changes changes = {0};
	struct err err = {0};

	(void)fixture_begin(f, store);
	(void)intend(store, &mtu);
	assert_true(sql_exec(&store->sql,
	                     "PRAGMA ignore_check_constraints=ON; UPDATE setting_changes SET "
	                     "state='held'",
	                     &err));
	assert_false(store_load_changes(store, &changes, &err));
	assert_non_null(strstr(err.msg, "change 1 has state 'held', which this vnm does not know"));
	store_close(store);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_change_is_kept_before_it_is_made),
		FIXTURE_TEST(the_database_waits_for_the_disk),
		FIXTURE_TEST(a_row_is_open_until_it_is_closed_and_then_for_ever),
		FIXTURE_TEST(times_and_values_of_what_happened_stay),
		FIXTURE_TEST(a_change_that_cannot_be_kept_is_told),
		FIXTURE_TEST(readers_know_what_is_open_and_who_writes),
		FIXTURE_TEST(a_state_of_a_later_vnm_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
