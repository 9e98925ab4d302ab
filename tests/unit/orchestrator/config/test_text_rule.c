/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <string.h>

#include "common/attr.h"
#include "config/text_rule.h"

static const struct {
	enum text_rule rule;
	const char *text, *want; /* want NULL: fine */
} cases[] = {
	{TEXT_NAME, "esx1", NULL},
	{TEXT_NAME, "100g-esxi_lab", NULL},
	{TEXT_NAME, "", "is empty"},
	{TEXT_NAME, "-rf", "begins with `-`"},
	{TEXT_NAME, "a b", "holds a blank"},
	{TEXT_NAME, " a", "begins or ends with a blank"},
	{TEXT_NAME, "esx1.lab", "holds a character that is not allowed here"},
	{TEXT_NAME, "a;reboot", "holds a character that is not allowed here"},
	{TEXT_NAME, "$(id)", "holds a character that is not allowed here"},
	{TEXT_NAME, "a`id`", "holds a character that is not allowed here"},
	{TEXT_NAME, "a\nb", "holds a control character"},
	{TEXT_NAME, "a\x1b[2J", "holds a control character"},
	{TEXT_NAME, "b\xc3\xbcro", "holds a character beyond ASCII"},
	{TEXT_DEVICE, "vmx0.10", NULL},
	{TEXT_DEVICE, "eth0:1", NULL},
	{TEXT_DEVICE, "-eth0", "begins with `-`"},
	{TEXT_DEVICE, "eth0|sh", "holds a character that is not allowed here"},
	{TEXT_USER, "vnm@lab.local", NULL},
	{TEXT_USER, "-oProxyCommand=sh", "begins with `-`"},
	{TEXT_USER, "root'", "holds a character that is not allowed here"},
	{TEXT_JUMP, "jump1", NULL},
	{TEXT_JUMP, "admin@jump1:2222,jump_2", NULL},
	{TEXT_JUMP, "root@[2001:db8::1]:22,192.0.2.1", NULL},
	{TEXT_JUMP, "jump1,", "has an empty hop"},
	{TEXT_JUMP, "-oProxyCommand=id", "begins with `-`"},
	{TEXT_JUMP, "jump1,-oProxyCommand", "has a hop that is no host name"},
	{TEXT_JUMP, "jump1,root@-oX", "has a hop that is no host name"},
	{TEXT_JUMP, "jump1,-l@jump2", "has a hop whose user is no name"},
	{TEXT_JUMP, "@jump1", "has a hop whose user is no name"},
	{TEXT_JUMP, "jump1:0", "has a hop whose port is none of 1 to 65535"},
	{TEXT_JUMP, "jump1:65536", "has a hop whose port is none of 1 to 65535"},
	{TEXT_JUMP, "jump1:22x", "has a hop whose port is none of 1 to 65535"},
	{TEXT_JUMP, "[2001:db8::1", "has a bracket too many or too few"},
	{TEXT_JUMP, "jump1 jump2", "holds a blank"},
	{TEXT_JUMP, "$(id)", "holds a character that is not allowed here"},
	{TEXT_ALGORITHM, "cubic", NULL},
	{TEXT_ALGORITHM, "bbr_v3-x", NULL},
	{TEXT_ALGORITHM, "abcdefghijklmno", NULL},
	{TEXT_ALGORITHM, "abcdefghijklmnop", "is too long"},
	{TEXT_ALGORITHM, "-bbr", "begins with `-`"},
	{TEXT_ALGORITHM, "bbr,cubic", "holds a character that is not allowed here"},
	{TEXT_CORES, "auto", NULL},
	{TEXT_CORES, "0", NULL},
	{TEXT_CORES, "0-3,6,1000-1023", NULL},
	{TEXT_CORES, "0-0,1", NULL},
	{TEXT_CORES, "autos", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "1024", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "99999999999999999999", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "0-", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "0--3", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "0-3-5", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "0,", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, ",0", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "00", "is no list of cores of 0 to 1023"},
	{TEXT_CORES, "3-0", "names cores that do not ascend"},
	{TEXT_CORES, "0-3,3", "names cores that do not ascend"},
	{TEXT_CORES, "5,1", "names cores that do not ascend"},
	{TEXT_CORES, "-1", "begins with `-`"},
	{TEXT_CORES, "0 1", "holds a blank"},
	{TEXT_ENVIRONMENT, "LAB_PASSWORD_1", NULL},
	{TEXT_ENVIRONMENT, "1LAB", "begins with a digit"},
	{TEXT_ENVIRONMENT, "LAB=x", "holds a character that is not allowed here"},
	{TEXT_HOST, "esx1.lab.example", NULL},
	{TEXT_HOST, "192.0.2.10", NULL},
	{TEXT_HOST, "2001:db8::1", NULL},
	{TEXT_HOST, "host_1", NULL},
	{TEXT_HOST, "10gig", NULL},
	{TEXT_HOST, "-oProxyCommand=id", "begins with `-`"},
	{TEXT_HOST, "192.0.2.300", "is no IPv4 address"},
	{TEXT_HOST, "192.0.2", "is no IPv4 address"},
	{TEXT_HOST, "192.0.2.10:22",
         "is no IPv6 address (a port is its own key: `ssh: { port: 2222 }`)"},
	{TEXT_HOST, "a..b", "is no host name"},
	{TEXT_HOST, "a.", "is no host name"},
	{TEXT_HOST, "a.-b", "is no host name"},
	{TEXT_HOST, "a-.b", "is no host name"},
	{TEXT_HOST, "a/b", "holds a character that is not allowed here"},
	{TEXT_HOST, "root@esx1", "holds a character that is not allowed here"},
	{TEXT_PATH, "~/.ssh/id_ed25519", NULL},
	{TEXT_PATH, "/home/b\xc3\xbcro/key", NULL},
	{TEXT_PATH, "/home/u/My Keys/lab key", NULL},
	{TEXT_PATH, " key", "begins or ends with a blank"},
	{TEXT_PATH, "my\tkey", "holds a control character"},
	{TEXT_PATH, "my\nkey", "holds a control character"},
	{TEXT_PATH, "my key; id", "holds a character that is not allowed here"},
	{TEXT_PATH, "-key", "begins with `-`"},
	{TEXT_PATH, ":memory:", "holds a character that is not allowed here"},
	{TEXT_PATH, "a'b", "holds a character that is not allowed here"},
	{TEXT_LABEL, "VM Network (10G)", NULL},
	{TEXT_LABEL, "vSwitch1", NULL},
	{TEXT_LABEL, "-vSwitch", "begins with `-`"},
	{TEXT_LABEL, "vSwitch ", "begins or ends with a blank"},
	{TEXT_LABEL, "a\"b", "holds a character that is not allowed here"},
	{TEXT_LABEL, "a\\b", "holds a character that is not allowed here"},
	{TEXT_FREE, "- anything: `goes` $HERE \xc3\xbc", NULL},
	{TEXT_FREE, "tab\there", "holds a control character"},
	{TEXT_REFERENCE, "whatever is looked up", NULL},
};

