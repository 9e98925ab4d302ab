/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/field.h"
#include "config/field_range.h"

enum colour { RED = 3, GREEN = 4 };

struct inner {
	uint32_t depth;
	const char *name;
};

struct sample {
	const char *name, *path, *word;
	uint16_t port;
	uint32_t level;
	uint64_t size, time, rate, share;
	double gbps;
	int colour;
	bool flag;
	uint32_t colours;
	struct text_list uses;
	struct inner inner;
	const struct node *node;
	uint32_t mark;
	const char *method;
};

/* clang-format off */
static const struct field_word colour_words[] = {
	{"red", RED, NULL}, {"green", GREEN, NULL}, {"blue", 0, "use red"}, {NULL, 0, NULL}};
static const struct field_word bit_words[] = {{"a", 1, NULL}, {"b", 2, NULL}, {"all", 3, NULL}, {NULL, 0, NULL}};
static const struct field_word mark_words[] = {{"ef", 46, NULL}, {"le", 1, NULL}, {NULL, 0, NULL}};
static const struct field_word one_word[] = {{"only", 1, NULL}, {NULL, 0, NULL}};
static const struct field inner_fields[] = {
	{.key = "depth", .kind = FIELD_NUMBER, FIELD_AT(struct inner, depth), .max = 10, .preset = "7"},
	{.key = "name", .kind = FIELD_TEXT, FIELD_AT(struct inner, name), .rule = TEXT_NAME},
	{0},
};
static const struct field fields[] = {
	{.key = "name", .kind = FIELD_TEXT, FIELD_AT(struct sample, name), .rule = TEXT_NAME, .required = true},
	{.key = "path", .kind = FIELD_TEXT, FIELD_AT(struct sample, path), .rule = TEXT_PATH, .preset = "~/x"},
	{.key = "word", .kind = FIELD_WORD, FIELD_AT(struct sample, word), .words = one_word, .keeps_word = true},
	{.key = "port", .kind = FIELD_NUMBER, FIELD_AT(struct sample, port), .min = 1, .max = 65535, .preset = "22"},
	{.key = "level", .kind = FIELD_NUMBER, FIELD_AT(struct sample, level), .min = 576, .max = 9000, .zero_word = "unchanged"},
	{.key = "size", .kind = FIELD_NUMBER, FIELD_AT(struct sample, size), .unit = UNIT_BYTES, .min = 4096, .max = 1 << 30, .zero_word = "default"},
	{.key = "time", .kind = FIELD_NUMBER, FIELD_AT(struct sample, time), .unit = UNIT_MS, .min = 500, .max = 3600000},
	{.key = "rate", .kind = FIELD_NUMBER, FIELD_AT(struct sample, rate), .unit = UNIT_BPS, .min = 1000000, .max = 1000000000000},
	{.key = "share", .kind = FIELD_NUMBER, FIELD_AT(struct sample, share), .unit = UNIT_PERMILLE, .min = 1, .max = 500},
	{.key = "gbps", .kind = FIELD_REAL, FIELD_AT(struct sample, gbps), .max = 1000, .scale = 1e9},
	{.key = "colour", .kind = FIELD_WORD, FIELD_AT(struct sample, colour), .words = colour_words},
	{.key = "flag", .kind = FIELD_WORD, FIELD_AT(struct sample, flag), .words = field_truth},
	{.key = "colours", .kind = FIELD_WORDS, FIELD_AT(struct sample, colours), .words = bit_words},
	{.key = "uses", .kind = FIELD_TEXTS, FIELD_AT(struct sample, uses), .rule = TEXT_NAME},
	{.key = "inner", .kind = FIELD_MAP, FIELD_AT(struct sample, inner), .rows = inner_fields, .example = "inner: { depth: 3 }"},
	{.key = "node", .kind = FIELD_NODE, FIELD_AT(struct sample, node), .shape = "anything"},
	{.key = "checked", .kind = FIELD_NUMBER, .offset = FIELD_NOWHERE, .max = 5, .later = "nothing happens"},
	{.key = "checked_map", .kind = FIELD_MAP, .offset = FIELD_NOWHERE, .rows = (const struct field[]){
		{.key = "x", .kind = FIELD_WORD, .offset = FIELD_NOWHERE, .words = field_truth}, {0}}},
	{.key = "mark", .kind = FIELD_NUMBER, FIELD_AT(struct sample, mark), .max = 63, .zero_word = "default", .words = mark_words},
	{.key = "method", .kind = FIELD_TEXT, FIELD_AT(struct sample, method), .rule = TEXT_NAME, .zero_word = "none"},
	{.key = "never", .kind = FIELD_NUMBER, .offset = FIELD_NOWHERE, .refused = "remove the key"},
	{0},
};
/* clang-format on */

