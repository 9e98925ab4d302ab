/* SPDX-License-Identifier: MIT */
/* A full disk: a small tmpfs in a mount namespace of its own, so root only. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/dataset.h"
#include "store/store_db.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/store/fixture.h"

#define SPARE_BYTES 2000000 /* left on the disk when the run goes on */
#define NO_RIGHTS   77

static struct fixture fixture;

/* Each check has its number, the child's exit code; the message goes to the test's log. */
#define CHECK(number, condition)                                                                  \
	do {                                                                                      \
		if (!(condition)) {                                                               \
			(void)fprintf(stderr, "check %d: %s; %s\n", number, #condition, err.msg); \
			_exit(number);                                                            \
		}                                                                                 \
	} while (0)

static void fill(const char *path)
{
	static const char block[4096] = {0};
	struct statvfs fs;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	while (fd >= 0 && statvfs(path, &fs) == 0 &&
	       (uint64_t)fs.f_bavail * fs.f_frsize > SPARE_BYTES)
		if (write(fd, block, sizeof(block)) <= 0)
			break;
	(void)close(fd);
}

static long count(struct store *store, const char *sql)
{
	struct err err = {0};
	int64_t n = 0;

	return sql_get_int(&store->sql, sql, (struct sql_values){0}, &n, &err) ? (long)n : -1;
}

static bool keep(struct store *store, uint32_t replicate, struct err *err)
{
	const struct result_sink *sink = store_sink(store);
	struct test_result result = fixture_result(&fixture, 0, 1e9);

	result.replicate = replicate;
	return sink->test(sink->ctx, &result, CELL_RUNNING, NULL, err);
}

static void run_until_full(void)
{
	struct err err = {0};
	struct store *store;
	struct dataset data;
	char filler[160];
	int64_t run_id = 0;
	uint32_t kept = 0;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("vnm-full", fixture.folder, "tmpfs", 0, "size=16m") != 0)
		_exit(NO_RIGHTS);
	store = store_open(fixture.path, STORE_WRITE, &err);
	CHECK(1, store != NULL);
	CHECK(2, store_begin_run(store, &fixture.plan, &fixture.run, &run_id, &err));
	(void)snprintf(filler, sizeof(filler), "%s/filler", fixture.folder);
	fill(filler);
	while (kept < 100000 && keep(store, kept + 1, &err))
		kept++;
	CHECK(3, kept > 10 && kept < 100000);
	CHECK(4, strstr(err.msg,
	                "results.db: the disk is full; make room, then go on with `vnm resume`") !=
	                 NULL);
	CHECK(5, err.kind == ERR_SYSTEM && err.sys_errno == ENOSPC);
	/* What was kept is there and can be read; nothing of the failed one is. */
	CHECK(6, count(store, "SELECT count(*) FROM tests") == (long)kept);
	CHECK(7, count(store, "SELECT count(*) FROM intervals") == 3L * (long)kept);
	CHECK(8, !keep(store, kept + 1, &err));
	/* With room again the same run goes on. */
	CHECK(9, unlink(filler) == 0);
	CHECK(10, keep(store, kept + 1, &err));
	CHECK(11, store_end_run(store, "interrupted", &err));
	store_close(store);
	store = store_open(fixture.path, STORE_READ, &err);
	CHECK(12, store != NULL && dataset_load_cell(store, 1, &data, &err));
	CHECK(13, data.cells[0].test_count == kept + 1 && data.cells[0].n == (int64_t)kept + 1);
	CHECK(14,
	      count(store,
	            "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'") ==
	              0);
	dataset_done(&data);
	store_close(store);
	_exit(0);
}

static void start_on_a_full_disk(void)
{
	struct err err = {0};

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("vnm-full", fixture.folder, "tmpfs", 0, "size=128k") != 0)
		_exit(NO_RIGHTS);
	CHECK(1, store_open(fixture.path, STORE_WRITE, &err) == NULL);
	CHECK(2, strstr(err.msg, "results.db: schema 1: ") == NULL ||
	                 strstr(err.msg, "the disk is full") != NULL);
	CHECK(3, strstr(err.msg, "the disk is full; make room") != NULL);
	/* With room the half-made file is as good as none. */
	CHECK(4, mount("vnm-full", fixture.folder, "tmpfs", MS_REMOUNT, "size=16m") == 0);
	CHECK(5, store_open(fixture.path, STORE_WRITE, &err) != NULL);
	_exit(0);
}

static void in_child(void (*what)(void))
{
	int status = 0;
	pid_t child;

	fixture_init(&fixture);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		what();
	assert_int_equal(waitpid(child, &status, 0), child);
	fixture_done(&fixture);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_RIGHTS) {
		print_message("mounting a tmpfs needs root\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_disk_that_becomes_full_costs_nothing_that_was_kept(void **state)
{
	(void)state;
	in_child(run_until_full);
}

static void a_disk_that_is_full_at_the_start_is_told(void **state)
{
	(void)state;
	in_child(start_on_a_full_disk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_becomes_full_costs_nothing_that_was_kept),
		cmocka_unit_test(a_disk_that_is_full_at_the_start_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
