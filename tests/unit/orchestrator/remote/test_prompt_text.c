/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/prompt_text.h"
#include "tests/support/test.h"

static void what_steers_a_terminal_is_taken_out(void **state)
{
	/* U+202E; in a string the compiler would think of it what we do. */
	static const char reversed[] = {'\342', '\200', '\256', 'd', 'r', 'o', 'w', '\0'};
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{"Password: ", "Password"},
		{"(root@esx1) Password:", "(root@esx1) Password"},
		{"  two\r\n\tlines  :: ", "two lines"},
		{"\033[2J\033]0;title\007Code", "?[2J?]0;title?Code"},
		{"Passwort f\303\274r root", "Passwort f\303\274r root"},
		{"\343\203\221\343\202\271", "\343\203\221\343\202\271"},
		{"\302\233 31m", "? 31m"}, /* a control character of 8 bits */
		{reversed, "?drow"},
		{"\357\273\277x\342\200\213y", "?x?y"},      /* no width */
		{"\363\240\201\201tag", "?tag"},             /* a tag character */
		{"\377\300\200 \343\203", "??? ??"},         /* no UTF-8 */
		{"\355\240\200\364\220\200\200", "???????"}, /* no characters either */
		{"", ""},
		{" : ", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char clean[PROMPT_TEXT_BYTES];

		prompt_text_clean(cases[i].text, clean);
		assert_string_equal(clean, cases[i].clean);
	}
}

static void long_ones_are_cut_between_characters(void **state)
{
	char text[2 * PROMPT_TEXT_BYTES + 1];
	char clean[PROMPT_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i += 2)
		memcpy(text + i, "\303\274", 2);
	text[sizeof(text) - 1] = '\0';
	prompt_text_clean(text, clean);
	assert_int_equal(strlen(clean), PROMPT_TEXT_BYTES - 2);
	prompt_text_clean(text + 1, clean);
	assert_int_equal(strlen(clean), PROMPT_TEXT_BYTES - 1);
}

static void codes_are_told_from_passwords(void **state)
{
	static const struct {
		const char *text;
		bool means, says;
	} cases[] = {
		{"Password: ", true, true},
		{"(root@esx1) Password for root:", true, true},
		{"Passwort:", true, true},
		{"Kennwort:", true, true},
		{"Name: ", true, false},
		{"Verification code: ", false, false},
		{"One-time password (OATH) for `root':", false, false},
		{"Enter PIN for token:", false, false},
		{"PASSCODE:", false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(prompt_text_means_password(cases[i].text), cases[i].means);
		assert_int_equal(prompt_text_says_password(cases[i].text), cases[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_steers_a_terminal_is_taken_out),
		cmocka_unit_test(long_ones_are_cut_between_characters),
		cmocka_unit_test(codes_are_told_from_passwords),
	};

	return cmocka_run_group_tests_name("remote/prompt_text", tests, NULL, NULL);
}
