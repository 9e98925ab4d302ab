/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/guardian.h"
#include "hostops/privilege.h"
#include "hostops/shell.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

#define TOKEN      "00112233445566778899aabbccddeeff"
#define LONG_TOKEN "00112233445566778899aabbccddeeff0"

static const struct guardian_undo good_undo = {.number = 1,
                                               .what = "eth1 mtu",
                                               .look = "cat /run/mtu",
                                               .before = "1500",
                                               .wanted = "9000 8000",
                                               .back = "echo 1500 >/run/mtu"};
static const struct guardian_arm good_arm = {.dead_man_s = 30, .agent_pid = 77, .owner = "me"};

static void tokens_are_not_alike(void **state)
{
	char a[GUARDIAN_TOKEN_BYTES];
	char b[GUARDIAN_TOKEN_BYTES];
	struct err err;

	(void)state;
	assert_true(guardian_token(a, &err) && guardian_token(b, &err));
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_int_equal(strlen(b), 32);
	assert_string_not_equal(a, b);
}

static void the_script_comes_without_its_comments(void **state)
{
	struct text text = {0};
	struct err err;

	(void)state;
	assert_true(guardian_begin(&text, NULL, &err));
	assert_memory_equal(text_str(&text), "D=\n", 3);
	assert_non_null(strstr(text_str(&text), "\nguard_watch() {\n"));
	assert_non_null(strstr(text_str(&text), "\nread -r _ _ who _\n"));
	assert_null(strstr(text_str(&text), "\n#"));
	assert_null(strstr(text_str(&text), "\t#"));
	assert_null(strstr(text_str(&text), "\n\n"));
	text_clear(&text);
	assert_true(guardian_begin(&text, "/run/vnm-guard", &err));
	assert_memory_equal(text_str(&text), "D='/run/vnm-guard'\n", 19);
	assert_false(guardian_begin(&text, "run/vnm-guard", &err));
	assert_string_equal(err.msg, "guardian: 'run/vnm-guard' is no folder of one");
	assert_false(guardian_begin(&text, "/run/a b", &err));
	assert_false(guardian_begin(&text, "/run/a\nb", &err));
	text_done(&text);
}

static void requests_are_lines_of_their_own(void **state)
{
	struct text text = {0};
	const char *at;
	struct guardian_arm arm = good_arm;
	struct err err;
	char end[32];

	(void)state;
	arm.owner = "vnm run 'a' of $me";
	assert_true(guardian_add_arm(&text, TOKEN, &arm, &err));
	assert_string_equal(text_str(&text),
	                    "guard_arm " TOKEN " 30 15 \"${SUDO_UID:-$(id -u)}\" 77 "
	                    "'vnm run '\\''a'\\'' of $me'\n");
	text_clear(&text);
	arm.dead_man_s = 10; /* the grace is never longer */
	arm.agent_pid = 0;
	assert_true(guardian_add_arm(&text, TOKEN, &arm, &err));
	assert_non_null(strstr(text_str(&text), " 10 10 \"${SUDO_UID:-$(id -u)}\" 0 '"));
	text_clear(&text);
	assert_true(guardian_add_beat(&text, TOKEN, 7, &err) &&
	            guardian_add_renew(&text, TOKEN, 78, &err) &&
	            guardian_add_restore(&text, TOKEN, &err) &&
	            guardian_add_end(&text, TOKEN, &err));
	guardian_add_state(&text);
	assert_string_equal(text_str(&text), "guard_beat " TOKEN " 7\n"
	                                     "guard_renew " TOKEN " \"${SUDO_UID:-$(id -u)}\" 78\n"
	                                     "guard_restore " TOKEN "\n"
	                                     "guard_end " TOKEN "\n"
	                                     "guard_state\n");
	text_clear(&text);
	assert_true(guardian_add_keep(&text, TOKEN, &good_undo, &err));
	at = text_str(&text);
	assert_int_equal(sscanf(at, "guard_keep " TOKEN " 1 <<'%31[A-Z0-9a-f]'", end), 1);
	at = strchr(at, '\n') + 1;
	assert_memory_equal(
		at, "eth1 mtu\ncat /run/mtu\n1500\n9000 8000\necho 1500 >/run/mtu\nEND",
		strlen("eth1 mtu\ncat /run/mtu\n1500\n9000 8000\necho 1500 >/run/mtu\n"));
	at = strstr(at, "\nEND") + 1;
	assert_memory_equal(at, end, strlen(end));
	assert_string_equal(at + strlen(end), "\n");
	text_done(&text);
}

