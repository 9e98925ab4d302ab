/* SPDX-License-Identifier: MIT */
/* test_control.c - the conversation: greeting, requests, refusals, and how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/sha256.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define LEASE_MS 20000u

/* Runs the agent with these arguments to its end; what it says goes to out. */
static int run_agent(const char *const *args, char *out, size_t out_bytes)
{
	struct agent a;
	size_t got = 0;
	struct err err;

	agent_exec(&a, driver_agent_path(), args);
	assert_true(io_read_full(a.out, out, out_bytes - 1, &got, &err));
	out[got] = '\0';
	return agent_wait_end(&a, 5000);
}

static void it_tells_its_version_and_its_usage(void **state)
{
	static const char *const version[] = {"--version", NULL};
	static const char *const help[] = {"--help", NULL};
	static const struct {
		const char *args[6];
	} wrong[] = {
		{{"--verbose", NULL}},
		{{"file", NULL}},
		{{"--self", NULL}},
		{{"--home", "", NULL}},
		{{"--home", "/a", "--home", "/b", NULL}},
		{{"--version", "--help", NULL}},
	};
	char text[4096];

	(void)state;
	assert_int_equal(run_agent(version, text, sizeof(text)), 0);
	assert_memory_equal(text, "vnm-agent ", 10);
	assert_int_equal(run_agent(help, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "--home FOLDER"));
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		assert_int_equal(run_agent(wrong[i].args, text, sizeof(text)), 1);
		assert_string_equal(text, ""); /* usage goes to stderr */
	}
}

