/* SPDX-License-Identifier: MIT */
#include "common/number_set.h"

#include "tests/support/test.h"

static void a_list_is_read_and_written(void **state)
{
	static const struct {
		const char *text;
		const char *same;
		uint32_t count;
	} cases[] = {
		{"0", "0", 1},         {"0-3,6", "0-3,6", 5},      {"6,0-3\n", "0-3,6", 5},
		{"1,2,3,2", "1-3", 3}, {"0-0,2", "0,2", 2},        {"63-64", "63-64", 2},
		{"1023", "1023", 1},   {"0-1023", "0-1023", 1024},
	};
	struct number_set s;
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_true(number_set_parse(cases[i].text, &s));
		number_set_format(&s, text, sizeof(text));
		assert_string_equal(text, cases[i].same);
		assert_int_equal(number_set_count(&s), cases[i].count);
	}
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const bad[] = {"",
	                                  "\n",
	                                  ",",
	                                  "1,",
	                                  "-1",
	                                  "1-",
	                                  "3-1",
	                                  "a",
	                                  "1 2",
	                                  "1,\n",
	                                  "1024",
	                                  "0-1024",
	                                  "0x1",
	                                  "1--2",
	                                  "1-2-3",
	                                  "1\n\n",
	                                  "99999999999999999999"};
	struct number_set s;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(number_set_parse(bad[i], &s));
}

static void what_does_not_fit_ends_at_a_comma(void **state)
{
	struct number_set s;
	char text[8];

	(void)state;
	assert_true(number_set_parse("1,30,500,700", &s));
	number_set_format(&s, text, sizeof(text));
	assert_string_equal(text, "1,30");
	number_set_format(&s, text, 1);
	assert_string_equal(text, "");
	s = (struct number_set){0};
	number_set_format(&s, text, sizeof(text));
	assert_string_equal(text, "");
}

static void sets_are_compared(void **state)
{
	struct number_set a;
	struct number_set b;
	struct number_set c;
	char text[16];

	(void)state;
	assert_true(number_set_parse("0-5,100", &a));
	assert_true(number_set_parse("4-9,100", &b));
	c = number_set_both(&a, &b);
	number_set_format(&c, text, sizeof(text));
	assert_string_equal(text, "4-5,100");
	assert_int_equal(number_set_nth(&c, 0), 4);
	assert_int_equal(number_set_nth(&c, 2), 100);
	c = number_set_less(&a, &b);
	number_set_format(&c, text, sizeof(text));
	assert_string_equal(text, "0-3");
	assert_false(number_set_has(&c, 5));
	assert_false(number_set_has(&c, NUMBER_SET_MAX));
	number_set_add(&c, 5);
	assert_true(number_set_has(&c, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_read_and_written),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(what_does_not_fit_ends_at_a_comma),
		cmocka_unit_test(sets_are_compared),
	};

	return cmocka_run_group_tests_name("common/number_set", tests, NULL, NULL);
}
