/* SPDX-License-Identifier: MIT */
#include "common/err.h"

#include <errno.h>
#include <string.h>

#include "tests/support/test.h"

static void an_error_has_a_kind_and_a_message(void **state)
{
	struct err err = {.sys_errno = EIO};

	(void)state;
	assert_false(err_set(&err, ERR_INPUT, "port %u is above %d", 70000U, 65535));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_int_equal(err.sys_errno, 0);
	assert_string_equal(err.msg, "port 70000 is above 65535");
}

static void a_system_error_names_its_reason(void **state)
{
	struct err err = {0};

	(void)state;
	assert_false(err_set_errno(&err, ENOENT, "%s", "lab.yaml"));
	assert_int_equal(err.kind, ERR_SYSTEM);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_string_equal(err.msg, "lab.yaml: No such file or directory");
}

static void each_level_puts_what_it_knows_in_front(void **state)
{
	struct err err = {0};

	(void)state;
	(void)err_set_errno(&err, ENOSPC, "write");
	assert_false(err_prefix(&err, "upload agent"));
	assert_false(err_prefix(&err, "%s", "esx1"));
	assert_int_equal(err.kind, ERR_SYSTEM);
	assert_int_equal(err.sys_errno, ENOSPC);
	assert_string_equal(err.msg, "esx1: upload agent: write: No space left on device");
}

static void text_of_a_host_cannot_break_the_line_or_drive_the_terminal(void **state)
{
	struct err err = {0};

	(void)state;
	(void)err_set(&err, ERR_REMOTE, "it said: %s", "no\r\n\x1b[2Jroot\x7f\xc3\xa4");
	assert_string_equal(err.msg, "it said: no   [2Jroot \xc3\xa4");
	(void)err_prefix(&err, "a\tb");
	assert_string_equal(err.msg, "a b: it said: no   [2Jroot \xc3\xa4");
	(void)err_set(&err, ERR_REMOTE, "%s",
	              "\x9b"
	              "2J \xc2\x9b"
	              "2J \xff\xe2\x82 \xe2\x82\xac");
	assert_string_equal(err.msg, "?2J ??2J ??? \xe2\x82\xac");
}

static void a_message_that_is_cut_within_a_character_is_text(void **state)
{
	char deep[ERR_MSG_BYTES + 1];
	struct err err = {0};

	(void)state;
	memset(deep, 'd', sizeof(deep));
	memcpy(deep + ERR_MSG_BYTES - 2, "\xc3\xa4", 3);
	(void)err_set(&err, ERR_REMOTE, "%s", deep);
	assert_int_equal(strlen(err.msg), ERR_MSG_BYTES - 1);
	assert_int_equal(err.msg[ERR_MSG_BYTES - 2], '?');
}

static void a_long_message_loses_its_end_only(void **state)
{
	struct err err = {0};
	char deep[ERR_MSG_BYTES + 100];
	char expected[ERR_MSG_BYTES];

	(void)state;
	memset(deep, 'd', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	(void)err_set(&err, ERR_REMOTE, "%s", deep);
	assert_int_equal(strlen(err.msg), ERR_MSG_BYTES - 1);
	(void)err_prefix(&err, "esx1");
	memset(expected, 'd', sizeof(expected));
	memcpy(expected, "esx1: ", 6);
	expected[sizeof(expected) - 1] = '\0';
	assert_string_equal(err.msg, expected);
}

static void a_long_prefix_is_cut_to_half_of_the_message(void **state)
{
	struct err err = {0};
	char name[ERR_MSG_BYTES * 2];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	(void)err_set(&err, ERR_REMOTE, "refused");
	(void)err_prefix(&err, "%s", name);
	assert_int_equal(strlen(err.msg), ERR_MSG_BYTES / 2 - 1 + strlen(": refused"));
	assert_string_equal(err.msg + ERR_MSG_BYTES / 2 - 1, ": refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_has_a_kind_and_a_message),
		cmocka_unit_test(a_system_error_names_its_reason),
		cmocka_unit_test(each_level_puts_what_it_knows_in_front),
		cmocka_unit_test(text_of_a_host_cannot_break_the_line_or_drive_the_terminal),
		cmocka_unit_test(a_message_that_is_cut_within_a_character_is_text),
		cmocka_unit_test(a_long_message_loses_its_end_only),
		cmocka_unit_test(a_long_prefix_is_cut_to_half_of_the_message),
	};

	return cmocka_run_group_tests_name("common/err", tests, NULL, NULL);
}
