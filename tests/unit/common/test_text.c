/* SPDX-License-Identifier: MIT */
#include "common/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/oom.h"
#include "tests/support/child.h"
#include "tests/support/test.h"

static void an_untouched_text_is_empty(void **state)
{
	struct text t = {0};

	(void)state;
	assert_string_equal(text_str(&t), "");
	text_clear(&t);
	assert_string_equal(text_str(&t), "");
	text_done(&t);
	text_done(&t);
}

static void pieces_are_joined_in_order(void **state)
{
	struct text t = {0};

	(void)state;
	text_add(&t, "one");
	text_add(&t, "");
	text_add_bytes(&t, "-two-", 4);
	text_printf(&t, "%s %d", " three", 4);
	text_printf(&t, "%s", "");
	assert_string_equal(text_str(&t), "one-two three 4");
	assert_int_equal(t.len, strlen("one-two three 4"));
	text_done(&t);
}

static void bytes_may_hold_a_nul(void **state)
{
	struct text t = {0};

	(void)state;
	text_add_bytes(&t, "a\0b", 3);
	assert_int_equal(t.len, 3);
	assert_memory_equal(text_str(&t), "a\0b", 4);
	text_done(&t);
}

static void a_text_grows_past_every_size(void **state)
{
	struct text t = {0};
	char number[16];
	size_t at = 0;

	(void)state;
	for (int i = 0; i < 5000; i++)
		text_printf(&t, "%d,", i);
	for (int i = 0; i < 5000; i++) {
		size_t len = (size_t)snprintf(number, sizeof(number), "%d,", i);

		assert_memory_equal(text_str(&t) + at, number, len);
		at += len;
	}
	assert_int_equal(t.len, at);
	text_done(&t);
}

static void clear_keeps_the_memory_and_drops_the_text(void **state)
{
	struct text t = {0};
	size_t room;

	(void)state;
	text_add(&t, "long enough to be moved once or twice while it grows, surely by now");
	room = t.room;
	text_clear(&t);
	assert_string_equal(text_str(&t), "");
	assert_int_equal(t.room, room);
	text_add(&t, "new");
	assert_string_equal(text_str(&t), "new");
	text_done(&t);
	assert_null(t.at);
	assert_int_equal(t.len, 0);
}

static void add_too_much(void *arg)
{
	text_add_bytes(arg, "", SIZE_MAX / 2);
}

static void a_size_that_overflows_is_out_of_memory(void **state)
{
	struct text t = {0};
	char said[64];

	(void)state;
	assert_int_equal(child_run(add_too_much, &t, said, sizeof(said)), OOM_EXIT_CODE);
	assert_string_equal(said, "vnm: out of memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_untouched_text_is_empty),
		cmocka_unit_test(pieces_are_joined_in_order),
		cmocka_unit_test(bytes_may_hold_a_nul),
		cmocka_unit_test(a_text_grows_past_every_size),
		cmocka_unit_test(clear_keeps_the_memory_and_drops_the_text),
		cmocka_unit_test(a_size_that_overflows_is_out_of_memory),
	};

	return cmocka_run_group_tests_name("common/text", tests, NULL, NULL);
}