struct fixture {
	struct arena arena;
	struct diag_list diags;
	struct text told;
	struct sample sample;
	struct field_loader loader;
	uint64_t given;
	const char *other; /* a key that other_key takes */
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

static bool other_key(void *arg, const struct node_entry *entry, struct suggestion *names)
{
	const struct fixture *f = arg;

	suggest_try(names, f->other);
	return strcmp(f->other, entry->key->text) == 0;
}

/* Loads the text and returns the problems, "line:column: text", a line each. */
static const char *load(struct fixture *f, const char *text)
{
	struct field_part part = {.rows = fields, .out = &f->sample};
	const struct node *root;

	arena_done(&f->arena);
	diag_done(&f->diags);
	text_clear(&f->told);
	f->sample = (struct sample){0};
	f->loader.arena = &f->arena;
	f->loader.diags = &f->diags;
	if (f->other != NULL) {
		f->loader.other_key = other_key;
		f->loader.arg = f;
	}
	root = node_read(text, strlen(text), &f->arena, &f->diags);
	if (root != NULL)
		(void)field_load(&f->loader, root, &part, 1);
	f->given = part.given;
	diag_sort(&f->diags);
	for (const struct diag *d = f->diags.first; d != NULL; d = d->next)
		text_printf(&f->told, "%s%u:%u: %s%s", d == f->diags.first ? "" : "\n", d->pos.line,
		            d->pos.column, d->level == DIAG_NOTE ? "note: " : "", d->text);
	return text_str(&f->told);
}

static void every_kind_is_read(void **state)
{
	struct fixture *f = *state;
	const struct sample *s = &f->sample;

	f->loader.home = "/home/u";
	assert_string_equal(load(f, "name: n1\npath: ~/k\nword: only\nport: 5201\nlevel: 9000\n"
	                            "size: 192k\ntime: 1.5s\nrate: 2.5G\nshare: 2.5%\ngbps: 9.26\n"
	                            "colour: green\nflag: yes\ncolours: [a, b]\nuses: [x, y]\n"
	                            "inner: { depth: 3, name: in }\nnode: [1]\n"),
	                    "");
	assert_string_equal(s->name, "n1");
	assert_string_equal(s->path, "/home/u/k");
	assert_string_equal(s->word, "only");
	assert_int_equal(s->port, 5201);
	assert_int_equal(s->level, 9000);
	assert_int_equal(s->size, 192 * 1024);
	assert_int_equal(s->time, 1500);
	assert_int_equal(s->rate, 2500000000);
	assert_int_equal(s->share, 25);
	assert_true(s->gbps == 9.26 * 1e9);
	assert_int_equal(s->colour, GREEN);
	assert_true(s->flag);
	assert_int_equal(s->colours, 3);
	assert_int_equal(s->uses.count, 2);
	assert_string_equal(s->uses.at[1], "y");
	assert_int_equal(s->uses.nodes[1]->pos.line, 14);
	assert_int_equal(s->inner.depth, 3);
	assert_string_equal(s->inner.name, "in");
	assert_int_equal(s->node->kind, NODE_LIST);
	assert_int_equal(f->given, 0xffff);
}

static void presets_hold_for_absent_keys_unless_they_are_skipped(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "name: n"), "");
	assert_int_equal(f->sample.port, 22);
	assert_string_equal(f->sample.path, "/h/x");
	assert_int_equal(f->sample.inner.depth, 7);
	assert_null(f->sample.node);
	assert_int_equal(f->given, 1);
	f->loader.skips_presets = true;
	assert_string_equal(load(f, "name: n"), "");
	assert_int_equal(f->sample.port, 0);
	assert_null(f->sample.path);
}

static void a_list_of_one_may_be_written_without_brackets(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "{name: n, uses: x, colours: all}"), "");
	assert_int_equal(f->sample.uses.count, 1);
	assert_string_equal(f->sample.uses.at[0], "x");
	assert_int_equal(f->sample.colours, 3);
	assert_string_equal(load(f, "{name: n, uses: [], colours: []}"), "");
	assert_int_equal(f->sample.uses.count, 0);
}

