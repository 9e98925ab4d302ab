/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/attr.h"
#include "hostops/machine.h"
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
	struct place_agent offered = {.machine = MACHINE_ANY, .size_bytes = strlen(agent)};
	const struct place_agent source = {.size_bytes = 1, .sha256 = "0"}; /* not needed */
	const struct place_request request = {.marker = &f->marker,
	                                      .name = f->name,
	                                      .first = first,
	                                      .agents = &offered,
	                                      .agent_count = 1,
	                                      .source = &source};
	char sha256[SHA256_HEX_BYTES];
	struct err err;

	sha256_of(summed, strlen(summed), sha256);
	offered.sha256 = sha256;
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
	{"end Linux/", "\n", "END\n"},
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
		            "M go 0 /tmp/N\nM run binary sha256\nagent in /tmp/N, mode C\n");
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
	            "M go 0 /tmp/N\nM run binary sha256\nagent in /tmp/N, mode C\nread hello\n");
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
         "M go 0 /var/tmp/N\nM run binary sha256\nagent in /var/tmp/N, mode C\n"},
	{"noexec /tmp",
         {.noexec = {"/tmp"}},
         0,
         "M no /tmp: NOEXEC\n"
         "M go 0 /var/tmp/N\nM run binary sha256\nagent in /var/tmp/N, mode C\n"},
	{"noexec and full",
         {.noexec = {"/tmp", "/root"}, .full = "/var/tmp"},
         0,
         "M no /tmp: NOEXEC\n"
         "M no /var/tmp: FULL\n"
         "M no /root: NOEXEC\n"
         "M go 0 /dev/shm/N\nM run binary sha256\nagent in /dev/shm/N, mode C\n"},
	{"no home, from the third place on",
         {.home = "", .noexec = {"/dev/shm"}},
         2,
         "M no HOME: no such folder\n"
         "M no /dev/shm: NOEXEC\n"
         "M go 0 /run/N\nM run binary sha256\nagent in /run/N, mode C\n"},
	{"home of another name",
         {.home = "/root/a b"},
         2,
         "M no /root/a b: no such folder\n"
         "M go 0 /dev/shm/N\nM run binary sha256\nagent in /dev/shm/N, mode C\n"},
	{"nothing fits",
         {.noexec = {"/tmp", "/var/tmp", "/root", "/dev/shm", "/run"}},
         3,
         "M no /dev/shm: NOEXEC\n"
         "M no /run: NOEXEC\n"
         "M END\n"},
	{"only a pool fits, and a file there is none",
         {.noexec = {"/tmp", "/var/tmp", "/root", "/dev/shm", "/run"}, .pools = "b c"},
         3,
         "M no /dev/shm: NOEXEC\n"
         "M no /run: NOEXEC\n"
         "M go 0 /mnt/b/N\nM run binary sha256\nagent in /mnt/b/N, mode C\n"},
	{"from the second pool on",
         {.pools = "b c"},
         6,
         "M go 0 /mnt/c/N\nM run binary sha256\nagent in /mnt/c/N, mode C\n"},
	{"after the last pool", {.pools = "b c"}, 7, "M END\n"},
	{"a pool that does not execute",
         {.noexec = {"/mnt"}, .pools = "b"},
         5,
         "M no /mnt/b: NOEXEC\n"
         "M END\n"},
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
		{"does not execute", broken_agent, broken_agent, 0, " bad 8 /tmp: wrong machine\n"},
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

/* An agent as a program: says its version, else removes its folder and greets. */
#define SOURCE(first)                                                             \
	"#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n" first    \
	"int main(int argc, char **argv)\n{\n"                                    \
	"	if (argc == 2 && strcmp(argv[1], \"--version\") == 0)\n\t\treturn 0;\n" \
	"	if (argc != 5 || strcmp(argv[1], \"--self\") != 0)\n\t\treturn 9;\n"    \
	"	unlink(argv[2]);\n\treturn printf(\"agent, folder %d\\n\", "            \
	"rmdir(argv[4])) < 0;\n}\n"

