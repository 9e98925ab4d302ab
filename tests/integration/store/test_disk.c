/* SPDX-License-Identifier: MIT */
/* Full and read-only disks: a small tmpfs in a mount namespace of its own, so root only. */
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
#include "tests/unit/orchestrator/store/fixture.h"

#define SPARE_BYTES 2000000 /* left on the disk when the run goes on */
#define KEPT_MAX    100000
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

static void mount_or_exit(const char *size)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("vnm-full", fixture.folder, "tmpfs", 0, size) != 0)
		_exit(NO_RIGHTS);
}

/* Keeps results until the disk is full; the number of those that were kept. */
static uint32_t keep_until_full(struct store *store)
{
	struct err err = {0};
	uint32_t kept = 0;

	while (kept < KEPT_MAX && keep(store, kept + 1, &err))
		kept++;
	CHECK(11, kept > 10 && kept < KEPT_MAX);
	CHECK(12, strstr(err.msg,
	                 "results.db: the disk is full; make room, then go on with `vnm resume`") !=
	                  NULL);
	CHECK(13, err.kind == ERR_SYSTEM && err.sys_errno == ENOSPC);
	/* What was kept is there and can be read; nothing of the failed one is. */
	CHECK(14, count(store, "SELECT count(*) FROM tests") == (long)kept);
	CHECK(15, count(store, "SELECT count(*) FROM intervals") == 3L * (long)kept);
	CHECK(16, !keep(store, kept + 1, &err));
	return kept;
}

static void check_file(uint32_t kept)
{
	struct err err = {0};
	struct dataset data;
	struct store *store = store_open(fixture.path, STORE_READ, &err);

	CHECK(21, store != NULL && dataset_load_cell(store, 1, &data, &err));
	CHECK(22, data.cells[0].test_count == kept && data.cells[0].n == (int64_t)kept);
	CHECK(23,
	      count(store,
	            "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'") ==
	              0);
	dataset_done(&data);
	store_close(store);
}

static void run_until_full(void)
{
	struct err err = {0};
	struct store *store;
	char filler[160];
	int64_t run_id = 0;
	uint32_t kept;

	mount_or_exit("size=16m");
	store = store_open(fixture.path, STORE_WRITE, &err);
	CHECK(1, store != NULL);
	CHECK(2, store_begin_run(store, &fixture.plan, &fixture.run, &run_id, &err));
	(void)snprintf(filler, sizeof(filler), "%s/filler", fixture.folder);
	fill(filler);
	kept = keep_until_full(store);
	/* With room again the same run goes on. */
	CHECK(3, unlink(filler) == 0);
	CHECK(4, keep(store, kept + 1, &err));
	CHECK(5, store_end_run(store, "interrupted", &err));
	store_close(store);
	check_file(kept + 1);
	_exit(0);
}

static void start_on_a_full_disk(void)
{
	struct err err = {0};

	mount_or_exit("size=128k");
	CHECK(1, store_open(fixture.path, STORE_WRITE, &err) == NULL);
	CHECK(2, strstr(err.msg, "results.db: schema ") == NULL ||
	                 strstr(err.msg, "the disk is full") != NULL);
	CHECK(3, strstr(err.msg, "the disk is full; make room") != NULL);
	/* With room the half-made file is as good as none. */
	CHECK(4, mount("vnm-full", fixture.folder, "tmpfs", MS_REMOUNT, "size=16m") == 0);
	CHECK(5, store_open(fixture.path, STORE_WRITE, &err) != NULL);
	_exit(0);
}

static void use_a_read_only_disk(void)
{
	struct err err = {0};
	char other[160];

	mount_or_exit("size=16m");
	(void)fixture_whole_run(&fixture);
	CHECK(1,
	      mount("vnm-full", fixture.folder, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=16m") == 0);
	CHECK(2, store_open(fixture.path, STORE_WRITE, &err) == NULL);
	CHECK(3,
	      strstr(err.msg, "results.db.lock cannot be opened: Read-only file system") != NULL);
	(void)snprintf(other, sizeof(other), "%s/other.db", fixture.folder);
	CHECK(4, store_open(other, STORE_WRITE, &err) == NULL);
	CHECK(5, strstr(err.msg,
	                "other.db: the results database cannot be made: Read-only file system") !=
	                 NULL);
	check_file(FIXTURE_REPEATS);
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

static void a_read_only_disk_is_read(void **state)
{
	(void)state;
	in_child(use_a_read_only_disk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_becomes_full_costs_nothing_that_was_kept),
		cmocka_unit_test(a_disk_that_is_full_at_the_start_is_told),
		cmocka_unit_test(a_read_only_disk_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
