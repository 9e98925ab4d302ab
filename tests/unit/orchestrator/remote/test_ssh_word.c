/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/ssh_word.h"
#include "tests/support/test.h"

static const struct {
	enum ssh_word kind;
	const char *text;
	const char *problem; /* NULL: it may be used */
} cases[] = {
	{SSH_WORD_HOST, "esx1", NULL},
	{SSH_WORD_HOST, "my_host", NULL},
	{SSH_WORD_HOST, "fe80::1%eth0", NULL},
	{SSH_WORD_HOST, "caf\xc3\xa9", NULL},
	{SSH_WORD_HOST, "", "is empty"},
	{SSH_WORD_HOST, "-oProxyCommand=x", "begins with `-`"},
	{SSH_WORD_HOST, "a b", "holds a blank"},
	{SSH_WORD_HOST, "a\tb", "holds a control character"},
	{SSH_WORD_HOST, "a\nb", "holds a control character"},
	{SSH_WORD_HOST, "a\x7f", "holds a control character"},
	{SSH_WORD_HOST, "a;b", "a shell"},
	{SSH_WORD_HOST, "$(id)", "a shell"},
	{SSH_WORD_HOST, "`id`", "a shell"},
	{SSH_WORD_HOST, "a|b", "a shell"},
	{SSH_WORD_HOST, "a&b", "a shell"},
	{SSH_WORD_HOST, "a'b", "a shell"},
	{SSH_WORD_HOST, "root@esx1", "to ssh"},
	{SSH_WORD_HOST, "a,b", "to ssh"},
	{SSH_WORD_USER, "root", NULL},
	{SSH_WORD_USER, "admin@vsphere.local", NULL},
	{SSH_WORD_USER, "DOM\\admin", "write user@domain"},
	{SSH_WORD_USER, "-l", "begins with `-`"},
	{SSH_WORD_USER, "a>b", "a shell"},
	{SSH_WORD_JUMP, "u@j1:22,[fe80::1]:24,j2", NULL},
	{SSH_WORD_JUMP, "ssh://u@j1:22", NULL},
	{SSH_WORD_JUMP, "j1,-oX", "begins with `-`"},
	{SSH_WORD_JUMP, "u@-oX", "begins with `-`"},
	{SSH_WORD_JUMP, "-u@j", "begins with `-`"},
	{SSH_WORD_JUMP, "ssh://-oX", "begins with `-`"},
	{SSH_WORD_JUMP, "j1,ssh://-oX", "begins with `-`"},
	{SSH_WORD_JUMP, "j1;id", "a shell"},
	{SSH_WORD_JUMP, "j1 j2", "holds a blank"},
	{SSH_WORD_SHELL, "/home/me", NULL},
	{SSH_WORD_SHELL, "/home/m e", "holds a blank"},
	{SSH_WORD_SHELL, "a*", "a shell"},
};

static void what_could_do_harm_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = {0};
		bool ok = ssh_word_check(cases[i].kind, "HostName", cases[i].text, &err);

		if (ok != (cases[i].problem == NULL))
			fail_msg("%s: %s", cases[i].text, ok ? "passes" : err.msg);
		if (ok)
			continue;
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.msg, "HostName '"));
		if (strstr(err.msg, cases[i].problem) == NULL)
			fail_msg("%s: %s", cases[i].text, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_could_do_harm_is_refused),
	};

	return cmocka_run_group_tests_name("remote/ssh_word", tests, NULL, NULL);
}
