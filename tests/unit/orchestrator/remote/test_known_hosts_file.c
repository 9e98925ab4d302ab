/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "remote/known_hosts_file.h"
#include "remote/known_hosts_name.h"
#include "tests/support/test.h"

#define ED  "ssh-ed25519"
#define EDA "AAAAC3NzaC1lZDI1NTE5AAAAIMJKfYa4RmZN/wWv5O+EelSdGg5PN5UL26/aFftXEw+I"
#define EDB "AAAAC3NzaC1lZDI1NTE5AAAAIIhEdVuhtUtVklOpgsflQ3QGoH4OphibFKUNyHodm2cO"

static char folder[] = "/tmp/known-hosts-test-XXXXXX";

static const char *in_folder(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static enum known_hosts_verdict verdict(const struct known_hosts_file *file, const char *name)
{
	struct known_hosts_said said = {0};
	struct known_hosts_finding found;

	known_hosts_ask(file->known, 0, name, &said);
	known_hosts_check(&said, ED, EDA, &found);
	known_hosts_said_done(&said);
	return found.verdict;
}

static struct known_hosts_file *opened(const char *path)
{
	struct err err;
	struct known_hosts_file *file = known_hosts_open(path, &err);

	if (file == NULL)
		fail_msg("%s", err.msg);
	return file;
}

static bool add(const char *path, const char *name, const char *blob, bool is_hashed,
                struct known_hosts_finding *found, struct err *err)
{
	const struct known_hosts_new add = {path, name, ED, blob, is_hashed};
	const struct wait_limit limit = {clock_now_ns() + 200 * CLOCK_NS_PER_MS, -1};

	return known_hosts_add(&add, &limit, found, err);
}

static void a_file_is_read_once_until_it_changes(void **state)
{
	const char *path = in_folder("known");
	struct known_hosts_file *first;
	struct known_hosts_file *second;

	(void)state;
	write_file(path, "web " ED " " EDA "\n");
	first = opened(path);
	second = opened(path);
	assert_ptr_equal(first->known, second->known);
	known_hosts_close(second);
	write_file(path, "www " ED " " EDA "\nweb " ED " " EDB "\n");
	second = opened(path);
	assert_ptr_not_equal(first->known, second->known);
	assert_int_equal(verdict(second, "web"), KNOWN_HOSTS_CHANGED);
	/* What is held stays as it was. */
	assert_int_equal(verdict(first, "web"), KNOWN_HOSTS_OK);
	known_hosts_close(first);
	known_hosts_close(second);
	assert_int_equal(unlink(path), 0);
}

static void a_file_that_comes_and_goes_is_noticed(void **state)
{
	const char *path = in_folder("known");
	struct known_hosts_file *file;

	(void)state;
	(void)unlink(path);
	file = opened(path);
	assert_int_equal(verdict(file, "web"), KNOWN_HOSTS_UNKNOWN);
	known_hosts_close(file);
	write_file(path, "web " ED " " EDA "\n");
	file = opened(path);
	assert_int_equal(verdict(file, "web"), KNOWN_HOSTS_OK);
	known_hosts_close(file);
	assert_int_equal(unlink(path), 0);
	file = opened(path);
	assert_int_equal(verdict(file, "web"), KNOWN_HOSTS_UNKNOWN);
	known_hosts_close(file);
}

static void more_files_than_are_kept_work(void **state)
{
	struct known_hosts_file *files[40];
	char name[16];

	(void)state;
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "many%d", i);
		write_file(in_folder(name), i % 2 == 0 ? "web " ED " " EDA "\n" : "");
		files[i] = opened(in_folder(name));
	}
	for (int i = 0; i < 40; i++) {
		assert_int_equal(verdict(files[i], "web"),
		                 i % 2 == 0 ? KNOWN_HOSTS_OK : KNOWN_HOSTS_UNKNOWN);
		known_hosts_close(files[i]);
		(void)snprintf(name, sizeof(name), "many%d", i);
		assert_int_equal(unlink(in_folder(name)), 0);
	}
	known_hosts_close(NULL);
}

static void what_is_no_file_is_told(void **state)
{
	const char *pipe_path = in_folder("pipe");
	char expected[PATH_MAX + 64];
	struct err err;

	(void)state;
	assert_null(known_hosts_open(folder, &err));
	(void)snprintf(expected, sizeof(expected), "known_hosts: %s: not a regular file", folder);
	assert_string_equal(err.msg, expected);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_null(known_hosts_open(pipe_path, &err));
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(unlink(pipe_path), 0);
	known_hosts_close(opened("/dev/null"));
}

static void a_symbolic_link_is_followed(void **state)
{
	const char *path = in_folder("known");
	const char *link_path = in_folder("link");
	struct known_hosts_finding found;
	struct known_hosts_file *file;
	struct stat st;
	struct err err;

	(void)state;
	(void)unlink(path);
	assert_int_equal(symlink("known", link_path), 0);
	assert_true(add(link_path, "web", EDA, false, &found, &err)); /* it points nowhere yet */
	file = opened(link_path);
	assert_int_equal(verdict(file, "web"), KNOWN_HOSTS_OK);
	known_hosts_close(file);
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(unlink(link_path), 0);
	assert_int_equal(unlink(path), 0);
}

