/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/text.h"
#include "remote/jump_chain.h"
#include "tests/support/test.h"

/* Hops as "user host port", joined by "; ". "-" = not said. */
static const struct {
	const char *text;
	const char *hops;
} good[] = {
	{"jump1", "- jump1 0"},
	{"root@10.0.0.1", "root 10.0.0.1 0"},
	{"admin@jump1:2222,jump_2", "admin jump1 2222; - jump_2 0"},
	{"a,b,c", "- a 0; - b 0; - c 0"},
	{"[2001:db8::1]:22,[::1]", "- 2001:db8::1 22; - ::1 0"},
	{"2001:db8::1", "- 2001:db8::1 0"},
	{"name@domain@jump1:1", "name@domain jump1 1"},
	{"ssh://u@h:65535", "u h 65535"},
	{"ssh://h/,ssh://[::1]:22", "- h 0; - ::1 22"},
	{"a,b,c,d,e,f,g,h", "- a 0; - b 0; - c 0; - d 0; - e 0; - f 0; - g 0; - h 0"},
};

static const struct {
	const char *text;
	const char *says;
} bad[] = {
	{"", "jump hosts '': '' is none: write [user@]host[:port],..."},
	{"a,", "jump hosts 'a,': '' is none"},
	{",a", "'' is none"},
	{"a,,b", "'' is none"},
	{"@h", "'@h' is none"},
	{"u@", "'u@' is none"},
	{"h:", "'h:' is none"},
	{"h:0", "'h:0' is none"},
	{"h:65536", "'h:65536' is none"},
	{"h:022222", "'h:022222' is none"},
	{"h:22x", "'h:22x' is none"},
	{"h:-1", "'h:-1' is none"},
	{"[::1", "'[::1' is none"},
	{"[::1]22", "'[::1]22' is none"},
	{"[]:22", "'[]:22' is none"},
	{"ssh://", "'ssh://' is none"},
	{"a,b,c,d,e,f,g,h,i", "jump hosts 'a,b,c,d,e,f,g,h,i': more than 8"},
};

static void hops_are_read_in_their_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		struct arena arena = {0};
		struct jump_chain chain;
		struct text found = {0};
		struct err err;

		assert_true(jump_chain_parse(&arena, good[i].text, &chain, &err));
		for (size_t k = 0; k < chain.count; k++) {
			const struct jump_hop *h = &chain.at[k];

			text_printf(&found, "%s%s %s %u", k == 0 ? "" : "; ",
			            h->user == NULL ? "-" : h->user, h->host, (unsigned)h->port);
		}
		assert_string_equal(text_str(&found), good[i].hops);
		text_done(&found);
		arena_done(&arena);
	}
}

static void a_hop_keeps_the_name_that_was_written(void **state)
{
	struct arena arena = {0};
	struct jump_chain chain;
	struct err err;

	(void)state;
	assert_true(jump_chain_parse(&arena, "a,root@[::1]:22", &chain, &err));
	assert_string_equal(chain.at[0].name, "a");
	assert_string_equal(chain.at[1].name, "root@[::1]:22");
	arena_done(&arena);
}

static void what_is_no_chain_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct arena arena = {0};
		struct jump_chain chain;
		struct err err = {0};

		assert_false(jump_chain_parse(&arena, bad[i].text, &chain, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.msg, bad[i].says));
		arena_done(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hops_are_read_in_their_order),
		cmocka_unit_test(a_hop_keeps_the_name_that_was_written),
		cmocka_unit_test(what_is_no_chain_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
