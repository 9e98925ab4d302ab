/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "remote/jump_words.h"
#include "tests/support/test.h"

static const struct {
	const char *reason;
	const char *says;
} refusals[] = {
	{"Channel opening failure: channel 43 error (2) Connection refused",
         "jump1 cannot reach h:22: connection refused: is sshd running there?"},
	{"Channel opening failure: channel 7 error (2) No route to host",
         "jump1 cannot reach h:22: no route to host: is the host up, and no firewall between?"},
	{"Channel opening failure: channel 7 error (2) Name or service not known",
         "jump1 cannot reach h:22: name or service not known: the jump host looks the name up, not "
         "this machine"},
	{"Channel opening failure: channel 7 error (1) open failed",
         "jump1 does not forward connections to h:22 (open failed): allow it in its sshd_config: "
         "AllowTcpForwarding, PermitOpen"},
	{"Channel opening failure: channel 7 error (4) ", "jump1 cannot reach h:22: "},
	{"Channel opening failure: channel 7 error (2) error (1) x",
         "jump1 cannot reach h:22: error (1) x"},
	{"Socket error", "jump1 cannot reach h:22: socket error"},
	{"error (", "jump1 cannot reach h:22: error ("},
	{"error (1", "jump1 does not forward connections to h:22 (error (1): allow it in its "
                     "sshd_config: AllowTcpForwarding, PermitOpen"},
	{"", "jump1 cannot reach h:22: "},
};

static void a_refusal_says_what_to_look_at(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct err err = {0};

		jump_words_refusal(refusals[i].reason, "jump1", "h:22", &err);
		assert_int_equal(err.kind, ERR_REMOTE);
		assert_string_equal(err.msg, refusals[i].says);
	}
}

static void a_long_refusal_is_cut(void **state)
{
	char reason[2000];
	char jump[400];
	struct err err = {0};

	(void)state;
	memset(reason, 'x', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	memset(jump, 'j', sizeof(jump) - 1);
	jump[sizeof(jump) - 1] = '\0';
	jump_words_refusal(reason, jump, "h:22", &err);
	assert_non_null(strstr(err.msg, "jjj cannot reach h:22: xxx"));
	assert_true(strlen(err.msg) < 400);
}

static void an_address_with_colons_gets_brackets(void **state)
{
	char where[JUMP_WORDS_WHERE_BYTES];
	char host[400];

	(void)state;
	jump_words_where("10.1.2.3", 22, where);
	assert_string_equal(where, "10.1.2.3:22");
	jump_words_where("fe80::1", 2222, where);
	assert_string_equal(where, "[fe80::1]:2222");
	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	jump_words_where(host, 65535, where);
	assert_string_equal(where + 200, ":65535");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_says_what_to_look_at),
		cmocka_unit_test(a_long_refusal_is_cut),
		cmocka_unit_test(an_address_with_colons_gets_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
