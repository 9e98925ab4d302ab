/* SPDX-License-Identifier: MIT */
#include "common/compact_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static void numbers_are_read_as_the_c_library_reads_them(void **state)
{
	static const char *const texts[] = {
		"",
		"0",
		"7",
		" \t42 kB",
		"+5",
		"-1",
		"-",
		"x",
		"0x",
		"0x1f",
		"0X1Fg",
		"1e6",
		"00012",
		"ffff",
		"4294967295",
		"4294967296",
		"18446744073709551615",
		"18446744073709551616",
		"99999999999999999999999",
		"-18446744073709551615",
		"zz top",
	};
	static const int bases[] = {2, 8, 10, 16, 36};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		for (size_t b = 0; b < COUNT_OF(bases); b++) {
			char *our_end = NULL;
			char *end = NULL;
			int our_errno;

			errno = 0;
			assert_int_equal(compact_strtoull(texts[i], &our_end, bases[b]),
			                 (errno = 0, strtoull(texts[i], &end, bases[b])));
			assert_ptr_equal(our_end, end);
			assert_int_equal(compact_strtoul(texts[i], NULL, bases[b]),
			                 strtoul(texts[i], NULL, bases[b]));
			errno = 0;
			(void)compact_strtoull(texts[i], NULL, bases[b]);
			our_errno = errno;
			errno = 0;
			(void)strtoull(texts[i], NULL, bases[b]);
			assert_int_equal(our_errno == ERANGE, errno == ERANGE);
		}
	}
}

static void parts_are_found_as_the_c_library_finds_them(void **state)
{
	static const char *const texts[] = {"", "a", "aaab", "abcabcabd", "prepare id=7 id=8"};
	static const char *const parts[] = {"", "a", "b", "aab", "abd", " id=", "abcabcabda"};

	(void)state;
	for (size_t t = 0; t < COUNT_OF(texts); t++) {
		for (size_t p = 0; p < COUNT_OF(parts); p++)
			assert_ptr_equal(compact_strstr(texts[t], parts[p]),
			                 strstr(texts[t], parts[p]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
		cmocka_unit_test(parts_are_found_as_the_c_library_finds_them),
	};

	return cmocka_run_group_tests_name("common/compact_parse", tests, NULL, NULL);
}
