/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/shell.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

static void the_command_is_one_quoted_script(void **state)
{
	struct text out = {0};
	struct err err;

	(void)state;
	assert_true(shell_command(&out, "echo \"$HOME\"; exit 3", &err));
	assert_string_equal(text_str(&out), "exec /bin/sh -c 'echo \"$HOME\"; exit 3'");
	text_done(&out);
}

static void what_shells_read_differently_is_refused(void **state)
{
	static const struct {
		const char *script;
		const char *why;
	} cases[] = {
		{"echo 'a'", "a remote command may not hold the character 0x27"},
		{"echo a\\b", "a remote command may not hold the character 0x5c"},
		{"if ! true", "a remote command may not hold the character 0x21"},
		{"a\nb", "a remote command may not hold the character 0x0a"},
		{"a\tb", "a remote command may not hold the character 0x09"},
		{"a\177", "a remote command may not hold the character 0x7f"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text out = {0};
		struct err err;

		assert_false(shell_command(&out, cases[i].script, &err));
		assert_string_equal(err.msg, cases[i].why);
		assert_string_equal(text_str(&out), "");
		text_done(&out);
	}
}

static void words_with_a_meaning_are_refused(void **state)
{
	static const char *const bad[] = {"$HOME", "`id`", "a\"b", "a'b", "a\\b", "a!b", "a\nb"};
	struct text out = {0};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(shell_word(&out, bad[i], &err));
	assert_string_equal(err.msg, "'a b' holds the character 0x0a, which a shell would read");
	assert_string_equal(text_str(&out), "");
	text_done(&out);
}

/* Every login shell hands every such word on unchanged. */
static void words_come_through_every_shell(void **state)
{
	static const char *const words[] = {"",        "plain",    "two words", "  edges  ",
	                                    "a;b|c&d", "*?[a]",    "~root",     "#no",
	                                    "a=b",     "%d %s",    "<>(){}",    "^a^b^",
	                                    "-n",      "\xc3\xa4", "@,:+./_",   "{a,b}"};

	(void)state;
	for (const struct shell *s = shells; s->name != NULL; s++) {
		if (!shell_is_there(s))
			continue;
		for (size_t i = 0; i < COUNT_OF(words); i++) {
			struct shell_run run = {.input = ""};
			struct text script = {0};
			struct text line = {0};
			char expected[64];
			struct err err;

			text_add(&script, "printf [%s] ");
			assert_true(shell_word(&script, words[i], &err));
			assert_true(shell_command(&line, text_str(&script), &err));
			shell_run(s, text_str(&line), &run);
			(void)snprintf(expected, sizeof(expected), "[%s]", words[i]);
			if (strcmp(run.said, expected) != 0)
				fail_msg("%s: '%s' became %s", s->name, words[i], run.said);
			text_done(&script);
			text_done(&line);
		}
	}
}

static void marked_lines_are_found_and_the_command_line_holds_none(void **state)
{
	struct shell_marker marker;
	struct shell_run run = {.input = ""};
	struct text script = {0};
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&marker, &err));
	shell_marker_define(&script, &marker);
	text_add(&script, "echo noise; echo \"$m found me\"");
	assert_true(shell_command(&line, text_str(&script), &err));
	assert_null(strstr(text_str(&line), marker.text));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		const char *second;

		if (!shell_is_there(s))
			continue;
		shell_run(s, text_str(&line), &run);
		second = strchr(run.said, '\n');
		assert_non_null(second);
		assert_null(shell_marker_read(&marker, run.said));
		assert_non_null(shell_marker_read(&marker, second + 1));
		assert_string_equal(shell_marker_read(&marker, second + 1), "found me\n");
		assert_int_equal(run.status, 0);
	}
	text_done(&script);
	text_done(&line);
}

static void markers_differ_and_are_matched_whole(void **state)
{
	struct shell_marker a;
	struct shell_marker b;
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&a, &err));
	assert_true(shell_marker_init(&b, &err));
	assert_int_equal(strlen(a.text), 32);
	assert_string_not_equal(a.text, b.text);
	assert_null(shell_marker_read(&a, b.text));
	assert_null(shell_marker_read(&a, a.text)); /* no blank after it */
	assert_null(shell_marker_read(&a, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_is_one_quoted_script),
		cmocka_unit_test(what_shells_read_differently_is_refused),
		cmocka_unit_test(words_with_a_meaning_are_refused),
		cmocka_unit_test(words_come_through_every_shell),
		cmocka_unit_test(marked_lines_are_found_and_the_command_line_holds_none),
		cmocka_unit_test(markers_differ_and_are_matched_whole),
	};

	return cmocka_run_group_tests_name("hostops/shell", tests, NULL, NULL);
}
