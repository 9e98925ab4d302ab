/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "common/text.h"
#include "hostops/keyed.h"
#include "hostops/records.h"
#include "tests/support/test.h"

/* "name{key=value;...}" of each record */
static const char *told(struct arena *arena, struct records all)
{
	struct text out = {0};
	const char *copy;

	for (size_t i = 0; i < all.count; i++) {
		text_printf(&out, "%s{", all.at[i].name);
		for (size_t k = 0; k < all.at[i].count; k++)
			text_printf(&out, "%s=%s;", all.at[i].fields[k].key,
			            all.at[i].fields[k].value);
		text_add(&out, "}");
	}
	copy = arena_strndup(arena, text_str(&out), out.len);
	text_done(&out);
	return copy;
}

static void columns_are_counted_in_characters(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(told(&arena, records_read_table(&arena, "Name    VLAN ID  Note\r\n"
	                                                            "------  -------  ----\r\n"
	                                                            "Büro é       12  a b\r\n"
	                                                            "\r\n"
	                                                            "x\r\n")),
	                    "{Name=Büro é;VLAN ID=12;Note=a b;}{Name=x;VLAN ID=;Note=;}");
	arena_done(&arena);
}

static void what_is_no_table_has_no_rows(void **state)
{
	static const char *const texts[] = {
		"",
		"Unable to find option",
		"a\n- x\nb\n",
		"Connect to localhost failed: Connection failure.\n",
		"--\n",
	};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(records_read_table(&arena, texts[i]).count, 0);
	arena_done(&arena);
}

static void blocks_begin_at_a_name_or_after_an_empty_line(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(told(&arena, records_read_blocks(&arena, "a b: c\n"
	                                                             "   Key: v: w\n"
	                                                             "   Sub:\n"
	                                                             "         Deep: 1  \n"
	                                                             "\n"
	                                                             "   Key: 2\n"
	                                                             "\n"
	                                                             "\n"
	                                                             "next\n")),
	                    "a b: c{Key=v: w;Sub=;Deep=1;}{Key=2;}next{}");
	assert_int_equal(records_read_blocks(&arena, "\n \n").count, 0);
	arena_done(&arena);
}

static void csv_has_quotes_and_a_comma_at_the_end(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(told(&arena, records_read_csv(&arena, "A,B,C,\r\n"
	                                                          "1,\"x, \"\"y\"\"\nz\",,\r\n"
	                                                          "\r\n"
	                                                          "2,,3,4,5,\r\n")),
	                    "{A=1;B=x, \"y\"\nz;C=;}{A=2;B=;C=3;}");
	assert_int_equal(records_read_csv(&arena, "A,B\n").count, 0);
	assert_int_equal(records_read_csv(&arena, "").count, 0);
	arena_done(&arena);
}

static void json_lists_become_text_and_objects_within_are_left_out(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(
		told(&arena, records_read_json(&arena, "[{\"A\":[\"x\",2,[3],{}],\"B\":{\"C\":1},"
	                                               "\"D\":true,\"E\":null},{\"A\":-1}]")),
		"{A=x, 2;D=true;}{A=-1;}");
	assert_string_equal(told(&arena, records_read_json(&arena, "{\"A\":\"b\"}")), "{A=b;}");
	assert_int_equal(records_read_json(&arena, "no JSON").count, 0);
	arena_done(&arena);
}

static void xml_has_entities_and_lists(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(
		told(&arena,
	             records_read_xml(
			     &arena,
			     "<field name=\"Outside\"><string>x</string></field>"
			     "<structure typeName=\"A\">"
			     "<field name=\"N\"><string>a &amp; &lt;b&gt; &other;</string></field>"
			     "<field "
			     "name=\"L\"><list><string>x</string>\n<string>y</string></list></"
			     "field>"
			     "<field name=\"E\"><string></string></field>"
			     "</structure><structure typeName=\"B\"></structure>")),
		"{N=a & <b> &other;;L=x, y;E=;}{}");
	arena_done(&arena);
}

static void fields_are_found_whatever_the_format_calls_them(void **state)
{
	struct arena arena = {0};
	struct records all =
		records_read_blocks(&arena, "   Link Status: Up\n   MTU: 9000\n   Speed: -1\n");
	const struct record *r = &all.at[0];

	(void)state;
	assert_string_equal(record_get(r, "LinkStatus"), "Up");
	assert_string_equal(record_get(r, "linkstatus"), "Up");
	assert_null(record_get(r, "Link"));
	assert_int_equal(record_int(r, "MTU"), 9000);
	assert_int_equal(record_int(r, "Speed"), RECORDS_UNKNOWN);
	assert_int_equal(record_int(r, "Duplex"), RECORDS_UNKNOWN);
	assert_ptr_equal(records_find(&all, "MTU", "9000"), r);
	assert_null(records_find(&all, "MTU", "900"));
	assert_ptr_equal(records_find(&all, NULL, ""), r);
	arena_done(&arena);
}

static void many_records_are_kept(void **state)
{
	struct arena arena = {0};
	struct text text = {0};
	struct records all;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		text_printf(&text, "n%u\n   I: %u\n", i, i);
	all = records_read_blocks(&arena, text_str(&text));
	assert_int_equal(all.count, 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(record_int(&all.at[i], "I"), i);
	text_done(&text);
	arena_done(&arena);
}

static void numbers_are_digits_alone(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: none */
	} cases[] = {
		{"0", 0},
		{"9223372036854775807", INT64_MAX},
		{"9223372036854775808", -1},
		{"12 Bytes", 12},
		{"12Bytes", -1},
		{"-1", -1},
		{"", -1},
		{"n/a", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int64_t value = -1;

		assert_int_equal(keyed_int(cases[i].text, strlen(cases[i].text), &value),
		                 cases[i].value >= 0);
		assert_int_equal(value, cases[i].value);
	}
}

static void a_value_that_does_not_fit_is_none(void **state)
{
	char out[4] = "-";

	(void)state;
	assert_false(keyed_find("a: 1234\n", "a", out, sizeof(out)));
	assert_string_equal(out, "-");
	assert_true(keyed_find("a b\nab: 1\n  a :\t123 \r\n", "a", out, sizeof(out)));
	assert_string_equal(out, "123");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_counted_in_characters),
		cmocka_unit_test(what_is_no_table_has_no_rows),
		cmocka_unit_test(blocks_begin_at_a_name_or_after_an_empty_line),
		cmocka_unit_test(csv_has_quotes_and_a_comma_at_the_end),
		cmocka_unit_test(json_lists_become_text_and_objects_within_are_left_out),
		cmocka_unit_test(xml_has_entities_and_lists),
		cmocka_unit_test(fields_are_found_whatever_the_format_calls_them),
		cmocka_unit_test(many_records_are_kept),
		cmocka_unit_test(numbers_are_digits_alone),
		cmocka_unit_test(a_value_that_does_not_fit_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
