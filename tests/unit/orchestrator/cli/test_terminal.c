/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "common/attr.h"
#include "tests/support/test.h"

static void colour_is_for_terminals_that_did_not_refuse_it(void **state)
{
	static const struct {
		bool is_tty;
		const char *no_color, *term;
		bool has_colour;
	} cases[] = {
		{true, NULL, "xterm", true}, {true, "", "xterm", true}, /* empty is as not set */
		{true, "1", "xterm", false}, {true, "0", "xterm", false},
		{true, NULL, "dumb", false}, {true, NULL, "", false},
		{true, NULL, NULL, false},   {false, NULL, "xterm", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct terminal_env env = {.no_color = cases[i].no_color, .term = cases[i].term};

		if (terminal_wants_colour(cases[i].is_tty, &env) != cases[i].has_colour)
			fail_msg("row %zu", i);
	}
}

static void a_file_is_no_terminal_and_has_no_width(void **state)
{
	struct terminal_env env = {.term = "xterm"};
	int fd = open("/dev/null", O_WRONLY);
	struct terminal t;

	(void)state;
	assert_true(fd >= 0);
	t = terminal_detect(fd, &env);
	assert_false(t.is_tty);
	assert_false(t.has_colour);
	assert_int_equal(t.width, 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colour_is_for_terminals_that_did_not_refuse_it),
		cmocka_unit_test(a_file_is_no_terminal_and_has_no_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