static void texts_keep_to_their_rule_or_are_refused_with_the_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *got = text_rule_problem(cases[i].rule, cases[i].text);

		if (cases[i].want == NULL && got != NULL)
			fail_msg("%s: %s", cases[i].text, got);
		if (cases[i].want != NULL && (got == NULL || strcmp(got, cases[i].want) != 0))
			fail_msg("%s: %s, not %s", cases[i].text, got == NULL ? "fine" : got,
			         cases[i].want);
	}
}

static void no_shell_character_passes_where_names_travel_to_other_programs(void **state)
{
	static const enum text_rule rules[] = {TEXT_NAME, TEXT_DEVICE, TEXT_USER,
	                                       TEXT_HOST, TEXT_PATH,   TEXT_LABEL};
	static const char shell[] = "`$\"'\\;&|<>*?[]{}!#^";

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		for (const char *c = shell; *c != '\0'; c++) {
			char text[] = {'a', *c, 'b', '\0'};

			assert_non_null(text_rule_problem(rules[i], text));
		}
		for (char c = 1; c < 0x20; c++) {
			char text[] = {'a', c, 'b', '\0'};

			assert_non_null(text_rule_problem(rules[i], text));
		}
	}
}

static void a_text_that_is_too_long_is_refused(void **state)
{
	char text[600];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[65] = '\0';
	assert_string_equal(text_rule_problem(TEXT_NAME, text), "is too long");
	text[64] = '\0';
	assert_null(text_rule_problem(TEXT_NAME, text));
	assert_string_equal(text_rule_problem(TEXT_HOST, text),
	                    "is no host name"); /* a label of 64 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_keep_to_their_rule_or_are_refused_with_the_reason),
		cmocka_unit_test(no_shell_character_passes_where_names_travel_to_other_programs),
		cmocka_unit_test(a_text_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