static void a_key_is_added_once(void **state)
{
	const char *path = in_folder(".ssh/known_hosts");
	struct known_hosts_finding found;
	char *text;
	size_t len;
	struct stat st;
	struct err err;

	(void)state;
	assert_true(add(path, "web", EDA, false, &found, &err));
	assert_int_equal(found.verdict, KNOWN_HOSTS_UNKNOWN);
	assert_true(add(path, "web", EDA, false, &found, &err));
	assert_int_equal(found.verdict, KNOWN_HOSTS_OK);
	assert_true(add(path, "web", EDB, false, &found, &err));
	assert_int_equal(found.verdict, KNOWN_HOSTS_CHANGED);
	assert_true(io_read_file(path, 10000, &text, &len, &err));
	assert_string_equal(text, "web " ED " " EDA "\n");
	free(text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(in_folder(".ssh"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(in_folder(".ssh")), 0);
	assert_false(add(in_folder("no/known"), "web", EDA, false, &found, &err));
	assert_non_null(strstr(err.msg, "/no/known: No such file or directory"));
}

static void a_last_line_without_an_end_is_not_spoilt(void **state)
{
	const char *path = in_folder("known");
	struct known_hosts_finding found;
	char *text;
	size_t len;
	struct err err;

	(void)state;
	write_file(path, "www " ED " " EDB);
	assert_true(add(path, "web", EDA, false, &found, &err));
	assert_true(io_read_file(path, 10000, &text, &len, &err));
	assert_string_equal(text, "www " ED " " EDB "\nweb " ED " " EDA "\n");
	free(text);
	assert_int_equal(unlink(path), 0);
}

static void a_hashed_name_is_found_again(void **state)
{
	const char *path = in_folder("known");
	struct known_hosts_finding found;
	struct known_hosts_file *file;
	char *text;
	size_t len;
	struct err err;

	(void)state;
	assert_true(add(path, "[web]:2222", EDA, true, &found, &err));
	assert_true(io_read_file(path, 10000, &text, &len, &err));
	assert_memory_equal(text, "|1|", 3);
	assert_null(strstr(text, "web"));
	free(text);
	file = opened(path);
	assert_int_equal(verdict(file, "[web]:2222"), KNOWN_HOSTS_OK);
	assert_int_equal(verdict(file, "web"), KNOWN_HOSTS_UNKNOWN);
	known_hosts_close(file);
	assert_int_equal(unlink(path), 0);
}

static void a_lock_that_is_held_is_waited_for_in_time(void **state)
{
	const char *path = in_folder("known");
	struct known_hosts_finding found;
	struct err err;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_false(add(path, "web", EDA, false, &found, &err));
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_non_null(strstr(err.msg, "another process holds it"));
	(void)close(fd);
	assert_int_equal(unlink(path), 0);
}

#define THREADS 8
#define HOSTS   10

static char shared[PATH_MAX];

/* NULL: all went well. */
static void *use(void *arg)
{
	const int *thread = arg;

	for (int i = 0; i < HOSTS; i++) {
		const struct wait_limit limit = {clock_now_ns() + 30 * CLOCK_NS_PER_S, -1};
		char name[32];
		const struct known_hosts_new new_key = {shared, name, ED, EDA, i % 2 == 0};
		struct known_hosts_finding found;
		struct known_hosts_file *file;
		struct err err;
		bool ok;

		(void)snprintf(name, sizeof(name), "host%d-%d", *thread, i);
		if (!known_hosts_add(&new_key, &limit, &found, &err))
			return arg;
		file = known_hosts_open(shared, &err);
		ok = file != NULL && verdict(file, name) == KNOWN_HOSTS_OK;
		known_hosts_close(file);
		if (!ok)
			return arg;
	}
	return NULL;
}

static void threads_share_a_file(void **state)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	struct known_hosts_file *file;

	(void)state;
	(void)snprintf(shared, sizeof(shared), "%s/known", folder);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, use, &numbers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		void *failed = NULL;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	file = opened(shared);
	assert_int_equal(verdict(file, "host7-9"), KNOWN_HOSTS_OK);
	known_hosts_close(file);
	assert_int_equal(unlink(shared), 0);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder); /* each test has left it empty */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_once_until_it_changes),
		cmocka_unit_test(a_file_that_comes_and_goes_is_noticed),
		cmocka_unit_test(more_files_than_are_kept_work),
		cmocka_unit_test(what_is_no_file_is_told),
		cmocka_unit_test(a_symbolic_link_is_followed),
		cmocka_unit_test(a_key_is_added_once),
		cmocka_unit_test(a_last_line_without_an_end_is_not_spoilt),
		cmocka_unit_test(a_hashed_name_is_found_again),
		cmocka_unit_test(a_lock_that_is_held_is_waited_for_in_time),
		cmocka_unit_test(threads_share_a_file),
	};

	return cmocka_run_group_tests_name("remote/known_hosts_file", tests, set_up, tear_down);
}
