/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <stdio.h>

#include "common/attr.h"
#include "config/name_index.h"

static void an_empty_index_finds_nothing(void **state)
{
	struct name_index index = {0};

	(void)state;
	assert_null(name_index_get(&index, "a"));
}

static void every_name_is_found_again_and_no_other(void **state)
{
	static char names[5000][8];
	struct name_index index = {0};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		(void)snprintf(names[i], sizeof(names[i]), "n%zu", i);
		name_index_put(&index, &arena, names[i], names[i]);
	}
	assert_int_equal(index.used, COUNT_OF(names));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_ptr_equal(name_index_get(&index, names[i]), names[i]);
	assert_null(name_index_get(&index, "n5000"));
	assert_null(name_index_get(&index, ""));
	arena_done(&arena);
}

static void a_name_that_is_put_again_gets_the_new_value(void **state)
{
	struct name_index index = {0};
	struct arena arena = {0};
	int one = 1, two = 2;

	(void)state;
	name_index_put(&index, &arena, "a", &one);
	name_index_put(&index, &arena, "a", &two);
	assert_int_equal(index.used, 1);
	assert_ptr_equal(name_index_get(&index, "a"), &two);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_index_finds_nothing),
		cmocka_unit_test(every_name_is_found_again_and_no_other),
		cmocka_unit_test(a_name_that_is_put_again_gets_the_new_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
