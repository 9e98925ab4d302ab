/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/text.h"
#include "config/node.h"

struct fixture {
	struct arena arena;
	struct diag_list diags;
	struct text told; /* "line:column: text" of each problem, a line each */
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state == NULL;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	arena_done(&f->arena);
	diag_done(&f->diags);
	text_done(&f->told);
	free(f);
	return 0;
}

static const struct node *read_bytes(struct fixture *f, const char *text, size_t len)
{
	const struct node *root;

	arena_done(&f->arena);
	diag_done(&f->diags);
	text_clear(&f->told);
	root = node_read(text, len, &f->arena, &f->diags);
	for (const struct diag *d = f->diags.first; d != NULL; d = d->next)
		text_printf(&f->told, "%s%u:%u: %s", d == f->diags.first ? "" : "\n", d->pos.line,
		            d->pos.column, d->text);
	return root;
}

static const struct node *read_text(struct fixture *f, const char *text)
{
	return read_bytes(f, text, strlen(text));
}

static void every_node_has_its_line_and_column(void **state)
{
	struct fixture *f = *state;
	const struct node *root = read_text(f, "a: 1\nlist:\n  - x\n  - { k: \"v\" }\n");
	const struct node *list;

	assert_non_null(root);
	assert_int_equal(root->kind, NODE_MAP);
	assert_int_equal(root->count, 2);
	assert_string_equal(root->entries[0].key->text, "a");
	assert_int_equal(root->entries[0].value->pos.line, 1);
	assert_int_equal(root->entries[0].value->pos.column, 4);
	list = node_get(root, "list");
	assert_int_equal(list->kind, NODE_LIST);
	assert_int_equal(list->count, 2);
	assert_int_equal(list->items[0]->pos.line, 3);
	assert_int_equal(list->items[0]->pos.column, 5);
	assert_true(list->items[0]->is_plain);
	assert_false(node_get(list->items[1], "k")->is_plain);
	assert_int_equal(node_pos(list->items[1], "k").column, 10);
	assert_int_equal(node_pos(list->items[1], "none").column, 5);
	assert_null(node_get(root, "none"));
	assert_null(node_get(NULL, "a"));
	assert_null(node_get(list, "a"));
}

static void nothing_is_interpreted(void **state)
{
	static const char *const texts[] = {"off", "0x10", "1_000", "012", "1:30", "no"};
	struct fixture *f = *state;
	const struct node *root = read_text(f, "[off, 0x10, 1_000, 012, 1:30, no]");

	assert_int_equal(root->count, COUNT_OF(texts));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_string_equal(root->items[i]->text, texts[i]);
}

static void nothing_is_an_empty_scalar_tilde_or_null(void **state)
{
	struct fixture *f = *state;
	const struct node *root = read_text(f, "[~, null, \"\", \"null\", x]\n");

	assert_true(node_is_nothing(root->items[0]));
	assert_true(node_is_nothing(root->items[1]));
	assert_false(node_is_nothing(root->items[2]));
	assert_false(node_is_nothing(root->items[3]));
	assert_false(node_is_nothing(root->items[4]));
	root = read_text(f, "a:\n");
	assert_true(node_is_nothing(node_get(root, "a")));
}

static void anchors_and_merges_are_resolved(void **state)
{
	struct fixture *f = *state;
	const struct node *root = read_text(f, "base: &b { x: 1, y: 2 }\n"
	                                       "more: &m { y: 3, z: 4 }\n"
	                                       "one: { <<: *b, y: own }\n"
	                                       "two: { <<: [*b, *m], w: 5 }\n"
	                                       "same: *b\n"
	                                       "quoted: { \"<<\": 1 }\n");
	const struct node *two;

	assert_string_equal(text_str(&f->told), "");
	assert_string_equal(node_get(node_get(root, "one"), "x")->text, "1");
	assert_string_equal(node_get(node_get(root, "one"), "y")->text, "own");
	two = node_get(root, "two");
	assert_string_equal(node_get(two, "y")->text, "2"); /* the earlier merge wins */
	assert_string_equal(node_get(two, "z")->text, "4");
	assert_int_equal(two->count, 4);
	assert_int_equal(node_pos(two, "z").line, 2); /* where it is written */
	assert_ptr_equal(node_get(root, "same"), node_get(root, "base"));
	assert_string_equal(node_get(node_get(root, "quoted"), "<<")->text, "1");
}

static void an_anchor_may_be_used_inside_a_merged_mapping_and_defined_again(void **state)
{
	struct fixture *f = *state;
	const struct node *root =
		read_text(f, "a: &a { x: &n 1 }\nb: &a { <<: *a, y: *n }\nc: *a\n");

	assert_string_equal(text_str(&f->told),
	                    "2:13: alias `*a` is inside its own anchor (line 2)");
	assert_string_equal(node_get(node_get(root, "c"), "y")->text, "1");
}

