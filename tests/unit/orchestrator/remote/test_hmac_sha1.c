/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "common/hex.h"
#include "remote/hmac_sha1.h"
#include "tests/support/test.h"

/* RFC 2202 section 3, cases 1, 2, 3 and 5, and one whose data crosses a block's end. */
static void the_published_vectors_are_met(void **state)
{
	static const struct {
		unsigned char key_byte; /* repeated; 0: the text */
		size_t key_len;
		const char *key;
		unsigned char data_byte;
		size_t data_len;
		const char *data;
		const char *digest;
	} cases[] = {
		{0x0b, 20, NULL, 0, 8, "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"},
		{0, 4, "Jefe", 0, 28, "what do ya want for nothing?",
	         "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
		{0xaa, 20, NULL, 0xdd, 50, NULL, "125d7342b9ac11cd91a39af48aa17b4f63f175d3"},
		{0x0c, 20, NULL, 0, 20, "Test With Truncation",
	         "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"},
		{0xaa, 64, NULL, 0x61, 200, NULL, "a008adf7910c25fa13cda1d4f2d7b621620014bf"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct hmac_sha1_key prepared;
		unsigned char key[64];
		unsigned char data[256];
		unsigned char digest[SHA1_BYTES];
		char hex[2 * SHA1_BYTES + 1];

		memset(key, cases[i].key_byte, sizeof(key));
		memset(data, cases[i].data_byte, sizeof(data));
		if (cases[i].key != NULL)
			memcpy(key, cases[i].key, cases[i].key_len);
		if (cases[i].data != NULL)
			memcpy(data, cases[i].data, cases[i].data_len);
		hmac_sha1_init(&prepared, key, cases[i].key_len);
		hmac_sha1(&prepared, data, cases[i].data_len, digest);
		hex_format(digest, sizeof(digest), hex);
		assert_string_equal(hex, cases[i].digest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_published_vectors_are_met)};

	return cmocka_run_group_tests_name("remote/hmac_sha1", tests, NULL, NULL);
}
