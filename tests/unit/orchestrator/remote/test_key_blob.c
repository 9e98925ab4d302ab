/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/key_blob.h"
#include "tests/support/test.h"

#define ED25519   "\0\0\0\013ssh-ed25519\0\0\0\4KEY1"
#define OTHER     "\0\0\0\013ssh-ed25519\0\0\0\4KEY2"
#define CERT      "\0\0\0\040ssh-ed25519-cert-v01@openssh.com\0\0\0\2NO\0\0\0\4KEY1\0\0\0\0serial"
#define CERT_BARE "\0\0\0\040ssh-ed25519-cert-v01@openssh.com\0\0\0\2NO\0\0\0\4KEY1"
#define SK        "\0\0\0\032sk-ssh-ed25519@openssh.com\0\0\0\4KEY1\0\0\0\4ssh:"
#define SK_CERT                                                                     \
	"\0\0\0\043sk-ssh-ed25519-cert-v01@openssh.com\0\0\0\2NO\0\0\0\4KEY1\0\0\0" \
	"\4ssh:more"

#define BLOB(s) ((struct key_blob){(const unsigned char *)(s), sizeof(s) - 1})

static void kinds_are_told_apart(void **state)
{
	(void)state;
	assert_false(key_blob_is_certificate(BLOB(ED25519)));
	assert_true(key_blob_is_certificate(BLOB(CERT)));
	assert_true(key_blob_is_certificate(BLOB(SK_CERT)));
	assert_false(key_blob_is_security_key(BLOB(ED25519)));
	assert_false(key_blob_is_security_key(BLOB(CERT)));
	assert_true(key_blob_is_security_key(BLOB(SK)));
	assert_true(key_blob_is_security_key(BLOB(SK_CERT)));
	assert_false(key_blob_is_certificate((struct key_blob){0}));
	assert_false(key_blob_is_security_key(BLOB("\0\0\0\377sk-ssh-ed25519@openssh.com")));
}

static void keys_that_are_not_known_are_never_equal(void **state)
{
	(void)state;
	assert_true(key_blob_equal(BLOB(ED25519), BLOB(ED25519)));
	assert_false(key_blob_equal(BLOB(ED25519), BLOB(OTHER)));
	assert_false(key_blob_equal((struct key_blob){0}, (struct key_blob){0}));
}

static void a_certificate_is_of_its_own_key(void **state)
{
	const struct {
		struct key_blob cert, key;
		bool certifies;
	} cases[] = {
		{BLOB(CERT), BLOB(ED25519), true},       {BLOB(CERT), BLOB(OTHER), false},
		{BLOB(SK_CERT), BLOB(SK), true},         {BLOB(SK_CERT), BLOB(ED25519), false},
		{BLOB(CERT), BLOB(SK), false},           {BLOB(ED25519), BLOB(ED25519), false},
		{BLOB(CERT), BLOB(CERT), false},         {BLOB(CERT), {0}, false},
		{BLOB(CERT_BARE), BLOB(ED25519), false}, /* it is cut off behind the key */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(key_blob_certifies(cases[i].cert, cases[i].key),
		                 cases[i].certifies);
}

/* A certificate that is cut off anywhere certifies nothing, and nothing beyond it is read. */
static void cut_off_blobs_are_harmless(void **state)
{
	static const char cert[] = CERT_BARE;

	(void)state;
	for (size_t len = 0; len < sizeof(cert); len++) {
		unsigned char *copy = test_malloc(len + 1);
		struct key_blob blob = {copy, len};

		memcpy(copy, cert, len);
		assert_false(key_blob_certifies(blob, BLOB(ED25519)));
		test_free(copy);
	}
}

static void public_key_files_are_read(void **state)
{
	static const struct {
		const char *text;
		bool ok;
	} cases[] = {
		{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABEtFWTE= me@host\n", true},
		{"ssh-ed25519\tAAAAC3NzaC1lZDI1NTE5AAAABEtFWTE=", true},
		{"# a comment\n\n  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAABEtFWTE=\r\nmore\n", true},
		{"", false},
		{"\n\n#", false},
		{"ssh-ed25519", false},
		{"ssh-ed25519 ", false},
		{"ssh-ed25519 AAAA!", false},
		{"ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAABEtFWTE= another type\n", false},
		{"ssh-ed2551 AAAAC3NzaC1lZDI1NTE5AAAABEtFWTE= another type\n", false},
		{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n", false}, /* no key behind the type */
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		unsigned char room[KEY_BLOB_BYTES];
		struct key_blob blob;

		assert_int_equal(
			key_blob_parse_file(cases[i].text, strlen(cases[i].text), room, &blob),
			cases[i].ok);
		if (cases[i].ok)
			assert_true(key_blob_equal(blob, BLOB(ED25519)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(keys_that_are_not_known_are_never_equal),
		cmocka_unit_test(a_certificate_is_of_its_own_key),
		cmocka_unit_test(cut_off_blobs_are_harmless),
		cmocka_unit_test(public_key_files_are_read),
	};

	return cmocka_run_group_tests_name("remote/key_blob", tests, NULL, NULL);
}
