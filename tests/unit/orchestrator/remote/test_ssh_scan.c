/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "common/text.h"
#include "remote/ssh_scan.h"
#include "tests/support/test.h"

/* "1:User root|3:..." */
static void assert_scan(const char *text, const char *alias, const char *expected)
{
	struct ssh_scan scan;
	struct ssh_scanned s;
	struct text got = {0};

	ssh_scan_init(&scan, text, strlen(text), alias);
	while (ssh_scan_next(&scan, &s))
		text_printf(&got, "%u:%s %s|", s.line, s.key, s.rest);
	assert_string_equal(text_str(&got), expected);
	text_done(&got);
}

static void what_holds_is_told_with_its_line(void **state)
{
	static const char text[] = "# all\nUser root\nHost web? !web9\n  Port=22\n"
				   "\tIdentityFile = \"a b\" \r\nHost *\nCompression yes\n"
				   "Match user x\nProxyJump j";

	(void)state;
	assert_scan(text, "web1",
	            "2:User root|4:Port 22|5:IdentityFile \"a b\"|7:Compression yes|"
	            "8:Match user x|9:ProxyJump j|");
	assert_scan(text, "web9", "2:User root|7:Compression yes|8:Match user x|9:ProxyJump j|");
	assert_scan(text, "other", "2:User root|7:Compression yes|8:Match user x|9:ProxyJump j|");
}

static void patterns_are_those_of_ssh(void **state)
{
	(void)state;
	assert_scan("Host a b\nX 1", "b", "2:X 1|");
	assert_scan("Host !a *\nX 1", "a", "");
	assert_scan("Host * !a\nX 1", "a", "");
	assert_scan("Host !a\nX 1", "b", "");
	assert_scan("Host \"a\"\nX 1", "a", "2:X 1|");
	assert_scan("host A\nX 1", "a", "");
	assert_scan("Host 10.1.*\nX 1", "10.1.2.3", "2:X 1|");
	assert_scan("Host\nX 1", "a", "");
	assert_scan("Host=a\nX 1", "a", "2:X 1|");
}

static void words_may_be_quoted(void **state)
{
	const char *rest = " a \"b c\"\td \"e";
	char word[SSH_SCAN_REST_BYTES];
	static const char *const expected[] = {"a", "b c", "d", "e", "", ""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		ssh_scan_word(&rest, word);
		assert_string_equal(word, expected[i]);
	}
}

static void a_long_line_is_cut(void **state)
{
	char text[3 * SSH_SCAN_REST_BYTES];
	struct ssh_scan scan;
	struct ssh_scanned s;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[100] = ' ';
	ssh_scan_init(&scan, text, sizeof(text), "a");
	assert_true(ssh_scan_next(&scan, &s));
	assert_int_equal(strlen(s.key), SSH_SCAN_WORD_BYTES - 1);
	assert_int_equal(strlen(s.rest), SSH_SCAN_REST_BYTES - 1);
	assert_false(ssh_scan_next(&scan, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_holds_is_told_with_its_line),
		cmocka_unit_test(patterns_are_those_of_ssh),
		cmocka_unit_test(words_may_be_quoted),
		cmocka_unit_test(a_long_line_is_cut),
	};

	return cmocka_run_group_tests_name("remote/ssh_scan", tests, NULL, NULL);
}