static void what_could_break_a_text_is_refused(void **state)
{
	static const struct {
		size_t line;
		const char *value;
		const char *why;
	} undos[] = {
		{0, "", "the name '' is empty"},        {0, "a\nb", "holds the character 0x0a"},
		{1, "cat x\r", "the line that looks"},  {2, " 1500", "the value before"},
		{2, "1500 ", "the value before"},       {3, "\x7f", "the values asked for"},
		{4, "\x1b[2J", "the line that undoes"},
	};
	static const char *const tokens[] = {"", "abc", LONG_TOKEN,
	                                     "00112233445566778899aabbccddeefg",
	                                     "00112233445566778899AABBCCDDEEFF"};
	struct guardian_arm arm = good_arm;
	struct guardian_undo undo = good_undo;
	const char **const members[] = {&undo.what, &undo.look, &undo.before, &undo.wanted,
	                                &undo.back};
	struct text text = {0};
	char long_owner[300];
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(undos); i++) {
		undo = good_undo;
		*members[undos[i].line] = undos[i].value;
		assert_false(guardian_add_keep(&text, TOKEN, &undo, &err));
		if (strstr(err.msg, undos[i].why) == NULL)
			fail_msg("%zu: %s", i, err.msg);
	}
	undo = good_undo;
	undo.number = 0;
	assert_false(guardian_add_keep(&text, TOKEN, &undo, &err));
	undo.number = GUARDIAN_UNDOS_MAX + 1;
	assert_false(guardian_add_keep(&text, TOKEN, &undo, &err));
	assert_string_equal(err.msg, "guardian: undo 100: 1 to 99");
	for (size_t i = 0; i < COUNT_OF(tokens); i++) {
		assert_false(guardian_add_keep(&text, tokens[i], &good_undo, &err));
		assert_false(guardian_add_arm(&text, tokens[i], &good_arm, &err));
		assert_false(guardian_add_beat(&text, tokens[i], 1, &err));
		assert_false(guardian_add_renew(&text, tokens[i], 1, &err));
		assert_false(guardian_add_restore(&text, tokens[i], &err));
		assert_false(guardian_add_end(&text, tokens[i], &err));
	}
	arm.dead_man_s = 0;
	assert_false(guardian_add_arm(&text, TOKEN, &arm, &err));
	arm.dead_man_s = 3601;
	assert_false(guardian_add_arm(&text, TOKEN, &arm, &err));
	assert_string_equal(err.msg, "guardian: a dead man of 3601 s: 1 to 3600");
	arm = good_arm;
	memset(long_owner, 'x', sizeof(long_owner));
	long_owner[GUARDIAN_OWNER_BYTES] = '\0';
	arm.owner = long_owner;
	assert_false(guardian_add_arm(&text, TOKEN, &arm, &err));
	assert_int_equal(text.len, 0); /* nothing of what was refused is in the text */
	text_done(&text);
}