static void zero_words_stand_for_zero(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "{name: n, level: unchanged, size: default}"), "");
	assert_int_equal(f->sample.level, 0);
	assert_int_equal(f->sample.size, 0);
	assert_string_equal(
		load(f, "{name: n, level: default}"),
		"1:18: `level` must be a whole number such as 8, or `unchanged`, not `default`");
}

static void numbers_may_have_names(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "{name: n, mark: ef}"), "");
	assert_int_equal(f->sample.mark, 46);
	assert_string_equal(load(f, "{name: n, mark: 12}"), "");
	assert_int_equal(f->sample.mark, 12);
	assert_string_equal(load(f, "{name: n, mark: default}"), "");
	assert_int_equal(f->sample.mark, 0);
	assert_string_equal(
		load(f, "{name: n, mark: fe}"),
		"1:17: `mark` must be a whole number such as 8, or `default`, or one of ef, "
		"le, not `fe`");
	assert_string_equal(load(f, "{name: n, mark: 64}"),
	                    "1:17: `mark`: `64` is out of range: 0 to 63, or `default`");
}

static void a_word_may_stand_for_no_text(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "{name: n, method: cubic}"), "");
	assert_string_equal(f->sample.method, "cubic");
	assert_string_equal(load(f, "{name: n, method: none}"), "");
	assert_null(f->sample.method);
	assert_string_equal(
		load(f, "{name: n, method: [none]}"),
		"1:19: `method` must be a name of letters, digits, `_` and `-`, not a list");
}

static void truth_is_written_in_three_ways(void **state)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
		{"{name: n, flag: true}", true}, {"{name: n, flag: on}", true},
		{"{name: n, flag: yes}", true},  {"{name: n, flag: false}", false},
		{"{name: n, flag: off}", false}, {"{name: n, flag: no}", false},
		{"{name: n, flag: 'on'}", true},
	};
	struct fixture *f = *state;

	f->loader.home = "/h";
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(load(f, cases[i].text), "");
		assert_int_equal(f->sample.flag, cases[i].want);
	}
}

static void the_type_of_the_key_decides_and_not_the_look_of_the_text(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	assert_string_equal(load(f, "{name: off, uses: [on, no, 012]}"), "");
	assert_string_equal(f->sample.name, "off");
	assert_string_equal(f->sample.uses.at[2], "012");
}

