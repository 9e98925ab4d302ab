/* SPDX-License-Identifier: MIT */
#include "common/wire/preamble.h"

#include <string.h>

#include "tests/support/test.h"

/* As documented in preamble.h, stream 0x0102, connector receives. */
static const unsigned char sample[PREAMBLE_BYTES] = {
	'V', 'N', 'M', 'D', 0, 1, 1, 2, 2, 0,  0,  0,  0,  0,  0,  0,
	1,   2,   3,   4,   5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
};

static void a_preamble_has_the_documented_bytes(void **state)
{
	struct preamble p = {.stream = 0x0102, .kind = PREAMBLE_CONNECTOR_RECEIVES};
	unsigned char bytes[PREAMBLE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(p.token); i++)
		p.token[i] = (unsigned char)(i + 1);
	memset(bytes, 0x5a, sizeof(bytes));
	preamble_format(&p, bytes);
	assert_memory_equal(bytes, sample, sizeof(bytes));
}

static void a_preamble_reads_back(void **state)
{
	static const struct {
		uint16_t stream;
		enum preamble_kind kind;
	} cases[] = {
		{0, PREAMBLE_PROBE},
		{1, PREAMBLE_CONNECTOR_SENDS},
		{128, PREAMBLE_CONNECTOR_RECEIVES},
		{UINT16_MAX, PREAMBLE_CONNECTOR_SENDS},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct preamble in = {.stream = cases[i].stream, .kind = cases[i].kind};
		struct preamble out;
		unsigned char bytes[PREAMBLE_BYTES];

		memset(in.token, 0xc3, sizeof(in.token));
		preamble_format(&in, bytes);
		assert_true(preamble_parse(bytes, &out));
		assert_int_equal(out.stream, in.stream);
		assert_int_equal(out.kind, in.kind);
		assert_true(preamble_token_equal(in.token, out.token));
	}
}

static void any_other_fixed_byte_is_refused_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t at = 0; at < 16; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			unsigned char bytes[PREAMBLE_BYTES];
			struct preamble out = {.stream = 7};
			bool is_stream = at == 6 || at == 7;

			memcpy(bytes, sample, sizeof(bytes));
			bytes[at] = (unsigned char)(bytes[at] ^ 1U << bit);
			if (is_stream || (at == 8 && bytes[at] == PREAMBLE_CONNECTOR_SENDS))
				continue; /* another stream or kind */
			assert_false(preamble_parse(bytes, &out));
			assert_int_equal(out.stream, 7);
		}
	}
}

static void a_stream_number_that_does_not_fit_the_kind_is_refused(void **state)
{
	static const struct {
		unsigned char stream;
		unsigned char kind;
	} cases[] = {{1, PREAMBLE_PROBE},
	             {0, PREAMBLE_CONNECTOR_SENDS},
	             {0, PREAMBLE_CONNECTOR_RECEIVES}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		unsigned char bytes[PREAMBLE_BYTES];
		struct preamble out;

		memcpy(bytes, sample, sizeof(bytes));
		bytes[6] = 0;
		bytes[7] = cases[i].stream;
		bytes[8] = cases[i].kind;
		assert_false(preamble_parse(bytes, &out));
	}
}

static void a_token_is_exactly_32_hex_digits(void **state)
{
	static const char *const bad[] = {
		"",
		"00112233445566778899aabbccddeef",
		"00112233445566778899aabbccddeeff0",
		"00112233445566778899aabbccddeefg",
		"00112233445566778899aabbccddee f",
		"0x112233445566778899aabbccddeeff",
	};
	static const unsigned char expected[PREAMBLE_TOKEN_BYTES] = {
		0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
	};
	unsigned char token[PREAMBLE_TOKEN_BYTES];

	(void)state;
	assert_true(preamble_token_parse("00112233445566778899aabbccddeeff", token));
	assert_memory_equal(token, expected, sizeof(token));
	assert_true(preamble_token_parse("00112233445566778899AABBCCDDEEFF", token));
	assert_memory_equal(token, expected, sizeof(token));
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_false(preamble_token_parse(bad[i], token));
		assert_memory_equal(token, expected, sizeof(token));
	}
}

static void tokens_are_equal_only_in_every_bit(void **state)
{
	unsigned char a[PREAMBLE_TOKEN_BYTES] = {0};
	unsigned char b[PREAMBLE_TOKEN_BYTES] = {0};

	(void)state;
	assert_true(preamble_token_equal(a, b));
	for (size_t bit = 0; bit < sizeof(b) * 8; bit++) {
		b[bit / 8] = (unsigned char)(1U << bit % 8);
		assert_false(preamble_token_equal(a, b));
		b[bit / 8] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preamble_has_the_documented_bytes),
		cmocka_unit_test(a_preamble_reads_back),
		cmocka_unit_test(any_other_fixed_byte_is_refused_and_changes_nothing),
		cmocka_unit_test(a_stream_number_that_does_not_fit_the_kind_is_refused),
		cmocka_unit_test(a_token_is_exactly_32_hex_digits),
		cmocka_unit_test(tokens_are_equal_only_in_every_bit),
	};

	return cmocka_run_group_tests_name("common/wire/preamble", tests, NULL, NULL);
}