static const struct {
	const char *line;
	enum guardian_word word; /* GUARDIAN_WORD_COUNT: none of the guardian's */
	unsigned number;
	const char *text; /* or the folder */
	const char *boot;
} lines[] = {
	{"guard armed /run/vnm-guard 0f8a-11", GUARDIAN_ARMED, 0, "/run/vnm-guard", "0f8a-11"},
	{"guard armed /run/vnm-guard ", GUARDIAN_ARMED, 0, "/run/vnm-guard", ""},
	{"guard armed /run/vnm-guard", GUARDIAN_ARMED, 0, "/run/vnm-guard", ""},
	{"guard armed run x", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard armed", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard busy vnm on a, since ten", GUARDIAN_BUSY, 0, "vnm on a, since ten", ""},
	{"guard busy ", GUARDIAN_BUSY, 0, "", ""},
	{"guard refused mkdir: no", GUARDIAN_REFUSED, 0, "mkdir: no", ""},
	{"guard kept 7", GUARDIAN_KEPT, 7, "", ""},
	{"guard kept 99", GUARDIAN_KEPT, 99, "", ""},
	{"guard kept 100", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard kept 0", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard kept 7 of them", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard kept seven", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard kept 4294967297", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard kept", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard alive", GUARDIAN_ALIVE, 0, "", ""},
	{"guard fired no sign of life for 3 s", GUARDIAN_FIRED, 0, "no sign of life for 3 s", ""},
	{"guard stranger", GUARDIAN_STRANGER, 0, "", ""},
	{"guard strangers", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard gone", GUARDIAN_GONE, 0, "", ""},
	{"guard gone away", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard same 2 tso is on", GUARDIAN_SAME, 2, "tso is on", ""},
	{"guard restored 1 mtu 9000 to 1500", GUARDIAN_RESTORED, 1, "mtu 9000 to 1500", ""},
	{"guard foreign 1 mtu is 4000, which", GUARDIAN_FOREIGN, 1, "mtu is 4000, which", ""},
	{"guard failed 3 - its entry is damaged: ", GUARDIAN_FAILED, 3,
         "- its entry is damaged: ", ""},
	{"guard clean", GUARDIAN_CLEAN, 0, "", ""},
	{"guard left 2", GUARDIAN_LEFT, 2, "", ""},
	{"guard left something", GUARDIAN_LEFT, 0, "", ""},
	{"guard ended", GUARDIAN_ENDED, 0, "", ""},
	{"guard watching me", GUARDIAN_WATCHING, 0, "me", ""},
	{"guard dead me", GUARDIAN_DEAD, 0, "me", ""},
	{"guard holds 12 eth1 mtu", GUARDIAN_HOLDS, 12, "eth1 mtu", ""},
	{"guard holds 12", GUARDIAN_HOLDS, 12, "", ""},
	{"guard none", GUARDIAN_NONE, 0, "", ""},
	{"guard", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard ", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guard dance", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"guards none", GUARDIAN_WORD_COUNT, 0, "", ""},
	{"", GUARDIAN_WORD_COUNT, 0, "", ""},
};

static void what_it_answers_is_understood(void **state)
{
	bool seen[GUARDIAN_WORD_COUNT] = {false};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct guardian_said said;
		bool ok = guardian_read(lines[i].line, &said);
		const char *text = said.word == GUARDIAN_ARMED ? said.folder : said.text;

		if (ok != (lines[i].word != GUARDIAN_WORD_COUNT))
			fail_msg("'%s' is %s", lines[i].line, ok ? "read" : "refused");
		if (!ok)
			continue;
		if (said.word != lines[i].word || said.number != lines[i].number ||
		    strcmp(text, lines[i].text) != 0 || strcmp(said.boot, lines[i].boot) != 0)
			fail_msg("'%s' is %d %u '%s' '%s'", lines[i].line, (int)said.word,
			         said.number, text, said.boot);
		seen[said.word] = true;
	}
	for (int i = 0; i < GUARDIAN_WORD_COUNT; i++)
		assert_true(seen[i]);
}

/* All that the host says, a letter each: an upper-case one is the word's. */
static void read_all(char *said, const char *marker, char *words, size_t room)
{
	size_t count = 0;

	for (char *line = strtok(said, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		struct guardian_said one;

		if (strncmp(line, marker, strlen(marker)) != 0)
			continue;
		if (!guardian_read(line + strlen(marker) + 1, &one))
			fail_msg("not understood: %s", line);
		assert_true(count + 1 < room);
		words[count++] = (char)('A' + (int)one.word);
	}
	words[count] = '\0';
}

static void expect_words(const char *name, const char *words, const enum guardian_word *wanted,
                         size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (words[i] != (char)('A' + (int)wanted[i]))
			fail_msg("%s: answer %zu is not %d: %s", name, i + 1, (int)wanted[i],
			         words);
	}
	assert_int_equal(strlen(words), count);
}

/* From a login shell to a guardian and back, all that is asked for in one text. */
static void every_shell_hands_a_text_on(void **state)
{
	static const enum guardian_word wanted[] = {
		GUARDIAN_ARMED,    GUARDIAN_KEPT, GUARDIAN_KEPT,  GUARDIAN_ALIVE, GUARDIAN_LEFT,
		GUARDIAN_RESTORED, GUARDIAN_SAME, GUARDIAN_CLEAN, GUARDIAN_ENDED, GUARDIAN_NONE};
	static const char odd[] = "it's a \"mark\" of $HOME `id` \\n !";
	struct guardian_undo second = good_undo;
	struct guardian_arm arm = good_arm;
	struct shell_marker marker;
	struct text script = {0};
	struct text line = {0};
	struct text text = {0};
	struct err err;

	(void)state;
	if (!shell_has_namespaces())
		skip(); /* /run is the machine's own */
	arm.owner = odd;
	arm.agent_pid = 0;
	second.number = 2;
	second.look = "printf '%s\\n' \"$(cat /run/mtu)\"";
	assert_true(shell_marker_init(&marker, &err));
	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, &marker);
	text_add(&script, "eval \"$(cat)\"");
	assert_true(privilege_command(&line, PRIVILEGE_ROOT, text_str(&script), &err));
	text_add(&text, "echo 1500 >/run/mtu\n");
	assert_true(guardian_begin(&text, NULL, &err) &&
	            guardian_add_arm(&text, TOKEN, &arm, &err) &&
	            guardian_add_keep(&text, TOKEN, &good_undo, &err) &&
	            guardian_add_keep(&text, TOKEN, &second, &err) &&
	            guardian_add_beat(&text, TOKEN, 1, &err));
	text_add(&text, "echo 8000 >/run/mtu\n");
	assert_true(guardian_add_end(&text, TOKEN, &err) &&
	            guardian_add_restore(&text, TOKEN, &err));
	text_add(&text, "cat /run/mtu; cat /run/vnm-guard/owner\n");
	assert_true(guardian_add_end(&text, TOKEN, &err));
	guardian_add_state(&text);
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = text_str(&text), .input_len = text.len};
		char words[32];

		if (!shell_is_there(s))
			continue;
		shell_run(s, text_str(&line), &run);
		if (strstr(run.said, odd) == NULL || strstr(run.said, "\n1500\n") == NULL)
			fail_msg("%s: %s", s->name, run.said);
		read_all(run.said, marker.text, words, sizeof(words));
		expect_words(s->name, words, wanted, COUNT_OF(wanted));
	}
	text_done(&script);
	text_done(&line);
	text_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_not_alike),
		cmocka_unit_test(the_script_comes_without_its_comments),
		cmocka_unit_test(requests_are_lines_of_their_own),
		cmocka_unit_test(what_could_break_a_text_is_refused),
		cmocka_unit_test(what_it_answers_is_understood),
		cmocka_unit_test(every_shell_hands_a_text_on),
	};

	return cmocka_run_group_tests_name("hostops/guardian", tests, NULL, NULL);
}
