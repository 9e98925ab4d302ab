/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/place.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

/* Does what an agent does at its start: removes its folder, then greets. */
#define AGENT(body)                                                        \
	"#!/bin/sh\n"                                                      \
	"if test \"$1\" = --version; then " body "; fi\n"                  \
	"test \"$*\" = \"--self $0 --home ${0%/*}\" || echo \"bad: $*\"\n" \
	"rm -f \"$2\"\nrmdir \"$4\"\n"                                     \
	"echo \"agent in ${0%/*}, mode $LC_ALL\"\n"

static const char good_agent[] = AGENT("exit 0");
static const char broken_agent[] = AGENT("echo wrong machine; exit 8");

struct fixture {
	struct shell_marker marker;
	char name[PLACE_NAME_BYTES];
	struct text line;
};

/* The command for an agent that has the SHA-256 of `summed`. */
static void build(struct fixture *f, const char *agent, const char *summed, size_t first)
{
	struct place_request request = {
		.marker = &f->marker, .name = f->name, .first = first, .size_bytes = strlen(agent)};
	char sha256[SHA256_HEX_BYTES];
	struct err err;

	sha256_of(summed, strlen(summed), sha256);
	request.sha256 = sha256;
	assert_true(shell_marker_init(&f->marker, &err));
	assert_true(place_name(f->name, &err));
	text_clear(&f->line);
	assert_true(place_command(&f->line, &request, &err));
}

/* Programs word their reasons in their own ways: from..to becomes `as`. */
static const struct {
	const char *from, *to, *as;
} wordings[] = {
	{"head: ", "No space left on device", "FULL"},
	{"cannot execute there: ", "Permission denied", "NOEXEC"},
};

/* Adds one thing that was said; returns where the next begins. */
static const char *add_said(const struct fixture *f, const char *at, struct text *out)
{
	if (strncmp(at, f->marker.text, 32) == 0) {
		text_add(out, "M");
		return at + 32;
	}
	if (strncmp(at, f->name, strlen(f->name)) == 0) {
		text_add(out, "N");
		return at + strlen(f->name);
	}
	for (size_t i = 0; i < COUNT_OF(wordings); i++) {
		const char *to = strstr(at, wordings[i].to);

		if (to != NULL && strncmp(at, wordings[i].from, strlen(wordings[i].from)) == 0) {
			text_add(out, wordings[i].as);
			return to + strlen(wordings[i].to);
		}
	}
	if (*at != '\n' || (out->len > 0 && out->at[out->len - 1] != '\n'))
		text_add_bytes(out, at, 1);
	return at + 1;
}

/* Compares what was said, with M for the marker, N for the name, and empty lines left out. */
static void assert_said(const struct fixture *f, const char *who, const char *said,
                        const char *expected)
{
	struct text got = {0};

	for (const char *at = said; *at != '\0';)
		at = add_said(f, at, &got);
	if (strcmp(text_str(&got), expected) != 0)
		fail_msg("%s said:\n%s\ninstead of:\n%s", who, text_str(&got), expected);
	text_done(&got);
}

static void every_shell_makes_checks_and_becomes_the_agent(void **state)
{
	struct fixture f = {.line = {0}};

	(void)state;
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = good_agent, .input_len = sizeof(good_agent) - 1};

		if (!shell_is_there(s))
			continue;
		build(&f, good_agent, good_agent, 0);
		run.name = f.name;
		shell_run(s, text_str(&f.line), &run);
		assert_said(&f, s->name, run.said,
		            "M go /tmp/N\nM run sha256\nagent in /tmp/N, mode C\n");
		assert_int_equal(run.status, 0);
		assert_int_equal(run.left, 0);
	}
	text_done(&f.line);
}

/* What follows the agent's bytes is the agent's own input. */
static void later_input_is_left_for_the_agent(void **state)
{
	static const char agent[] = AGENT("exit 0") "read line; echo \"read $line\"\n";
	static const char input[] = AGENT("exit 0") "read line; echo \"read $line\"\n"
						    "hello\n";
	struct shell_run run = {.input = input, .input_len = sizeof(input) - 1};
	struct fixture f = {.line = {0}};

	(void)state;
	build(&f, agent, agent, 0);
	shell_run(&shells[0], text_str(&f.line), &run);
	assert_said(&f, "sh", run.said,
	            "M go /tmp/N\nM run sha256\nagent in /tmp/N, mode C\nread hello\n");
	text_done(&f.line);
}

