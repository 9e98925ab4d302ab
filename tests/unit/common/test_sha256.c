/* SPDX-License-Identifier: MIT */
#include "common/sha256.h"

#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

/* The examples of FIPS 180-4 (NIST CSRC, "Examples with Intermediate Values"),
 * and lengths around the ends of a block, computed with coreutils' sha256sum. */
static void known_messages_have_their_known_digests(void **state)
{
	static const struct {
		char byte;
		size_t count;
		const char *text; /* or count times byte */
		const char *hex;
	} cases[] = {
		{0, 0, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{0, 0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{0, 0, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{'a', 1, NULL, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
		{'a', 54, NULL, "a3f01b6939256127582ac8ae9fb47a382a244680806a3f613a118851c1ca1d47"},
		{'a', 55, NULL, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{'a', 56, NULL, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
		{'a', 57, NULL, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
		{'a', 63, NULL, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
		{'a', 64, NULL, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
		{'a', 65, NULL, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
		{'a', 119, NULL,
	         "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
		{'a', 120, NULL,
	         "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
		{'a', 128, NULL,
	         "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
		{'a', 1000000, NULL,
	         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};
	static char data[1000000];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t len = cases[i].count;
		char hex[SHA256_HEX_BYTES];

		memset(data, cases[i].byte, len);
		if (cases[i].text != NULL) {
			len = strlen(cases[i].text);
			memcpy(data, cases[i].text, len);
		}
		sha256_of(data, len, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void the_digest_does_not_depend_on_the_pieces(void **state)
{
	char data[300];
	char whole[SHA256_HEX_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 31);
	sha256_of(data, sizeof(data), whole);
	for (size_t piece = 1; piece < sizeof(data); piece++) {
		struct sha256 s;
		char hex[SHA256_HEX_BYTES];

		sha256_init(&s);
		for (size_t at = 0; at < sizeof(data); at += piece)
			sha256_add(&s, data + at,
			           piece < sizeof(data) - at ? piece : sizeof(data) - at);
		sha256_hex(&s, hex);
		assert_string_equal(hex, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_messages_have_their_known_digests),
		cmocka_unit_test(the_digest_does_not_depend_on_the_pieces),
	};

	return cmocka_run_group_tests_name("common/sha256", tests, NULL, NULL);
}