/* A folder of its own with a copy of the agent in it, as a host gets it. */
static void make_home(char home[64], char hash[SHA256_HEX_BYTES])
{
	char path[128];
	char *bytes;
	size_t len;
	struct err err;
	int fd;

	(void)snprintf(home, 64, "/tmp/vnm-test-home-XXXXXX");
	assert_non_null(mkdtemp(home));
	(void)snprintf(path, sizeof(path), "%s/vnm-agent", home);
	assert_true(io_read_file(driver_agent_path(), (size_t)256 << 20, &bytes, &len, &err));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_true(io_write_all(fd, bytes, len, &err));
	assert_int_equal(close(fd), 0);
	sha256_of(bytes, len, hash);
	free(bytes);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void it_removes_itself_at_its_start(void **state)
{
	char home[64];
	char path[128];
	char hash[SHA256_HEX_BYTES];
	const char *args[] = {"--self", path, "--home", home, NULL};
	struct agent a;
	struct msg msg;

	(void)state;
	make_home(home, hash);
	(void)snprintf(path, sizeof(path), "%s/vnm-agent", home);
	agent_exec(&a, path, args);
	agent_say(&a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(&a, MSG_READY, 1, &msg);
	assert_string_equal(msg.u.ready.sha256, hash);
	assert_false(exists(home));
	assert_int_equal(kill(a.pid, SIGKILL), 0);
	assert_int_equal(agent_wait_end(&a, 5000), -SIGKILL);
	assert_false(exists(home));
}

static void a_folder_that_holds_more_is_left_alone(void **state)
{
	char home[64];
	char path[128];
	char other[128];
	char hash[SHA256_HEX_BYTES];
	const char *args[] = {"--home", home, NULL};
	struct agent a;
	struct msg msg;

	(void)state;
	make_home(home, hash);
	(void)snprintf(path, sizeof(path), "%s/vnm-agent", home);
	(void)snprintf(other, sizeof(other), "%s/precious", home);
	assert_int_equal(mkdir(other, 0700), 0);
	agent_exec(&a, path, args);
	agent_say(&a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(&a, MSG_READY, 1, &msg);
	assert_string_equal(msg.u.ready.sha256, hash); /* --self follows from --home */
	assert_false(exists(path));
	assert_true(exists(other));
	assert_int_equal(agent_bye(&a), 0);
	assert_int_equal(rmdir(other), 0);
	assert_int_equal(rmdir(home), 0);
}

static void an_empty_folder_that_is_not_its_own_is_left_alone(void **state)
{
	char home[] = "/tmp/vnm-test-home-XXXXXX";
	const char *args[] = {"--home", home, NULL};
	struct agent a;
	struct msg msg;

	(void)state;
	assert_non_null(mkdtemp(home));
	agent_exec(&a, driver_agent_path(), args);
	agent_say(&a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(&a, MSG_READY, 1, &msg);
	assert_string_equal(msg.u.ready.sha256, "");
	assert_int_equal(agent_bye(&a), 0);
	assert_int_equal(rmdir(home), 0);
}

static void ready_tells_who_it_is(void **state)
{
	struct agent a;
	struct msg msg;

	(void)state;
	agent_exec(&a, driver_agent_path(), NULL);
	agent_say(&a, "hello id=7 version=%d beat_ms=500 lease_ms=%u colour=red", WIRE_VERSION,
	          LEASE_MS);
	agent_expect(&a, MSG_READY, 7, &msg);
	assert_string_equal(msg.u.ready.arch, driver_machine());
	assert_string_equal(msg.u.ready.sha256, "");
	assert_memory_equal(msg.u.ready.caps, "tcp,", 4);
	assert_non_null(strstr(msg.u.ready.caps, ",rr,beside"));
	assert_non_null(strstr(msg.u.ready.caps, ",script"));
	assert_true((int64_t)msg.u.ready.wall_ms >= clock_wall_ms() - 5000);
	assert_true((int64_t)msg.u.ready.wall_ms <= clock_wall_ms());
	assert_true(msg.u.ready.clock_ns <= clock_now_ns());
	assert_int_equal(agent_bye(&a), 0);
}

static void what_cannot_be_done_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *line;
		uint32_t id;
		const char *reason;
	} cases[] = {
		{"dance id=3", 3, "unknown message 'dance'"},
		{"facts", 0, "facts: no id"},
		{"go id=4", 4, "go: no test"},
		{"alive id=5 clock_ns=1", 5, "not a message for an agent"},
		{"go id=6 test=9", 6, "test 9 is not connected"},
		{"stop id=7 test=9", 7, "test 9 is not open"},
		{"hello id=8 version=99 beat_ms=500 lease_ms=5000", 8,
	         "protocol version 99: this agent speaks 1"},
		{"hello id=9 version=1 beat_ms=49 lease_ms=5000", 9,
	         "beat_ms 49 is out of range: 50 to 3600000"},
		{"hello id=10 version=1 beat_ms=500 lease_ms=199", 10,
	         "lease_ms 199 is out of range: 200 to 3600000"},
		{"facts id=11 address=router", 11, "address 'router' is not the address of a NIC"},
		{"facts id=12 address=192.0.2.1", 12,
	         "no NIC of this machine has the address 192.0.2.1"},
		{"facts id=13 address=2001:db8::1", 13,
	         "no NIC of this machine has the address 2001:db8::1"},
	};
	struct agent a;

	(void)state;
	agent_start(&a, 500, LEASE_MS);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		agent_say(&a, "%s", cases[i].line);
		agent_expect_failed(&a, cases[i].id, "usage", cases[i].reason);
	}
	agent_say(&a, "\n"); /* empty lines are nothing */
	assert_int_equal(agent_bye(&a), 0);
}

static void hello_comes_first(void **state)
{
	struct agent a;

	(void)state;
	agent_exec(&a, driver_agent_path(), NULL);
	agent_say(&a, "facts id=3");
	agent_expect_failed(&a, 3, "usage", "hello must come first");
	assert_int_equal(agent_bye(&a), 0);
}

/* Collects facts up to done; returns their number. */
static uint32_t read_facts(struct agent *a, uint32_t id, const char *wanted, char *value)
{
	struct msg msg;
	uint32_t count = 0;

	value[0] = '\0';
	for (;;) {
		assert_true(agent_next(a, DRIVER_WAIT_MS, &msg));
		assert_int_equal(msg.id, id);
		if (msg.type == MSG_DONE)
			return count;
		assert_int_equal(msg.type, MSG_FACT);
		assert_true(msg.u.fact.key[0] != '\0' && msg.u.fact.value[0] != '\0');
		assert_true(msg.u.fact.source[0] != '\0');
		if (strcmp(msg.u.fact.key, wanted) == 0)
			memcpy(value, msg.u.fact.value, WIRE_STR_BYTES);
		count++;
	}
}

static void facts_are_told_with_their_sources(void **state)
{
	char value[WIRE_STR_BYTES];
	struct utsname name;
	struct agent a;
	struct msg ready;

	(void)state;
	assert_int_equal(uname(&name), 0);
	agent_exec(&a, driver_agent_path(), NULL);
	agent_say(&a, "hello id=1 version=%d beat_ms=500 lease_ms=%u", WIRE_VERSION, LEASE_MS);
	agent_expect(&a, MSG_READY, 1, &ready);
	agent_say(&a, "facts id=2");
	assert_true(read_facts(&a, 2, "os.kernel", value) > 0);
	assert_string_equal(value, name.release);
	agent_say(&a, "facts id=3 address=127.0.0.1");
	(void)read_facts(&a, 3, "nic.name", value);
	if (strcmp(ready.u.ready.platform, "generic") != 0) /* which cannot know */
		assert_string_equal(value, "lo");
	assert_int_equal(agent_bye(&a), 0);
}

static void it_ends_with_its_input(void **state)
{
	struct agent a;

	(void)state;
	agent_start(&a, 500, LEASE_MS);
	(void)close(a.in);
	a.in = -1;
	assert_int_equal(agent_wait_end(&a, 2000), 0);
}

static void it_ends_when_the_lease_runs_out(void **state)
{
	struct agent a;
	uint64_t start;

	(void)state;
	agent_start(&a, 100, 600);
	for (int i = 0; i < 10; i++) { /* longer than the lease: every line renews it */
		driver_sleep_ms(100);
		agent_say(&a, "beat id=0 clock_ns=1");
	}
	start = clock_now_ns();
	assert_int_equal(agent_wait_end(&a, 5000), 1);
	assert_in_range((clock_now_ns() - start) / CLOCK_NS_PER_MS, 400, 3000);
}

static void it_ends_when_nobody_reads_its_output(void **state)
{
	struct agent a;
	int status = 0;
	bool has_ended = false;

	(void)state;
	agent_start(&a, 500, 800);
	/* More than the pipe and the agent's queue hold, and beats so that it is not
	 * the lease that ends it. */
	for (int i = 0; i < 600 && !has_ended; i++) {
		static const char lines[] = "facts id=5\ndance id=6\nbeat id=0 clock_ns=1\n";

		if (write(a.in, lines, sizeof(lines) - 1) < 0)
			break;
		driver_sleep_ms(10);
		has_ended = waitpid(a.pid, &status, WNOHANG) == a.pid;
	}
	assert_true(has_ended);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	(void)close(a.in);
	(void)close(a.out);
}

static void it_ends_when_its_output_is_closed(void **state)
{
	struct agent a;

	(void)state;
	agent_start(&a, 50, LEASE_MS);
	(void)close(a.out);
	a.out = -1;
	assert_int_equal(agent_wait_end(&a, 3000), 1);
}

static void it_ends_on_input_that_is_no_line(void **state)
{
	char line[1500];
	struct agent a;
	struct err err;

	(void)state;
	agent_start(&a, 500, LEASE_MS);
	memset(line, 'x', sizeof(line));
	assert_true(io_write_all(a.in, line, sizeof(line), &err));
	agent_expect(&a, MSG_FAILED, 0, NULL);
	assert_int_equal(agent_wait_end(&a, 3000), 1);
}

static void it_ends_on_signals_even_when_started_deaf_to_them(void **state)
{
	static const int signals[] = {SIGTERM, SIGHUP, SIGINT};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		struct agent a;

		(void)signal(signals[i], SIG_IGN); /* as nohup does; children inherit it */
		agent_start(&a, 500, LEASE_MS);
		(void)signal(signals[i], SIG_DFL);
		assert_int_equal(kill(a.pid, signals[i]), 0);
		assert_int_equal(agent_wait_end(&a, 3000), -signals[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_its_version_and_its_usage),
		cmocka_unit_test(it_removes_itself_at_its_start),
		cmocka_unit_test(a_folder_that_holds_more_is_left_alone),
		cmocka_unit_test(an_empty_folder_that_is_not_its_own_is_left_alone),
		cmocka_unit_test(ready_tells_who_it_is),
		cmocka_unit_test(what_cannot_be_done_is_refused_with_the_reason),
		cmocka_unit_test(hello_comes_first),
		cmocka_unit_test(facts_are_told_with_their_sources),
		cmocka_unit_test(it_ends_with_its_input),
		cmocka_unit_test(it_ends_when_the_lease_runs_out),
		cmocka_unit_test(it_ends_when_nobody_reads_its_output),
		cmocka_unit_test(it_ends_when_its_output_is_closed),
		cmocka_unit_test(it_ends_on_input_that_is_no_line),
		cmocka_unit_test(it_ends_on_signals_even_when_started_deaf_to_them),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/control", tests, NULL, NULL);
}
