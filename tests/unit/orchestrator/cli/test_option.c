/* SPDX-License-Identifier: MIT */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "tests/support/test.h"

struct sample_options {
	bool all, verbose;
	const char *name;
	struct option_pair pair;
	struct option_list tags;
	unsigned kind;
	struct option_u64 size, time;
};

static const char *const kinds[] = {"small", "large", NULL};

/* clang-format off */
static const struct option_spec specs[] = {
	{.name = "all", .letter = 'a', .kind = OPTION_FLAG, .offset = offsetof(struct sample_options, all), .help = "all of it"},
	{.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, .offset = offsetof(struct sample_options, verbose), .help = "more"},
	{.name = "name", .letter = 'n', .kind = OPTION_TEXT, .offset = offsetof(struct sample_options, name), .value = "NAME", .help = "a name"},
	{.name = "pair", .kind = OPTION_PAIR, .offset = offsetof(struct sample_options, pair), .value = "A B", .help = "two"},
	{.name = "tag", .letter = 't', .kind = OPTION_LIST, .offset = offsetof(struct sample_options, tags), .value = "TAG", .help = "again"},
	{.name = "kind", .kind = OPTION_CHOICE, .offset = offsetof(struct sample_options, kind), .choices = kinds, .value = "KIND", .help = "which"},
	{.name = "size", .letter = 's', .kind = OPTION_U64, .offset = offsetof(struct sample_options, size), .unit = UNIT_BYTES, .max = 1048576, .value = "SIZE", .help = "how large"},
	{.name = "time", .kind = OPTION_U64, .offset = offsetof(struct sample_options, time), .unit = UNIT_MS, .value = "TIME", .help = "how long"},
	{0},
};
/* clang-format on */

enum { WORDS_MAX = 20 };

struct parsed {
	struct sample_options options;
	struct option_args args;
	char *words[WORDS_MAX];
	struct arena arena;
	struct err err;
	bool ok;
};

/* Words stand between blanks. */
static void parse(struct parsed *p, const char *line)
{
	char *rest;
	char *word;

	*p = (struct parsed){.args = {.at = p->words}};
	rest = arena_strndup(&p->arena, line, strlen(line));
	while ((word = strsep(&rest, " ")) != NULL)
		p->words[p->args.count++] = word;
	p->ok = option_parse(specs, &p->args, &p->options, &p->arena, &p->err);
}

