/* SPDX-License-Identifier: MIT */
#include "common/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/test.h"

static void objects_and_lists_nest_and_get_their_commas(void **state)
{
	struct text text = {0};
	struct json j = {.out = &text};

	(void)state;
	json_object_begin(&j, NULL);
	json_str(&j, "name", "demo");
	json_list_begin(&j, "cells");
	json_object_begin(&j, NULL);
	json_object_end(&j);
	json_object_begin(&j, NULL);
	json_int(&j, "streams", 4);
	json_bool(&j, "is_ok", true);
	json_object_end(&j);
	json_list_begin(&j, NULL);
	json_list_end(&j);
	json_int(&j, NULL, -1);
	json_list_end(&j);
	json_bool(&j, "last", false);
	json_null(&j, "rtt_us");
	json_object_end(&j);
	assert_string_equal(
		text_str(&text),
		"{\"name\":\"demo\",\"cells\":[{},{\"streams\":4,\"is_ok\":true},[],-1],"
		"\"last\":false,\"rtt_us\":null}");
	text_done(&text);
}

static void strings_are_escaped_and_bad_utf8_is_replaced(void **state)
{
#define BAD "\xef\xbf\xbd"
	static const struct {
		const char *value;
		const char *json;
	} cases[] = {
		{NULL, "null"},
		{"", "\"\""},
		{"a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\""},
		{"\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\\u007f\""},
		{"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
	         "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
		{"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
	         "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""},
		{"\x80", "\"" BAD "\""},
		{"\xff"
	         "a",
	         "\"" BAD "a\""},
		{"\xc3", "\"" BAD "\""},
		{"\xc3(", "\"" BAD "(\""},
		{"\xe2\x82", "\"" BAD BAD "\""},
		{"\xf0\x9f\x98z", "\"" BAD BAD BAD "z\""},
		{"\xc0\xaf", "\"" BAD BAD "\""},                 /* overlong */
		{"\xe0\x80\xaf", "\"" BAD BAD BAD "\""},         /* overlong */
		{"\xed\xa0\x80", "\"" BAD BAD BAD "\""},         /* surrogate */
		{"\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""}, /* above U+10FFFF */
	};
#undef BAD

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text text = {0};
		struct json j = {.out = &text};

		json_str(&j, NULL, cases[i].value);
		assert_string_equal(text_str(&text), cases[i].json);
		text_done(&text);
	}
}

static void keys_are_escaped_too(void **state)
{
	struct text text = {0};
	struct json j = {.out = &text};

	(void)state;
	json_object_begin(&j, NULL);
	json_int(&j, "a\"b", 1);
	json_object_end(&j);
	assert_string_equal(text_str(&text), "{\"a\\\"b\":1}");
	text_done(&text);
}

static void integers_keep_their_full_range(void **state)
{
	struct text text = {0};
	struct json j = {.out = &text};

	(void)state;
	json_list_begin(&j, NULL);
	json_int(&j, NULL, INT64_MIN);
	json_int(&j, NULL, INT64_MAX);
	json_uint(&j, NULL, UINT64_MAX);
	json_list_end(&j);
	assert_string_equal(text_str(&text),
	                    "[-9223372036854775808,9223372036854775807,18446744073709551615]");
	text_done(&text);
}

static void numbers_read_back_alike_in_few_digits(void **state)
{
	static const struct {
		double value;
		const char *json;
	} cases[] = {
		{0, "0"},
		{100, "100"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{956400000, "956400000"},
		{1e22, "1e+22"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{NAN, "null"},
		{INFINITY, "null"},
		{-INFINITY, "null"},
	};
	static const double extremes[] = {DBL_MAX, DBL_MIN, DBL_EPSILON, -DBL_MAX, 5e-324};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text text = {0};
		struct json j = {.out = &text};

		json_real(&j, NULL, cases[i].value);
		assert_string_equal(text_str(&text), cases[i].json);
		text_done(&text);
	}
	for (size_t i = 0; i < COUNT_OF(extremes); i++) {
		struct text text = {0};
		struct json j = {.out = &text};

		json_real(&j, NULL, extremes[i]);
		assert_true(strtod(text_str(&text), NULL) == extremes[i]);
		text_done(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_and_lists_nest_and_get_their_commas),
		cmocka_unit_test(strings_are_escaped_and_bad_utf8_is_replaced),
		cmocka_unit_test(keys_are_escaped_too),
		cmocka_unit_test(integers_keep_their_full_range),
		cmocka_unit_test(numbers_read_back_alike_in_few_digits),
	};

	return cmocka_run_group_tests_name("common/json", tests, NULL, NULL);
}
