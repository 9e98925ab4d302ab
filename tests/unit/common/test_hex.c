/* SPDX-License-Identifier: MIT */
#include "common/hex.h"

#include <string.h>

#include "tests/support/test.h"

static void every_byte_but_the_digits_is_refused(void **state)
{
	static const char digits[] = "0123456789abcdef";

	(void)state;
	for (int c = 0; c < 256; c++) {
		int low = c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c;
		const char *at = c == 0 ? NULL : strchr(digits, low);

		assert_int_equal(hex_value((char)c), at == NULL ? -1 : at - digits);
	}
}

static void bytes_are_written_as_lower_case_digits(void **state)
{
	static const unsigned char bytes[] = {0x00, 0x1f, 0xa0, 0xff};
	char text[2 * sizeof(bytes) + 1];

	(void)state;
	hex_format(bytes, sizeof(bytes), text);
	assert_string_equal(text, "001fa0ff");
	hex_format(bytes, 0, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_but_the_digits_is_refused),
		cmocka_unit_test(bytes_are_written_as_lower_case_digits),
	};

	return cmocka_run_group_tests_name("common/hex", tests, NULL, NULL);
}
