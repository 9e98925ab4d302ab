/* SPDX-License-Identifier: MIT */
/*
 * The lists of keys in vnm-topology(5) are made from the tables that the loader
 * reads by. Between `.\" begin NAME` and `.\" end NAME` stands exactly what
 * field_doc_mdoc() makes of a table. UPDATE=1 writes it there.
 */
#include "tests/support/test.h"

#include <stdio.h>

#include "common/io.h"
#include "config/field_doc.h"
#include "tests/unit/orchestrator/topology/reading.h"
#include "topology/topology_internal.h"

struct table {
	const char *name;
	const struct field *rows;
};

static struct table tables[] = {
	{"root_fields", root_fields},
	{"topology_fields", topology_fields},
	{"defaults_fields", defaults_fields},
	{"ssh_fields", ssh_fields},
	{"resource_fields", resource_fields},
	{"segment_fields", segment_fields},
	{"route_fields", route_fields},
	{"host_fields", host_fields},
	{"nic_fields", nic_fields},
	{"design_fields", design_fields},
	{"sentinel_fields", sentinel_fields},
	{"repeats_fields", repeats_fields},
	{"setting_fields", setting_fields},
	{"profile_fields", profile_fields},
	{"pair_fields", pair_fields},
	{"cell_fields", cell_fields},
	{"figure_fields", figure_fields},
	{"search_fields", search_fields},
	{"expect_fields", expect_fields},
	{"safety_fields", NULL},
	{"quiet_fields", NULL},
};

static struct text page;

static int setup(void **state)
{
	struct err err = {0};
	char *text;
	size_t len;

	(void)state;
	if (!io_read_file(REFERENCE, (size_t)1 << 20, &text, &len, &err))
		return 1;
	text_add_bytes(&page, text, len);
	free(text);
	/* Tables that only another table names. */
	tables[COUNT_OF(tables) - 2].rows = field_find(root_fields, "safety")->rows;
	tables[COUNT_OF(tables) - 1].rows = field_find(design_fields, "quiet")->rows;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	text_done(&page);
	return 0;
}

/* The place between the marks of a table. */
static bool find_part(const char *name, size_t *from, size_t *to)
{
	char mark[100];
	const char *begin, *end;

	(void)snprintf(mark, sizeof(mark), ".\\\" begin %s\n", name);
	begin = strstr(text_str(&page), mark);
	if (begin == NULL)
		return false;
	begin += strlen(mark);
	(void)snprintf(mark, sizeof(mark), ".\\\" end %s\n", name);
	end = strstr(begin, mark);
	*from = (size_t)(begin - page.at);
	*to = end == NULL ? *from : (size_t)(end - page.at);
	return end != NULL;
}

static void write_part(size_t from, size_t to, const struct text *part)
{
	struct text changed = {0};

	text_add_bytes(&changed, page.at, from);
	text_add(&changed, text_str(part));
	text_add(&changed, page.at + to);
	text_done(&page);
	page = changed;
}

static void the_page_has_every_table_as_it_is(void **state)
{
	const char *wish = getenv("UPDATE");
	bool update = wish != NULL && strcmp(wish, "1") == 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		struct text want = {0};
		size_t from = 0, to = 0;
		bool same;

		if (!find_part(tables[i].name, &from, &to))
			fail_msg("no place for %s in the page", tables[i].name);
		field_doc_mdoc(tables[i].rows, &want);
		same = to - from == want.len && memcmp(page.at + from, want.at, want.len) == 0;
		if (!same && !update)
			print_error("%s differs from its table; run this test with UPDATE=1\n%s",
			            tables[i].name, text_str(&want));
		if (update)
			write_part(from, to, &want);
		text_done(&want);
		assert_true(same || update);
	}
	if (update) {
		FILE *file = fopen(REFERENCE, "wb");

		assert_non_null(file);
		assert_int_equal(fwrite(page.at, 1, page.len, file), page.len);
		assert_int_equal(fclose(file), 0);
	}
}

static void every_row_has_a_sentence_of_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		for (const struct field *row = tables[i].rows; row->key != NULL; row++) {
			size_t len = row->help == NULL ? 0 : strlen(row->help);

			if (len < 3 || row->help[len - 1] != '.')
				fail_msg("%s: %s has no help", tables[i].name, row->key);
			if (row->kind == FIELD_NODE && row->shape == NULL)
				fail_msg("%s: %s has no shape", tables[i].name, row->key);
			if ((row->kind == FIELD_WORD || row->kind == FIELD_WORDS) &&
			    row->words == NULL)
				fail_msg("%s: %s has no words", tables[i].name, row->key);
		}
	}
}

static void every_preset_is_a_good_value(void **state)
{
	struct arena arena = {0};
	struct diag_list diags = {0};
	struct field_loader loader = {.arena = &arena, .diags = &diags, .home = "/h"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		for (const struct field *row = tables[i].rows; row->key != NULL; row++) {
			struct node node = {
				.kind = NODE_TEXT, .is_plain = true, .text = row->preset};
			struct field nowhere = *row;

			nowhere.offset = FIELD_NOWHERE;
			if (row->preset != NULL &&
			    !field_load_value(&loader, &nowhere, &node, NULL))
				fail_msg("%s: %s: %s", tables[i].name, row->key, diags.first->text);
		}
	}
	arena_done(&arena);
	diag_done(&diags);
}

static void the_factors_stand_first_and_in_their_order(void **state)
{
	static const char *const keys[FACTOR_COUNT] = {
		"mtu",        "window",     "streams",  "buffer",      "direction",  "driver",
		"lro",        "tso",        "duration", "omit",        "bytes",      "protocol",
		"mode",       "zero_copy",  "bitrate",  "mss",         "no_delay",   "dscp",
		"congestion", "ip_version", "affinity", "bind_device", "source_port"};

	(void)state;
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		assert_string_equal(setting_fields[f].key, keys[f]);
		assert_true(setting_fields[f].offset != FIELD_NOWHERE);
	}
	assert_null(setting_fields[FACTOR_COUNT].key);
}

static void the_path_classes_are_all_in_the_page(void **state)
{
	(void)state;
	for (size_t i = 0; i < PATH_CLASS_COUNT; i++) {
		char item[64];

		(void)snprintf(item, sizeof(item), ".It Cm %s\n", path_class_names[i]);
		assert_non_null(strstr(text_str(&page), item));
	}
}

/* The examples of the page are YAML between .Bd and .Ed; the first whole file must be good. */
static void the_smallest_file_of_the_page_is_good(void **state)
{
	struct reading r = {0};
	struct text example = {0};
	const char *from = strstr(text_str(&page), "\nversion: 1\n");
	const char *to = from == NULL ? NULL : strstr(from, ".Ed");

	(void)state;
	assert_non_null(to);
	text_add_bytes(&example, from + 1, (size_t)(to - from - 1));
	assert_string_equal(reading_of(&r, text_str(&example)), "");
	assert_true(r.ok);
	reading_done(&r);
	text_done(&example);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_every_table_as_it_is),
		cmocka_unit_test(every_row_has_a_sentence_of_help),
		cmocka_unit_test(every_preset_is_a_good_value),
		cmocka_unit_test(the_factors_stand_first_and_in_their_order),
		cmocka_unit_test(the_path_classes_are_all_in_the_page),
		cmocka_unit_test(the_smallest_file_of_the_page_is_good),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
