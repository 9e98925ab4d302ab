/* SPDX-License-Identifier: MIT */
/*
 * Texts that a host runs, by the real agent and without one, over shells of this machine: both
 * ways tell the same. A sudo of the test's own stands for the real one (integration/sudo).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/clock.h"
#include "link/link.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/link/transport_process.h"

#define PASSWORD "open 'sesame'"

struct lab {
	struct link_set *set;
	struct secrets *secrets;
	bool has_agent;
};

static char folder[] = "/tmp/vnm-test-job-XXXXXX";

/* A program in the folder that is first in PATH. */
static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* As sudo -S: a line of standard input is the password, and it reads no further. */
static const char fake_sudo[] = "#!/bin/sh\n"
				"case \" $* \" in *\" -S \"*) IFS= read -r p;; *) p=none;; esac\n"
				"while test \"$1\" != --; do shift; done; shift\n"
				"test \"$p\" = none || test \"$p\" = \"" PASSWORD "\" || {\n"
				"echo 'sudo: 1 incorrect password attempt' >&2; exit 1; }\n"
				"AS=root; export AS; exec \"$@\"\n";

static int make_folder(void **state)
{
	char path[4096];

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_file("sudo", fake_sudo, 0700);
	write_file("password", PASSWORD "\n", 0600);
	write_file("wrong", "close\n", 0600);
	(void)snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	assert_int_equal(setenv("PATH", path, 1), 0);
	return 0;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"sudo", "password", "wrong"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		(void)unlink(path);
	}
	return rmdir(folder);
}

static struct link_event next(struct lab *lab)
{
	struct link_event event;

	assert_true(link_next(lab->set, clock_now_ns() + 20 * CLOCK_NS_PER_S, -1, &event));
	return event;
}

static struct link_event expect(struct lab *lab, enum link_event_kind kind)
{
	struct link_event event = next(lab);

	if (event.kind != kind)
		fail_msg("%s agent: event %d instead of %d: %s %s",
		         lab->has_agent ? "with" : "without", (int)event.kind, (int)kind,
		         event.kind == LINK_DOWN || event.kind == LINK_RAN ? event.err.msg
		                                                           : event.line,
		         event.ran.said);
	return event;
}

static void start(struct lab *lab, bool has_agent, const char *password_file)
{
	char path[128];
	struct link_target target = {.name = "esx1", .address = "here", .port = 22, .user = "root"};
	struct link_options options = {
		.agent_path = AGENT, .is_errand = !has_agent, .connect_ms = 20000};
	struct err err;

	if (password_file != NULL) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, password_file);
		target.password_file = path;
	}
	lab->has_agent = has_agent;
	lab->secrets = secrets_new(NULL, &err);
	assert_non_null(lab->secrets);
	options.secrets = lab->secrets;
	lab->set = link_set_new_over(process_open, &target, 1, &options, &err);
	if (lab->set == NULL)
		fail_msg("%s", err.msg);
	link_connect(lab->set, 0);
	(void)expect(lab, LINK_UP);
}

static void end(struct lab *lab)
{
	uint64_t start_ns = clock_now_ns();

	link_set_free(lab->set);
	secrets_free(lab->secrets);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 0, 3500);
}

static void run(struct lab *lab, const char *text, enum privilege privilege, uint32_t timeout_ms)
{
	const struct link_text what = {
		.text = text, .privilege = privilege, .timeout_ms = timeout_ms};

	link_run_text(lab->set, 0, &what);
}

/* Both kinds of session. */
static void each(void (*body)(struct lab *), const char *password_file)
{
	for (int has_agent = 0; has_agent < 2; has_agent++) {
		struct lab lab;

		start(&lab, has_agent == 1, password_file);
		body(&lab);
		end(&lab);
	}
}

static void try_lines(struct lab *lab)
{
	struct link_event event;

	run(lab,
	    "echo noise; echo \"$m one\"; echo \" $m no\"\n"
	    "f() { echo \"$m it's \\\"$*\\\"\"; }\n"
	    "f two  words; cat <<'E'\nready\nE\n"
	    "echo \"$m ready\"; echo warning >&2; echo >&2; echo twice >&2; exit 3\n",
	    PRIVILEGE_ROOT, 0);
	assert_string_equal(expect(lab, LINK_LINE).line, "one");
	assert_string_equal(expect(lab, LINK_LINE).line, "it's \"two words\"");
	assert_string_equal(expect(lab, LINK_LINE).line,
	                    "ready"); /* the second one is the text's */
	event = expect(lab, LINK_RAN);
	assert_int_equal(event.err.kind, ERR_NONE);
	assert_int_equal(event.ran.status, 3);
	assert_string_equal(event.ran.signal, "");
	assert_non_null(strstr(event.ran.said, "warning"));
	assert_non_null(strstr(event.ran.said, "twice"));
}

