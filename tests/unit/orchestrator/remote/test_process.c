/* SPDX-License-Identifier: MIT */
#include "remote/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "tests/support/test.h"

static int wake_fd = -1;
static struct transport *t;

static int setup(void **state)
{
	struct wait_limit limit = {.deadline_ns = UINT64_MAX};
	struct transport_info info;
	struct err err;

	(void)state;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	limit.wake_fd = wake_fd;
	t = process_transport_open(&limit, &info, &err);
	assert_int_equal(info.stage, TRANSPORT_OPEN);
	assert_string_equal(info.address, "local");
	assert_string_equal(info.login, "local");
	assert_string_equal(info.host_key, "");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	transport_close(t);
	(void)close(wake_fd);
	return 0;
}

static uint64_t after_ms(uint64_t ms)
{
	return clock_now_ns() + ms * CLOCK_NS_PER_MS;
}

static uint64_t since_ms(uint64_t from_ns)
{
	return (clock_now_ns() - from_ns) / CLOCK_NS_PER_MS;
}

static void start(const char *script)
{
	struct err err;

	if (!transport_exec(t, script, after_ms(1000), &err))
		fail_msg("%s", err.msg);
}

static void pump(uint64_t ms)
{
	struct err err;

	assert_true(transport_pump(t, after_ms(ms), &err));
}

/* To the end of the command, ten seconds at most; what it wrote is added to out. */
static struct transport_end finish(struct text *out)
{
	uint64_t end_ns = after_ms(10000);
	struct transport_end end;
	char data[4096];
	size_t n;

	while (!transport_ended(t, &end)) {
		assert_true(clock_now_ns() < end_ns);
		pump(1000);
		while ((n = transport_read(t, data, sizeof(data))) > 0) {
			if (out != NULL)
				text_add_bytes(out, data, n);
		}
	}
	while ((n = transport_read(t, data, sizeof(data))) > 0) {
		if (out != NULL)
			text_add_bytes(out, data, n);
	}
	return end;
}

static void a_command_is_run_and_its_end_told(void **state)
{
	struct text out = {0};
	struct transport_end end;

	(void)state;
	start("exec /bin/sh -c 'cat; echo no >&2; exit 3'");
	assert_int_equal(transport_write(t, "hello", 5), 5);
	assert_int_equal(transport_taken(t), 5);
	transport_end_input(t);
	end = finish(&out);
	assert_string_equal(text_str(&out), "hello");
	assert_string_equal(transport_said(t), "no");
	assert_int_equal(end.status, 3);
	assert_string_equal(end.signal, "");
	text_done(&out);
}

