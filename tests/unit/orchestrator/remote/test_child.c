/* SPDX-License-Identifier: MIT */
#include "remote/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "tests/support/test.h"

static struct arena arena;
static char **env;

static int setup(void **state)
{
	(void)state;
	env = child_environment(&arena, NULL, NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static struct child start(const char *script)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct child c = CHILD_NONE;
	struct err err;

	if (!child_start(&c, argv, env, &err))
		fail_msg("%s", err.msg);
	return c;
}

static uint64_t now_ms(void)
{
	return clock_now_ns() / CLOCK_NS_PER_MS;
}

static void pause_ms(uint64_t ms)
{
	clock_sleep_until(clock_now_ns() + ms * CLOCK_NS_PER_MS);
}

/* Reads *fd to its end, for five seconds at most. */
static char *read_all(int *fd)
{
	struct text all = {0};
	uint64_t end_ms = now_ms() + 5000;
	char data[4096];

	while (*fd >= 0 && now_ms() < end_ms) {
		size_t n = child_read(fd, data, sizeof(data));

		text_add_bytes(&all, data, n);
		if (n == 0)
			pause_ms(1);
	}
	assert_int_equal(*fd, -1);
	text_add(&all, "");
	return all.at;
}

static int wait_for(struct child *c)
{
	uint64_t end_ms = now_ms() + 5000;
	int status = -1;

	while (!child_reap(c, &status)) {
		if (now_ms() >= end_ms)
			fail_msg("it does not end");
		pause_ms(1);
	}
	assert_int_equal(c->pid, 0);
	assert_false(child_reap(c, &status));
	return status;
}

static void what_it_writes_and_how_it_ends_is_seen(void **state)
{
	struct child c = start("read x; echo out $x; echo said >&2; exit 7");
	char *out;
	char *said;
	int status;

	(void)state;
	assert_int_equal(child_write(&c, "line\n", 5), 5);
	out = read_all(&c.out);
	said = read_all(&c.said);
	assert_string_equal(out, "out line\n");
	assert_string_equal(said, "said\n");
	status = wait_for(&c);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	child_end(&c, 0);
	free(out);
	free(said);
}

static void a_program_that_is_not_there_is_told(void **state)
{
	const char *const argv[] = {"/nonexistent/program", NULL};
	struct child c = CHILD_NONE;
	struct err err;

	(void)state;
	assert_false(child_start(&c, argv, env, &err));
	assert_int_equal(err.kind, ERR_SYSTEM);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_string_equal(err.msg, "start /nonexistent/program: No such file or directory");
	assert_int_equal(c.pid, 0);
	assert_int_equal(c.in, -1);
	child_end(&c, 100);
}

static void it_has_no_other_descriptor_and_a_session_of_its_own(void **state)
{
	int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct child c;
	char want[64];
	char *out;

	(void)state;
	assert_true(ours >= 3);
	/* ls has one more for the folder itself. */
	c = start("for f in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
	          "test -e /proc/self/fd/$f && printf \"$f \"; done; "
	          "cut -d\" \" -f 5,6 /proc/$$/stat");
	(void)snprintf(want, sizeof(want), "0 1 2 %d %d\n", (int)c.pid, (int)c.pid);
	out = read_all(&c.out);
	assert_string_equal(out, want);
	(void)wait_for(&c);
	child_end(&c, 0);
	free(out);
	(void)close(ours);
}

static void its_signals_are_those_of_a_login(void **state)
{
	sigset_t all;
	sigset_t before;
	struct child c;
	char *out;
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);

	(void)state;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	c = start("exec grep -E \"^Sig(Blk|Ign)\" /proc/self/status");
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)signal(SIGPIPE, old);
	out = read_all(&c.out);
	/* 32 and 33 are the C library's own. */
	assert_non_null(strstr(out, "SigBlk:\t0000000000000000"));
	assert_non_null(strstr(out, "SigIgn:\t"));
	assert_int_equal(strtoull(strstr(out, "SigIgn:\t") + 8, NULL, 16) & 0x7fffffff, 0);
	child_end(&c, 100);
	free(out);
}

static void one_that_never_reads_takes_no_more_than_fits(void **state)
{
	static char much[8 * 1024 * 1024];
	struct child c = start("sleep 20");
	uint64_t from_ms = now_ms();
	size_t n = child_write(&c, much, sizeof(much));

	(void)state;
	assert_in_range(n, 1, sizeof(much) - 1);
	assert_int_equal(child_write(&c, much, sizeof(much)), 0);
	child_end(&c, 0);
	assert_true(now_ms() - from_ms < 1000);
}

