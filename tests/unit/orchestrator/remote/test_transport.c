/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "remote/transport_ops.h"
#include "tests/support/test.h"

static void close_nothing(struct transport *t)
{
	(void)t;
}

static const struct transport_ops ops = {.close = close_nothing};

static void output_is_kept_until_it_is_read(void **state)
{
	struct transport t = {.ops = &ops};
	char data[8];

	(void)state;
	assert_int_equal(transport_read(&t, data, sizeof(data)), 0);
	transport_came_output(&t, "abc", 3);
	transport_came_output(&t, "def", 3);
	assert_int_equal(transport_read(&t, data, 2), 2);
	assert_memory_equal(data, "ab", 2);
	transport_came_output(&t, "g", 1);
	assert_int_equal(transport_read(&t, data, sizeof(data)), 5);
	assert_memory_equal(data, "cdefg", 5);
	assert_int_equal(transport_read(&t, data, sizeof(data)), 0);
	transport_close(&t);
}

static void what_is_said_is_one_printable_line(void **state)
{
	static const struct {
		const char *parts[3];
		const char *said;
	} cases[] = {
		{{"no such file\n"}, "no such file"},     {{"one\ntwo\n\n"}, "one; two"},
		{{"\n\n", "one\n", "two"}, "one; two"},   {{"o", "n", "e"}, "one"},
		{{"a\033[31mb\r\n", "\tc"}, "a[31mb; c"}, {{""}, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct transport t = {.ops = &ops};

		for (size_t p = 0; p < 3 && cases[i].parts[p] != NULL; p++)
			transport_came_stderr(&t, cases[i].parts[p], strlen(cases[i].parts[p]));
		assert_string_equal(transport_said(&t), cases[i].said);
		transport_close(&t);
	}
}

static void of_much_that_is_said_the_end_is_kept(void **state)
{
	struct transport t = {.ops = &ops};

	(void)state;
	for (int i = 0; i < 1000; i++)
		transport_came_stderr(&t, "0123456789", 10);
	transport_came_stderr(&t, "the end", 7);
	assert_int_equal(strlen(transport_said(&t)), TRANSPORT_SAID_BYTES - 1);
	assert_string_equal(transport_said(&t) + TRANSPORT_SAID_BYTES - 1 - 10, "789the end");
	transport_close(&t);
}

static void a_command_has_ended_when_status_and_output_are_there(void **state)
{
	struct transport t = {.ops = &ops};
	struct transport_end end;

	(void)state;
	transport_reset(&t);
	assert_false(transport_ended(&t, &end));
	transport_came_status(&t, 3);
	assert_false(transport_ended(&t, &end)); /* the last of its output may still come */
	transport_came_eof(&t);
	assert_true(transport_ended(&t, &end));
	assert_int_equal(end.status, 3);
	assert_string_equal(end.signal, "");

	transport_reset(&t);
	transport_came_eof(&t);
	assert_false(transport_ended(&t, &end)); /* the status may still come */
	transport_came_signal(&t, "KILL");
	assert_true(transport_ended(&t, &end));
	assert_int_equal(end.status, TRANSPORT_STATUS_NONE);
	assert_string_equal(end.signal, "KILL");

	transport_reset(&t);
	transport_came_close(&t);
	assert_true(transport_ended(&t, &end));
	assert_int_equal(end.status, TRANSPORT_STATUS_NONE);
	transport_close(&t);
}

static void a_new_command_knows_nothing_of_the_last(void **state)
{
	struct transport t = {.ops = &ops};
	struct transport_end end;
	char c;

	(void)state;
	transport_came_output(&t, "x", 1);
	transport_came_stderr(&t, "y\n", 2);
	transport_came_close(&t);
	t.taken = 5;
	transport_reset(&t);
	assert_int_equal(transport_read(&t, &c, 1), 0);
	assert_string_equal(transport_said(&t), "");
	assert_false(transport_ended(&t, &end));
	assert_int_equal(transport_taken(&t), 0);
	transport_came_stderr(&t, "z", 1);
	assert_string_equal(transport_said(&t), "z");
	transport_close(&t);
}

static void all_that_is_said_is_counted_and_its_first_line_kept(void **state)
{
	struct transport t = {0};
	const struct transport_said_all *all = transport_said_all(&t);

	(void)state;
	assert_string_equal(all->first, "");
	transport_came_stderr(&t, "\n\x1b[1m** Wel", 11);
	transport_came_stderr(&t, "come **\nsecond\nlast", 19);
	assert_int_equal(all->bytes, 30);
	assert_int_equal(all->lines, 3);
	assert_string_equal(all->first, "[1m** Welcome **");
	for (int i = 0; i < 100; i++)
		transport_came_stderr(&t, "0123456789", 10);
	assert_int_equal(all->bytes, 1030);
	transport_reset(&t);
	assert_int_equal(all->bytes, 0);
	assert_string_equal(all->first, "");
	for (int i = 0; i < 100; i++)
		transport_came_stderr(&t, "0123456789", 10);
	assert_int_equal(strlen(all->first), TRANSPORT_FIRST_BYTES - 1);
	text_done(&t.said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_kept_until_it_is_read),
		cmocka_unit_test(what_is_said_is_one_printable_line),
		cmocka_unit_test(of_much_that_is_said_the_end_is_kept),
		cmocka_unit_test(all_that_is_said_is_counted_and_its_first_line_kept),
		cmocka_unit_test(a_command_has_ended_when_status_and_output_are_there),
		cmocka_unit_test(a_new_command_knows_nothing_of_the_last),
	};

	return cmocka_run_group_tests_name("remote/transport", tests, NULL, NULL);
}
