/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "hostops/refusal.h"
#include "tests/support/test.h"

static const struct {
	int status;
	const char *said;
	enum refusal refusal;
	const char *told;
} cases[] = {
	/* dash, bash, busybox ash, mksh */
	{126, "/bin/sh: 1: /tmp/vnm-agent: Exec format error", REFUSAL_FORMAT,
         "it is for another kind of machine (Exec format error)"},
	{126, "sh: line 1: /tmp/vnm-agent: cannot execute binary file: Exec format error",
         REFUSAL_FORMAT, "it is for another kind of machine (Exec format error)"},
	{2, "/tmp/vnm-agent: line 1: ELF@@8: not found", REFUSAL_FORMAT,
         "it is for another kind of machine (not found)"},
	{2, "/tmp/vnm-agent: line 14: syntax error: unexpected \")\"", REFUSAL_FORMAT,
         "it is for another kind of machine (unexpected \")\")"},
	{1, "E: sh: /tmp/vnm-agent: not executable: 64-bit ELF file", REFUSAL_FORMAT,
         "it is for another kind of machine (64-bit ELF file)"},
	{132, "", REFUSAL_FORMAT, "it is for another kind of machine (signal 4)"},
	/* ESXi */
	{126, "/bin/sh: /tmp/vnm-agent: Operation not permitted", REFUSAL_POLICY,
         "a policy of the host forbids foreign programs (Operation not permitted)"},
	{126, "/bin/sh: 1: /tmp/vnm-agent: Permission denied", REFUSAL_ACCESS,
         "the folder is noexec, or SELinux, AppArmor or the like forbids it (Permission denied)"},
	{127, "/bin/sh: 1: /tmp/vnm-agent: not found", REFUSAL_MISSING,
         "something that it needs is not there (not found)"},
	{137, "", REFUSAL_OTHER, "it was ended by signal 9"},
	{9, "wrong machine", REFUSAL_OTHER, "status 9: wrong machine"},
	{1, "", REFUSAL_OTHER, "status 1"},
};

static void each_refusal_is_known_and_told_in_words(void **state)
{
	struct text told = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		text_clear(&told);
		assert_int_equal(refusal_of(cases[i].status, cases[i].said), cases[i].refusal);
		refusal_tell(&told, cases[i].status, cases[i].said);
		assert_string_equal(text_str(&told), cases[i].told);
	}
	text_done(&told);
}

static void the_policy_of_esxi_is_told_with_what_lifts_it(void **state)
{
	const char *policy =
		"/tmp: cannot execute there: /bin/sh: /tmp/probe: Operation not permitted";

	(void)state;
	assert_non_null(
		strstr(refusal_remedy("VMkernel/x86_64", policy),
	               "esxcli system settings advanced set -o /User/execInstalledOnly -i 0"));
	assert_null(refusal_remedy("VMkernel/x86_64", "/tmp: No space left on device"));
	assert_null(refusal_remedy("Linux/x86_64", policy));
	assert_null(refusal_remedy("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_is_known_and_told_in_words),
		cmocka_unit_test(the_policy_of_esxi_is_told_with_what_lifts_it),
	};

	return cmocka_run_group_tests_name("hostops/refusal", tests, NULL, NULL);
}