static void writing_to_one_that_is_gone_raises_no_signal(void **state)
{
	struct child c = start("exit 0");

	(void)state;
	(void)wait_for(&c);
	assert_int_equal(child_write(&c, "x", 1), 0); /* SIGPIPE would end this test */
	assert_int_equal(c.in, -1);
	assert_int_equal(child_write(&c, "x", 1), 0);
	child_end(&c, 0);
}

/* Not where it is dead and only waits for init. */
static bool is_running(pid_t pid)
{
	char path[64];
	char line[256] = "";
	FILE *in;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "r");
	if (in == NULL)
		return false;
	if (fgets(line, sizeof(line), in) == NULL)
		line[0] = '\0';
	(void)fclose(in);
	return strstr(line, ") Z ") == NULL;
}

static void one_that_ignores_everything_is_killed_with_all_it_started(void **state)
{
	struct child c = start("trap \"\" 1 2 15; sleep 30 & echo $!; "
	                       "while :; do sleep 30; done");
	pid_t pid = c.pid;
	pid_t other;
	uint64_t from_ms;
	char number[16] = "";

	(void)state;
	while (child_read(&c.out, number, sizeof(number) - 1) == 0)
		pause_ms(1);
	other = (pid_t)strtol(number, NULL, 10);
	assert_true(is_running(pid) && is_running(other));
	from_ms = now_ms();
	child_end(&c, 100);
	assert_in_range(now_ms() - from_ms, 95, 600);
	assert_int_equal(c.pid, 0);
	assert_int_equal(c.in, -1);
	assert_int_equal(c.out, -1);
	assert_int_equal(c.said, -1);
	assert_false(is_running(pid));
	for (int i = 0; i < 500 && is_running(other); i++)
		pause_ms(1);
	assert_false(is_running(other));
}

static void one_that_ends_with_its_input_is_not_killed(void **state)
{
	char path[] = "/tmp/child-test-XXXXXX";
	int fd = mkstemp(path);
	struct text script = {0};
	struct child c;
	char ready[8];
	char data[8] = "";

	(void)state;
	assert_true(fd >= 0);
	text_printf(&script, "echo ready; cat; echo ended >%s", path);
	c = start(text_str(&script));
	while (child_read(&c.out, ready, sizeof(ready)) == 0)
		pause_ms(1);
	child_end(&c, 4000);
	assert_int_equal(read(fd, data, sizeof(data)), 6);
	assert_memory_equal(data, "ended\n", 6);
	(void)close(fd);
	(void)unlink(path);
	text_done(&script);
}

/* The value of NAME in an environment, or NULL. */
static const char *value(char **in, const char *name)
{
	size_t len = strlen(name);

	for (; *in != NULL; in++) {
		if (strncmp(*in, name, len) == 0 && (*in)[len] == '=')
			return *in + len + 1;
	}
	return NULL;
}

static void its_environment_is_what_it_may_see(void **state)
{
	static const char *const only[] = {"PATH", "VNM_TEST_A", NULL};
	static const char *const hidden[] = {"VNM_TEST_A", NULL};
	static const char *const more[] = {"VNM_TEST_B=new", NULL};
	char **made;

	(void)state;
	assert_int_equal(setenv("VNM_TEST_A", "a", 1), 0);
	assert_int_equal(setenv("VNM_TEST_AB", "ab", 1), 0);
	assert_int_equal(setenv("VNM_TEST_B", "old", 1), 0);
	made = child_environment(&arena, only, NULL, NULL);
	assert_string_equal(value(made, "VNM_TEST_A"), "a");
	assert_string_equal(value(made, "PATH"), getenv("PATH"));
	assert_null(value(made, "VNM_TEST_AB"));
	made = child_environment(&arena, NULL, hidden, more);
	assert_null(value(made, "VNM_TEST_A"));
	assert_string_equal(value(made, "VNM_TEST_AB"), "ab");
	assert_string_equal(value(made, "VNM_TEST_B"), "new");
	made = child_environment(&arena, only, hidden, more);
	assert_null(value(made, "VNM_TEST_A"));
	assert_string_equal(value(made, "VNM_TEST_B"), "new");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_writes_and_how_it_ends_is_seen),
		cmocka_unit_test(a_program_that_is_not_there_is_told),
		cmocka_unit_test(it_has_no_other_descriptor_and_a_session_of_its_own),
		cmocka_unit_test(its_signals_are_those_of_a_login),
		cmocka_unit_test(one_that_never_reads_takes_no_more_than_fits),
		cmocka_unit_test(writing_to_one_that_is_gone_raises_no_signal),
		cmocka_unit_test(one_that_ignores_everything_is_killed_with_all_it_started),
		cmocka_unit_test(one_that_ends_with_its_input_is_not_killed),
		cmocka_unit_test(its_environment_is_what_it_may_see),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
