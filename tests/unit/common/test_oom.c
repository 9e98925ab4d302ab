/* SPDX-License-Identifier: MIT */
#include "common/oom.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/support/child.h"
#include "tests/support/test.h"

static void leave_a_mark(void)
{
	(void)!write(STDERR_FILENO, "handler\n", 8);
}

static void run_out(void *arg)
{
	(void)arg;
	(void)atexit(leave_a_mark);
	oom_end();
}

static void run_out_without_stderr(void *arg)
{
	(void)arg;
	(void)close(STDERR_FILENO);
	oom_end();
}

static void the_program_ends_with_a_message_and_runs_no_handler(void **state)
{
	char said[64];

	(void)state;
	assert_int_equal(child_run(run_out, NULL, said, sizeof(said)), OOM_EXIT_CODE);
	assert_string_equal(said, "vnm: out of memory\n");
}

static void the_exit_code_does_not_depend_on_the_message(void **state)
{
	char said[64];

	(void)state;
	assert_int_equal(child_run(run_out_without_stderr, NULL, said, sizeof(said)),
	                 OOM_EXIT_CODE);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_ends_with_a_message_and_runs_no_handler),
		cmocka_unit_test(the_exit_code_does_not_depend_on_the_message),
	};

	return cmocka_run_group_tests_name("common/oom", tests, NULL, NULL);
}
