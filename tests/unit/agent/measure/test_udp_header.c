/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "measure/udp_header.h"
#include "tests/support/test.h"

static const unsigned char token[PREAMBLE_TOKEN_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};

static void a_header_is_as_it_is_described(void **state)
{
	static const unsigned char wanted[UDP_HEADER_BYTES] = {
		1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4, 5, 6, 1, 2};
	struct udp_header h = {UINT64_C(0x0102030405060708), 0x12345678};
	struct udp_header back;
	struct udp_tag tag;
	unsigned char bytes[UDP_HEADER_BYTES];

	(void)state;
	udp_tag_make(token, 0x102, &tag);
	udp_header_format(&h, &tag, bytes);
	assert_memory_equal(bytes, wanted, sizeof(wanted));
	assert_true(udp_header_parse(bytes, sizeof(bytes), &tag, &back));
	assert_int_equal(back.sequence, h.sequence);
	assert_int_equal(back.sent_ns, h.sent_ns);
}

static void strays_are_told(void **state)
{
	static const unsigned char other_token[PREAMBLE_TOKEN_BYTES] = {1, 2, 3, 4, 5, 7, 7, 8};
	struct udp_header h = {7, 8};
	struct udp_tag tag;
	struct udp_tag other_stream;
	struct udp_tag other_test;
	unsigned char bytes[UDP_HEADER_BYTES];

	(void)state;
	udp_tag_make(token, 1, &tag);
	udp_tag_make(token, 2, &other_stream);
	udp_tag_make(other_token, 1, &other_test);
	udp_header_format(&h, &tag, bytes);
	assert_true(udp_header_parse(bytes, sizeof(bytes), &tag, &h));
	assert_false(udp_header_parse(bytes, sizeof(bytes), &other_stream, &h));
	assert_false(udp_header_parse(bytes, sizeof(bytes), &other_test, &h));
	assert_false(udp_header_parse(bytes, sizeof(bytes) - 1, &tag, &h));
	assert_false(udp_header_parse(bytes, 0, &tag, &h));
	memset(bytes, 0, 8); /* sequences count from 1 */
	assert_false(udp_header_parse(bytes, sizeof(bytes), &tag, &h));
}

static void a_count_survives(void **state)
{
	static const uint64_t counts[] = {0, 1, 255, UINT64_C(0xfedcba9876543210), UINT64_MAX};
	unsigned char bytes[UDP_COUNT_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		udp_count_format(counts[i], bytes);
		assert_int_equal(udp_count_parse(bytes), counts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_as_it_is_described),
		cmocka_unit_test(strays_are_told),
		cmocka_unit_test(a_count_survives),
	};

	return cmocka_run_group_tests_name("agent/measure/udp_header", tests, NULL, NULL);
}