static void windows_line_ends_and_byte_order_marks_are_borne(void **state)
{
	struct fixture *f = *state;
	const struct node *root = read_text(f, "\xef\xbb\xbf"
	                                       "a: 1\r\nb: 2\r\n");

	assert_string_equal(text_str(&f->told), "");
	assert_int_equal(root->entries[0].key->pos.column, 1);
	assert_string_equal(node_get(root, "b")->text, "2");
	assert_int_equal(node_pos(root, "b").line, 2);
}

static void bad_files_are_refused_with_the_place(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "1:1: the file is empty"},
		{"# only a remark\n", "1:1: the file is empty"},
		{"a: 1\nb: [1, 2\n", "3:1: did not find expected ',' or ']' (while parsing a flow "
	                             "sequence that starts at line 2)"},
		{"a: 1\n\tb: 2\n", "2:1: found a tab character that violates indentation (while "
	                           "scanning a plain scalar that starts at line 1)"},
		{"a: b: c\n", "1:5: mapping values are not allowed in this context"},
		{"a: \"x\n",
	         "2:1: found unexpected end of stream (while scanning a quoted scalar that "
	         "starts at line 1)"},
		{"a: 1\na: 2\n", "2:1: key `a` is given twice (first at line 1)"},
		{"m:\n  x: 1\n  y: 2\n  x: 3\n", "4:3: key `x` is given twice (first at line 2)"},
		{"b: &b {x: 1}\nm: { <<: *b, <<: *b }\n",
	         "2:14: key `<<` is given twice (first at line 2)"},
		{"m: { <<: 5 }\n", "1:6: `<<` takes a mapping or a list of mappings"},
		{"m: { <<: [{x: 1}, 5] }\n", "1:6: `<<` takes a mapping or a list of mappings"},
		{"a: *x\n", "1:4: alias `*x` has no anchor above it"},
		{"a: &x [*x]\n", "1:8: alias `*x` is inside its own anchor (line 1)"},
		{"a: !!int 5\n", "1:4: tags such as tag:yaml.org,2002:int are not used here"},
		{"a: !x {}\n", "1:4: tags such as !x are not used here"},
		{"{[a]: 1}\n", "1:2: a key must be a word, not a list"},
		{"a: 1\n---\nb: 2\n", "2:1: a second document begins here: only one is read"},
		{"a: 1\nb: \xff\n",
	         "2:4: invalid leading UTF-8 octet (0xff): the file must be UTF-8 text"},
		{"\xc3\xbc\xc3\xbc: \xc3(\n",
	         "1:6: invalid trailing UTF-8 octet (0x28): the file must be UTF-8 text"},
		{"a: \x01\n",
	         "1:4: control characters are not allowed (0x01): the file must be UTF-8 text"},
		{"a: \"x\\0y\"\n", "1:4: a NUL character inside a text"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		(void)read_text(f, cases[i].text);
		assert_string_equal(text_str(&f->told), cases[i].want);
	}
	(void)read_bytes(f, "a: \0b\n", 6);
	assert_string_equal(
		text_str(&f->told),
		"1:4: control characters are not allowed (0x00): the file must be UTF-8 text");
}

static void several_problems_are_told_in_one_reading(void **state)
{
	struct fixture *f = *state;

	assert_non_null(read_text(f, "a: 1\na: 2\nb: *x\nc: !t 1\n"));
	assert_int_equal(f->diags.errors, 3);
}

static void a_dropped_double_key_keeps_its_first_value(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(node_get(read_text(f, "a: 1\na: 2\n"), "a")->text, "1");
}

static void depth_is_limited(void **state)
{
	struct fixture *f = *state;
	char text[2 * (NODE_DEPTH_MAX + 1)];

	for (size_t n = NODE_DEPTH_MAX; n <= NODE_DEPTH_MAX + 1; n++) {
		memset(text, '[', n);
		memset(text + n, ']', n);
		assert_int_equal(read_bytes(f, text, 2 * n) != NULL, n == NODE_DEPTH_MAX);
	}
	assert_string_equal(text_str(&f->told), "1:33: nested deeper than 32 levels");
}

/* What a hostile file costs, ms of CPU time: what else the machine does is no matter. */
static uint64_t time_of(struct fixture *f, const char *text, size_t len)
{
	uint64_t start = clock_cpu_us(CLOCK_THREAD_CPUTIME_ID);

	(void)read_bytes(f, text, len);
	return (clock_cpu_us(CLOCK_THREAD_CPUTIME_ID) - start) / 1000;
}

enum { BOMB_MS_MAX = 2000 }; /* with sanitizers; a tenth of it otherwise */

