/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/text.h"
#include "remote/ssh_dump.h"
#include "tests/support/test.h"

static struct arena arena;

static struct ssh_dump parsed(const char *text)
{
	struct ssh_dump dump;
	struct err err;

	if (!ssh_dump_parse(&arena, text, strlen(text), &dump, &err))
		fail_msg("%s", err.msg);
	return dump;
}

static void a_line_is_a_setting(void **state)
{
	struct ssh_dump d = parsed("host a\n\nHostName b c\ncanonicalizePermittedcnames none\n"
	                           "forwardagent\nidentityfile x\nidentityfile y z");
	size_t from = 0;

	(void)state;
	assert_int_equal(d.count, 6);
	assert_string_equal(ssh_dump_value(&d, "hostname"), "b c");
	assert_null(ssh_dump_value(&d, "canonicalizepermittedcnames"));
	assert_string_equal(ssh_dump_next(&d, "canonicalizepermittedcnames", NULL), "none");
	assert_string_equal(ssh_dump_next(&d, "forwardagent", NULL), "");
	assert_null(ssh_dump_value(&d, "forwardagent"));
	assert_null(ssh_dump_value(&d, "port"));
	assert_string_equal(ssh_dump_next(&d, "identityfile", &from), "x");
	assert_string_equal(ssh_dump_next(&d, "identityfile", &from), "y z");
	assert_null(ssh_dump_next(&d, "identityfile", &from));
	arena_done(&arena);
}

static void what_ssh_would_not_print_is_refused(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *message;
	} cases[] = {
		{" port 22", 8, "line 1 is no setting"},
		{"port 22\n?", 9, "line 2 is no setting"},
		{"port\t22", 7, "line 1 is no setting"},
		{"user a\x1b[0m", 10, "user holds a control character"},
		{"user a\0b", 8, "user holds a control character"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa x", 72,
	         "line 1 is no setting"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssh_dump d;
		struct err err;

		assert_false(ssh_dump_parse(&arena, cases[i].text, cases[i].len, &d, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_string_equal(err.msg, cases[i].message);
	}
	arena_done(&arena);
}

static void there_is_a_most(void **state)
{
	struct text text = {0};
	struct ssh_dump d;
	struct err err;

	(void)state;
	for (int i = 0; i < SSH_DUMP_LINES_MAX; i++)
		text_add(&text, "a b\n");
	assert_true(ssh_dump_parse(&arena, text.at, text.len, &d, &err));
	assert_int_equal(d.count, SSH_DUMP_LINES_MAX);
	text_add(&text, "a b\n");
	assert_false(ssh_dump_parse(&arena, text.at, text.len, &d, &err));
	text_done(&text);
	arena_done(&arena);
}

static void lists_are_compared_in_order(void **state)
{
	struct ssh_dump a = parsed("identityfile x\nport 1\nidentityfile y\n");
	struct ssh_dump same = parsed("identityfile x\nidentityfile y\n");
	struct ssh_dump turned = parsed("identityfile y\nidentityfile x\n");
	struct ssh_dump fewer = parsed("identityfile x\n");

	(void)state;
	assert_true(ssh_dump_agree(&a, &same, "identityfile"));
	assert_false(ssh_dump_agree(&a, &turned, "identityfile"));
	assert_false(ssh_dump_agree(&a, &fewer, "identityfile"));
	assert_false(ssh_dump_agree(&fewer, &a, "identityfile"));
	assert_true(ssh_dump_agree(&a, &fewer, "ciphers"));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_setting),
		cmocka_unit_test(what_ssh_would_not_print_is_refused),
		cmocka_unit_test(there_is_a_most),
		cmocka_unit_test(lists_are_compared_in_order),
	};

	return cmocka_run_group_tests_name("remote/ssh_dump", tests, NULL, NULL);
}
