/* SPDX-License-Identifier: MIT */
/* With a program called ssh that says what the test wants, first in PATH; or none. */
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/ssh_config.h"
#include "tests/support/test.h"

static struct arena arena;
static char folder[] = "/tmp/ssh-config-test-XXXXXX";
static char path[PATH_MAX];
static char file[PATH_MAX];

static void write_file(const char *name, const char *text, mode_t mode)
{
	char full[PATH_MAX];
	FILE *out;

	(void)snprintf(full, sizeof(full), "%s/%s", folder, name);
	out = fopen(full, "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(full, mode), 0);
}

/* The presets are asked for with `-F none`, once for all tests here: they never change. */
static void ssh_says(const char *script)
{
	char text[8192];

	(void)snprintf(
		text, sizeof(text),
		"#!/bin/sh\n"
		"case \"$*\" in *'-F none'*)\n"
		"printf 'user me\\nhostname localhost\\nport 22\\nidentityfile ~/.ssh/id_rsa\\n'\n"
		"exit ;; esac\n%s\n",
		script);
	write_file("ssh", text, 0700);
}

static bool resolve(const struct ssh_wish *wish, uint64_t ms, struct ssh_config *out,
                    struct err *err)
{
	const struct wait_limit limit = {clock_now_ns() + ms * CLOCK_NS_PER_MS, -1};

	return ssh_config_resolve(&arena, wish, "/run/agent", &limit, out, err);
}

static struct ssh_config resolved(const struct ssh_wish *wish)
{
	struct ssh_config c;
	struct err err;

	if (!resolve(wish, 20000, &c, &err))
		fail_msg("%s", err.msg);
	return c;
}

static void ssh_is_asked(void **state)
{
	struct ssh_wish wish = {
		.host = "lab", .port = 2222, .user = "root", .config = "/some/file"};
	struct ssh_config c;
	char said[256];

	(void)state;
	ssh_says("printf 'hostname %s\\nuser me\\nport 22\\nidentityfile ~/.ssh/id_rsa\\n"
	         "pkcs11provider x\\n' h\necho \"bindaddress x\" | tr x \"$#\"; echo \"macs $*\"");
	c = resolved(&wish);
	assert_string_equal(c.macs, "-G -F /some/file -p 2222 -l root -- lab");
	assert_string_equal(c.hostname, "h");
	assert_string_equal(c.user, "root");
	assert_int_equal(c.port, 2222);
	assert_false(c.identities_are_named);
	assert_string_equal(c.source, "ssh -G");
	ssh_config_describe(&c, said, sizeof(said));
	assert_string_equal(said, "ssh -G -F /some/file (alias lab); not followed: PKCS11Provider");
	wish = (struct ssh_wish){.host = "lab"};
	c = resolved(&wish);
	assert_string_equal(c.macs, "-G -- lab");
	assert_int_equal(c.port, 22);
	arena_done(&arena);
}

static void the_topology_wins(void **state)
{
	struct ssh_wish wish = {.host = "lab",
	                        .key = "/k",
	                        .known_hosts = "/kh",
	                        .jump = "j1,j2",
	                        .accept_new = true};
	struct ssh_config c;

	(void)state;
	ssh_says("printf 'hostname h\\nuser me\\nport 22\\nidentityfile /a\\nidentityfile /b\\n"
	         "userknownhostsfile /c /d\\nglobalknownhostsfile /e /f\\nproxycommand x %%h\\n"
	         "stricthostkeychecking ask\\n'");
	c = resolved(&wish);
	assert_int_equal(c.identities.count, 1);
	assert_string_equal(c.identities.at[0], "/k");
	assert_true(c.identities_are_named);
	assert_int_equal(c.known_hosts.count, 3);
	assert_string_equal(c.known_hosts.at[0], "/kh");
	assert_string_equal(c.known_hosts.at[1], "/e");
	assert_int_equal(c.user_known_hosts, 1);
	assert_string_equal(c.proxy_jump, "j1,j2");
	assert_null(c.proxy_command);
	assert_int_equal(c.host_key_policy, SSH_HOST_KEY_ACCEPT_NEW);
	wish = (struct ssh_wish){.host = "lab", .jump = SSH_CONFIG_NONE};
	c = resolved(&wish);
	assert_null(c.proxy_jump);
	assert_null(c.proxy_command);
	wish = (struct ssh_wish){.host = "lab"};
	c = resolved(&wish);
	assert_string_equal(c.proxy_command, "x h");
	assert_int_equal(c.host_key_policy, SSH_HOST_KEY_STRICT);
	assert_true(c.identities_are_named);
	arena_done(&arena);
}

static void none_reads_nothing(void **state)
{
	const struct ssh_wish wish = {.host = "Lab", .config = SSH_CONFIG_NONE};
	const struct passwd *me = getpwuid(getuid());
	char expected[PATH_MAX];
	struct ssh_config c;

	(void)state;
	ssh_says("exit 1");
	c = resolved(&wish);
	assert_string_equal(c.source, "topology");
	assert_string_equal(c.hostname, "Lab");
	assert_int_equal(c.port, 22);
	assert_string_equal(c.user, me->pw_name);
	(void)snprintf(expected, sizeof(expected), "%s/.ssh/known_hosts", me->pw_dir);
	assert_string_equal(c.known_hosts.at[0], expected);
	assert_int_equal(c.user_known_hosts, 2);
	assert_int_equal(c.known_hosts.count, 4);
	assert_true(c.identities.count > 0);
	assert_false(c.identities_are_named);
	assert_null(c.file);
	arena_done(&arena);
}

static void a_wrong_configuration_is_told_in_the_words_of_ssh(void **state)
{
	const struct ssh_wish wish = {.host = "lab"};
	struct ssh_config c;
	struct err err;

	(void)state;
	ssh_says("printf '/x: line 3: Bad configuration option: foo\\n/x: terminating\\n' >&2\n"
	         "exit 255");
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_string_equal(err.msg, "ssh configuration: /x: line 3: Bad configuration option: "
	                             "foo; /x: terminating");
	ssh_says("exit 255");
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_string_equal(err.msg, "ssh configuration: `ssh -G` fails without a word");
	ssh_says("echo 'hostname -oX'; echo user me; echo port 22");
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_string_equal(err.msg, "ssh configuration of lab: HostName '-oX' begins with `-`");
	ssh_says("echo Welcome to this host!");
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_non_null(strstr(err.msg, "the configuration has no host name, user or port"));
	arena_done(&arena);
}

static void a_configuration_that_hangs_is_given_up(void **state)
{
	const struct ssh_wish wish = {.host = "lab"};
	struct ssh_config c;
	struct err err;

	(void)state;
	ssh_says("sleep 30");
	assert_false(resolve(&wish, 300, &c, &err));
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_non_null(strstr(err.msg, "Match exec"));
	arena_done(&arena);
}

static void names_that_ssh_would_misread_never_reach_it(void **state)
{
	static const struct ssh_wish wishes[] = {
		{.host = "-oProxyCommand=x"}, {.host = "a b"},
		{.host = "a", .user = "-x"},  {.host = "a", .user = "$(id)"},
		{.host = "a", .jump = "-oX"},
	};
	char ran[PATH_MAX];

	(void)state;
	(void)snprintf(ran, sizeof(ran), "touch %s/ran", folder);
	ssh_says(ran);
	(void)snprintf(ran, sizeof(ran), "%s/ran", folder);
	for (size_t i = 0; i < COUNT_OF(wishes); i++) {
		struct ssh_config c;
		struct err err;

		assert_false(resolve(&wishes[i], 20000, &c, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_int_equal(access(ran, F_OK), -1);
	}
	arena_done(&arena);
}

static void secrets_do_not_reach_it(void **state)
{
	static const char *const hidden[] = {"LAB_PASSWORD", NULL};
	const struct ssh_wish wish = {.host = "lab", .hidden_env = hidden};
	struct ssh_config c;

	(void)state;
	assert_int_equal(setenv("LAB_PASSWORD", "secret", 1), 0);
	ssh_says("printf 'hostname h\\nuser me\\nport 22\\n'; echo \"macs x$LAB_PASSWORD\"");
	c = resolved(&wish);
	assert_string_equal(c.macs, "x");
	assert_int_equal(unsetenv("LAB_PASSWORD"), 0);
	arena_done(&arena);
}

/* Without an ssh program, or with another one, libssh reads the file. */
static void libssh_reads_it_else(void **state)
{
	const struct ssh_wish wish = {.host = "lab", .config = file};
	struct ssh_config c;
	char said[512];

	(void)state;
	write_file("config",
	           "Host other\n  ProxyJump j\nHost lab\n  HostName 10.1.2.3\n  Port 2200\n"
	           "  User someone\n  IdentityFile /a/key\n  UserKnownHostsFile /a/known\n"
	           "  ForwardAgent yes\n  IdentitiesOnly yes\n",
	           0600);
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			ssh_says("echo 'ssh: Unknown option -G' >&2; exit 1");
		else
			assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
		c = resolved(&wish);
		assert_string_equal(c.source, "libssh");
		assert_string_equal(c.hostname, "10.1.2.3");
		assert_int_equal(c.port, 2200);
		assert_string_equal(c.user, "someone");
		assert_int_equal(c.identities.count, 1);
		assert_string_equal(c.identities.at[0], "/a/key");
		assert_true(c.identities_are_named);
		assert_string_equal(c.known_hosts.at[0], "/a/known");
		assert_string_equal(c.unheeded, "IdentitiesOnly");
		ssh_config_describe(&c, said, sizeof(said));
		assert_non_null(strstr(said, "libssh -F "));
	}
	arena_done(&arena);
}

static void what_libssh_would_get_wrong_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"Host l*\n  ProxyJump j\n", "line 2: ProxyJump cannot be followed without an ssh "
	                                     "program: install OpenSSH's client, say `jump` in the "
	                                     "topology, or leave the file out with `config: none`"},
		{"HostKeyAlias x\n", "line 1: HostKeyAlias cannot be followed"},
		{"RevokedHostKeys /x\n", "line 1: RevokedHostKeys cannot be followed"},
		{"Match exec true\n", "line 1: Match cannot be followed"},
		{"Match host a originalhost b\n", "line 1: Match cannot be followed"},
	};
	struct ssh_wish wish = {.host = "lab", .config = file};
	struct ssh_config c;
	struct err err;

	(void)state;
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		write_file("config", cases[i][0], 0600);
		assert_false(resolve(&wish, 20000, &c, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		if (strstr(err.msg, cases[i][1]) == NULL)
			fail_msg("%s", err.msg);
	}
	write_file("config", "ProxyJump j\nMatch host lab\n  User x\n", 0600);
	wish.jump = SSH_CONFIG_NONE;
	c = resolved(&wish);
	assert_null(c.proxy_command);
	assert_false(c.identities_are_named); /* libssh's own names are none of the user's */
	wish.config = "/nonexistent/config";
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_non_null(strstr(err.msg, "/nonexistent/config: No such file or directory"));
	arena_done(&arena);
}

