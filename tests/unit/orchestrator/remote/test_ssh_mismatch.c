/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "remote/ssh_mismatch.h"
#include "tests/support/test.h"

static void both_lists_and_the_remedy_are_told(void **state)
{
	struct err err;

	(void)state;
	assert_true(
		ssh_mismatch_explain("kex error : no match for method server host key algo: server "
	                             "[ssh-rsa,ssh-dss], client [ssh-ed25519,rsa-sha2-512]",
	                             &err));
	assert_int_equal(err.kind, ERR_REMOTE);
	assert_string_equal(
		err.msg,
		"no kind of host key in common: the host has ssh-rsa,ssh-dss, vnm takes "
		"ssh-ed25519,rsa-sha2-512: if that is good enough for this host, say "
		"`HostKeyAlgorithms +ssh-rsa` in ssh_config, else set `transport: openssh`");
	assert_true(ssh_mismatch_explain("kex error : no match for method kex algos: server "
	                                 "[diffie-hellman-group1-sha1], client [a]",
	                                 &err));
	assert_non_null(strstr(err.msg, "`KexAlgorithms +diffie-hellman-group1-sha1`"));
	assert_true(ssh_mismatch_explain("kex error : no match for method encryption client->"
	                                 "server: server [3des-cbc], client [a]",
	                                 &err));
	assert_non_null(strstr(err.msg, "no cipher in common"));
	assert_true(ssh_mismatch_explain("no match for method mac algo server->client: server "
	                                 "[m], client [",
	                                 &err));
	assert_non_null(strstr(err.msg, "`MACs +m`"));
}

static void other_errors_are_left_alone(void **state)
{
	struct err err;

	(void)state;
	assert_false(ssh_mismatch_explain("Socket error: disconnected", &err));
	assert_false(ssh_mismatch_explain("no match for method kex algos", &err));
	assert_false(ssh_mismatch_explain("no match for method x: server [a], client [b]", &err));
	assert_false(ssh_mismatch_explain("", &err));
}

static void long_lists_are_cut(void **state)
{
	char text[2000] = "no match for method kex algos: server [";
	struct err err;

	(void)state;
	for (int i = 0; i < 100; i++)
		strncat(text, "algorithm,", sizeof(text) - strlen(text) - 1);
	strncat(text, "], client [b]", sizeof(text) - strlen(text) - 1);
	assert_true(ssh_mismatch_explain(text, &err));
	assert_non_null(strstr(err.msg, ", vnm takes b: "));
	assert_non_null(strstr(err.msg, "`KexAlgorithms +algorithm`"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_lists_and_the_remedy_are_told),
		cmocka_unit_test(other_errors_are_left_alone),
		cmocka_unit_test(long_lists_are_cut),
	};

	return cmocka_run_group_tests_name("remote/ssh_mismatch", tests, NULL, NULL);
}
