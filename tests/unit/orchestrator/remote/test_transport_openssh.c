/* SPDX-License-Identifier: MIT */
/*
 * With a program of ours in place of ssh, first in PATH: it behaves as FAKE says, and runs
 * commands on this machine. The real ssh is tested in tests/integration/link.
 */
#include "remote/transport_openssh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "remote/child.h"
#include "remote/openssh_args.h"
#include "remote/transport_ops.h"
#include "tests/support/test.h"

/* The connection's ssh has -N; its log is the FAKE_LOG that commands write to as well. */
static const char fake[] =
	"#!/bin/sh\n"
	"case \" $* \" in\n"
	"*' -N '*)\n"
	"	echo $$ >\"$FAKE_DIR/master\"\n"
	"	env >\"$FAKE_DIR/env\"\n"
	"	for a; do case $a in -oControlPath=*) s=${a#*=};; esac; done\n"
	"	echo \"debug1: Connecting to web [10.0.0.1] port 22.\" >&2\n"
	"	case $FAKE in\n"
	"	refused) echo 'ssh: connect to host web port 22: Connection refused' >&2; exit "
	"255;;\n"
	"	silent) exec sleep 30;;\n"
	"	stubborn) trap '' 15; while :; do sleep 30; done;;\n"
	"	esac\n"
	"	echo \"debug1: Server host key: ssh-ed25519 SHA256:abc\" >&2\n"
	"	echo \"debug1: Server accepts key: /k/id ED25519 SHA256:x explicit\" >&2\n"
	"	echo 'Authenticated to web ([10.0.0.1]:22) using \"publickey\".' >&2\n"
	"	: >\"$s\"\n"
	"	trap 'rm -f \"$s\"; exit 255' 15\n"
	"	n=0\n"
	"	while :; do\n"
	"		test ! -e \"$FAKE_DIR/log\" || { cat \"$FAKE_DIR/log\" >&2; rm "
	"\"$FAKE_DIR/log\"; "
	": >\"$FAKE_DIR/logged\"; }\n"
	"		test ! -e \"$FAKE_DIR/die\" || { echo 'Connection to web closed by remote "
	"host.' "
	">&2; exit 255; }\n"
	"		sleep 0.01\n"
	"	done;;\n"
	"esac\n"
	"case $FAKE in\n"
	"max*)\n"
	"	n=$(cat \"$FAKE_DIR/count\" 2>/dev/null); n=$((n + 1)); echo $n "
	">\"$FAKE_DIR/count\"\n"
	"	test $n -gt ${FAKE#max} || { echo 'mux_client_request_session: session request "
	"failed: "
	"Session open refused by peer' >&2; exit 255; };;\n"
	"esac\n"
	"for command; do :; done\n"
	"eval \"$command\"\n";

static char dir[] = "/tmp/openssh-test-XXXXXX";
static int wake_fd = -1;
static struct transport *t;
static struct transport_info info;

static const char *in_dir(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static bool is_there(const char *name)
{
	return access(in_dir(name), F_OK) == 0;
}

static uint64_t after_ms(uint64_t ms)
{
	return clock_now_ns() + ms * CLOCK_NS_PER_MS;
}

static uint64_t since_ms(uint64_t from_ns)
{
	return (clock_now_ns() - from_ns) / CLOCK_NS_PER_MS;
}

static int group_setup(void **state)
{
	struct text path = {0};
	FILE *out;

	(void)state;
	if (mkdtemp(dir) == NULL)
		return 1;
	out = fopen(in_dir("ssh"), "w");
	if (out == NULL || fputs(fake, out) < 0 || fclose(out) != 0 ||
	    chmod(in_dir("ssh"), 0700) != 0)
		return 1;
	text_printf(&path, "%s:%s", dir, getenv("PATH"));
	(void)setenv("PATH", text_str(&path), 1);
	(void)setenv("FAKE_DIR", dir, 1);
	text_done(&path);
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return wake_fd < 0;
}

static int group_teardown(void **state)
{
	static const char *const names[] = {"ssh",    "master", "env",  "log",
	                                    "logged", "die",    "count"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		(void)unlink(in_dir(names[i]));
	(void)close(wake_fd);
	return rmdir(dir);
}

static pid_t master_pid(void)
{
	FILE *in = fopen(in_dir("master"), "r");
	char line[32] = "";

	if (in == NULL)
		return 0;
	if (fgets(line, sizeof(line), in) == NULL)
		line[0] = '\0';
	(void)fclose(in);
	return (pid_t)strtol(line, NULL, 10);
}

/* Not where it is dead and only waits for init. */
static bool master_lives(void)
{
	char path[64];
	char line[256] = "";
	FILE *in;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)master_pid());
	in = fopen(path, "r");
	if (in == NULL)
		return false;
	if (fgets(line, sizeof(line), in) == NULL)
		line[0] = '\0';
	(void)fclose(in);
	return strstr(line, ") Z ") == NULL;
}

/* What was killed takes a moment to die. */
static bool master_is_gone(void)
{
	for (int i = 0; i < 1000 && master_lives(); i++)
		clock_sleep_until(after_ms(1));
	return !master_lives();
}