static const struct {
	const char *what;
	struct shell_run run;
	size_t first;
	const char *said;
} refusals[] = {
	{"full /tmp",
         {.full = "/tmp"},
         0,
         "M no /tmp: FULL\n"
         "M go /var/tmp/N\nM run sha256\nagent in /var/tmp/N, mode C\n"},
	{"noexec /tmp",
         {.noexec = {"/tmp"}},
         0,
         "M no /tmp: NOEXEC\n"
         "M go /var/tmp/N\nM run sha256\nagent in /var/tmp/N, mode C\n"},
	{"noexec and full",
         {.noexec = {"/tmp", "/root"}, .full = "/var/tmp"},
         0,
         "M no /tmp: NOEXEC\n"
         "M no /var/tmp: FULL\n"
         "M no /root: NOEXEC\n"
         "M go /dev/shm/N\nM run sha256\nagent in /dev/shm/N, mode C\n"},
	{"no home, from the third place on",
         {.home = "", .noexec = {"/dev/shm"}},
         2,
         "M no HOME: no such folder\n"
         "M no /dev/shm: NOEXEC\n"
         "M go /run/N\nM run sha256\nagent in /run/N, mode C\n"},
	{"home of another name",
         {.home = "/root/a b"},
         2,
         "M no /root/a b: no such folder\n"
         "M go /dev/shm/N\nM run sha256\nagent in /dev/shm/N, mode C\n"},
	{"nothing fits",
         {.noexec = {"/tmp", "/var/tmp", "/root", "/dev/shm", "/run"}},
         3,
         "M no /dev/shm: NOEXEC\n"
         "M no /run: NOEXEC\n"},
};

static void places_that_do_not_fit_are_passed_over(void **state)
{
	struct fixture f = {.line = {0}};

	(void)state;
	if (!shell_has_namespaces())
		skip();
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct shell_run run = refusals[i].run;

		run.input = good_agent;
		run.input_len = sizeof(good_agent) - 1;
		build(&f, good_agent, good_agent, refusals[i].first);
		run.name = f.name;
		shell_run(&shells[0], text_str(&f.line), &run);
		assert_said(&f, refusals[i].what, run.said, refusals[i].said);
		assert_int_equal(run.status, strstr(refusals[i].said, "M run") == NULL);
		assert_int_equal(run.left, 0);
	}
	text_done(&f.line);
}

static void what_came_damaged_is_refused_and_removed(void **state)
{
	const size_t len = sizeof(good_agent) - 1;
	const struct {
		const char *what;
		const char *input;
		const char *summed;
		size_t cut_at;
		const char *says;
	} cases[] = {
		{"cut off", good_agent, good_agent, 20, " no /tmp: upload: 20 of "},
		{"cut off at the last byte", good_agent, good_agent, len - 1, " no /tmp: upload: "},
		{"other bytes", good_agent, "other", 0,
	         " no /tmp: SHA-256 of the upload differs: "},
		{"does not execute", broken_agent, broken_agent, 0,
	         " no /tmp: cannot execute the agent: wrong machine\n"},
	};
	struct fixture f = {.line = {0}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct shell_run run = {.input = cases[i].input,
		                        .input_len = strlen(cases[i].input),
		                        .cut_at = cases[i].cut_at};

		build(&f, cases[i].input, cases[i].summed, 0);
		run.name = f.name;
		shell_run(&shells[0], text_str(&f.line), &run);
		if (strstr(run.said, cases[i].says) == NULL)
			fail_msg("%s said:\n%s", cases[i].what, run.said);
		assert_null(strstr(run.said, "agent in"));
		assert_int_equal(run.status, 1);
		assert_int_equal(run.left, 0);
	}
	text_done(&f.line);
}

static void every_shell_removes_the_folder_when_ended_in_mid_upload(void **state)
{
	static const int signals[] = {0, SIGHUP, SIGTERM, SIGINT};
	struct fixture f = {.line = {0}};

	(void)state;
	for (const struct shell *s = shells; s->name != NULL; s++) {
		if (!shell_is_there(s))
			continue;
		for (size_t i = 0; i < COUNT_OF(signals); i++) {
			struct shell_run run = {.input = good_agent,
			                        .input_len = sizeof(good_agent) - 1,
			                        .cut_at = 30,
			                        .signal = signals[i]};

			build(&f, good_agent, good_agent, 0);
			run.name = f.name;
			shell_run(s, text_str(&f.line), &run);
			if (run.left != 0 || run.status == 0)
				fail_msg("%s, signal %d: status %d, %d left", s->name, signals[i],
				         run.status, run.left);
		}
	}
	text_done(&f.line);
}

