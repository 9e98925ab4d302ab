/* SPDX-License-Identifier: MIT */
#include "measure/files.h"
#include "tests/support/test.h"

static const struct request request = {.streams = 128};

static struct rlimit files_now(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	return limit;
}

static void a_soft_limit_is_raised_as_far_as_needed(void **state)
{
	struct rlimit limit = {.rlim_cur = 64, .rlim_max = 200};
	struct failure f;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(files_reserve(&request, 64, &f));
	assert_int_equal(files_now().rlim_cur, 64); /* it was enough */
	assert_true(files_reserve(&request, 65, &f));
	assert_int_equal(files_now().rlim_cur, 65);
	assert_true(files_reserve(&request, 200, &f));
	assert_int_equal(files_now().rlim_cur, 200);
}

static void more_than_the_hard_limit_is_refused(void **state)
{
	struct rlimit limit = {.rlim_cur = 64, .rlim_max = 200};
	struct failure f;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_false(files_reserve(&request, 201, &f));
	assert_int_equal(f.kind, FAILURE_SYSTEM);
	assert_string_equal(f.reason,
	                    "128 streams need 201 open files, the limit is 200: raise ulimit -n");
	assert_int_equal(files_now().rlim_cur, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_soft_limit_is_raised_as_far_as_needed),
		cmocka_unit_test(more_than_the_hard_limit_is_refused),
	};

	return cmocka_run_group_tests_name("agent/measure/files", tests, NULL, NULL);
}