static void a_signal_is_told_by_its_name(void **state)
{
	static const struct {
		const char *script;
		const char *signal;
	} cases[] = {{"kill -KILL $$", "KILL"}, {"kill -TERM $$", "TERM"}, {"kill -USR1 $$", "10"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct transport_end end;

		start(cases[i].script);
		end = finish(NULL);
		assert_int_equal(end.status, TRANSPORT_STATUS_NONE);
		assert_string_equal(end.signal, cases[i].signal);
	}
}

static void a_new_command_ends_the_old_one(void **state)
{
	struct text out = {0};

	(void)state;
	start("trap \"\" 15; echo first; sleep 30");
	pump(1000);
	start("echo second");
	assert_int_equal(finish(&out).status, 0);
	assert_string_equal(text_str(&out), "second\n");
	text_done(&out);
}

static void a_flood_waits_until_it_is_read(void **state)
{
	uint64_t until_ns = after_ms(300);
	struct transport_end end;
	char data[65536];
	size_t got = 0;
	size_t n;

	(void)state;
	start("head -c 8000000 /dev/zero");
	while (clock_now_ns() < until_ns)
		pump(50);
	assert_false(transport_ended(t, &end));
	assert_in_range(t->out.len, 1, 300000);
	until_ns = after_ms(20000);
	while (!transport_ended(t, &end) && clock_now_ns() < until_ns) {
		while ((n = transport_read(t, data, sizeof(data))) > 0)
			got += n;
		pump(50);
	}
	while ((n = transport_read(t, data, sizeof(data))) > 0)
		got += n;
	assert_int_equal(got, 8000000);
	assert_int_equal(end.status, 0);
}

static void a_flood_of_standard_error_is_let_through(void **state)
{
	(void)state;
	start("head -c 3000000 /dev/zero | tr \"\\\\000\" x >&2; echo end >&2");
	assert_int_equal(finish(NULL).status, 0);
	assert_non_null(strstr(transport_said(t), "xxx"));
	assert_non_null(strstr(transport_said(t), "end"));
}

static void one_that_never_reads_takes_a_little_and_is_given_up(void **state)
{
	static char much[4 * 1024 * 1024];
	uint64_t from_ns = clock_now_ns();
	size_t n;

	(void)state;
	start("sleep 30");
	n = transport_write(t, much, sizeof(much));
	assert_in_range(n, 1, sizeof(much) - 1);
	assert_int_equal(transport_taken(t), n);
	pump(50);
	assert_int_equal(transport_write(t, much, sizeof(much)), 0);
	transport_hangup(t);
	assert_true(since_ms(from_ns) < 1500);
}

static void room_to_write_ends_the_wait(void **state)
{
	static char much[1024 * 1024];
	size_t sent = 0;
	struct text out = {0};

	(void)state;
	start("sleep 0.2; wc -c");
	for (int i = 0; i < 200 && sent < sizeof(much); i++) {
		uint64_t from_ns = clock_now_ns();

		sent += transport_write(t, much + sent, sizeof(much) - sent);
		if (sent < sizeof(much))
			pump(900);
		assert_true(since_ms(from_ns) < 800);
	}
	transport_end_input(t);
	assert_int_equal(finish(&out).status, 0);
	assert_int_equal(strtol(text_str(&out), NULL, 10), sizeof(much));
	text_done(&out);
}

static void one_that_closes_its_streams_and_stays_is_no_end(void **state)
{
	struct transport_end end;
	uint64_t until_ns = after_ms(200);

	(void)state;
	start("exec <&- >&- 2>&-; exec sleep 30");
	while (clock_now_ns() < until_ns)
		pump(20);
	assert_false(transport_ended(t, &end));
	assert_int_equal(transport_write(t, "x", 1), 0);
	transport_hangup(t);
	assert_true(transport_ended(t, &end));
	assert_int_equal(end.status, TRANSPORT_STATUS_NONE);
}

static void what_it_leaves_in_the_background_is_not_waited_for(void **state)
{
	struct text out = {0};
	uint64_t from_ns = clock_now_ns();

	(void)state;
	start("sleep 5 & echo $!; exit 4");
	assert_int_equal(finish(&out).status, 4);
	assert_true(since_ms(from_ns) < 2000);
	assert_int_equal(kill((pid_t)strtol(text_str(&out), NULL, 10), SIGKILL), 0);
	text_done(&out);
}

static void being_woken_ends_the_wait_once(void **state)
{
	uint64_t from_ns = clock_now_ns();

	(void)state;
	start("sleep 30");
	assert_int_equal(eventfd_write(wake_fd, 1), 0);
	pump(5000);
	assert_true(since_ms(from_ns) < 1000);
	from_ns = clock_now_ns();
	pump(50);
	pump(50);
	assert_true(since_ms(from_ns) >= 50);
}

static void nothing_runs_before_and_after(void **state)
{
	struct transport_end end;
	char data[8];

	(void)state;
	pump(1);
	assert_int_equal(transport_read(t, data, sizeof(data)), 0);
	assert_int_equal(transport_write(t, "x", 1), 0);
	assert_false(transport_ended(t, &end));
	start("exit 0");
	(void)finish(NULL);
	transport_hangup(t);
	transport_hangup(t);
	pump(1);
}

static void it_sees_no_secret_of_ours(void **state)
{
	struct text out = {0};

	(void)state;
	assert_int_equal(setenv("LAB_PASSWORD", "secret", 1), 0);
	teardown(state);
	setup(state);
	start("env");
	(void)finish(&out);
	assert_null(strstr(text_str(&out), "secret"));
	assert_non_null(strstr(text_str(&out), "PATH="));
	text_done(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_command_is_run_and_its_end_told),
		TEST(a_signal_is_told_by_its_name),
		TEST(a_new_command_ends_the_old_one),
		TEST(a_flood_waits_until_it_is_read),
		TEST(a_flood_of_standard_error_is_let_through),
		TEST(one_that_never_reads_takes_a_little_and_is_given_up),
		TEST(room_to_write_ends_the_wait),
		TEST(one_that_closes_its_streams_and_stays_is_no_end),
		TEST(what_it_leaves_in_the_background_is_not_waited_for),
		TEST(being_woken_ends_the_wait_once),
		TEST(nothing_runs_before_and_after),
		TEST(it_sees_no_secret_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
