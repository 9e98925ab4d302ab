/* SPDX-License-Identifier: MIT */
#include "remote/openssh_args.h"

#include <string.h>

#include "common/text.h"
#include "tests/support/test.h"

static struct arena arena;

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

/* The arguments behind "ssh", each followed by a newline. */
static const char *master(const struct ssh_wish *wish)
{
	const char *argv[OPENSSH_ARGS_MAX];
	struct text all = {0};
	const char *copy;
	struct err err;
	size_t i = 0;

	assert_true(openssh_master_args(&arena, wish, "/tmp/f", argv, &err));
	assert_string_equal(argv[0], "/bin/sh");
	assert_string_equal(argv[3], "/tmp/f");
	while (strcmp(argv[i], "ssh") != 0)
		i++;
	for (i++; argv[i] != NULL; i++)
		text_printf(&all, "%s\n", argv[i]);
	copy = arena_strndup(&arena, all.at, all.len);
	text_done(&all);
	return copy;
}

static void what_is_not_said_is_left_to_the_configuration(void **state)
{
	const struct ssh_wish wish = {.host = "web"};
	const char *args = master(&wish);

	(void)state;
	assert_null(strstr(args, "UserKnownHostsFile"));
	assert_null(strstr(args, "-F\n"));
	assert_null(strstr(args, "-i\n"));
	assert_null(strstr(args, "-l\n"));
	assert_null(strstr(args, "-p\n"));
	assert_null(strstr(args, "ProxyJump"));
	assert_non_null(strstr(args, "\n-oStrictHostKeyChecking=yes\n"));
	assert_non_null(strstr(args, "\n-oBatchMode=yes\n"));
	assert_non_null(strstr(args, "\n-oControlPath=/tmp/f/s\n"));
	assert_string_equal(strstr(args, "--\n"), "--\nweb\n");
}

static void what_is_said_is_handed_over(void **state)
{
	const struct ssh_wish wish = {.host = "-oProxyCommand=x",
	                              .port = 2222,
	                              .user = "me@home",
	                              .key = "/k/my key",
	                              .known_hosts = "/k/known hosts",
	                              .config = "/k/config",
	                              .jump = "me@gate:22,next",
	                              .accept_new = true};
	const char *args = master(&wish);

	(void)state;
	assert_non_null(strstr(args, "\n-F\n/k/config\n"));
	assert_non_null(strstr(args, "\n-oUserKnownHostsFile=\"/k/known hosts\"\n"));
	assert_non_null(strstr(args, "\n-oStrictHostKeyChecking=accept-new\n"));
	assert_non_null(strstr(args, "\n-i\n/k/my key\n"));
	assert_non_null(strstr(args, "\n-l\nme@home\n"));
	assert_non_null(strstr(args, "\n-p\n2222\n"));
	assert_non_null(strstr(args, "\n-oProxyJump=me@gate:22,next\n"));
	assert_string_equal(strstr(args, "--\n"), "--\n-oProxyCommand=x\n"); /* no option */
}

static void no_configuration_is_an_empty_one(void **state)
{
	const struct ssh_wish wish = {.host = "web", .config = "none", .jump = "none"};
	const char *args = master(&wish);

	(void)state;
	assert_non_null(strstr(args, "\n-F\n/dev/null\n"));
	assert_non_null(strstr(args, "\n-oProxyJump=none\n"));
}

static void file_names_that_ssh_would_change_are_refused(void **state)
{
	static const char *const bad[] = {"/k/%h", "/k/${HOME}", "/k/\"x\"", "/k/\\x"};
	const char *argv[OPENSSH_ARGS_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		const struct ssh_wish key = {.host = "web", .key = bad[i]};
		const struct ssh_wish known = {.host = "web", .known_hosts = bad[i]};
		struct err err = {0};

		assert_false(openssh_master_args(&arena, &key, "/tmp/f", argv, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.msg, "`key`: /k/"));
		assert_false(openssh_master_args(&arena, &known, "/tmp/f", argv, &err));
		assert_non_null(strstr(err.msg, "`known_hosts`: /k/"));
	}
}

static void a_command_goes_over_the_socket_or_nowhere(void **state)
{
	const char *argv[OPENSSH_ARGS_MAX];
	struct text all = {0};

	(void)state;
	openssh_command_args("/tmp/f/s", "exec /bin/sh -c 'x y'", argv);
	for (size_t i = 0; argv[i] != NULL; i++)
		text_printf(&all, "%s\n", argv[i]);
	assert_non_null(strstr(text_str(&all), "\n-oProxyCommand=false\n"));
	assert_non_null(strstr(text_str(&all), "\n-F\n/dev/null\n"));
	assert_non_null(strstr(text_str(&all), "\n-S\n/tmp/f/s\n--\n"));
	assert_string_equal(strstr(text_str(&all), "exec "), "exec /bin/sh -c 'x y'\n");
	text_done(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_said_is_left_to_the_configuration),
		cmocka_unit_test(what_is_said_is_handed_over),
		cmocka_unit_test(no_configuration_is_an_empty_one),
		cmocka_unit_test(file_names_that_ssh_would_change_are_refused),
		cmocka_unit_test(a_command_goes_over_the_socket_or_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
