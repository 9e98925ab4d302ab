/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "hostops/privilege.h"
#include "hostops/shell.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

static const struct {
	const char *said;
	enum privilege is;
	const char *why; /* begins so */
} answers[] = {
	{"root", PRIVILEGE_ROOT, ""},
	{"sudo", PRIVILEGE_SUDO, ""},
	{"none", PRIVILEGE_NONE, "there is no sudo"},
	{"refused: sudo: a password is required", PRIVILEGE_SUDO_PASSWORD,
         "sudo asks for a password"},
	{"refused: sudo: no tty present and no askpass program specified", PRIVILEGE_SUDO_PASSWORD,
         "sudo asks for a password"},
	{"refused: sudo: a terminal is required to read the password; either use the -S option",
         PRIVILEGE_SUDO_PASSWORD, "sudo asks for a password"},
	{"refused: sudo: sorry, you must have a tty to run sudo", PRIVILEGE_NONE,
         "sudo wants a terminal (requiretty): with visudo add `Defaults:NAME !requiretty`"},
	{"refused: bob is not in the sudoers file. This incident will be reported.", PRIVILEGE_NONE,
         "sudo does not know this account"},
	{"refused: Sorry, user bob may not run sudo on esx1.", PRIVILEGE_NONE,
         "this account may not use sudo"},
	{"refused: sudo: /etc/sudoers is world writable", PRIVILEGE_NONE,
         "sudo says: sudo: /etc/sudoers is world writable"},
	{"refused:", PRIVILEGE_NONE, "sudo says: nothing"},
	{"refused", PRIVILEGE_UNKNOWN, ""},
	{"", PRIVILEGE_UNKNOWN, ""},
	{"rooty", PRIVILEGE_UNKNOWN, ""},
};

static void what_sudo_says_is_understood(void **state)
{
	char why[PRIVILEGE_WHY_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		enum privilege is = privilege_read(answers[i].said, why);

		if (is != answers[i].is ||
		    strncmp(why, answers[i].why, strlen(answers[i].why)) != 0)
			fail_msg("'%s' is %d: %s", answers[i].said, (int)is, why);
	}
}

static void the_names_are_those_of_the_fact(void **state)
{
	(void)state;
	assert_null(privilege_name(PRIVILEGE_UNKNOWN));
	assert_string_equal(privilege_name(PRIVILEGE_ROOT), "root");
	assert_string_equal(privilege_name(PRIVILEGE_SUDO), "sudo");
	assert_string_equal(privilege_name(PRIVILEGE_SUDO_PASSWORD), "sudo-password");
	assert_string_equal(privilege_name(PRIVILEGE_NONE), "none");
}

static void every_shell_probes(void **state)
{
	struct shell_marker marker;
	struct text script = {0};
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&marker, &err));
	shell_marker_define(&script, &marker);
	privilege_add_probe(&script);
	assert_true(shell_command(&line, text_str(&script), &err));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = ""};
		char *at;
		char why[PRIVILEGE_WHY_BYTES];
		enum privilege is;

		if (!shell_is_there(s))
			continue;
		shell_run(s, text_str(&line), &run);
		at = strstr(run.said, marker.text);
		if (at == NULL || strncmp(at + strlen(marker.text), " login ", 7) != 0) {
			fail_msg("%s: %s", s->name, run.said);
			continue;
		}
		at += strlen(marker.text) + 7;
		at[strcspn(at, "\n")] = '\0';
		is = privilege_read(at, why);
		if (shell_has_namespaces())
			assert_int_equal(is, PRIVILEGE_ROOT);
		assert_int_not_equal(is, PRIVILEGE_UNKNOWN);
	}
	text_done(&script);
	text_done(&line);
}

static void commands_say_how_they_become_root(void **state)
{
	static const struct {
		enum privilege is;
		const char *prefix;
		const char *line;
	} cases[] = {
		{PRIVILEGE_ROOT, "", "exec /bin/sh -c 'id -u'"},
		{PRIVILEGE_SUDO, "sudo -n -- ", "exec env LC_ALL=C sudo -n -- /bin/sh -c 'id -u'"},
		{PRIVILEGE_SUDO_PASSWORD, "sudo -k -S -p \"\" -- ",
	         "exec env LC_ALL=C sudo -k -S -p \"\" -- /bin/sh -c 'id -u'"},
	};
	struct text line = {0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		text_clear(&line);
		assert_true(privilege_command(&line, cases[i].is, "id -u", &err));
		assert_string_equal(text_str(&line), cases[i].line);
		assert_string_equal(privilege_prefix(cases[i].is), cases[i].prefix);
		assert_false(privilege_command(&line, cases[i].is, "echo 'x'", &err));
	}
	assert_null(privilege_prefix(PRIVILEGE_NONE));
	assert_null(privilege_prefix(PRIVILEGE_UNKNOWN));
	assert_false(privilege_command(&line, PRIVILEGE_NONE, "id -u", &err));
	assert_string_equal(err.msg,
	                    "this needs root: log in as root, or let the account use sudo");
	text_done(&line);
}

static void a_password_is_one_line(void **state)
{
	char out[PRIVILEGE_INPUT_BYTES];
	char longest[PRIVILEGE_INPUT_BYTES];
	size_t len;
	struct err err;

	(void)state;
	assert_true(privilege_input("a b$\"'", out, &len, &err));
	assert_string_equal(out, "a b$\"'\n");
	assert_int_equal(len, 7);
	assert_true(privilege_input("", out, &len, &err));
	assert_int_equal(len, 1);
	assert_false(privilege_input("a\nb", out, &len, &err));
	assert_string_equal(err.msg, "the password for sudo is more than one line");
	memset(longest, 'x', sizeof(longest));
	longest[PRIVILEGE_INPUT_BYTES - 2] = '\0';
	assert_true(privilege_input(longest, out, &len, &err));
	longest[PRIVILEGE_INPUT_BYTES - 2] = 'x';
	longest[PRIVILEGE_INPUT_BYTES - 1] = '\0';
	assert_false(privilege_input(longest, out, &len, &err));
	assert_string_equal(err.msg, "the password for sudo is longer than 256 bytes");
}

static void a_refusal_of_sudo_is_told_from_other_errors(void **state)
{
	char why[PRIVILEGE_WHY_BYTES];

	(void)state;
	assert_true(privilege_is_refusal("Sorry, try again.; sudo: no password was provided", why));
	assert_string_equal(why, "sudo refused the password");
	assert_true(privilege_is_refusal("sudo: 1 incorrect password attempt", why));
	assert_string_equal(why, "sudo refused the password");
	assert_false(privilege_is_refusal("ethtool: bad command line", why));
	assert_string_equal(why, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_sudo_says_is_understood),
		cmocka_unit_test(the_names_are_those_of_the_fact),
		cmocka_unit_test(every_shell_probes),
		cmocka_unit_test(commands_say_how_they_become_root),
		cmocka_unit_test(a_password_is_one_line),
		cmocka_unit_test(a_refusal_of_sudo_is_told_from_other_errors),
	};

	return cmocka_run_group_tests_name("hostops/privilege", tests, NULL, NULL);
}
