/* SPDX-License-Identifier: MIT */
#include "topology/cores.h"

#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static void one_list_has_one_text(void **state)
{
	static const struct {
		const char *list, *canonical;
	} cases[] = {
		{"auto", "auto"},
		{"0", "0"},
		{"7-7", "7"},
		{"0-1", "0-1"},
		{"0,1", "0-1"},
		{"0-3,6", "0-3,6"},
		{"0,1,2,3,6", "0-3,6"},
		{"0-3,4-7,9", "0-7,9"},
		{"0,2,4", "0,2,4"},
		{"1022,1023", "1022-1023"},
		{"0-2,3,5-6,7", "0-3,5-7"},
	};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *once = cores_canonical(&arena, cases[i].list);

		assert_string_equal(once, cases[i].canonical);
		assert_string_equal(cores_canonical(&arena, once), once);
	}
	assert_null(cores_canonical(&arena, NULL));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_list_has_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