static const struct {
	const char *text, *want;
} bad[] = {
	{"{}", "1:1: `name` is missing: it must be a name of letters, digits, `_` and `-`"},
	{"[]", "1:1: expected a mapping (`key: value`), not a list"},
	{"x", "1:1: expected a mapping (`key: value`), not `x`"},
	{"{nmae: n}",
         "1:2: unknown key `nmae`, did you mean `name`?"}, /* and not: `name` is missing */
	{"{name: n, checked_map: 5}", "1:24: `checked_map` must be a mapping, not `5`"},
	{"{name: n, prt: 1}", "1:11: unknown key `prt`, did you mean `port`?"},
	{"{name: n, zzzzzzzz: 1}",
         "1:11: unknown key `zzzzzzzz`: the keys here are name, path, "
         "word, port, level, size, time, rate, share, gbps, colour, "
         "flag, colours, uses, inner, node, checked, checked_map, mark, method, never"},
	{"{name: n, inner: {dept: 1}}", "1:19: unknown key `dept`, did you mean `depth`?"},
	{"{name: n, inner: {zzzz: 1}}", "1:19: unknown key `zzzz`: the keys here are depth, name"},
	{"{name: n, \"\\e[2J\": 1}",
         "1:11: unknown key `?[2J`: the keys here are name, path, word, port, level, size, time, "
         "rate, share, gbps, colour, flag, colours, uses, inner, node, checked, checked_map, "
         "mark, method, never"},
	{"{name: a b}",
         "1:8: `name`: `a b` holds a blank: write a name of letters, digits, `_` and `-`"},
	{"{name: }", "1:8: `name` must be a name of letters, digits, `_` and `-`, not nothing"},
	{"{name: ~}", "1:8: `name` must be a name of letters, digits, `_` and `-`, not nothing"},
	{"{name: \"\"}", "1:8: `name`: `` is empty: write a name of letters, digits, `_` and `-`"},
	{"{name: [n]}", "1:8: `name` must be a name of letters, digits, `_` and `-`, not a list"},
	{"{name: n, path: ~bob/x}", "1:17: `path`: only `~/` is replaced: write the whole path"},
	{"{name: n, port: 0}", "1:17: `port`: `0` is out of range: 1 to 65535"},
	{"{name: n, port: 65536}", "1:17: `port`: `65536` is out of range: 1 to 65535"},
	{"{name: n, port: -1}", "1:17: `port` must be a whole number such as 8, not `-1`"},
	{"{name: n, port: 022}", "1:17: `port` must be a whole number such as 8, not `022`"},
	{"{name: n, port: 0x16}", "1:17: `port` must be a whole number such as 8, not `0x16`"},
	{"{name: n, port: 1_000}", "1:17: `port` must be a whole number such as 8, not `1_000`"},
	{"{name: n, port: 2.5}", "1:17: `port` must be a whole number such as 8, not `2.5`"},
	{"{name: n, port: 99999999999999999999}",
         "1:17: `port` must be a whole number such as 8, not `99999999999999999999`"},
	{"{name: n, port: {}}", "1:17: `port` must be a whole number such as 8, not a mapping"},
	{"{name: n, level: 100}",
         "1:18: `level`: `100` is out of range: 576 to 9000, or `unchanged`"},
	{"{name: n, size: 64Q}",
         "1:17: `size` must be a size such as 4096, 64K or 12M, or `default`, not `64Q`"},
	{"{name: n, size: 1K}", "1:17: `size`: `1K` is out of range: 4K to 1G, or `default`"},
	{"{name: n, time: 10}",
         "1:17: `time` must be a time with its unit such as 500ms, 10s or 2m, not `10`"},
	{"{name: n, time: 2h}", "1:17: `time`: `2h` is out of range: 500ms to 1h"},
	{"{name: n, rate: 10GB}",
         "1:17: `rate` must be a rate in bits per second such as 500M, 2.5G or 100G, not `10GB`"},
	{"{name: n, rate: 1}", "1:17: `rate`: `1` is out of range: 1M to 1T"},
	{"{name: n, share: 60%}", "1:18: `share`: `60%` is out of range: 0.1% to 50%"},
	{"{name: n, share: 2}", "1:18: `share` must be a percentage such as 2% or 0.5%, not `2`"},
	{"{name: n, gbps: fast}", "1:17: `gbps` must be a number such as 9.26, not `fast`"},
	{"{name: n, gbps: 1e3}", "1:17: `gbps` must be a number such as 9.26, not `1e3`"},
	{"{name: n, gbps: nan}", "1:17: `gbps` must be a number such as 9.26, not `nan`"},
	{"{name: n, gbps: -1}", "1:17: `gbps` must be a number such as 9.26, not `-1`"},
	{"{name: n, gbps: 1.}", "1:17: `gbps` must be a number such as 9.26, not `1.`"},
	{"{name: n, gbps: 1000.5}", "1:17: `gbps`: `1000.5` is out of range: 0 to 1000"},
	{"{name: n, colour: gren}",
         "1:19: `colour` must be one of red, green, blue, not `gren`, did you mean `green`?"},
	{"{name: n, colour: pink}", "1:19: `colour` must be one of red, green, blue, not `pink`"},
	{"{name: n, colour: blue}", "1:19: `colour: blue` is not yet supported: use red"},
	{"{name: n, word: many}", "1:17: `word` must be only, not `many`"},
	{"{name: n, flag: maybe}",
         "1:17: `flag` must be one of true, false, on, off, yes, no, not `maybe`"},
	{"{name: n, colours: [a, c]}", "1:24: `colours` must be one of a, b, all, not `c`"},
	{"{name: n, uses: [x, \"y z\"]}",
         "1:21: `uses`: `y z` holds a blank: write a name of letters, digits, `_` and `-`"},
	{"{name: n, uses: [[x]]}",
         "1:18: `uses` must be a name of letters, digits, `_` and `-`, not a list"},
	{"{name: n, inner: 5}",
         "1:18: `inner` must be a mapping such as `inner: { depth: 3 }`, not `5`"},
	{"{name: n, inner: {depth: 11}}", "1:26: `depth`: `11` is out of range: 0 to 10"},
	{"{name: n, checked: 3}", "1:20: note: `checked` is not yet supported: nothing happens"},
	{"{name: n, checked: 6}", "1:20: `checked`: `6` is out of range: 0 to 5"},
	{"{name: n, checked_map: {x: 3}}",
         "1:28: `x` must be one of true, false, on, off, yes, no, not `3`"},
	{"{name: n, never: 3}", "1:18: `never` is not yet supported: remove the key"},
	{"{port: 0, prt: 1}",
         "1:1: `name` is missing: it must be a name of letters, digits, `_` and `-`\n"
         "1:8: `port`: `0` is out of range: 1 to 65535\n"
         "1:11: unknown key `prt`, did you mean `port`?"},
};

