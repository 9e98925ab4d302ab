/* SPDX-License-Identifier: MIT */
#include "cli/exit_code.h"
#include "tests/support/test.h"

static void every_kind_of_error_has_its_exit_code(void **state)
{
	static const struct {
		enum err_kind kind;
		int code;
	} cases[] = {
		{ERR_NONE, 0},    {ERR_USAGE, 1},  {ERR_INPUT, 1},       {ERR_REMOTE, 4},
		{ERR_TIMEOUT, 4}, {ERR_SYSTEM, 6}, {ERR_CANCELLED, 130},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(exit_code_of(cases[i].kind), cases[i].code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_error_has_its_exit_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
