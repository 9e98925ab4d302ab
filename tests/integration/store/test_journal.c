/* SPDX-License-Identifier: MIT */
/*
 * kill -9 of the writer of the settings journal at random moments. The host is a file that the
 * writer changes as a run changes a setting: whatever the moment, the rows that are open say what
 * has to be done so that it is as before, and doing so leaves nothing open.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "store/store_db.h"
#include "tests/unit/orchestrator/store/fixture.h"

enum { ROUNDS = 50, KILL_AFTER_US = 150000, VALUE_BYTES = 16 };

#define BEFORE "1500"

static struct fixture fixture;
static char host_path[160];

/* The host's setting; replaced as a whole, so that a kill leaves one value or the other. */
static void set_host(const char *value)
{
	char part[176];
	FILE *f;

	(void)snprintf(part, sizeof(part), "%s.part", host_path);
	f = fopen(part, "we");
	if (f == NULL || fputs(value, f) < 0 || fclose(f) != 0 || rename(part, host_path) != 0)
		_exit(4);
}

static void read_host(char out[VALUE_BYTES])
{
	FILE *f = fopen(host_path, "re");

	if (f == NULL || fgets(out, VALUE_BYTES, f) == NULL)
		fail_msg("%s cannot be read", host_path);
	(void)fclose(f);
}

/* Changes the setting to one level after the other and back, for ever, as a run does. */
static bool change_for_ever(struct store *store, struct err *err)
{
	static const char *const levels[] = {"9000", "4000"};
	struct journal_sink journal = store_journal(store);
	int64_t run_id;
	int64_t ids[COUNT_OF(levels)];

	if (!store_begin_run(store, &fixture.plan, &fixture.run, &run_id, err))
		return false;
	for (;;) {
		for (size_t i = 0; i < COUNT_OF(levels); i++) {
			const struct journal_change change = {.host = FIXTURE_VM1,
			                                      .nic = "vmx0",
			                                      .object = "vmx0",
			                                      .setting = "mtu",
			                                      .system = "linux",
			                                      .boot_id = "b1",
			                                      .value_before = BEFORE,
			                                      .value_requested = levels[i],
			                                      .read_command = "read",
			                                      .apply_command = "apply",
			                                      .restore_command = "restore"};
			const struct journal_update applied = {JOURNAL_APPLIED, levels[i], NULL};

			if (!journal.intend(journal.ctx, &change, &ids[i], err))
				return false;
			set_host(levels[i]);
			if (!journal.update(journal.ctx, ids[i], &applied, err))
				return false;
		}
		set_host(BEFORE);
		for (size_t i = 0; i < COUNT_OF(levels); i++) {
			const struct journal_update restored = {JOURNAL_RESTORED, BEFORE, NULL};

			if (!journal.update(journal.ctx, ids[i], &restored, err))
				return false;
		}
	}
}

static void run_and_kill(uint64_t after_us)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct err err = {0};
		struct store *store = store_open(fixture.path, STORE_WRITE, &err);

		if (store == NULL || !change_for_ever(store, &err))
			(void)fprintf(stderr, "writer: %s\n", err.msg);
		_exit(1);
	}
	clock_sleep_until(clock_now_ns() + after_us * 1000);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void close_all(struct store *store, const struct store_changes *open, bool was_changed)
{
	struct journal_sink journal = store_journal(store);
	struct err err = {0};

	for (size_t i = 0; i < open->count; i++) {
		const struct journal_update update = {
			was_changed ? JOURNAL_RESTORED : journal_closed_as(open->at[i].state),
			BEFORE, NULL};

		if (!journal.update(journal.ctx, open->at[i].change_id, &update, &err))
			fail_msg("%s", err.msg);
	}
}

/* What `vnm restore` does. Returns the number of rows that were open. */
static size_t restore(void)
{
	struct store *store = fixture_open(fixture.path, STORE_WRITE);
	const struct journal_row *rows[2];
	char value[VALUE_BYTES];
	const struct journal_found found = {value, "b1"};
	struct store_changes open;
	struct err err = {0};
	size_t count;

	read_host(value);
	if (!store_load_changes(store, &open, &err))
		fail_msg("%s", err.msg);
	count = open.count;
	assert_true(count <= COUNT_OF(rows));
	for (size_t i = 0; i < count; i++)
		rows[i] = &open.at[i];
	if (count == 0) {
		assert_string_equal(value, BEFORE); /* else the change was never kept */
	} else if (journal_judge(rows, count, &found) == JOURNAL_MUST_RESTORE) {
		set_host(BEFORE);
		close_all(store, &open, true);
	} else {
		assert_int_equal(journal_judge(rows, count, &found), JOURNAL_IS_AS_BEFORE);
		close_all(store, &open, false);
	}
	store_changes_done(&open);
	store_close(store);
	return count;
}

static void no_change_is_forgotten_by_kills(void **state)
{
	unsigned seed = (unsigned)clock_now_ns();
	size_t open = 0;

	(void)state;
	print_message("seed %u\n", seed);
	fixture_init(&fixture);
	(void)snprintf(host_path, sizeof(host_path), "%s/host", fixture.folder);
	set_host(BEFORE);
	store_close(fixture_open(fixture.path, STORE_WRITE));
	for (int round = 0; round < ROUNDS; round++) {
		char value[VALUE_BYTES];

		run_and_kill((uint64_t)rand_r(&seed) % KILL_AFTER_US);
		open += restore();
		read_host(value);
		assert_string_equal(value, BEFORE);
		assert_int_equal(restore(), 0);
	}
	print_message("%zu rows were open after a kill\n", open);
	assert_true(open > 0);
	assert_string_equal(fixture_ask(fixture.path, "PRAGMA integrity_check"), "ok");
	assert_string_equal(fixture_ask(fixture.path, "SELECT count(*) FROM v_unrestored"), "0");
	fixture_done(&fixture);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_change_is_forgotten_by_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
