/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <string.h>

#include "common/attr.h"
#include "config/suggest.h"

static void the_nearest_word_is_suggested_and_only_a_near_one(void **state)
{
	static const struct {
		const char *word, *want; /* want NULL: nothing */
	} cases[] = {
		{"windw", "window"},    {"windwo", "window"},
		{"wwindow", "window"},  {"Window", "window"},
		{"widnwo", "window"},   {"streem", "streams"},
		{"mtuu", "mtu"},        {"mut", "mtu"},
		{"xyz", NULL},          {"m", NULL},
		{"buffering", NULL},    {"", NULL},
		{"offload", "offload"}, {"window", "window"},
	};
	static const char *const words[] = {"mtu", "window", "streams", "buffer", "offload"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct suggestion s = suggest_for(cases[i].word);

		for (size_t j = 0; j < COUNT_OF(words); j++)
			suggest_try(&s, words[j]);
		if (cases[i].want == NULL)
			assert_null(s.best);
		else
			assert_string_equal(s.best, cases[i].want);
	}
}

static void of_two_equally_near_words_the_first_in_the_alphabet_wins(void **state)
{
	struct suggestion s = suggest_for("esx3");

	(void)state;
	suggest_try(&s, "esx2");
	suggest_try(&s, "esx1");
	suggest_try(&s, "esx4");
	assert_string_equal(s.best, "esx1");
}

static void the_text_is_a_question_or_empty(void **state)
{
	struct suggestion s = suggest_for("windw");
	char out[SUGGEST_TEXT_BYTES];

	(void)state;
	assert_string_equal(suggest_text(&s, out), "");
	suggest_try(&s, "window");
	assert_string_equal(suggest_text(&s, out), ", did you mean `window`?");
}

static void very_long_words_are_left_alone(void **state)
{
	char word[200];
	struct suggestion s;

	(void)state;
	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	s = suggest_for(word);
	suggest_try(&s, word);
	assert_null(s.best);
}

static void a_suggestion_does_not_disturb_a_terminal(void **state)
{
	struct suggestion s = suggest_for("window");
	char out[SUGGEST_TEXT_BYTES];

	(void)state;
	suggest_try(&s, "windo\033");
	assert_string_equal(suggest_text(&s, out), ", did you mean `windo?`?");
	s = suggest_for("window");
	suggest_try(&s, "windo\177");
	assert_string_equal(suggest_text(&s, out), ", did you mean `windo?`?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_word_is_suggested_and_only_a_near_one),
		cmocka_unit_test(a_suggestion_does_not_disturb_a_terminal),
		cmocka_unit_test(of_two_equally_near_words_the_first_in_the_alphabet_wins),
		cmocka_unit_test(the_text_is_a_question_or_empty),
		cmocka_unit_test(very_long_words_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
