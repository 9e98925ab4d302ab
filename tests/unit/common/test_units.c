/* SPDX-License-Identifier: MIT */
#include "common/units.h"

#include <math.h>

#include "tests/support/test.h"

static void quantities_are_read_as_people_write_them(void **state)
{
	static const struct {
		enum unit unit;
		const char *text;
		uint64_t value;
	} cases[] = {
		{UNIT_COUNT, "0", 0},
		{UNIT_COUNT, "8", 8},
		{UNIT_COUNT, "18446744073709551615", UINT64_MAX},
		{UNIT_COUNT, "3.0", 3},
		{UNIT_BYTES, "0", 0},
		{UNIT_BYTES, "4096", 4096},
		{UNIT_BYTES, "64K", 65536},
		{UNIT_BYTES, "64k", 65536},
		{UNIT_BYTES, "256KiB", 262144},
		{UNIT_BYTES, "1mib", 1048576},
		{UNIT_BYTES, "12M", 12582912},
		{UNIT_BYTES, "1.5M", 1572864},
		{UNIT_BYTES, "0.5K", 512},
		{UNIT_BYTES, "0.0009765625K", 1},
		{UNIT_BYTES, "2G", UINT64_C(2) << 30},
		{UNIT_BYTES, "1T", UINT64_C(1) << 40},
		{UNIT_MS, "500ms", 500},
		{UNIT_MS, "0s", 0},
		{UNIT_MS, "10s", 10000},
		{UNIT_MS, "1.5s", 1500},
		{UNIT_MS, "0.001s", 1},
		{UNIT_MS, "2m", 120000},
		{UNIT_MS, "0.5m", 30000},
		{UNIT_MS, "1h", 3600000},
		{UNIT_BPS, "100G", UINT64_C(100000000000)},
		{UNIT_BPS, "2.5G", UINT64_C(2500000000)},
		{UNIT_BPS, "2.500G", UINT64_C(2500000000)},
		{UNIT_BPS, "500M", 500000000},
		{UNIT_BPS, "500m", 500000000},
		{UNIT_BPS, "9600", 9600},
		{UNIT_BPS, "64K", 64000},
		{UNIT_BPS, "1.6T", UINT64_C(1600000000000)},
		{UNIT_PERMILLE, "2%", 20},
		{UNIT_PERMILLE, "0.5%", 5},
		{UNIT_PERMILLE, "0%", 0},
		{UNIT_PERMILLE, "100%", 1000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value = 77;

		if (!units_parse(cases[i].unit, cases[i].text, &value))
			fail_msg("'%s' is refused", cases[i].text);
		assert_int_equal(value, cases[i].value);
	}
}

static void everything_else_is_refused_and_changes_nothing(void **state)
{
	static const struct {
		enum unit unit;
		const char *text;
	} cases[] = {
		{UNIT_COUNT, ""},
		{UNIT_COUNT, "-1"},
		{UNIT_COUNT, "+1"},
		{UNIT_COUNT, " 1"},
		{UNIT_COUNT, "1 "},
		{UNIT_COUNT, "012"}, /* nobody agrees on what it is */
		{UNIT_COUNT, "00"},
		{UNIT_COUNT, "0x10"},
		{UNIT_COUNT, "1_000"},
		{UNIT_COUNT, "1e3"},
		{UNIT_COUNT, "1K"},
		{UNIT_COUNT, "1."},
		{UNIT_COUNT, ".5"},
		{UNIT_COUNT, "1.5"},
		{UNIT_COUNT, "1,5"},
		{UNIT_COUNT, "18446744073709551616"},
		{UNIT_COUNT, "99999999999999999999999"},
		{UNIT_BYTES, "K"},
		{UNIT_BYTES, "0.3K"},
		{UNIT_BYTES, "0.5"},
		{UNIT_BYTES, "64KB"}, /* 64,000 or 65,536? */
		{UNIT_BYTES, "64 K"},
		{UNIT_BYTES, "64Ki"},
		{UNIT_BYTES, "1M5"},
		{UNIT_BYTES, "16777216T"},
		{UNIT_BYTES, "0.1234567890123456789K"},
		{UNIT_BYTES, "0.00000095367431640625M"}, /* one byte, but too many digits */
		{UNIT_MS, "10"},
		{UNIT_MS, "0"},
		{UNIT_MS, "10S"},
		{UNIT_MS, "10M"},
		{UNIT_MS, "1m30s"},
		{UNIT_MS, "0.5ms"},
		{UNIT_MS, "1.0005s"},
		{UNIT_MS, "5124095576031h"},
		{UNIT_BPS, "100Gbit/s"},
		{UNIT_BPS, "0.0001K"},
		{UNIT_BPS, "18446745T"},
		{UNIT_PERMILLE, "2"},
		{UNIT_PERMILLE, "0.55%"},
		{UNIT_PERMILLE, "2 %"},
		{UNIT_PERMILLE, "%"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value = 77;

		if (units_parse(cases[i].unit, cases[i].text, &value))
			fail_msg("'%s' is taken", cases[i].text);
		assert_int_equal(value, 77);
	}
}

static void a_sum_that_overflows_is_refused(void **state)
{
	uint64_t value = 77;

	(void)state;
	/* Whole part and fraction fit; their sum does not: 16777215 T = 2^64 - 2^40. */
	assert_true(units_parse(UNIT_BYTES, "16777215.5T", &value));
	assert_int_equal(value, UINT64_MAX - (UINT64_C(1) << 39) + 1);
	/* 18446744073709551 K = 2^64 - 616. */
	assert_true(units_parse(UNIT_BPS, "18446744073709551.615K", &value));
	assert_int_equal(value, UINT64_MAX);
	assert_false(units_parse(UNIT_BPS, "18446744073709551.616K", &value));
}

static void what_is_wanted_names_only_what_is_accepted(void **state)
{
	static const struct {
		enum unit unit;
		const char *wanted;
	} cases[] = {
		{UNIT_COUNT, "a whole number such as 8"},
		{UNIT_BYTES, "a size such as 4096, 64K or 12M"},
		{UNIT_MS, "a time with its unit such as 500ms, 10s or 2m"},
		{UNIT_BPS, "a rate in bits per second such as 500M, 2.5G or 100G"},
		{UNIT_PERMILLE, "a percentage such as 2% or 0.5%"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(units_wanted(cases[i].unit), cases[i].wanted);
}

static void sizes_and_times_are_written_short_and_exact(void **state)
{
	static const struct {
		const char *(*format)(uint64_t n, char out[UNITS_TEXT_BYTES]);
		enum unit unit;
		uint64_t value;
		const char *text;
	} cases[] = {
		{units_format_bytes, UNIT_BYTES, 0, "0"},
		{units_format_bytes, UNIT_BYTES, 1500, "1500"},
		{units_format_bytes, UNIT_BYTES, 65536, "64K"},
		{units_format_bytes, UNIT_BYTES, 12582912, "12M"},
		{units_format_bytes, UNIT_BYTES, 1572864, "1536K"},
		{units_format_bytes, UNIT_BYTES, UINT64_C(1) << 30, "1G"},
		{units_format_bytes, UNIT_BYTES, UINT64_C(3) << 40, "3T"},
		{units_format_bytes, UNIT_BYTES, UINT64_MAX, "18446744073709551615"},
		{units_format_bps, UNIT_BPS, 0, "0"},
		{units_format_bps, UNIT_BPS, 8000, "8K"},
		{units_format_bps, UNIT_BPS, 8001, "8001"},
		{units_format_bps, UNIT_BPS, 2500000000, "2500M"},
		{units_format_bps, UNIT_BPS, 100000000000, "100G"},
		{units_format_bps, UNIT_BPS, 1000000000000, "1T"},
		{units_format_ms, UNIT_MS, 0, "0ms"},
		{units_format_ms, UNIT_MS, 200, "200ms"},
		{units_format_ms, UNIT_MS, 1000, "1s"},
		{units_format_ms, UNIT_MS, 1500, "1.5s"},
		{units_format_ms, UNIT_MS, 1005, "1.005s"},
		{units_format_ms, UNIT_MS, 1050, "1.05s"},
		{units_format_ms, UNIT_MS, 95000, "95s"},
		{units_format_ms, UNIT_MS, 120000, "2m"},
		{units_format_ms, UNIT_MS, 5400000, "90m"},
		{units_format_ms, UNIT_MS, 7200000, "2h"},
		{units_format_ms, UNIT_MS, UINT64_MAX, "18446744073709551.615s"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[UNITS_TEXT_BYTES];
		uint64_t back = 77;

		assert_ptr_equal(cases[i].format(cases[i].value, text), text);
		assert_string_equal(text, cases[i].text);
		assert_true(units_parse(cases[i].unit, text, &back));
		assert_int_equal(back, cases[i].value);
	}
}

static void rates_have_three_significant_digits(void **state)
{
	static const struct {
		double bps;
		const char *text;
	} cases[] = {
		{NAN, "-"},
		{(double)INFINITY, "-"},
		{0, "0 bit/s"},
		{-0.0, "0 bit/s"},
		{1, "1.00 bit/s"},
		{999, "999 bit/s"},
		{999.4, "999 bit/s"},
		{999.6, "1.00 kbit/s"},
		{9.994e3, "9.99 kbit/s"},
		{9.996e3, "10.0 kbit/s"},
		{99.94e6, "99.9 Mbit/s"},
		{99.96e6, "100 Mbit/s"},
		{476.3e6, "476 Mbit/s"},
		{999.6e6, "1.00 Gbit/s"},
		{37.44e9, "37.4 Gbit/s"},
		{100e9, "100 Gbit/s"},
		{1.6e12, "1.60 Tbit/s"},
		{-37.44e9, "-37.4 Gbit/s"},
		{1e17, "100000 Tbit/s"},
		{1e300, "1e+288 Tbit/s"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[UNITS_TEXT_BYTES];

		assert_string_equal(units_format_rate(cases[i].bps, text), cases[i].text);
	}
}

static void lengths_are_no_finer_than_a_guess_deserves(void **state)
{
	static const struct {
		uint64_t ms;
		const char *text;
	} cases[] = {
		{0, "0 s"},
		{1, "1 s"},
		{1499, "1 s"},
		{59499, "59 s"},
		{59500, "1 min"},
		{95000, "1 min 35 s"},
		{599499, "9 min 59 s"},
		{599500, "10 min"},
		{629999, "10 min"},
		{UINT64_C(59) * 60000, "59 min"},
		{UINT64_C(59) * 60000 + 40000, "1 h"},
		{UINT64_C(72) * 60000, "1 h 10 min"},
		{34920000, "9 h 40 min"},
		{UINT64_C(48) * 3600000 - 1, "2 d"},
		{UINT64_C(75) * 3600000, "3 d 3 h"},
		{UINT64_MAX, "99999 d"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char text[UNITS_TEXT_BYTES];

		assert_string_equal(units_format_eta(cases[i].ms, text), cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantities_are_read_as_people_write_them),
		cmocka_unit_test(everything_else_is_refused_and_changes_nothing),
		cmocka_unit_test(a_sum_that_overflows_is_refused),
		cmocka_unit_test(what_is_wanted_names_only_what_is_accepted),
		cmocka_unit_test(sizes_and_times_are_written_short_and_exact),
		cmocka_unit_test(rates_have_three_significant_digits),
		cmocka_unit_test(lengths_are_no_finer_than_a_guess_deserves),
	};

	return cmocka_run_group_tests_name("common/units", tests, NULL, NULL);
}