static void marked_lines_come_and_then_the_end(void **state)
{
	(void)state;
	each(try_lines, NULL);
}

static void try_many(struct lab *lab)
{
	for (int i = 0; i < 20; i++) {
		struct text text = {0};
		char expected[32];

		text_add(&text, ": '");
		for (int k = 0; k < i * 100; k++) /* up to 54 kB */
			text_add(&text, "filling % and = and \"\\$\nx");
		text_printf(&text, "'\necho \"$m n %d\"; test -z \"$(cat)\" && echo \"$m empty\"\n",
		            i);
		run(lab, text_str(&text), PRIVILEGE_ROOT, 0);
		text_done(&text);
		(void)snprintf(expected, sizeof(expected), "n %d", i);
		assert_string_equal(expect(lab, LINK_LINE).line, expected);
		assert_string_equal(expect(lab, LINK_LINE).line, "empty");
		assert_int_equal(expect(lab, LINK_RAN).ran.status, 0);
	}
}

static void texts_of_any_length_follow_each_other(void **state)
{
	(void)state;
	each(try_many, NULL);
}

static void try_long_line(struct lab *lab)
{
	struct link_event event;

	run(lab,
	    "echo \"$m $(head -c 2000 /dev/zero | tr '\\0' x)\"\n"
	    "printf '%s a\\007b\\n' $m; echo \"$m last\"\n",
	    PRIVILEGE_ROOT, 0);
	event = expect(lab, LINK_LINE);
	assert_in_range(strlen(event.line), 400, LINK_LINE_BYTES - 1);
	assert_int_equal(strspn(event.line, "x"), strlen(event.line));
	assert_string_equal(expect(lab, LINK_LINE).line, "ab");
	assert_string_equal(expect(lab, LINK_LINE).line, "last");
	(void)expect(lab, LINK_RAN);
}

static void long_lines_are_cut_and_control_characters_dropped(void **state)
{
	(void)state;
	each(try_long_line, NULL);
}

static void try_signal(struct lab *lab)
{
	struct link_event event;

	run(lab, "echo \"$m here\"; kill -9 $$\n", PRIVILEGE_ROOT, 0);
	assert_string_equal(expect(lab, LINK_LINE).line, "here");
	event = expect(lab, LINK_RAN);
	assert_int_equal(event.err.kind, ERR_NONE);
	assert_int_equal(event.ran.status, LINK_STATUS_NONE);
	assert_string_equal(event.ran.signal, lab->has_agent ? "9" : "KILL");
}

static void a_signal_is_told(void **state)
{
	(void)state;
	each(try_signal, NULL);
}

static void try_late(struct lab *lab)
{
	uint64_t start_ns = clock_now_ns();
	struct link_event event;

	run(lab, "echo \"$m begun\"; sleep 30\n", PRIVILEGE_ROOT, 700);
	assert_string_equal(expect(lab, LINK_LINE).line, "begun");
	event = expect(lab, LINK_RAN);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 700, 4000);
	assert_int_equal(event.err.kind, ERR_TIMEOUT);
	assert_memory_equal(event.err.msg, "esx1: ", 6);
	/* The host is there still. */
	run(lab, "echo \"$m next\"\n", PRIVILEGE_ROOT, 0);
	assert_string_equal(expect(lab, LINK_LINE).line, "next");
	assert_int_equal(expect(lab, LINK_RAN).err.kind, ERR_NONE);
}

static void one_that_takes_too_long_is_given_up(void **state)
{
	(void)state;
	each(try_late, NULL);
}

static void try_sudo(struct lab *lab)
{
	run(lab, "echo \"$m as $AS\"\n", PRIVILEGE_SUDO, 0);
	assert_string_equal(expect(lab, LINK_LINE).line, "as root");
	assert_int_equal(expect(lab, LINK_RAN).err.kind, ERR_NONE);
}

static void root_comes_by_sudo(void **state)
{
	(void)state;
	each(try_sudo, NULL);
}

static void try_password(struct lab *lab)
{
	for (int i = 0; i < 2; i++) { /* every time anew */
		run(lab, "echo \"$m as $AS\"; echo \"$m left $(cat)\"\n", PRIVILEGE_SUDO_PASSWORD,
		    0);
		assert_string_equal(expect(lab, LINK_LINE).line, "as root");
		assert_string_equal(expect(lab, LINK_LINE).line, "left ");
		assert_int_equal(expect(lab, LINK_RAN).err.kind, ERR_NONE);
	}
}

