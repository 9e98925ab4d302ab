/* SPDX-License-Identifier: MIT */
/* test_runner.c - scripts that an agent executes, and the file that a guardian watches. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define BEAT_MS  100u
#define LEASE_MS 20000u

/* What a script said and how it ended. */
struct ran {
	char out[65536], err[8192]; /* lines with newlines; pieces joined */
	struct msg_ran how;
	bool has_failed;
	struct msg_failed failed;
};

/* As a value of a message. */
static void say_text(struct agent *a, const char *verb, uint32_t id, const char *text,
                     const char *more)
{
	char line[1024];
	size_t len = 0;

	for (; *text != '\0'; text++) {
		bool is_plain = (*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9');

		assert_true(len + 4 < sizeof(line));
		len += (size_t)snprintf(line + len, 4, is_plain ? "%c" : "%%%02X",
		                        (unsigned)(unsigned char)*text);
	}
	line[len] = '\0';
	agent_say(a, "%s id=%u text=%s%s", verb, id, line, more);
}

/* In pieces of an odd length: they join without a trace. */
static void say_script(struct agent *a, uint32_t id, const char *script)
{
	char piece[8];

	for (size_t left = strlen(script); left > 0; left -= strlen(piece)) {
		(void)snprintf(piece, sizeof(piece), "%s", script);
		say_text(a, "script", id, piece, "");
		script += strlen(piece);
	}
}

static void join(char *all, size_t room, const struct msg_said *m)
{
	size_t len = strlen(all);

	assert_true(len + strlen(m->text) + 2 < room);
	(void)snprintf(all + len, room - len, "%s%s", m->text, m->goes_on == 1 ? "" : "\n");
}

/* False when nothing came for wait_ms. */
static bool wait_ran(struct agent *a, uint32_t id, uint32_t wait_ms, struct ran *out)
{
	struct msg msg;

	while (agent_next(a, wait_ms, &msg)) {
		assert_int_equal(msg.id, id);
		if (msg.type == MSG_RAN) {
			out->how = msg.u.ran;
			return true;
		}
		if (msg.type == MSG_FAILED) {
			out->has_failed = true;
			out->failed = msg.u.failed;
			return true;
		}
		assert_int_equal(msg.type, MSG_SAID);
		assert_in_range(msg.u.said.stream, 1, 2);
		if (msg.u.said.stream == 1)
			join(out->out, sizeof(out->out), &msg.u.said);
		else
			join(out->err, sizeof(out->err), &msg.u.said);
	}
	return false;
}

static struct ran *run(struct agent *a, uint32_t id, const char *script, uint32_t timeout_ms)
{
	static struct ran out;

	memset(&out, 0, sizeof(out));
	say_script(a, id, script);
	agent_say(a, "run id=%u timeout_ms=%u", id, timeout_ms);
	assert_true(wait_ran(a, id, DRIVER_WAIT_MS, &out));
	return &out;
}

static void expect_status(const struct ran *r, uint32_t status)
{
	if (r->has_failed)
		fail_msg("%s: %s", r->failed.kind, r->failed.reason);
	assert_int_equal(r->how.status, status);
	assert_int_equal(r->how.signal, WIRE_UNKNOWN_U32);
}

static void what_a_script_says_and_how_it_ends_is_told(void **state)
{
	const struct ran *r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	r = run(&a, 5, "echo one; echo 'two  words=%' >&2; echo; printf three; exit 3", 5000);
	expect_status(r, 3);
	assert_string_equal(r->out, "one\n\nthree\n");
	assert_string_equal(r->err, "two  words=%\n");
	r = run(&a, 6, "kill -9 $$", 5000);
	assert_int_equal(r->how.signal, SIGKILL);
	assert_int_equal(r->how.status, WIRE_UNKNOWN_U32);
	expect_status(run(&a, 7, "true", 5000), 0);
	assert_int_equal(agent_bye(&a), 0);
}

static void it_runs_as_anything_else_would(void **state)
{
	const struct ran *r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	r = run(&a, 5, "read -r x; echo \"$? $x\"", 5000);
	assert_string_equal(r->out, "1 \n"); /* its input is empty */
	/* A reader that goes away ends a writer without a word, as SIGPIPE does. */
	r = run(&a, 7, "yes | head -n 1", 5000);
	expect_status(r, 0);
	assert_string_equal(r->out, "y\n");
	assert_string_equal(r->err, "");
	r = run(&a, 8, "ps -o pgid= -p $$ | tr -d ' '; echo $$", 5000);
	assert_memory_equal(r->out, strchr(r->out, '\n') + 1, strcspn(r->out, "\n"));
	assert_int_equal(agent_bye(&a), 0);
}

static void long_lines_come_in_pieces(void **state)
{
	static char expected[5001];
	const struct ran *r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	memset(expected, ' ', sizeof(expected) - 1); /* each of them three bytes on the wire */
	r = run(&a, 5, "head -c 5000 /dev/zero | tr '\\0' ' '; echo x", 5000);
	assert_memory_equal(r->out, expected, sizeof(expected) - 1);
	assert_string_equal(r->out + sizeof(expected) - 1, "x\n");
	r = run(&a, 6, "head -c 191 /dev/zero | tr '\\0' a; echo; printf 'a\\0b\\377\\n'", 5000);
	assert_int_equal(strspn(r->out, "a"), 191);
	assert_string_equal(r->out + 191, "\nab\377\n"); /* no NUL is told */
	assert_int_equal(agent_bye(&a), 0);
}

/* Far more than the agent's queue and the pipes hold. */
static void much_of_it_waits_for_us(void **state)
{
	uint64_t bytes = 0;
	uint64_t lines = 0;
	struct agent a;
	struct msg msg;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	say_script(&a, 5, "yes 0123456789 | head -n 60000; echo end");
	agent_say(&a, "run id=5 timeout_ms=60000");
	driver_sleep_ms(1500);
	for (;;) {
		assert_true(agent_next(&a, DRIVER_WAIT_MS, &msg));
		if (msg.type == MSG_RAN)
			break;
		bytes += strlen(msg.u.said.text);
		if (++lines % 1000 == 0)
			agent_say(&a, "beat id=0 clock_ns=1");
	}
	assert_int_equal(lines, 60001);
	assert_int_equal(bytes, 600003);
	assert_true(a.beat_gap_max_ns < 2000 * CLOCK_NS_PER_MS);
	assert_int_equal(agent_bye(&a), 0);
}

static void it_reads_what_it_is_given(void **state)
{
	static struct ran r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	say_script(&a, 5, "read -r x; echo \"first $x\"; wc -c; echo over");
	agent_say(&a, "run id=5 timeout_ms=20000 has_input=1");
	say_text(&a, "input", 5, "he", "");
	say_text(&a, "input", 5, "llo\n", "");
	say_text(&a, "input", 4, "not this\n", ""); /* of no script */
	for (int i = 0; i < 1000; i++)
		agent_say(&a, "input id=5 text=%0100d", i);
	say_text(&a, "input", 5, "", " is_last=1");
	say_text(&a, "input", 5, "after the end", "");
	assert_true(wait_ran(&a, 5, DRIVER_WAIT_MS, &r));
	expect_status(&r, 0);
	assert_string_equal(r.out, "first hello\n100000\nover\n");
	assert_int_equal(agent_bye(&a), 0);
}

static void a_script_that_does_not_read_is_not_fed_for_ever(void **state)
{
	static struct ran r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	say_script(&a, 5, "sleep 30");
	agent_say(&a, "run id=5 timeout_ms=20000 has_input=1");
	for (int i = 0; i < 1500; i++)
		agent_say(&a, "input id=5 text=%0190d", i);
	assert_true(wait_ran(&a, 5, DRIVER_WAIT_MS, &r));
	assert_true(r.has_failed);
	assert_string_equal(r.failed.reason, "the script does not read its input: killed");
	/* One that closes it is not disturbed. */
	memset(&r, 0, sizeof(r));
	say_script(&a, 6, "exec <&-; sleep 0.5; echo over");
	agent_say(&a, "run id=6 timeout_ms=20000 has_input=1");
	driver_sleep_ms(200);
	for (int i = 0; i < 1000; i++)
		agent_say(&a, "input id=6 text=%0190d", i);
	assert_true(wait_ran(&a, 6, DRIVER_WAIT_MS, &r));
	expect_status(&r, 0);
	assert_string_equal(r.out, "over\n");
	assert_int_equal(agent_bye(&a), 0);
}

static bool is_alive(const char *pid)
{
	return kill((pid_t)strtol(pid, NULL, 10), 0) == 0;
}

static bool ends_soon(const char *pid)
{
	for (int i = 0; i < 200 && is_alive(pid); i++)
		driver_sleep_ms(10);
	return !is_alive(pid);
}

/* Prints the process id of its child, which sleeps. */
#define SLEEPER "sleep 60 & echo $!; wait"

static void one_that_takes_too_long_is_killed_with_its_group(void **state)
{
	uint64_t start = clock_now_ns();
	const struct ran *r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	r = run(&a, 5, "trap '' TERM INT HUP; " SLEEPER, 500);
	assert_true(r->has_failed);
	assert_string_equal(r->failed.kind, "timeout");
	assert_string_equal(r->failed.reason, "the script was not over after 500 ms: killed");
	assert_in_range((clock_now_ns() - start) / CLOCK_NS_PER_MS, 500, 3000);
	assert_true(ends_soon(r->out));
	expect_status(run(&a, 6, "exit 0", 5000), 0); /* and the next one is taken */
	assert_int_equal(agent_bye(&a), 0);
}

static void the_end_of_the_agent_is_that_of_its_script(void **state)
{
	static const char *const ends[] = {"eof", "bye"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct agent a;
		struct msg msg;

		agent_start(&a, BEAT_MS, LEASE_MS);
		say_script(&a, 5, SLEEPER);
		agent_say(&a, "run id=5 timeout_ms=60000");
		agent_expect(&a, MSG_SAID, 5, &msg);
		assert_true(is_alive(msg.u.said.text));
		if (i == 1) {
			agent_say(&a, "bye id=9");
		} else {
			(void)close(a.in);
			a.in = -1;
		}
		assert_int_equal(agent_wait_end(&a, 3000), 0);
		assert_true(ends_soon(msg.u.said.text));
	}
}

/* As the guardian of a host does it. */
static void what_stays_in_the_background_lives_on(void **state)
{
	uint64_t start = clock_now_ns();
	char sleeper[32];
	char holder[32];
	const struct ran *r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	r = run(&a, 5, "(exec </dev/null >/dev/null 2>&1; exec sleep 60) & echo $!", 5000);
	expect_status(r, 0);
	(void)snprintf(sleeper, sizeof(sleeper), "%.20s", r->out);
	/* This one has our pipes, and nobody waits for it. */
	r = run(&a, 6, "sleep 60 & echo $!", 5000);
	expect_status(r, 0);
	(void)snprintf(holder, sizeof(holder), "%.20s", r->out);
	assert_in_range((clock_now_ns() - start) / CLOCK_NS_PER_MS, 0, 5000);
	run(&a, 7, "true", 5000);
	assert_int_equal(agent_bye(&a), 0);
	driver_sleep_ms(100);
	assert_true(is_alive(sleeper) && is_alive(holder));
	(void)kill((pid_t)strtol(sleeper, NULL, 10), SIGKILL);
	(void)kill((pid_t)strtol(holder, NULL, 10), SIGKILL);
}

static void what_cannot_run_is_refused(void **state)
{
	static struct ran r;
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	agent_say(&a, "run id=5 timeout_ms=1000");
	agent_expect_failed(&a, 5, "usage", "there is no script with this id");
	say_script(&a, 6, "echo six");
	agent_say(&a, "run id=7 timeout_ms=1000");
	agent_expect_failed(&a, 7, "usage", "there is no script with this id");
	agent_say(&a, "run id=6 timeout_ms=0");
	agent_expect_failed(&a, 6, "usage", "timeout_ms 0 is out of range: 1 to 600000");
	agent_say(&a, "run id=6 timeout_ms=600001");
	agent_expect_failed(&a, 6, "usage", "timeout_ms 600001 is out of range: 1 to 600000");
	say_script(&a, 8, "echo eight"); /* a new id begins anew */
	assert_string_equal(run(&a, 9, "echo nine", 5000)->out, "nine\n");
	agent_say(&a, "run id=9 timeout_ms=1000"); /* it is used up */
	agent_expect_failed(&a, 9, "usage", "there is no script with this id");

	for (int i = 0; i < 50; i++)
		agent_say(&a, "script id=10 text=%0180d", 0);
	agent_expect_failed(&a, 10, "usage", "a script has 8192 bytes at most");
	agent_say(&a, "run id=10 timeout_ms=1000"); /* no part of it is run */
	agent_expect_failed(&a, 10, "usage", "there is no script with this id");

	say_script(&a, 11, "sleep 0.5; echo eleven");
	agent_say(&a, "run id=11 timeout_ms=5000");
	say_script(&a, 12, "echo twelve");
	agent_say(&a, "run id=12 timeout_ms=5000");
	agent_expect_failed(&a, 12, "usage", "a script is not over: one at a time");
	assert_true(wait_ran(&a, 11, DRIVER_WAIT_MS, &r));
	assert_string_equal(r.out, "eleven\n");
	assert_int_equal(agent_bye(&a), 0);
}

/* A test and the heartbeat go on, and the script, too. */
static void it_disturbs_no_test(void **state)
{
	const struct spec spec = {.duration_ms = 1000};
	static struct outcome listener;
	struct agent a[2];
	uint32_t test[2];
	uint32_t samples = 0, lines = 0;
	uint64_t measured = 0;
	bool has_ran = false, is_done = false;
	struct msg msg;

	(void)state;
	agent_start(&a[0], 50, LEASE_MS);
	agent_start(&a[1], 50, LEASE_MS);
	(void)driver_connect(&a[0], &a[1], &spec, test);
	agent_expect(&a[0], MSG_CONNECTED, test[0], &msg);
	agent_expect(&a[1], MSG_CONNECTED, test[1], &msg);
	agent_say(&a[0], "go id=400 test=%u", test[0]);
	agent_say(&a[1], "go id=401 test=%u", test[1]);
	say_script(&a[1], 500, "for i in 1 2 3 4; do echo $i; sleep 0.1; done");
	agent_say(&a[1], "run id=500 timeout_ms=5000");
	while (!has_ran || !is_done) {
		assert_true(agent_next(&a[1], DRIVER_WAIT_MS, &msg));
		assert_int_not_equal(msg.type, MSG_FAILED);
		samples += msg.type == MSG_SAMPLE ? 1 : 0;
		lines += msg.type == MSG_SAID ? 1 : 0;
		if (msg.type == MSG_RESULT)
			measured = msg.u.result.measured_bytes;
		if (msg.type == MSG_RAN) {
			assert_int_equal(msg.u.ran.status, 0);
			assert_false(is_done); /* they went on beside each other */
		}
		has_ran = has_ran || msg.type == MSG_RAN;
		is_done = is_done || msg.type == MSG_DONE;
	}
	assert_true(samples >= 10 && measured > 0);
	assert_int_equal(lines, 4);
	agent_collect(&a[0], 400, &listener);
	assert_false(listener.has_failed);
	assert_true(a[1].beat_gap_max_ns < 1000 * CLOCK_NS_PER_MS);
	assert_int_equal(agent_bye(&a[0]), 0);
	assert_int_equal(agent_bye(&a[1]), 0);
}

/* ---- the lease ---- */

struct lease_file {
	char path[64];
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void read_first_line(const char *path, char out[128])
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	out[0] = '\0';
	(void)!fgets(out, 128, f);
	assert_int_equal(fclose(f), 0);
	out[strcspn(out, "\n")] = '\0';
}

static void make_lease(struct lease_file *l, long pid)
{
	char text[64];
	int fd;

	(void)snprintf(l->path, sizeof(l->path), "/tmp/vnm-test-lease-XXXXXX");
	fd = mkstemp(l->path);
	assert_true(fd >= 0);
	(void)close(fd);
	(void)snprintf(text, sizeof(text), "%ld 0\n", pid);
	write_file(l->path, text);
}

/* The count after "PID "; fails when it is not this agent's. */
static unsigned long count_of(const struct lease_file *l, const struct agent *a)
{
	char line[128];
	char *at;

	read_first_line(l->path, line);
	assert_int_equal(strtol(line, &at, 10), (long)a->pid);
	assert_int_equal(*at, ' ');
	return strtoul(at + 1, NULL, 10);
}

static void beat(struct agent *a)
{
	agent_say(a, "beat id=0 clock_ns=1");
	driver_sleep_ms(60);
}

static void start_with_lease(struct agent *a, struct lease_file *l)
{
	agent_start(a, BEAT_MS, LEASE_MS);
	make_lease(l, (long)a->pid);
	agent_say(a, "lease id=3 path=%s", l->path);
	agent_expect(a, MSG_DONE, 3, NULL);
}

static void each_beat_of_ours_renews_the_lease(void **state)
{
	struct lease_file l;
	unsigned long before;
	char line[128];
	struct agent a;

	(void)state;
	start_with_lease(&a, &l);
	before = count_of(&l, &a);
	driver_sleep_ms(300); /* its own beats do not */
	assert_int_equal(count_of(&l, &a), before);
	for (int i = 0; i < 12; i++) {
		beat(&a);
		assert_int_equal(count_of(&l, &a), before + 1);
		before++;
	}
	assert_int_equal(agent_bye(&a), 0);
	read_first_line(l.path, line);
	assert_string_equal(line, "grace");
	assert_int_equal(unlink(l.path), 0);
}

static void the_end_of_the_channel_begins_the_grace(void **state)
{
	struct lease_file l;
	char line[128];
	struct agent a;

	(void)state;
	start_with_lease(&a, &l);
	(void)close(a.in);
	a.in = -1;
	assert_int_equal(agent_wait_end(&a, 3000), 0);
	read_first_line(l.path, line);
	assert_string_equal(line, "grace");
	assert_int_equal(unlink(l.path), 0);

	agent_start(&a, BEAT_MS, 400); /* nothing comes any more: a cut wire */
	make_lease(&l, (long)a.pid);
	agent_say(&a, "lease id=3 path=%s", l.path);
	agent_expect(&a, MSG_DONE, 3, NULL);
	assert_int_equal(agent_wait_end(&a, 3000), 1);
	read_first_line(l.path, line);
	assert_string_equal(line, "grace");
	assert_int_equal(unlink(l.path), 0);
}

static void a_lease_that_another_has_taken_over_is_left_alone(void **state)
{
	struct lease_file l;
	char line[128];
	char own[32];
	struct agent a;

	(void)state;
	start_with_lease(&a, &l);
	write_file(l.path, "4711 0\n");
	beat(&a);
	beat(&a);
	read_first_line(l.path, line);
	assert_string_equal(line, "4711 0");
	assert_int_equal(agent_bye(&a), 0);
	read_first_line(l.path, line);
	assert_string_equal(line, "4711 0");
	assert_int_equal(unlink(l.path), 0);

	start_with_lease(&a, &l); /* given up by request */
	agent_say(&a, "lease id=4");
	agent_expect(&a, MSG_DONE, 4, NULL);
	beat(&a);
	assert_int_equal(count_of(&l, &a), 1);
	(void)snprintf(own, sizeof(own), "%ld 1", (long)a.pid);
	assert_int_equal(agent_bye(&a), 0);
	read_first_line(l.path, line);
	assert_string_equal(line, own);
	assert_int_equal(unlink(l.path), 0);
}

/* Neither the file of the lease nor the sockets of a test. */
static void a_script_gets_no_file_of_the_agents(void **state)
{
	static const char list[] = "for f in /proc/$$/fd/*; do readlink $f; done | sort";
	const struct spec spec = {.streams = 4};
	struct lease_file l;
	static struct ran before;
	uint32_t test[2];
	struct agent a[2];

	(void)state;
	start_with_lease(&a[0], &l);
	agent_start(&a[1], BEAT_MS, LEASE_MS);
	agent_say(&a[0], "lease id=4");
	agent_expect(&a[0], MSG_DONE, 4, NULL);
	before = *run(&a[0], 5, list, 5000);
	assert_non_null(strstr(before.out, "/dev/null\n"));
	agent_say(&a[0], "lease id=6 path=%s", l.path);
	agent_expect(&a[0], MSG_DONE, 6, NULL); /* it is ours still */
	(void)driver_connect(&a[0], &a[1], &spec, test);
	agent_expect(&a[0], MSG_CONNECTED, test[0], NULL);
	assert_int_equal(strlen(run(&a[0], 7, list, 5000)->out), strlen(before.out));
	assert_int_equal(agent_bye(&a[0]), 0);
	assert_int_equal(agent_bye(&a[1]), 0);
	assert_int_equal(unlink(l.path), 0);
}

static void a_file_that_is_no_lease_of_ours_is_refused(void **state)
{
	struct lease_file l;
	char link[96];
	char reason[160];
	struct agent a;

	(void)state;
	agent_start(&a, BEAT_MS, LEASE_MS);
	agent_say(&a, "lease id=3 path=run/lease");
	agent_expect_failed(&a, 3, "usage", "the lease 'run/lease' is no absolute path");
	agent_say(&a, "lease id=4 path=/nowhere/lease");
	agent_expect_failed(&a, 4, "system", "the lease /nowhere/lease: *");
	agent_say(&a, "lease id=5 path=/dev/null");
	agent_expect_failed(&a, 5, "usage", "the lease /dev/null is no file");
	make_lease(&l, (long)a.pid + 1);
	(void)snprintf(reason, sizeof(reason), "the lease %s is not this agent's", l.path);
	agent_say(&a, "lease id=6 path=%s", l.path);
	agent_expect_failed(&a, 6, "usage", reason);
	assert_int_equal(unlink(l.path), 0);

	make_lease(&l, (long)a.pid);
	(void)snprintf(link, sizeof(link), "%s.link", l.path);
	assert_int_equal(symlink(l.path, link), 0);
	agent_say(&a, "lease id=7 path=%s", link);
	agent_expect_failed(&a, 7, "system", "the lease *");
	assert_int_equal(unlink(link), 0);
	beat(&a); /* none is kept */
	assert_int_equal(count_of(&l, &a), 0);
	assert_int_equal(agent_bye(&a), 0);
	assert_int_equal(unlink(l.path), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_script_says_and_how_it_ends_is_told),
		cmocka_unit_test(it_runs_as_anything_else_would),
		cmocka_unit_test(long_lines_come_in_pieces),
		cmocka_unit_test(much_of_it_waits_for_us),
		cmocka_unit_test(it_reads_what_it_is_given),
		cmocka_unit_test(a_script_that_does_not_read_is_not_fed_for_ever),
		cmocka_unit_test(one_that_takes_too_long_is_killed_with_its_group),
		cmocka_unit_test(the_end_of_the_agent_is_that_of_its_script),
		cmocka_unit_test(what_stays_in_the_background_lives_on),
		cmocka_unit_test(what_cannot_run_is_refused),
		cmocka_unit_test(it_disturbs_no_test),
		cmocka_unit_test(each_beat_of_ours_renews_the_lease),
		cmocka_unit_test(the_end_of_the_channel_begins_the_grace),
		cmocka_unit_test(a_lease_that_another_has_taken_over_is_left_alone),
		cmocka_unit_test(a_script_gets_no_file_of_the_agents),
		cmocka_unit_test(a_file_that_is_no_lease_of_ours_is_refused),
	};

	driver_init(argc, argv);
	return cmocka_run_group_tests_name("agent/runner", tests, NULL, NULL);
}
