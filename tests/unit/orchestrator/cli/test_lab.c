/* SPDX-License-Identifier: MIT */
#include "cli/lab.h"

#include <string.h>

#include "tests/support/test.h"

static void the_first_operand_is_a_file_when_it_looks_like_one(void **state)
{
	static const struct {
		const char *operands[2];
		const char *file;
		size_t profile_count;
	} cases[] = {
		{{NULL}, "lab.yaml", 0},
		{{"quick"}, "lab.yaml", 1},
		{{"quick", "full"}, "lab.yaml", 2},
		{{"other.yaml"}, "other.yaml", 0},
		{{"other.yml", "quick"}, "other.yml", 1},
		{{"./quick"}, "./quick", 0},
		{{"/dev/null", "quick"}, "/dev/null", 1},
		{{"/"}, "/", 0},
		{{"."}, ".", 0}, /* whatever exists: the message then tells what it is */
		{{"..", "quick"}, "..", 1},
		{{"-"}, "-", 0},
		{{"yaml", "a.yaml"}, "lab.yaml", 2}, /* only the first may be a file */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char words[2][32];
		char *operands[2] = {words[0], words[1]};
		struct lab_operands out;
		int count = 0;

		while (count < 2 && cases[i].operands[count] != NULL) {
			(void)snprintf(words[count], sizeof(words[count]), "%s",
			               cases[i].operands[count]);
			count++;
		}
		lab_split_operands(count, operands, &out);
		assert_string_equal(out.file, cases[i].file);
		assert_int_equal(out.profile_count, cases[i].profile_count);
		if (out.profile_count > 0)
			assert_string_equal(out.profiles[out.profile_count - 1],
			                    cases[i].operands[count - 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_operand_is_a_file_when_it_looks_like_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
