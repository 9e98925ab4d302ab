/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/base64.h"
#include "tests/support/test.h"

/* RFC 4648 section 10, padding left out on writing. */
static const struct {
	const char *plain;
	const char *padded;
	const char *bare;
} vectors[] = {
	{"", "", ""},
	{"f", "Zg==", "Zg"},
	{"fo", "Zm8=", "Zm8"},
	{"foo", "Zm9v", "Zm9v"},
	{"foob", "Zm9vYg==", "Zm9vYg"},
	{"fooba", "Zm9vYmE=", "Zm9vYmE"},
	{"foobar", "Zm9vYmFy", "Zm9vYmFy"},
};

static void the_published_vectors_are_met_both_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(vectors); i++) {
		char text[BASE64_TEXT_BYTES(6)];
		char back[6];
		size_t len = 99;

		base64_format(vectors[i].plain, strlen(vectors[i].plain), text);
		assert_string_equal(text, vectors[i].bare);
		assert_true(base64_parse(vectors[i].padded, strlen(vectors[i].padded), back,
		                         sizeof(back), &len));
		assert_int_equal(len, strlen(vectors[i].plain));
		assert_memory_equal(back, vectors[i].plain, len);
		assert_true(base64_parse(vectors[i].bare, strlen(vectors[i].bare), back,
		                         sizeof(back), &len));
		assert_int_equal(len, strlen(vectors[i].plain));
	}
}

static void every_byte_value_survives(void **state)
{
	unsigned char in[256];
	unsigned char out[256];
	char text[BASE64_TEXT_BYTES(256)];
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)i;
	base64_format(in, sizeof(in), text);
	assert_true(base64_parse(text, strlen(text), out, sizeof(out), &len));
	assert_int_equal(len, sizeof(in));
	assert_memory_equal(in, out, sizeof(in));
}

static void what_is_not_base64_is_refused(void **state)
{
	static const char *const bad[] = {"Z",    "Zm9vY", "Zm9v!A==", "Zg===",      "=",
	                                  "====", "Zm 9v", "Zg=A",     "Z\xc3\xa4=="};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		char out[16];
		size_t len = 99;

		assert_false(base64_parse(bad[i], strlen(bad[i]), out, sizeof(out), &len));
		assert_int_equal(len, 99);
	}
}

static void what_does_not_fit_is_refused(void **state)
{
	char out[2];
	size_t len;

	(void)state;
	assert_false(base64_parse("Zm9v", 4, out, sizeof(out), &len));
	assert_true(base64_parse("Zm8=", 4, out, sizeof(out), &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_vectors_are_met_both_ways),
		cmocka_unit_test(every_byte_value_survives),
		cmocka_unit_test(what_is_not_base64_is_refused),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests_name("remote/base64", tests, NULL, NULL);
}