static void included_files_are_looked_through(void **state)
{
	const struct ssh_wish wish = {.host = "lab", .config = file};
	char text[PATH_MAX + 64];
	struct ssh_config c;
	struct err err;

	(void)state;
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	(void)snprintf(text, sizeof(text), "Include %s/part*\n", folder);
	write_file("config", text, 0600);
	write_file("part1", "User x\nHashKnownHosts yes\n", 0600);
	c = resolved(&wish);
	assert_string_equal(c.unheeded, "HashKnownHosts");
	assert_string_equal(c.user, "x");
	write_file("config", "Include no-such-file-there\n", 0600);
	c = resolved(&wish);
	/* Newer ones follow it, see tests/integration/ssh/config.sh. */
	assert_true(c.unheeded == NULL || strcmp(c.unheeded, "Include") == 0);
	write_file("config", text, 0600);
	write_file("part2", "ProxyJump j\n", 0600);
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_non_null(strstr(err.msg, "part2 line 1: ProxyJump"));
	write_file("part2", text, 0600);
	assert_false(resolve(&wish, 20000, &c, &err));
	assert_non_null(strstr(err.msg, "Include goes too deep"));
	arena_done(&arena);
}

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	(void)snprintf(file, sizeof(file), "%s/config", folder);
	(void)snprintf(path, sizeof(path), "%s:/usr/bin:/bin", folder);
	return 0;
}

static int with_path(void **state)
{
	(void)state;
	return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
	static const char *const names[] = {"ssh", "config", "part1", "part2"};
	char full[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(full, sizeof(full), "%s/%s", folder, names[i]);
		(void)unlink(full);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(ssh_is_asked, with_path),
		cmocka_unit_test_setup(the_topology_wins, with_path),
		cmocka_unit_test_setup(none_reads_nothing, with_path),
		cmocka_unit_test_setup(a_wrong_configuration_is_told_in_the_words_of_ssh,
	                               with_path),
		cmocka_unit_test_setup(a_configuration_that_hangs_is_given_up, with_path),
		cmocka_unit_test_setup(names_that_ssh_would_misread_never_reach_it, with_path),
		cmocka_unit_test_setup(secrets_do_not_reach_it, with_path),
		cmocka_unit_test_setup(libssh_reads_it_else, with_path),
		cmocka_unit_test_setup(what_libssh_would_get_wrong_is_refused, with_path),
		cmocka_unit_test_setup(included_files_are_looked_through, with_path),
	};

	return cmocka_run_group_tests_name("remote/ssh_config", tests, set_up, tear_down);
}