static void options_stand_anywhere_and_operands_keep_their_order(void **state)
{
	static const struct {
		const char *line, *operands;
		bool all, verbose;
		const char *name;
	} cases[] = {
		{"one two", "one two", false, false, NULL},
		{"--all one two", "one two", true, false, NULL},
		{"one --all two", "one two", true, false, NULL},
		{"one two -a", "one two", true, false, NULL},
		{"-av one", "one", true, true, NULL},
		{"-avn x one", "one", true, true, "x"},
		{"-avnx one", "one", true, true, "x"},
		{"one -n x two", "one two", false, false, "x"},
		{"-nx", "", false, false, "x"},
		{"--name x", "", false, false, "x"},
		{"--name=x", "", false, false, "x"},
		{"--name=", "", false, false, ""},
		{"--name=a=b", "", false, false, "a=b"},
		{"--name --all", "", false, false, "--all"}, /* a value is a value */
		{"--all -- --verbose -v", "--verbose -v", true, false, NULL},
		{"-- --", "--", false, false, NULL},
		{"- one", "- one", false, false, NULL},
		{"--all --all", "", true, false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct parsed p;
		struct text operands = {0};

		parse(&p, cases[i].line);
		if (!p.ok)
			fail_msg("%s: %s", cases[i].line, p.err.msg);
		for (int k = 0; k < p.args.count; k++)
			text_printf(&operands, "%s%s", k > 0 ? " " : "", p.args.at[k]);
		assert_string_equal(text_str(&operands), cases[i].operands);
		assert_int_equal(p.options.all, cases[i].all);
		assert_int_equal(p.options.verbose, cases[i].verbose);
		if (cases[i].name == NULL)
			assert_null(p.options.name);
		else
			assert_string_equal(p.options.name, cases[i].name);
		text_done(&operands);
		arena_done(&p.arena);
	}
}

static void values_are_read_as_their_kind(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--pair x y one --tag a -t b --tag=c --kind large --size 64K --time=1.5s");
	assert_true(p.ok);
	assert_int_equal(p.args.count, 1);
	assert_string_equal(p.options.pair.first, "x");
	assert_string_equal(p.options.pair.second, "y");
	assert_int_equal(p.options.tags.count, 3);
	assert_string_equal(p.options.tags.at[0], "a");
	assert_string_equal(p.options.tags.at[1], "b");
	assert_string_equal(p.options.tags.at[2], "c");
	assert_int_equal(p.options.kind, 1);
	assert_true(p.options.size.is_given);
	assert_int_equal(p.options.size.value, 65536);
	assert_int_equal(p.options.time.value, 1500);
	arena_done(&p.arena);

	parse(&p, "--pair=x y --size 0");
	assert_true(p.ok);
	assert_string_equal(p.options.pair.second, "y");
	assert_true(p.options.size.is_given);
	assert_false(p.options.time.is_given);
	arena_done(&p.arena);
}

static void wrong_options_are_refused_with_a_hint(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{"--nmae x", "unknown option --nmae, did you mean --name?"},
		{"--nmae=x", "unknown option --nmae, did you mean --name?"},
		{"--hlep", "unknown option --hlep, did you mean --help?"},
		{"--nam x", "unknown option --nam, did you mean --name?"}, /* no abbreviations */
		{"--quite-else", "unknown option --quite-else"},
		{"-x", "unknown option -x"},
		{"-ax", "unknown option -x"},
		{"--name", "--name needs a value: --name NAME"},
		{"-n", "--name needs a value: --name NAME"},
		{"--pair x", "--pair needs two values: --pair A B"},
		{"--all=yes", "--all takes no value"},
		{"--name a --name b", "--name is given twice"},
		{"-na -nb", "--name is given twice"},
		{"--kind middle", "--kind: 'middle' is not one of small, large"},
		{"--size much", "--size: 'much' is not a size such as 4096, 64K or 12M"},
		{"--size 2M", "--size: 2M is above 1048576"},
		{"--size 99999999999999999999",
	         "--size: 99999999999999999999 is out of range, 1048576 is the most"},
		{"--size 099999999999999999999", "--size: '099999999999999999999' is not a size "
	                                         "such as 4096, 64K or 12M"},
		{"--size=", "--size: '' is not a size such as 4096, 64K or 12M"},
		{"--time 5", "--time: '5' is not a time with its unit such as 500ms, 10s or 2m"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct parsed p;

		parse(&p, cases[i].line);
		assert_false(p.ok);
		assert_int_equal(p.err.kind, ERR_USAGE);
		assert_string_equal(p.err.msg, cases[i].why);
		arena_done(&p.arena);
	}
}

static void help_is_asked_for_wherever_it_stands(void **state)
{
	static const char *const lines[] = {"--help", "-h", "-ah", "one --help --unknown", "-h -x"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct parsed p;

		parse(&p, lines[i]);
		assert_true(p.ok);
		assert_true(p.args.wants_help);
		arena_done(&p.arena);
	}
}

static void a_command_without_options_refuses_all(void **state)
{
	char word[] = "--all";
	char *words[] = {word};
	struct option_args args = {.count = 1, .at = words};
	struct arena arena = {0};
	struct err err = {0};

	(void)state;
	assert_false(option_parse(NULL, &args, NULL, &arena, &err));
	assert_string_equal(err.msg, "unknown option --all");
	arena_done(&arena);
}

static void help_shows_a_line_an_option(void **state)
{
	char *shown = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&shown, &len);

	(void)state;
	assert_non_null(out);
	option_print(out, specs);
	option_print(out, NULL);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(shown, "  -a, --all                  all of it\n"
	                           "  -v, --verbose              more\n"
	                           "  -n, --name NAME            a name\n"
	                           "      --pair A B             two\n"
	                           "  -t, --tag TAG              again\n"
	                           "      --kind KIND            which\n"
	                           "  -s, --size SIZE            how large\n"
	                           "      --time TIME            how long\n");
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_stand_anywhere_and_operands_keep_their_order),
		cmocka_unit_test(values_are_read_as_their_kind),
		cmocka_unit_test(wrong_options_are_refused_with_a_hint),
		cmocka_unit_test(help_is_asked_for_wherever_it_stands),
		cmocka_unit_test(a_command_without_options_refuses_all),
		cmocka_unit_test(help_shows_a_line_an_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
