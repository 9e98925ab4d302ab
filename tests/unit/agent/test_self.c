/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/self.h"
#include "common/io.h"
#include "tests/support/test.h"

static char folder[] = "/tmp/vnm-test-self-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	(void)state;
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/vnm-agent", folder);
	return 0;
}

static void write_file(size_t len)
{
	struct err err;
	char *bytes = calloc(len + 1, 1);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_non_null(bytes);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, bytes, len, &err));
	(void)close(fd);
	free(bytes);
}

static void the_hash_is_that_of_the_whole_file(void **state)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 123456};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *zeros = calloc(sizes[i] + 1, 1);
		char wanted[SHA256_HEX_BYTES];
		char hash[SHA256_HEX_BYTES];

		assert_non_null(zeros);
		sha256_of(zeros, sizes[i], wanted);
		free(zeros);
		write_file(sizes[i]);
		self_hash(path, hash);
		assert_string_equal(hash, wanted);
	}
	self_remove(folder);
	assert_int_equal(access(folder, F_OK), -1);
}

static void what_cannot_be_read_has_no_hash(void **state)
{
	char hash[SHA256_HEX_BYTES] = "x";

	(void)state;
	self_hash(path, hash);
	assert_string_equal(hash, "");
	self_hash(folder, hash); /* opens, but is no file */
	assert_string_equal(hash, "");
	assert_int_equal(rmdir(folder), 0);
}

static void a_name_that_is_too_long_removes_nothing(void **state)
{
	static char longer[8192];

	(void)state;
	memset(longer, '/', sizeof(longer) - 1);
	self_remove(longer);
	self_remove(folder); /* holds no agent: stays */
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_hash_is_that_of_the_whole_file, set_up),
		cmocka_unit_test_setup(what_cannot_be_read_has_no_hash, set_up),
		cmocka_unit_test_setup(a_name_that_is_too_long_removes_nothing, set_up),
	};

	return cmocka_run_group_tests_name("agent/self", tests, NULL, NULL);
}