static void repeated_texts_end_in_an_error_in_time(void **state)
{
	static const struct {
		const char *piece;
		size_t count;
		const char *want; /* how the first problem begins */
	} cases[] = {
		{"[", 100000, "1:33: nested deeper than 32 levels"},
		{"{a: ", 100000, "1:129: nested deeper than 32 levels"},
		{"- ", 100000, "1:65: nested deeper than 32 levels"},
		{"? ", 100000, "1:"},
		{"&a ", 300000, "1:"},
		{"a", 1 << 20, ""},
		{"- a\n", 1 << 18, "200000:"},
		{"\"\n", 1 << 19, ""},
		{"'", 1 << 20, ""},
		{"*a ", 300000, ""},
		{"a: b\n", 200000, "2:1: key `a` is given twice (first at line 1)"},
		{"[]\n", 300000, "2:1:"},
		{"{,", 300000, "1:"},
		{"%a\n", 300000, ""},
		{"# x\n", 1 << 18, "1:1: the file is empty"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t piece = strlen(cases[i].piece), len = piece * cases[i].count;
		char *text = malloc(len + 1);
		uint64_t ms;

		assert_non_null(text);
		for (size_t j = 0; j < cases[i].count; j++)
			memcpy(text + j * piece, cases[i].piece, piece + 1);
		ms = time_of(f, text, len);
		free(text);
		if (ms > BOMB_MS_MAX)
			fail_msg("%s: %u ms", cases[i].piece, (unsigned)ms);
		if (strncmp(text_str(&f->told), cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("%s: %s", cases[i].piece, text_str(&f->told));
	}
}

static void an_alias_bomb_ends_in_an_error(void **state)
{
	struct fixture *f = *state;
	struct text bomb = {0};

	text_add(&bomb, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 12; i++) {
		text_printf(&bomb, "a%d: &a%d [*a%d", i, i, i - 1);
		for (int j = 1; j < 10; j++)
			text_printf(&bomb, ", *a%d", i - 1);
		text_add(&bomb, "]\n");
	}
	assert_true(time_of(f, text_str(&bomb), bomb.len) < BOMB_MS_MAX);
	assert_string_equal(text_str(&f->told),
	                    "6:10: more than 200000 values with aliases counted");
	text_done(&bomb);
}

static void a_merge_bomb_ends_in_an_error(void **state)
{
	struct fixture *f = *state;
	struct text bomb = {0};

	text_add(&bomb, "b: &b {");
	for (int i = 0; i < 2000; i++)
		text_printf(&bomb, "k%d: 1, ", i);
	text_add(&bomb, "}\n");
	for (int i = 0; i < 2000; i++)
		text_printf(&bomb, "m%d: { <<: *b }\n", i);
	assert_true(time_of(f, text_str(&bomb), bomb.len) < BOMB_MS_MAX);
	assert_non_null(strstr(text_str(&f->told), "more than 200000 values with aliases counted"));
	text_done(&bomb);
}

static void more_than_a_mebibyte_is_refused_unread(void **state)
{
	struct fixture *f = *state;

	assert_null(read_bytes(f, "a", NODE_FILE_BYTES_MAX + 1));
	assert_string_equal(text_str(&f->told), "1:1: more than 1048576 bytes");
}

static void shown_texts_are_short_and_harmless(void **state)
{
	static const struct {
		const char *yaml, *want;
	} cases[] = {
		{"abc", "`abc`"},
		{"[]", "a list"},
		{"{}", "a mapping"},
		{"~", "nothing"},
		{"\"a\\e[31mb\"", "`a?[31mb`"},
		{"0123456789012345678901234567890123456789012345678901234567890123456789",
	         "`012345678901234567890123456789012345678901234567890123...`"},
	};
	struct fixture *f = *state;
	char out[NODE_SHOWN_BYTES];

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(node_show(read_text(f, cases[i].yaml), out), cases[i].want);
}

static void a_cut_does_not_tear_a_character(void **state)
{
	struct fixture *f = *state;
	char out[NODE_SHOWN_BYTES], text[200];

	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'a', shift);
		for (size_t i = 0; i < 40; i++)
			memcpy(text + shift + 4 * i, "\xf0\x9f\x98\x80", 5);
		(void)node_show(read_text(f, text), out);
		assert_true(strlen(out) < sizeof(out));
		assert_string_equal(out + strlen(out) - 4, "...`");
		/* All that stands before the dots is whole characters. */
		assert_int_equal((strlen(out) - 5 - shift) % 4, 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_node_has_its_line_and_column),
		TEST(nothing_is_interpreted),
		TEST(nothing_is_an_empty_scalar_tilde_or_null),
		TEST(anchors_and_merges_are_resolved),
		TEST(an_anchor_may_be_used_inside_a_merged_mapping_and_defined_again),
		TEST(windows_line_ends_and_byte_order_marks_are_borne),
		TEST(bad_files_are_refused_with_the_place),
		TEST(several_problems_are_told_in_one_reading),
		TEST(a_dropped_double_key_keeps_its_first_value),
		TEST(depth_is_limited),
		TEST(repeated_texts_end_in_an_error_in_time),
		TEST(an_alias_bomb_ends_in_an_error),
		TEST(a_merge_bomb_ends_in_an_error),
		TEST(more_than_a_mebibyte_is_refused_unread),
		TEST(shown_texts_are_short_and_harmless),
		TEST(a_cut_does_not_tear_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
