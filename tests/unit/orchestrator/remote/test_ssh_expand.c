/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/ssh_expand.h"
#include "tests/support/test.h"

static struct arena arena;

static const char *variable(const char *name)
{
	return strcmp(name, "KEYS") == 0 ? "/keys" : NULL;
}

static const struct ssh_tokens tokens = {.home = "/home/me",
                                         .local_user = "me",
                                         .uid = "1000",
                                         .local_host = "desk.example",
                                         .hostname = "10.1.2.3",
                                         .alias = "lab",
                                         .port = "2222",
                                         .user = "root",
                                         .key_alias = "labkey",
                                         .variable = variable};

static void files_are_expanded(void **state)
{
	static const char *const cases[][2] = {
		{"/etc/x y", "/etc/x y"},
		{"~/.ssh/id", "/home/me/.ssh/id"},
		{"~", "/home/me"},
		{"~root/x", "/root/x"},
		{"/a~b", "/a~b"},
		{"%d/%h-%n-%p-%r-%u-%i", "/home/me/10.1.2.3-lab-2222-root-me-1000"},
		{"%L/%l/%k/100%%", "desk/desk.example/labkey/100%"},
		{"${KEYS}/id_%r", "/keys/id_root"},
		{"/a$b", "/a$b"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = {0};
		const char *got =
			ssh_expand_file(&arena, "IdentityFile", cases[i][0], &tokens, &err);

		if (got == NULL)
			fail_msg("%s: %s", cases[i][0], err.msg);
		assert_string_equal(got, cases[i][1]);
	}
	arena_done(&arena);
}

static void what_cannot_be_expanded_is_told(void **state)
{
	static const char *const cases[][2] = {
		{"/run/%C",
	         "IdentityFile: the token %C is not known to vnm: say it without, or set "
	         "`transport: openssh`"},
		{"/run/%j", "IdentityFile: the token %j is not known"},
		{"/run/%", "IdentityFile: the token % is not known"},
		{"${NOT_SET}/x", "IdentityFile: the environment variable NOT_SET is not set"},
		{"${KEYS", "IdentityFile: '${KEYS' has no end"},
		{"~no-such-user-here/x", "IdentityFile: there is no user 'no-such-user-here'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = {0};

		assert_null(ssh_expand_file(&arena, "IdentityFile", cases[i][0], &tokens, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		if (strncmp(err.msg, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("%s: %s", cases[i][0], err.msg);
	}
	arena_done(&arena);
}

static void a_home_alone_has_no_tokens(void **state)
{
	struct err err;

	(void)state;
	assert_string_equal(ssh_expand_home(&arena, "x", "~/100%C", &tokens, &err),
	                    "/home/me/100%C");
	arena_done(&arena);
}

static void commands_get_harmless_words(void **state)
{
	struct ssh_tokens evil = tokens;
	struct err err;

	(void)state;
	assert_string_equal(ssh_expand_command(&arena, "ProxyCommand",
	                                       "nc \"$X\" ~ ${Y} %h %p | tee 5%%", &tokens, &err),
	                    "nc \"$X\" ~ ${Y} 10.1.2.3 2222 | tee 5%");
	evil.home = "/home/m e";
	assert_null(ssh_expand_command(&arena, "ProxyCommand", "x %d", &evil, &err));
	assert_string_equal(err.msg, "ProxyCommand '/home/m e' holds a blank");
	evil.hostname = "a;reboot";
	assert_null(ssh_expand_command(&arena, "ProxyCommand", "nc %h", &evil, &err));
	assert_null(ssh_expand_command(&arena, "ProxyCommand", "nc %C", &tokens, &err));
	assert_non_null(strstr(err.msg, "transport: openssh"));
	arena_done(&arena);
}

static void the_result_is_bounded(void **state)
{
	char many[8192];
	struct err err;

	(void)state;
	memset(many, 'a', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	assert_null(ssh_expand_file(&arena, "IdentityFile", many, &tokens, &err));
	assert_string_equal(err.msg, "IdentityFile is too long");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_expanded),
		cmocka_unit_test(what_cannot_be_expanded_is_told),
		cmocka_unit_test(a_home_alone_has_no_tokens),
		cmocka_unit_test(commands_get_harmless_words),
		cmocka_unit_test(the_result_is_bounded),
	};

	return cmocka_run_group_tests_name("remote/ssh_expand", tests, NULL, NULL);
}