static const char *const compilers[] = {"/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"};

/* The command for a host that no agent fits, with this source. */
static void build_source(struct fixture *f, const char *source, const char *summed)
{
	const struct place_agent agents[] = {
		{.machine = "s390x", .size_bytes = 7, .sha256 = "0"},
	};
	char sha256[SHA256_HEX_BYTES];
	const struct place_agent offered = {.size_bytes = strlen(source), .sha256 = sha256};
	const struct place_request request = {.marker = &f->marker,
	                                      .name = f->name,
	                                      .agents = agents,
	                                      .agent_count = COUNT_OF(agents),
	                                      .source = source[0] == '\0' ? NULL : &offered};
	struct err err;

	sha256_of(summed, strlen(summed), sha256);
	assert_true(shell_marker_init(&f->marker, &err));
	assert_true(place_name(f->name, &err));
	text_clear(&f->line);
	assert_true(place_command(&f->line, &request, &err));
}

/* The lines that say only that the compiler works are left out, the sum is S. */
static void tidy_compiled(char *said)
{
	char *wait;
	char *sum;

	while ((wait = strstr(said, "M wait\n")) != NULL)
		memmove(wait, wait + 7, strlen(wait + 7) + 1);
	sum = strstr(said, "compiled ");
	if (sum != NULL && strspn(sum + 9, "0123456789abcdef") == 64)
		memmove(sum + 10, sum + 9 + 64, strlen(sum + 9 + 64) + 1), sum[9] = 'S';
}

static const char good_source[] = SOURCE("");
static const char broken_source[] = SOURCE("#include <not/there.h>\n");
static const struct {
	const char *what, *source, *summed;
	struct shell_run run;
	const char *said; /* up to here */
} sources[] = {
	{"a compiler is there",
         good_source,
         good_source,
         {.input = good_source},
         "M go source /tmp/N\nM run compiled S -\nagent, folder 0\n"},
	{"clang alone",
         good_source,
         good_source,
         {.input = good_source, .hidden = {"/usr/bin/gcc"}},
         "M go source /tmp/N\nM run compiled S -\nagent, folder 0\n"},
	{"no compiler",
         good_source,
         good_source,
         {.input = "", .hidden = {"/usr/bin/gcc", "/usr/bin/clang"}},
         "M none Linux/"},
	{"no source", "", "", {.input = ""}, "M none Linux/"},
	{"it came damaged",
         good_source,
         broken_source,
         {.input = good_source},
         "M go source /tmp/N\nM no /tmp: SHA-256 of the upload differs: "},
	{"a header is missing",
         broken_source,
         broken_source,
         {.input = broken_source},
         "M go source /tmp/N\nM stop cc cannot compile the agent there (status 1): "},
	{"nothing to verify it with",
         good_source,
         good_source,
         {.input = good_source,
          .hidden = {"/usr/bin/sha256sum", "/usr/bin/shasum", "/usr/bin/openssl"}},
         "M go source /tmp/N\nM stop cannot compile the agent there: the host has none "
         "of "},
	{"/tmp is full",
         good_source,
         good_source,
         {.input = good_source, .full = "/tmp"},
         "M no /tmp: FULL\nM go source /var/tmp/N\nM run compiled S -\nagent, folder 0\n"},
};