/* Nobody can clean up after SIGKILL but a later sweep. */
static void a_sweep_removes_what_a_killed_shell_left(void **state)
{
	struct fixture f = {.line = {0}};
	struct text script = {0};
	struct text line = {0};
	struct shell_run run = {.input = ""};
	struct err err;

	(void)state;
	assert_true(place_name(f.name, &err));
	text_printf(&script, "/tmp/%s", f.name);
	assert_true(place_sweep_command(&line, text_str(&script), 0, &err));
	text_clear(&script);
	/* Two lines: the second one is the sweep, in a shell of its own. */
	text_printf(&script,
	            "mkdir /tmp/%s; echo a >/tmp/%s/vnm-agent; ls -A /tmp | grep -c %s; %s", f.name,
	            f.name, f.name, text_str(&line));
	run.name = f.name;
	shell_run(&shells[0], text_str(&script), &run);
	assert_string_equal(run.said, "1\n");
	assert_int_equal(run.status, 0);
	assert_int_equal(run.left, 0);
	text_done(&script);
	text_done(&line);
	text_done(&f.line);
}

static void a_sweep_ends_the_agent_and_no_other_process(void **state)
{
	struct text sweep = {0};
	struct text script = {0};
	struct shell_run run = {.input = ""};
	struct err err;

	(void)state;
	assert_true(place_sweep_command(&sweep, "/tmp/.vnm-0123456789abcdef", 4711, &err));
	assert_non_null(strstr(text_str(&sweep), "p=4711; "));
	/* The id is not known before: put it in by the shell. One process has the folder in its
	 * arguments, the other has not. */
	text_add(&script,
	         "sh -c \"sleep 5; :\" x --home /tmp/.vnm-0123456789abcdef >/dev/null 2>&1 & "
	         "a=$!; sleep 5 >/dev/null 2>&1 & b=$!; sleep 0.1; ");
	for (int i = 0; i < 2; i++) {
		const char *at = strstr(text_str(&sweep), "4711");

		text_printf(&script, "sh -c '%.*s'$%s'%.*s'; ",
		            (int)(at - sweep.at - (long)strlen("exec /bin/sh -c '")),
		            sweep.at + strlen("exec /bin/sh -c '"), i == 0 ? "a" : "b",
		            (int)(strlen(at + 4) - 1), at + 4);
	}
	text_add(&script, "sleep 0.1; kill -0 $a 2>/dev/null && echo agent lives; "
	                  "kill -0 $b && echo other lives; kill $b");
	shell_run(&shells[0], text_str(&script), &run);
	assert_string_equal(run.said, "other lives\n");
	text_done(&sweep);
	text_done(&script);
}

static void only_folders_of_agents_are_swept(void **state)
{
	static const char *const bad[] = {"",
	                                  "/",
	                                  "/tmp",
	                                  "/tmp/",
	                                  ".vnm-0123456789abcdef",
	                                  "/tmp/.vnm-",
	                                  "/tmp/.vnm-0123456789abcde",
	                                  "/tmp/.vnm-0123456789abcdef/",
	                                  "/tmp/.vnm-0123456789abcdef0",
	                                  "/tmp/$(reboot)/.vnm-0123456789abcdef",
	                                  "/tmp/.vnm-0123456789abcd$x"};
	struct text line = {0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(place_sweep_command(&line, bad[i], 1, &err));
	assert_string_equal(text_str(&line), "");
	text_done(&line);
}

static void names_cannot_be_guessed(void **state)
{
	char a[PLACE_NAME_BYTES];
	char b[PLACE_NAME_BYTES];
	struct err err;

	(void)state;
	assert_true(place_name(a, &err));
	assert_true(place_name(b, &err));
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), strlen(".vnm-") + 16);
	assert_memory_equal(a, ".vnm-", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shell_makes_checks_and_becomes_the_agent),
		cmocka_unit_test(later_input_is_left_for_the_agent),
		cmocka_unit_test(places_that_do_not_fit_are_passed_over),
		cmocka_unit_test(what_came_damaged_is_refused_and_removed),
		cmocka_unit_test(every_shell_removes_the_folder_when_ended_in_mid_upload),
		cmocka_unit_test(a_sweep_removes_what_a_killed_shell_left),
		cmocka_unit_test(a_sweep_ends_the_agent_and_no_other_process),
		cmocka_unit_test(only_folders_of_agents_are_swept),
		cmocka_unit_test(names_cannot_be_guessed),
	};

	return cmocka_run_group_tests_name("hostops/place", tests, NULL, NULL);
}