static void and_by_sudo_with_a_password(void **state)
{
	(void)state;
	each(try_password, "password");
}

static void expect_refused(struct lab *lab, enum privilege privilege, const char *why)
{
	struct link_event event;

	run(lab, "echo \"$m never\"\n", privilege, 0);
	event = expect(lab, LINK_RAN);
	if (event.err.kind == ERR_NONE || strcmp(event.err.msg, why) != 0)
		fail_msg("%s", event.err.msg);
}

static void try_wrong_password(struct lab *lab)
{
	expect_refused(lab, PRIVILEGE_SUDO_PASSWORD, "esx1: sudo refused the password");
	try_sudo(lab); /* another way is open still */
}

static void a_wrong_password_is_told(void **state)
{
	(void)state;
	each(try_wrong_password, "wrong");
}

static void try_no_root(struct lab *lab)
{
	expect_refused(lab, PRIVILEGE_NONE,
	               "esx1: this needs root: log in as root, or let the account use sudo");
	expect_refused(lab, PRIVILEGE_UNKNOWN,
	               "esx1: this needs root: log in as root, or let the account use sudo");
	run(lab, "echo \"$m never\"\n", PRIVILEGE_SUDO_PASSWORD, 0);
	assert_memory_equal(expect(lab, LINK_RAN).err.msg,
	                    "esx1: sudo: there is no password for root",
	                    strlen("esx1: sudo: there is no password for root"));
	try_lines(lab);
}

static void where_nobody_can_be_root_it_is_told(void **state)
{
	(void)state;
	each(try_no_root, NULL);
}

static void try_background(struct lab *lab)
{
	struct link_event event;
	long pid;

	run(lab, "( exec </dev/null >/dev/null 2>&1; exec sleep 60 ) & echo \"$m pid $!\"\n",
	    PRIVILEGE_ROOT, 0);
	event = expect(lab, LINK_LINE);
	pid = strtol(event.line + strlen("pid "), NULL, 10);
	assert_true(pid > 1);
	assert_int_equal(expect(lab, LINK_RAN).err.kind, ERR_NONE);
	run(lab, "sleep 30\n", PRIVILEGE_ROOT, 300); /* the group that is killed is another */
	assert_int_equal(expect(lab, LINK_RAN).err.kind, ERR_TIMEOUT);
	assert_int_equal(kill((pid_t)pid, 0), 0);
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
}

static void what_stays_in_the_background_is_left_alone(void **state)
{
	(void)state;
	each(try_background, NULL);
}

static void try_end(struct lab *lab)
{
	run(lab, "echo \"$m begun\"; sleep 30\n", PRIVILEGE_ROOT, 0);
	assert_string_equal(expect(lab, LINK_LINE).line, "begun");
}

static void one_that_runs_is_given_up_at_the_end(void **state)
{
	(void)state;
	each(try_end, NULL);
}

/* With an agent: messages of the caller's go on beside it. */
static void messages_go_on_meanwhile(void **state)
{
	struct msg msg;
	struct lab lab;
	bool is_done = false;

	(void)state;
	start(&lab, true, NULL);
	run(&lab, "sleep 0.5; echo \"$m slept\"\n", PRIVILEGE_ROOT, 0);
	msg_init(&msg, MSG_FACTS, 7);
	link_send(lab.set, 0, &msg);
	while (!is_done) {
		struct link_event event = expect(&lab, LINK_MESSAGE);

		assert_int_equal(event.msg.id, 7);
		is_done = event.msg.type == MSG_DONE;
	}
	assert_string_equal(expect(&lab, LINK_LINE).line, "slept");
	assert_int_equal(expect(&lab, LINK_RAN).err.kind, ERR_NONE);
	end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_lines_come_and_then_the_end),
		cmocka_unit_test(texts_of_any_length_follow_each_other),
		cmocka_unit_test(long_lines_are_cut_and_control_characters_dropped),
		cmocka_unit_test(a_signal_is_told),
		cmocka_unit_test(one_that_takes_too_long_is_given_up),
		cmocka_unit_test(root_comes_by_sudo),
		cmocka_unit_test(and_by_sudo_with_a_password),
		cmocka_unit_test(a_wrong_password_is_told),
		cmocka_unit_test(where_nobody_can_be_root_it_is_told),
		cmocka_unit_test(what_stays_in_the_background_is_left_alone),
		cmocka_unit_test(one_that_runs_is_given_up_at_the_end),
		cmocka_unit_test(messages_go_on_meanwhile),
	};

	return cmocka_run_group_tests_name("link/job", tests, make_folder, remove_folder);
}
