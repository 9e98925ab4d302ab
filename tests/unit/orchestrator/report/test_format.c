/* SPDX-License-Identifier: MIT */
#include "report/format.h"

#include <math.h>
#include <string.h>

#include "common/attr.h"
#include "run/result.h"
#include "tests/support/test.h"

static void figures_have_three_significant_digits(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{37.44, "37.4"},
		{37.45, "37.5"},
		{9.994, "9.99"},
		{9.996, "10.0"},
		{99.96, "100"},
		{999.4, "999"},
		{999.6, "1000"},
		{12345.6, "12346"},
		{0.4763, "0.476"},
		{0.001234, "0.00123"},
		{1, "1.00"},
		{-3.14159, "-3.14"},
		{1e-12, "0.000000000"},
		{(double)NAN, "-"},
		{(double)INFINITY, "-"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char out[FORMAT_BYTES];

		assert_string_equal(format_figure(cases[i].value, out), cases[i].text);
	}
}

static void a_huge_figure_stays_in_its_room(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_true(strlen(format_figure(1e300, out)) < FORMAT_BYTES);
	assert_true(strlen(format_figure(-1e27, out)) < FORMAT_BYTES);
}

static void what_is_unknown_is_a_dash(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_string_equal(format_count(RESULT_UNKNOWN, out), "-");
	assert_string_equal(format_count(-7, out), "-7");
	assert_string_equal(format_tally((double)NAN, out), "-");
	assert_string_equal(format_tally(8449, out), "8449");
	assert_string_equal(format_tally(2.5, out), "2.5");
	assert_string_equal(format_size(RESULT_UNKNOWN, "default", out), "default");
	assert_string_equal(format_size(65536, "default", out), "64K");
	assert_string_equal(format_about_bytes(RESULT_UNKNOWN, out), "-");
	assert_string_equal(format_pct((double)NAN, out), "-");
	assert_string_equal(format_utc(NULL, out), "-");
	assert_string_equal(format_utc("2026-11-30T21:14:05.123Z", out), "2026-11-30 21:14:05");
	assert_string_equal(format_utc("yesterday", out), "yesterday");
}

static void measured_sizes_and_percentages_are_rounded(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1023, "1023"},
		{1024, "1.00K"},
		{46080, "45.0K"},
		{1048575, "1024K"},
		{1048576, "1.00M"},
		{3614208, "3.45M"},
		{INT64_C(5) << 30, "5.00G"},
		{INT64_C(9) << 40, "9216G"},
	};
	char out[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(format_about_bytes(cases[i].bytes, out), cases[i].text);
	assert_string_equal(format_pct(100.06, out), "100.1");
	assert_string_equal(format_pct(9.96, out), "10.0");
}

static void rates_are_told_in_one_unit(void **state)
{
	(void)state;
	assert_string_equal(format_rate_unit(999.4e6).name, "Mbit/s");
	assert_string_equal(format_rate_unit(999.6e6).name, "Gbit/s");
	assert_string_equal(format_rate_unit(1).name, "Mbit/s");
	assert_string_equal(format_rate_unit(0).name, "Gbit/s");
	assert_string_equal(format_rate_unit((double)NAN).name, "Gbit/s");
}

static void text_of_strangers_cannot_steer_a_terminal(void **state)
{
	struct text out = {0};

	(void)state;
	format_add_clean(&out, "a\x1b[31mb\n\tc\r\x7f\xc3\xa9\xff\x9b\xc2\x9b\xc3");
	assert_string_equal(text_str(&out),
	                    "a\\x1b[31mb\\n\\tc\\r\\x7f\xc3\xa9\\xff\\x9b\\xc2\\x9b\\xc3");
	text_done(&out);
}

static void words_are_quoted_for_a_shell_where_they_must_be(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{"results.db", "results.db"},
		{"a b", "'a b'"},
		{"", "''"},
		{"it's", "'it'\\''s'"},
		{"$(rm)", "'$(rm)'"},
		{"a=b,c:d/e@f+g%h-i_j", "a=b,c:d/e@f+g%h-i_j"},
		{"*", "'*'"},
		{"~/x", "'~/x'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text out = {0};

		format_add_shell_word(&out, cases[i].word);
		assert_string_equal(text_str(&out), cases[i].quoted);
		text_done(&out);
	}
}

static void columns_count_letters_not_bytes(void **state)
{
	struct text out = {0};

	(void)state;
	assert_int_equal(format_width("\xc3\xa9t\xc3\xa9"), 3);
	format_add_padded(&out, "\xc3\xa9t\xc3\xa9", 5, false);
	text_add(&out, "|");
	format_add_padded(&out, "\xc3\xa9t\xc3\xa9", 5, true);
	format_add_padded(&out, "long", 2, true);
	assert_string_equal(text_str(&out), "\xc3\xa9t\xc3\xa9  |  \xc3\xa9t\xc3\xa9long");
	text_done(&out);
}

static void numbers_are_what_json_takes_as_one(void **state)
{
	static const char *const numbers[] = {"0",   "-0",  "7",   "10",   "-12",
	                                      "1.5", "0.5", "1e9", "1E-3", "2.5e+10"};
	static const char *const others[] = {"",    "-",    "007", "+1",  ".5",  "1.",   "1e",
	                                     "1e+", "0x10", "1 ",  "nan", "--1", "1.5.2"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		if (!format_is_number(numbers[i]))
			fail_msg("%s", numbers[i]);
	}
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		if (format_is_number(others[i]))
			fail_msg("%s", others[i]);
	}
}

static void a_reason_names_its_host_once(void **state)
{
	static const struct {
		const char *reason, *shown;
	} rows[] = {
		{"vm21 is down since 21:14: vm21: connect: refused",
	         "vm21 is down since 21:14: connect: refused"},
		{"vm21: vm21: refused", "vm21: refused"},
		{"vm2 is down: vm21: refused", "vm2 is down: vm21: refused"},
		{"vm21 is down: esx1: refused", "vm21 is down: esx1: refused"},
		{"vm21: cannot be reached", "vm21: cannot be reached"},
		{": : : x", ": : : x"},
		{"a\x1b: a: b", "a\\x1b: a: b"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct text out = {0};

		format_add_reason(&out, rows[i].reason);
		assert_string_equal(text_str(&out), rows[i].shown);
		text_done(&out);
	}
}

static void one_thing_has_no_plural(void **state)
{
	struct text out = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		format_add_things(&out, i, "cell");
	assert_string_equal(text_str(&out), "0 cells1 cell2 cells");
	text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_have_three_significant_digits),
		cmocka_unit_test(a_huge_figure_stays_in_its_room),
		cmocka_unit_test(what_is_unknown_is_a_dash),
		cmocka_unit_test(measured_sizes_and_percentages_are_rounded),
		cmocka_unit_test(rates_are_told_in_one_unit),
		cmocka_unit_test(text_of_strangers_cannot_steer_a_terminal),
		cmocka_unit_test(words_are_quoted_for_a_shell_where_they_must_be),
		cmocka_unit_test(columns_count_letters_not_bytes),
		cmocka_unit_test(a_reason_names_its_host_once),
		cmocka_unit_test(one_thing_has_no_plural),
		cmocka_unit_test(numbers_are_what_json_takes_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
