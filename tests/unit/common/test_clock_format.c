/* SPDX-License-Identifier: MIT */
#include "common/attr.h"
#include "common/clock.h"
#include "tests/support/test.h"

static void wall_times_are_written_in_utc(void **state)
{
	static const struct {
		int64_t wall_ms;
		const char *text;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z"},
		{1, "1970-01-01T00:00:00.001Z"},
		{-1, "1969-12-31T23:59:59.999Z"},
		{-1000, "1969-12-31T23:59:59.000Z"},
		{951782400000, "2000-02-29T00:00:00.000Z"},
		{1796073245123, "2026-11-30T21:14:05.123Z"},
		{4107542400000, "2100-03-01T00:00:00.000Z"}, /* 2100 is no leap year */
		{253402300799999, "9999-12-31T23:59:59.999Z"},
		{253402300800000, "9999-12-31T23:59:59.999Z"}, /* the text has four digits */
		{INT64_MAX, "9999-12-31T23:59:59.999Z"},
		{-62167219200000, "0000-01-01T00:00:00.000Z"},
		{INT64_MIN, "0000-01-01T00:00:00.000Z"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[CLOCK_UTC_BYTES];

		clock_format_utc(cases[i].wall_ms, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wall_times_are_written_in_utc),
	};

	return cmocka_run_group_tests_name("common/clock_format", tests, NULL, NULL);
}
