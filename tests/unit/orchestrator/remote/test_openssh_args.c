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
	size_t i = 0;

	openssh_master_args(&arena, wish, "/tmp/f", "Host *\n", argv);
	assert_string_equal(argv[0], "/bin/sh");
	assert_string_equal(argv[3], "/tmp/f");
	assert_string_equal(argv[4], "Host *\n");
	while (strcmp(argv[i], "ssh") != 0)
		i++;
	for (i++; argv[i] != NULL; i++)
		text_printf(&all, "%s\n", argv[i]);
	copy = arena_strndup(&arena, all.at, all.len);
	text_done(&all);
	return copy;
}

/* The configuration that it is given. */
static const char *config(const struct ssh_wish *wish)
{
	struct text text = {0};
	const char *copy;
	struct err err;

	if (!openssh_config_text(wish, &text, &err))
		fail_msg("%s", err.msg);
	copy = arena_strndup(&arena, text.at, text.len);
	text_done(&text);
	return copy;
}

static void what_is_not_said_is_left_to_the_configuration(void **state)
{
	const struct ssh_wish wish = {.host = "web"};
	const char *args = master(&wish);

	(void)state;
	assert_null(strstr(args, "-i\n"));
	assert_null(strstr(args, "-l\n"));
	assert_null(strstr(args, "-p\n"));
	assert_null(strstr(args, "ProxyJump"));
	assert_non_null(strstr(args, "\n-oBatchMode=yes\n"));
	assert_non_null(strstr(args, "\n-oControlPath=/tmp/f/s\n"));
	assert_non_null(strstr(args, "\n-F\n/tmp/f/c\n"));
	assert_string_equal(strstr(args, "--\n"), "--\nweb\n");
	assert_string_equal(config(&wish), "Host *\nBatchMode yes\nClearAllForwardings yes\n"
	                                   "UpdateHostKeys no\nStrictHostKeyChecking yes\n"
	                                   "Include ~/.ssh/config\n"
	                                   "Include /etc/ssh/ssh_config\n");
}

static void what_is_said_is_handed_over(void **state)
{
	const struct ssh_wish wish = {.host = "-oProxyCommand=x",
	                              .port = 2222,
	                              .user = "me@home",
	                              .key = "/k/my key",
	                              .known_hosts = "/k/known hosts",
	                              .config = "/dev/../dev/null",
	                              .jump = "me@gate:22,next",
	                              .accept_new = true};
	const char *args = master(&wish);

	(void)state;
	assert_null(strstr(args, "-i\n")); /* it would be offered twice */
	assert_non_null(strstr(args, "\n-l\nme@home\n"));
	assert_non_null(strstr(args, "\n-p\n2222\n"));
	assert_non_null(strstr(args, "\n-oProxyJump=me@gate:22,next\n"));
	assert_string_equal(strstr(args, "--\n"), "--\n-oProxyCommand=x\n"); /* no option */
	assert_string_equal(config(&wish), "Host *\nBatchMode yes\nClearAllForwardings yes\n"
	                                   "UpdateHostKeys no\n"
	                                   "StrictHostKeyChecking accept-new\n"
	                                   "UserKnownHostsFile \"/k/known hosts\"\n"
	                                   "IdentityFile \"/k/my key\"\n"
	                                   "IdentitiesOnly yes\n"
	                                   "Include \"/dev/null\"\n");
}

static void no_configuration_is_an_empty_one(void **state)
{
	const struct ssh_wish wish = {.host = "web", .config = "none", .jump = "none"};

	(void)state;
	assert_null(strstr(config(&wish), "Include"));
	assert_non_null(strstr(master(&wish), "\n-oProxyJump=none\n"));
}

static void file_names_that_ssh_would_change_are_refused(void **state)
{
	static const struct {
		struct ssh_wish wish;
		enum err_kind kind;
		const char *msg;
	} cases[] = {
		{{.key = "/k/%h"}, ERR_INPUT, "`key`: /k/%h: with `transport: openssh`"},
		{{.key = "/k/${HOME}"}, ERR_INPUT, "`key`: /k/${HOME}: "},
		{{.known_hosts = "/k/\"x\""}, ERR_INPUT, "`known_hosts`: /k/\"x\": "},
		{{.known_hosts = "/k/\\x"}, ERR_INPUT, "`known_hosts`: /k/\\x: "},
		{{.config = "/k/missing"}, ERR_SYSTEM, "`config`: /k/missing: No such file"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text text = {0};
		struct err err = {0};

		assert_false(openssh_config_text(&cases[i].wish, &text, &err));
		assert_int_equal(err.kind, cases[i].kind);
		assert_int_equal(strncmp(err.msg, cases[i].msg, strlen(cases[i].msg)), 0);
		text_done(&text);
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