static void what_is_wrong_is_told_with_the_place_and_what_would_be_right(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_string_equal(load(f, bad[i].text), bad[i].want);
}

static void a_bad_value_leaves_the_member_alone_but_counts_as_given(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	(void)load(f, "{name: n, level: 1}");
	assert_int_equal(f->sample.level, 0);
	assert_int_equal(f->given, 1 | 1 << 4);
}

static void without_a_home_directory_a_tilde_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		load(f, "{name: n, path: ~/x}"),
		"1:17: `path`: `~` cannot be replaced: the home directory is not known");
	assert_string_equal(load(f, "{name: n, path: /x}"), "");
}

static void keys_of_no_table_are_offered_to_the_caller(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	f->other = "bundle";
	assert_string_equal(load(f, "{name: n, bundle: {a: 1}}"), "");
	assert_string_equal(load(f, "{name: n, bundel: {a: 1}}"),
	                    "1:11: unknown key `bundel`, did you mean `bundle`?");
	assert_string_equal(load(f, "{name: n, inner: {bundle: 1}}"),
	                    "1:19: unknown key `bundle`: the keys here are depth, name");
}

static void what_else_is_taken_is_told_with_the_keys(void **state)
{
	struct fixture *f = *state;

	f->loader.home = "/h";
	f->loader.other_keys = "names of bundles";
	f->other = "bundle";
	assert_non_null(strstr(load(f, "{name: n, zzzz: 1}"), ", never and names of bundles"));
	/* not in an inner mapping */
	assert_string_equal(load(f, "{name: n, inner: {zzzz: 1}}"),
	                    "1:19: unknown key `zzzz`: the keys here are depth, name");
}

static void several_tables_share_one_mapping(void **state)
{
	struct fixture *f = *state;
	struct inner inner = {0};
	struct sample sample = {0};
	struct field_part parts[] = {{.rows = inner_fields, .out = &inner},
	                             {.rows = fields, .out = &sample}};
	const char *text = "{depth: 2, port: 9, nam: x}";

	f->loader = (struct field_loader){.arena = &f->arena, .diags = &f->diags, .home = "/h"};
	assert_true(field_load(&f->loader, node_read(text, strlen(text), &f->arena, &f->diags),
	                       parts, 2));
	assert_int_equal(inner.depth, 2);
	assert_int_equal(sample.port, 9);
	assert_int_equal(parts[0].given, 1);
	assert_int_equal(parts[1].given, 1 << 3);
	assert_int_equal(parts[0].meant, 1 << 1);
	assert_int_equal(parts[1].meant, 1 << 0);
	assert_int_equal(f->diags.errors, 1); /* and not: `name` is missing */
	assert_string_equal(f->diags.first->text, "unknown key `nam`, did you mean `name`?");
}

static void a_row_tells_its_range(void **state)
{
	char out[FIELD_RANGE_BYTES];

	(void)state;
	assert_string_equal(field_range(field_find(fields, "size"), out), "4K to 1G, or `default`");
	assert_string_equal(field_range(field_find(fields, "name"), out), "");
	assert_string_equal(field_wanted(field_find(fields, "node"), out), "anything");
	assert_string_equal(field_wanted(field_find(fields, "inner"), out), "a mapping");
	assert_null(field_find(fields, "none"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_kind_is_read),
		TEST(presets_hold_for_absent_keys_unless_they_are_skipped),
		TEST(a_list_of_one_may_be_written_without_brackets),
		TEST(zero_words_stand_for_zero),
		TEST(numbers_may_have_names),
		TEST(a_word_may_stand_for_no_text),
		TEST(truth_is_written_in_three_ways),
		TEST(the_type_of_the_key_decides_and_not_the_look_of_the_text),
		TEST(what_is_wrong_is_told_with_the_place_and_what_would_be_right),
		TEST(a_bad_value_leaves_the_member_alone_but_counts_as_given),
		TEST(without_a_home_directory_a_tilde_is_an_error),
		TEST(keys_of_no_table_are_offered_to_the_caller),
		TEST(what_else_is_taken_is_told_with_the_keys),
		TEST(several_tables_share_one_mapping),
		TEST(a_row_tells_its_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