static void forget(void)
{
	static const char *const names[] = {"master", "env", "log", "logged", "die", "count"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		(void)unlink(in_dir(names[i]));
}

static bool open_as(const char *behaviour, uint64_t ms, struct err *err)
{
	static const char *const hidden[] = {"LAB_PASSWORD", NULL};
	const struct ssh_wish wish = {.host = "web"};
	const struct openssh_target target = {.wish = &wish, .hidden = hidden};
	const struct wait_limit limit = {.deadline_ns = after_ms(ms), .wake_fd = wake_fd};

	forget();
	(void)setenv("FAKE", behaviour, 1);
	t = openssh_transport_open(&target, &limit, &info, err);
	return t != NULL;
}

static void must_open(const char *behaviour)
{
	struct err err;

	if (!open_as(behaviour, 10000, &err))
		fail_msg("%s", err.msg);
}

static void start(const char *command)
{
	struct err err;

	if (!transport_exec(t, command, after_ms(1000), &err))
		fail_msg("%s", err.msg);
}

/* To the end of the command; false when the connection is lost before. */
static bool finish(struct transport_end *end, struct err *err)
{
	uint64_t end_ns = after_ms(10000);

	while (!transport_ended(t, end)) {
		assert_true(clock_now_ns() < end_ns);
		if (!transport_pump(t, after_ms(1000), err))
			return false;
	}
	return true;
}

static void commands_run_over_one_connection(void **state)
{
	struct transport_end end;
	char data[64] = "";
	struct err err;

	(void)state;
	must_open("well");
	assert_int_equal(info.stage, TRANSPORT_OPEN);
	assert_string_equal(info.address, "10.0.0.1:22");
	assert_string_equal(info.host_key, "ssh-ed25519 SHA256:abc");
	assert_string_equal(info.login, "key /k/id");
	start("cat; echo said >&2; exit 3");
	assert_int_equal(transport_write(t, "hello", 5), 5);
	transport_end_input(t);
	assert_true(finish(&end, &err));
	assert_int_equal(end.status, 3);
	assert_int_equal(transport_read(t, data, sizeof(data)), 5);
	assert_memory_equal(data, "hello", 5);
	assert_string_equal(transport_said(t), "said");
	start("exit 0");
	assert_true(finish(&end, &err));
	assert_int_equal(end.status, 0);
	assert_true(master_lives());
	transport_close(t);
	assert_true(master_is_gone());
}

static void what_255_means_is_told_as_far_as_it_is_known(void **state)
{
	static const struct {
		const char *log;
		int status;
		const char *signal;
	} cases[] = {
		{"debug1: client_input_channel_req: channel 2 rtype exit-status reply 0", 255, ""},
		{"debug1: client_input_channel_req: channel 2 rtype exit-signal reply 0",
	         TRANSPORT_STATUS_NONE, "?"},
		{"debug1: nothing", TRANSPORT_STATUS_NONE, ""},
	};

	(void)state;
	must_open("well");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text command = {0};
		struct transport_end end;
		struct err err;

		(void)unlink(in_dir("logged"));
		text_printf(&command,
		            "echo '%s' >$FAKE_DIR/new; mv $FAKE_DIR/new $FAKE_DIR/log; until test "
		            "-e $FAKE_DIR/logged; do sleep 0.01; done; exit 255",
		            cases[i].log);
		start(text_str(&command));
		assert_true(finish(&end, &err));
		assert_int_equal(end.status, cases[i].status);
		assert_string_equal(end.signal, cases[i].signal);
		text_done(&command);
	}
	transport_close(t);
}

static void a_lost_connection_is_told(void **state)
{
	struct transport_end end;
	struct err err;

	(void)state;
	must_open("well");
	start("touch $FAKE_DIR/die; sleep 0.05; exit 255");
	assert_false(finish(&end, &err));
	assert_string_equal(
		err.msg, "the SSH connection was closed: Connection to web closed by remote host.");
	assert_int_equal(err.kind, ERR_REMOTE);
	transport_close(t);
	must_open("well");
	start("echo 'Timeout, server web not responding.' >$FAKE_DIR/log; until test -e "
	      "$FAKE_DIR/logged; do sleep 0.01; done; touch $FAKE_DIR/die; sleep 30");
	assert_false(finish(&end, &err));
	assert_string_equal(err.msg, "no sign of life from the SSH server");
	assert_int_equal(err.kind, ERR_TIMEOUT);
	transport_close(t);
}

static void a_session_that_is_refused_is_tried_again(void **state)
{
	struct transport_end end;
	struct err err;

	(void)state;
	must_open("max2");
	start("exit 5");
	assert_true(finish(&end, &err));
	assert_int_equal(end.status, 5);
	transport_close(t);
	must_open("max99");
	start("exit 5");
	assert_false(finish(&end, &err));
	assert_string_equal(err.msg, "open a channel: the server refuses: does it allow sessions "
	                             "(MaxSessions)?");
	transport_close(t);
}

