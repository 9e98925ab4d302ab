/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <string.h>

#include "config/diag.h"

static void problems_and_notes_are_kept_in_order_and_counted(void **state)
{
	struct diag_list list = {0};

	(void)state;
	diag_error(&list, (struct src_pos){3, 1}, "bad %s", "a");
	diag_note(&list, (struct src_pos){1, 1}, "note");
	assert_int_equal(list.errors, 1);
	assert_int_equal(list.notes, 1);
	assert_string_equal(list.first->text, "bad a");
	assert_int_equal(list.first->level, DIAG_ERROR);
	assert_int_equal(list.first->next->level, DIAG_NOTE);
	assert_null(list.first->next->next);
	diag_done(&list);
	assert_null(list.first);
	diag_done(NULL);
}

static void the_same_problem_at_the_same_place_is_told_once(void **state)
{
	struct diag_list list = {0};

	(void)state;
	diag_error(&list, (struct src_pos){3, 1}, "bad");
	diag_error(&list, (struct src_pos){3, 1}, "bad");
	diag_error(&list, (struct src_pos){3, 2}, "bad");
	diag_error(&list, (struct src_pos){3, 1}, "worse");
	assert_int_equal(list.errors, 3);
	diag_done(&list);
}

static void sorting_is_by_place_and_stable_and_more_can_be_added(void **state)
{
	static const char *const want[] = {"first", "one", "two", "column", "line", "added"};
	struct diag_list list = {0};
	size_t i = 0;

	(void)state;
	diag_error(&list, (struct src_pos){10, 1}, "line");
	diag_error(&list, (struct src_pos){2, 9}, "column");
	diag_error(&list, (struct src_pos){2, 8}, "one");
	diag_note(&list, (struct src_pos){2, 8}, "two");
	diag_error(&list, (struct src_pos){1, 50}, "first");
	diag_sort(&list);
	diag_error(&list, (struct src_pos){1, 1}, "added");
	for (const struct diag *d = list.first; d != NULL; d = d->next)
		assert_string_equal(d->text, want[i++]);
	assert_int_equal(i, COUNT_OF(want));
	diag_done(&list);
}

static void an_empty_list_can_be_sorted(void **state)
{
	struct diag_list list = {0};

	(void)state;
	diag_sort(&list);
	diag_error(&list, (struct src_pos){1, 1}, "x");
	assert_non_null(list.first);
	diag_done(&list);
}

static void at_most_diag_max_are_kept_but_all_are_counted(void **state)
{
	struct diag_list list = {0};
	size_t kept = 0;

	(void)state;
	for (unsigned i = 1; i <= DIAG_MAX + 50; i++)
		diag_error(&list, (struct src_pos){i, 1}, "x");
	for (const struct diag *d = list.first; d != NULL; d = d->next)
		kept++;
	assert_int_equal(kept, DIAG_MAX);
	assert_int_equal(list.errors, DIAG_MAX + 50);
	diag_done(&list);
}

static void a_text_that_is_too_long_is_cut(void **state)
{
	struct diag_list list = {0};
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	diag_error(&list, (struct src_pos){1, 1}, "%s", text);
	assert_true(strlen(list.first->text) > 400);
	assert_true(strlen(list.first->text) < 600);
	diag_done(&list);
}

static void what_is_wrong_is_counted_each_time_and_told_once(void **state)
{
	struct diag_list list = {0};
	const struct src_pos pos = {1, 1};

	(void)state;
	diag_error(&list, pos, "bad");
	diag_error(&list, pos, "bad");
	diag_known(&list);
	diag_note(&list, pos, "a note");
	assert_int_equal(list.errors, 1);
	assert_int_equal(list.notes, 1);
	assert_int_equal(list.wrong, 3);
	diag_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(problems_and_notes_are_kept_in_order_and_counted),
		cmocka_unit_test(what_is_wrong_is_counted_each_time_and_told_once),
		cmocka_unit_test(the_same_problem_at_the_same_place_is_told_once),
		cmocka_unit_test(sorting_is_by_place_and_stable_and_more_can_be_added),
		cmocka_unit_test(an_empty_list_can_be_sorted),
		cmocka_unit_test(at_most_diag_max_are_kept_but_all_are_counted),
		cmocka_unit_test(a_text_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
