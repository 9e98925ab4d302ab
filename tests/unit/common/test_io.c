/* SPDX-License-Identifier: MIT */
#include "common/io.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"

/* More than a pipe holds, so that both ends must go on several times. */
#define BIG_BYTES ((size_t)300000)

struct writer {
	int fd;
	const char *data;
	bool ok;
	struct err err;
};

static char *make_big(void)
{
	char *data = malloc(BIG_BYTES);

	assert_non_null(data);
	for (size_t i = 0; i < BIG_BYTES; i++)
		data[i] = (char)(i * 7 + i / 251);
	return data;
}

static void *write_big(void *arg)
{
	struct writer *w = arg;

	w->ok = io_write_all(w->fd, w->data, BIG_BYTES, &w->err);
	(void)close(w->fd);
	return NULL;
}

static void more_than_a_pipe_holds_goes_through_whole(void **state)
{
	char *data = make_big();
	char *copy = malloc(BIG_BYTES + 10);
	size_t got = 0;
	struct err err = {0};
	struct writer w = {.data = data};
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_non_null(copy);
	assert_int_equal(pipe(ends), 0);
	w.fd = ends[1];
	assert_int_equal(pthread_create(&thread, NULL, write_big, &w), 0);
	assert_true(io_read_full(ends[0], copy, BIG_BYTES + 10, &got, &err));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(w.ok);
	assert_int_equal(got, BIG_BYTES);
	assert_memory_equal(copy, data, BIG_BYTES);
	(void)close(ends[0]);
	free(copy);
	free(data);
}

static void nothing_is_written_or_read_when_nothing_is_asked(void **state)
{
	size_t got = 7;
	struct err err = {0};

	(void)state;
	assert_true(io_write_all(-1, "", 0, &err));
	assert_true(io_read_full(-1, NULL, 0, &got, &err));
	assert_int_equal(got, 0);
}

static void a_closed_descriptor_is_an_error(void **state)
{
	char byte;
	size_t got = 7;
	struct err err = {0};

	(void)state;
	assert_false(io_write_all(-1, "x", 1, &err));
	assert_string_equal(err.msg, "write: Bad file descriptor");
	assert_false(io_read_full(-1, &byte, 1, &got, &err));
	assert_string_equal(err.msg, "read: Bad file descriptor");
	assert_int_equal(err.sys_errno, EBADF);
	assert_int_equal(got, 7); /* outputs only on success */
}

static void make_file(char path[32], const char *data, size_t len)
{
	struct err err = {0};
	int fd;

	memcpy(path, "/tmp/test_io.XXXXXX", sizeof("/tmp/test_io.XXXXXX"));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, data, len, &err));
	(void)close(fd);
}

static void a_file_is_read_whole_up_to_its_limit(void **state)
{
	char *data = make_big();
	char path[32];
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8192, 65536, BIG_BYTES};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *out = NULL;
		size_t len = 0;
		struct err err = {0};

		make_file(path, data, sizes[i]);
		assert_true(io_read_file(path, sizes[i], &out, &len, &err));
		assert_int_equal(len, sizes[i]);
		assert_memory_equal(out, data, len);
		assert_int_equal(out[len], '\0');
		free(out);
		out = NULL;
		if (sizes[i] > 0) {
			assert_false(io_read_file(path, sizes[i] - 1, &out, &len, &err));
			assert_int_equal(err.kind, ERR_INPUT);
			assert_non_null(strstr(err.msg, ": larger than "));
			assert_null(out);
		}
		assert_int_equal(unlink(path), 0);
	}
	free(data);
}

static void the_limit_is_told_as_people_write_it(void **state)
{
	char *out = NULL;
	size_t len = 0;
	char path[32];
	char expected[64];
	char kilobytes[2049] = {0};
	struct err err = {0};

	(void)state;
	make_file(path, kilobytes, sizeof(kilobytes));
	assert_false(io_read_file(path, 2048, &out, &len, &err));
	(void)snprintf(expected, sizeof(expected), "%s: larger than 2K bytes", path);
	assert_string_equal(err.msg, expected);
	assert_int_equal(unlink(path), 0);
}

static void a_file_that_says_it_has_no_size_is_read(void **state)
{
	char *out = NULL;
	size_t len = 0;
	struct err err = {0};

	(void)state;
	if (access("/proc/self/stat", R_OK) != 0)
		skip();
	assert_true(io_read_file("/proc/self/stat", 1 << 16, &out, &len, &err));
	assert_true(len > 0);
	free(out);
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
	char dir[] = "/tmp/test_io.XXXXXX";
	char fifo[sizeof(dir) + 5];
	char expected[128];
	char *out = NULL;
	size_t len = 0;
	struct err err = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(fifo, sizeof(fifo), "%s/pipe", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_false(io_read_file(fifo, 10, &out, &len, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	(void)snprintf(expected, sizeof(expected), "%s: not a regular file", fifo);
	assert_string_equal(err.msg, expected);
	assert_false(io_read_file(dir, 10, &out, &len, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_int_equal(unlink(fifo), 0);
	assert_false(io_read_file(fifo, 10, &out, &len, &err));
	assert_int_equal(err.kind, ERR_SYSTEM);
	(void)snprintf(expected, sizeof(expected), "%s: No such file or directory", fifo);
	assert_string_equal(err.msg, expected);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_a_pipe_holds_goes_through_whole),
		cmocka_unit_test(nothing_is_written_or_read_when_nothing_is_asked),
		cmocka_unit_test(a_closed_descriptor_is_an_error),
		cmocka_unit_test(a_file_is_read_whole_up_to_its_limit),
		cmocka_unit_test(the_limit_is_told_as_people_write_it),
		cmocka_unit_test(a_file_that_says_it_has_no_size_is_read),
		cmocka_unit_test(what_is_no_regular_file_is_refused_without_waiting),
	};

	return cmocka_run_group_tests_name("common/io", tests, NULL, NULL);
}
