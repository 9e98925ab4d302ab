/* SPDX-License-Identifier: MIT */
#include "common/utf8.h"

#include "tests/support/test.h"

static void only_well_formed_sequences_have_a_length(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"", 1},
		{"a", 1},
		{"\x7f", 1},
		{"\xc3\xa9", 2},
		{"\xe2\x82\xac", 3},
		{"\xf0\x9f\x98\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4}, /* U+10FFFF */
		{"\x80", 0},             /* begins in the middle */
		{"\xff", 0},
		{"\xc3", 0}, /* ends in the middle */
		{"\xe2\x82", 0},
		{"\xf0\x9f\x98x", 0},
		{"\xc0\xaf", 0},         /* overlong */
		{"\xe0\x80\xaf", 0},     /* overlong */
		{"\xed\xa0\x80", 0},     /* a surrogate */
		{"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(utf8_length(cases[i].text), cases[i].length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_well_formed_sequences_have_a_length),
	};

	return cmocka_run_group_tests_name("common/utf8", tests, NULL, NULL);
}