static void where_no_agent_fits_the_source_is_compiled(void **state)
{
	struct fixture f = {.line = {0}};

	(void)state;
	if (!shell_has_namespaces() || access(compilers[0], X_OK) != 0 ||
	    access(compilers[2], X_OK) != 0)
		skip();
	for (size_t i = 0; i < COUNT_OF(sources); i++) {
		struct shell_run run = sources[i].run;
		bool is_up = strstr(sources[i].said, "agent, ") != NULL;
		struct text said = {0};

		run.input_len = strlen(run.input);
		build_source(&f, sources[i].source, sources[i].summed);
		run.name = f.name;
		shell_run(&shells[0], text_str(&f.line), &run);
		for (const char *at = run.said; *at != '\0';)
			at = add_said(&f, at, &said);
		text_add(&said, "");
		tidy_compiled(said.at);
		if (strncmp(said.at, sources[i].said, strlen(sources[i].said)) != 0 ||
		    (is_up && strlen(said.at) != strlen(sources[i].said)))
			fail_msg("%s said:\n%s\ninstead of:\n%s", sources[i].what, said.at,
			         sources[i].said);
		assert_int_equal(run.status, is_up ? 0 : 1);
		assert_int_equal(run.left, 0);
		text_done(&said);
	}
	text_done(&f.line);
}

/* Whatever /bin/sh is there. */
static void every_sh_checks_compiles_and_cleans_up(void **state)
{
	static const char *const shs[] = {"/bin/bash", "/bin/busybox", "/bin/mksh", "/bin/ksh"};
	static const char good[] = SOURCE("");
	struct fixture f = {.line = {0}};

	(void)state;
	if (!shell_has_namespaces())
		skip();
	for (size_t i = 0; i < COUNT_OF(shs); i++) {
		struct shell_run run = {
			.input = good_agent, .input_len = sizeof(good_agent) - 1, .sh = shs[i]};

		if (access(shs[i], X_OK) != 0)
			continue;
		build(&f, good_agent, good_agent, 0);
		run.name = f.name;
		shell_run(&shells[0], text_str(&f.line), &run);
		assert_said(&f, shs[i], run.said,
		            "M go 0 /tmp/N\nM run binary sha256\nagent in /tmp/N, mode C\n");
		assert_int_equal(run.left, 0);
		if (access(compilers[0], X_OK) != 0)
			continue;
		run.input = good;
		run.input_len = sizeof(good) - 1;
		build_source(&f, good, good);
		run.name = f.name;
		shell_run(&shells[0], text_str(&f.line), &run);
		if (strstr(run.said, "agent, folder 0\n") == NULL || run.left != 0)
			fail_msg("%s said:\n%s", shs[i], run.said);
	}
	text_done(&f.line);
}

static void what_go_says_is_read(void **state)
{
	static const struct {
		const char *said;
		size_t agent; /* 99: refused */
		const char *folder;
	} cases[] = {
		{"0 /tmp/x", 0, "/tmp/x"},
		{"2 /a b/c", 2, "/a b/c"},
		{"source /run/x", PLACE_SOURCE, "/run/x"},
		{"3 /tmp/x", 99, ""},
		{"99999999999999999999999 /tmp/x", 99, ""},
		{"-1 /tmp/x", 99, ""},
		{"/tmp/x", 99, ""},
		{"source", 99, ""},
		{"1", 99, ""},
		{"", 99, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *folder = "";
		size_t agent = 99;

		assert_int_equal(place_read_go(cases[i].said, 3, &agent, &folder),
		                 cases[i].agent != 99);
		assert_int_equal(agent, cases[i].agent);
		assert_string_equal(folder, cases[i].folder);
	}
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
		cmocka_unit_test(where_no_agent_fits_the_source_is_compiled),
		cmocka_unit_test(every_sh_checks_compiles_and_cleans_up),
		cmocka_unit_test(what_go_says_is_read),
		cmocka_unit_test(every_shell_removes_the_folder_when_ended_in_mid_upload),
		cmocka_unit_test(a_sweep_removes_what_a_killed_shell_left),
		cmocka_unit_test(a_sweep_ends_the_agent_and_no_other_process),
		cmocka_unit_test(only_folders_of_agents_are_swept),
		cmocka_unit_test(names_cannot_be_guessed),
	};

	return cmocka_run_group_tests_name("hostops/place", tests, NULL, NULL);
}
