/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/attr.h"
#include "remote/password_file.h"
#include "tests/support/test.h"

static char folder[] = "/tmp/test-password-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/pw", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static void write_file(const char *text, size_t len, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	assert_int_equal(fchmod(fd, mode), 0);
	(void)close(fd);
}

static void the_first_line_is_the_password(void **state)
{
#define TEXT(s) s, sizeof(s) - 1
	static const struct {
		const char *text;
		size_t len;
		const char *password; /* NULL: refused with... */
		const char *why;
	} cases[] = {
		{TEXT("secret"), "secret", NULL},
		{TEXT("secret\n"), "secret", NULL},
		{TEXT("secret\r\n"), "secret", NULL},
		{TEXT(" two words \nand more\n"), " two words ", NULL},
		{TEXT(""), NULL, ": the first line is empty"},
		{TEXT("\nsecret\n"), NULL, ": the first line is empty"},
		{TEXT("\r\n"), NULL, ": the first line is empty"},
		{TEXT("a\0b\n"), NULL, " is not a text file"},
	};
#undef TEXT

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char password[SECRET_BYTES];
		struct err err;
		bool ok;

		write_file(cases[i].text, cases[i].len, 0600);
		ok = password_file_read(path, password, &err);
		assert_int_equal(ok, cases[i].password != NULL);
		if (ok)
			assert_string_equal(password, cases[i].password);
		else
			assert_non_null(strstr(err.msg, cases[i].why));
	}
}

/* What stood behind the first line is not in the memory that is handed out. */
static void nothing_else_is_kept(void **state)
{
	char password[SECRET_BYTES];
	struct err err;

	(void)state;
	write_file("one\nTWO\n", 8, 0400);
	assert_true(password_file_read(path, password, &err));
	for (size_t i = 3; i < sizeof(password); i++)
		assert_int_equal(password[i], 0);
	write_file("one\nTWO\n", 8, 0644);
	memset(password, 'x', sizeof(password));
	assert_false(password_file_read(path, password, &err));
	for (size_t i = 0; i < sizeof(password); i++)
		assert_int_equal(password[i], 0);
}

static void a_line_that_is_too_long_is_refused(void **state)
{
	char text[SECRET_BYTES + 10];
	char password[SECRET_BYTES];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	write_file(text, SECRET_BYTES - 2, 0600);
	assert_true(password_file_read(path, password, &err));
	assert_int_equal(strlen(password), SECRET_BYTES - 2);
	write_file(text, sizeof(text), 0600);
	assert_false(password_file_read(path, password, &err));
	assert_non_null(strstr(err.msg, ": the first line is longer than 1022 bytes"));
}

static void what_others_can_read_is_refused(void **state)
{
	static const mode_t modes[] = {0640, 0604, 0660, 0602, 0610, 0777};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(modes); i++) {
		char password[SECRET_BYTES];
		char remedy[128];
		struct err err;

		write_file("secret\n", 7, modes[i]);
		assert_false(password_file_read(path, password, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		(void)snprintf(remedy, sizeof(remedy),
		               "is open to others (mode %03o): chmod 600 %s", (unsigned)modes[i],
		               path);
		assert_non_null(strstr(err.msg, remedy));
	}
}

static void only_a_file_will_do(void **state)
{
	char password[SECRET_BYTES];
	struct err err;

	(void)state;
	assert_false(password_file_read(folder, password, &err));
	assert_non_null(strstr(err.msg, "is not a regular file"));
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(password_file_read(path, password, &err)); /* does not wait */
	assert_non_null(strstr(err.msg, "is not a regular file"));
	(void)unlink(path);
	assert_false(password_file_read(path, password, &err));
	assert_int_equal(err.kind, ERR_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_password),
		cmocka_unit_test(nothing_else_is_kept),
		cmocka_unit_test(a_line_that_is_too_long_is_refused),
		cmocka_unit_test(what_others_can_read_is_refused),
		cmocka_unit_test(only_a_file_will_do),
	};

	return cmocka_run_group_tests_name("remote/password_file", tests, make_folder,
	                                   remove_folder);
}