static void a_refusal_is_told_with_its_stage(void **state)
{
	struct err err;

	(void)state;
	assert_false(open_as("refused", 5000, &err));
	assert_string_equal(err.msg, "connect to 10.0.0.1 port 22: Connection refused: is sshd "
	                             "running there?");
	assert_int_equal(info.stage, TRANSPORT_CONNECTING);
	assert_string_equal(info.address, "10.0.0.1:22");
	assert_string_equal(info.login, "");
}

static void opening_ends_at_its_deadline_and_when_woken(void **state)
{
	static const char *const behaviours[] = {"silent", "stubborn"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(behaviours); i++) {
		uint64_t from_ns = clock_now_ns();
		eventfd_t count;
		struct err err;

		assert_false(open_as(behaviours[i], 300, &err));
		assert_int_equal(err.kind, ERR_TIMEOUT);
		assert_in_range(since_ms(from_ns), 300, 1800);
		assert_true(is_there("master"));
		assert_true(master_is_gone());
		assert_int_equal(eventfd_write(wake_fd, 1), 0);
		from_ns = clock_now_ns();
		assert_false(open_as(behaviours[i], 30000, &err));
		assert_int_equal(err.kind, ERR_CANCELLED);
		assert_true(since_ms(from_ns) < 1500);
		assert_int_equal(eventfd_read(wake_fd, &count), 0);
	}
}

/* The guard of a connection, with a folder in ours. */
static void start_guard(struct child *guard, const char *folder, struct arena *arena)
{
	const struct ssh_wish wish = {.host = "web"};
	const char *argv[OPENSSH_ARGS_MAX];
	struct err err;

	forget();
	(void)setenv("FAKE", "well", 1);
	openssh_master_args(arena, &wish, folder, "Host *\n", argv);
	if (!child_start(guard, argv, environ, &err))
		fail_msg("%s", err.msg);
}

static int end_of(struct child *guard)
{
	uint64_t end_ns = after_ms(10000);
	int status = -1;

	while (!child_reap(guard, &status)) {
		assert_true(clock_now_ns() < end_ns);
		clock_sleep_until(after_ms(1));
	}
	return status;
}

/* When we are killed its input ends, at any moment. */
static void the_guard_leaves_no_folder(void **state)
{
	const char *folder = arena_strndup(*state, in_dir("f"), strlen(in_dir("f")));

	for (uint64_t ms = 0; ms <= 40; ms += 4) {
		struct child guard = CHILD_NONE;

		start_guard(&guard, folder, *state);
		clock_sleep_until(after_ms(ms));
		child_end_input(&guard);
		(void)end_of(&guard);
		assert_false(is_there("f"));
		child_end(&guard, 0);
		assert_true(master_is_gone());
	}
}

/* Somebody else's, then, or a trap. */
static void the_guard_leaves_what_was_there_alone(void **state)
{
	const char *folder = arena_strndup(*state, in_dir("f"), strlen(in_dir("f")));
	struct child guard = CHILD_NONE;
	char said[256] = "";

	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkdir(in_dir("f/s"), 0700), 0);
	start_guard(&guard, folder, *state);
	assert_int_not_equal(end_of(&guard), 0);
	assert_true(child_read(&guard.said, said, sizeof(said) - 1) > 0);
	assert_memory_equal(said, OPENSSH_NO_FOLDER, strlen(OPENSSH_NO_FOLDER));
	assert_non_null(strstr(said, "File exists"));
	child_end(&guard, 0);
	assert_true(is_there("f/s"));
	assert_false(is_there("f/c"));
	assert_false(is_there("master"));
	assert_int_equal(rmdir(in_dir("f/s")), 0);
	assert_int_equal(rmdir(folder), 0);
}

static int arena_setup(void **state)
{
	static struct arena arena;

	*state = &arena;
	return 0;
}

static int arena_teardown(void **state)
{
	arena_done(*state);
	return 0;
}

static void ssh_sees_no_secret(void **state)
{
	FILE *in;
	char line[4096];
	bool has_path = false;

	(void)state;
	(void)setenv("LAB_PASSWORD", "secret", 1);
	must_open("well");
	transport_close(t);
	(void)unsetenv("LAB_PASSWORD");
	in = fopen(in_dir("env"), "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		assert_null(strstr(line, "secret"));
		has_path = has_path || strncmp(line, "PATH=", 5) == 0;
	}
	assert_true(has_path);
	(void)fclose(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_run_over_one_connection),
		cmocka_unit_test(what_255_means_is_told_as_far_as_it_is_known),
		cmocka_unit_test(a_lost_connection_is_told),
		cmocka_unit_test(a_session_that_is_refused_is_tried_again),
		cmocka_unit_test(a_refusal_is_told_with_its_stage),
		cmocka_unit_test(opening_ends_at_its_deadline_and_when_woken),
		cmocka_unit_test_setup_teardown(the_guard_leaves_no_folder, arena_setup,
	                                        arena_teardown),
		cmocka_unit_test_setup_teardown(the_guard_leaves_what_was_there_alone, arena_setup,
	                                        arena_teardown),
		cmocka_unit_test(ssh_sees_no_secret),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
