/* SPDX-License-Identifier: MIT */
#include "hostops/undo.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

static void what_a_host_says_is_read(void **state)
{
	struct undo_said said = {.privilege = PRIVILEGE_UNKNOWN};
	char longest[UNDO_VALUE_BYTES + 20] = "value ";

	(void)state;
	undo_read(&said, "login sudo");
	undo_read(&said, "boot 1f2e-3d");
	undo_read(&said, "value 1500");
	undo_read(&said, "status 2 RTNETLINK answers: Operation not permitted");
	assert_int_equal(said.privilege, PRIVILEGE_SUDO);
	assert_string_equal(said.boot_id, "1f2e-3d");
	assert_true(said.has_value && said.has_status);
	assert_string_equal(said.value, "1500");
	assert_string_equal(said.text, "RTNETLINK answers: Operation not permitted");
	undo_said_clear(&said);
	assert_false(said.has_value || said.has_status);
	assert_string_equal(said.boot_id, "1f2e-3d"); /* stays */
	undo_read(&said, "status 0");
	assert_true(said.has_status);
	assert_string_equal(said.text, "");
	/* Not known, in whatever way. */
	undo_read(&said, "value");
	undo_read(&said, "value ");
	undo_read(&said, "value unknown");
	undo_read(&said, "values 1500");
	memset(longest + 6, '9', UNDO_VALUE_BYTES);
	undo_read(&said, longest);
	assert_false(said.has_value);
	undo_read(&said, "boot");
	assert_string_equal(said.boot_id, "");
	undo_read(&said, "");
	undo_read(&said, "nonsense");
}

/* Runs the line with the shell and reads what it says. */
static void run_with(const struct shell *s, const struct text *line,
                     const struct shell_marker *marker, struct undo_said *said)
{
	static struct shell_run run;
	char *at = run.said;

	memset(&run, 0, sizeof(run));
	run.input = "";
	shell_run(s, text_str(line), &run);
	while (*at != '\0') {
		size_t len = strcspn(at, "\n");
		const char *marked;
		bool is_last = at[len] == '\0';

		at[len] = '\0';
		marked = shell_marker_read(marker, at);
		if (marked != NULL)
			undo_read(said, marked);
		at += len + !is_last;
	}
}

static void every_shell_probes_looks_and_puts_back(void **state)
{
	static const char read[] = "cat /tmp/vnm-undo-value";
	static const char back[] =
		"echo 1500 >/tmp/vnm-undo-value; echo some \"words of\"; echo \"it\" >&2; false";
	struct shell_marker marker;
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&marker, &err));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct undo_said said = {.privilege = PRIVILEGE_UNKNOWN};
		struct text line = {0};
		struct text text = {0};

		if (!shell_is_there(s) || !shell_has_namespaces())
			continue;
		assert_true(undo_probe_command(&line, &marker, &err));
		run_with(s, &line, &marker, &said);
		if (said.privilege != PRIVILEGE_ROOT || strlen(said.boot_id) != 36)
			fail_msg("%s: privilege %d, boot '%s'", s->name, (int)said.privilege,
			         said.boot_id);
		text_clear(&line);
		assert_true(undo_look_command(&line, &marker, read, &err));
		run_with(s, &line, &marker, &said);
		assert_false(said.has_value); /* the folder is private: there is no such file */
		text_clear(&line);
		assert_true(undo_look_command(&line, &marker, "echo 9000; echo \"*\"", &err));
		run_with(s, &line, &marker, &said);
		assert_string_equal(said.value, "9000 *");
		undo_said_clear(&said);
		text_clear(&line);
		shell_marker_define(&text, &marker);
		undo_add_restore(&text, read, back);
		assert_true(privilege_command(&line, said.privilege, text_str(&text), &err));
		run_with(s, &line, &marker, &said);
		if (!said.has_status || strcmp(said.text, "some words of it") != 0 ||
		    strcmp(said.value, "1500") != 0)
			fail_msg("%s: '%s', value '%s'", s->name, said.text, said.value);
		text_done(&text);
		text_done(&line);
	}
}

static void what_not_every_shell_hands_on_is_refused(void **state)
{
	static const char *const bad[] = {"echo 'x'", "echo a\\b", "echo !x", "echo a\necho b"};
	struct shell_marker marker;
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&marker, &err));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(undo_look_command(&line, &marker, bad[i], &err));
	assert_true(undo_look_command(&line, &marker, "echo 1", &err));
	text_done(&line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_host_says_is_read),
		cmocka_unit_test(every_shell_probes_looks_and_puts_back),
		cmocka_unit_test(what_not_every_shell_hands_on_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
