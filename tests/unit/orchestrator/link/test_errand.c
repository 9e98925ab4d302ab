/* SPDX-License-Identifier: MIT */
/* Commands without an agent, run by a shell of this machine: ask.c and errand.c. */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "common/clock.h"
#include "link/link.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/link/transport_process.h"

struct lab {
	struct link_set *set;
	struct shell_marker marker;
};

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
		fail_msg("event %d instead of %d: %s", (int)event.kind, (int)kind,
		         event.kind == LINK_DOWN ? event.err.msg : event.line);
	return event;
}

static void start(struct lab *lab, const char *address)
{
	const struct link_target target = {.name = "esx1", .address = address};
	const struct link_options options = {.is_errand = true, .connect_ms = 20000};
	struct err err;

	lab->set = link_set_new_over(process_open, &target, 1, &options, &err);
	assert_non_null(lab->set);
	assert_true(shell_marker_init(&lab->marker, &err));
	link_connect(lab->set, 0);
}

static void run(struct lab *lab, const char *commands)
{
	struct text script = {0};
	struct text line = {0};
	struct err err;

	shell_marker_define(&script, &lab->marker);
	text_add(&script, commands);
	assert_true(shell_command(&line, text_str(&script), &err));
	link_run(lab->set, 0, text_str(&line), &lab->marker);
	text_done(&script);
	text_done(&line);
}

static void end(struct lab *lab)
{
	uint64_t start_ns = clock_now_ns();

	link_set_free(lab->set);
	assert_in_range((clock_now_ns() - start_ns) / CLOCK_NS_PER_MS, 0, 3500);
}

static void marked_lines_come_and_then_the_end(void **state)
{
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, "here");
	event = expect(&lab, LINK_UP);
	assert_string_equal(event.info.login, "key /k");
	assert_string_equal(event.info.folder, ""); /* nothing was put there */
	run(&lab, "echo noise; echo \"$m one\"; echo $m; echo \" $m no\"; echo \"$m two words\"; "
	          "exit 3");
	assert_string_equal(expect(&lab, LINK_LINE).line, "one");
	assert_string_equal(expect(&lab, LINK_LINE).line, "two words");
	(void)expect(&lab, LINK_RAN);
	end(&lab);
}

/* Also at once after the one before, when the session has not looked for a wake yet. */
static void one_command_follows_another(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, "here");
	(void)expect(&lab, LINK_UP);
	for (int i = 0; i < 50; i++) {
		char expected[16];
		char commands[32];

		(void)snprintf(commands, sizeof(commands), "echo \"$m n %d\"", i);
		(void)snprintf(expected, sizeof(expected), "n %d", i);
		run(&lab, commands);
		assert_string_equal(expect(&lab, LINK_LINE).line, expected);
		(void)expect(&lab, LINK_RAN);
	}
	end(&lab);
}

static void the_input_of_a_command_is_empty(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, "here");
	(void)expect(&lab, LINK_UP);
	run(&lab, "read -r x; echo \"$m read $? $x\"");
	assert_string_equal(expect(&lab, LINK_LINE).line, "read 1 ");
	(void)expect(&lab, LINK_RAN);
	end(&lab);
}

static void long_lines_are_cut_and_control_characters_dropped(void **state)
{
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, "here");
	(void)expect(&lab, LINK_UP);
	run(&lab, "printf \"%s %s\" $m $(head -c 2000 /dev/zero | tr \"[:cntrl:]\" x); echo; "
	          "printf \"%s a%cb\" $m $(echo | tr \"[:cntrl:]\" -); echo");
	event = expect(&lab, LINK_LINE);
	assert_in_range(strlen(event.line), 400, LINK_LINE_BYTES - 1);
	assert_int_equal(strspn(event.line, "x"), strlen(event.line));
	assert_string_equal(expect(&lab, LINK_LINE).line, "a-b");
	(void)expect(&lab, LINK_RAN);
	end(&lab);
}

static void a_host_that_refuses_is_told_once(void **state)
{
	struct link_event event;
	struct lab lab;

	(void)state;
	start(&lab, "refused");
	event = expect(&lab, LINK_DOWN);
	assert_non_null(strstr(event.err.msg, "esx1: "));
	run(&lab, "echo \"$m never\""); /* lost silently */
	assert_false(link_next(lab.set, clock_now_ns() + 50 * CLOCK_NS_PER_MS, -1, &event));
	end(&lab);
}

static void a_command_that_runs_is_given_up_at_the_end(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, "here");
	(void)expect(&lab, LINK_UP);
	run(&lab, "echo \"$m begun\"; sleep 30");
	assert_string_equal(expect(&lab, LINK_LINE).line, "begun");
	end(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_lines_come_and_then_the_end),
		cmocka_unit_test(one_command_follows_another),
		cmocka_unit_test(the_input_of_a_command_is_empty),
		cmocka_unit_test(long_lines_are_cut_and_control_characters_dropped),
		cmocka_unit_test(a_host_that_refuses_is_told_once),
		cmocka_unit_test(a_command_that_runs_is_given_up_at_the_end),
	};

	return cmocka_run_group_tests_name("link/errand", tests, NULL, NULL);
}
