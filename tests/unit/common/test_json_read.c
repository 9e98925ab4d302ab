/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "common/json_read.h"
#include "common/text.h"
#include "tests/support/test.h"

/* All events as one line. */
static void tell(struct text *out, const char *json)
{
	static const char *const names[] = {"bad", "end", "{",    "}",     "[",   "]",
	                                    "s",   "n",   "true", "false", "null"};
	struct json_reader r;
	enum json_event e;

	json_read_begin(&r, json);
	do {
		e = json_read_next(&r);
		text_printf(out, "%s%s%s", r.key, r.key[0] == '\0' ? "" : ":", names[e]);
		if (e == JSON_STRING || e == JSON_NUMBER)
			text_printf(out, "(%s)%s", r.text, r.is_cut ? "..." : "");
		text_add(out, " ");
	} while (e != JSON_END && e != JSON_BAD);
	assert_int_equal(json_read_next(&r), e); /* it stays so */
}

static void events_are_told_in_order(void **state)
{
	static const struct {
		const char *json, *told;
	} cases[] = {
		{"{}", "{ } end "},
		{" [ ] x", "[ ] end "},
		{"{\"a\": 1, \"b\":[true,false , null],\"c\":{\"d\":\"e\"}}",
	         "{ a:n(1) b:[ true false null ] c:{ d:s(e) } } end "},
		{"[-1.5e+3,nan,-nan]", "[ n(-1.5e+3) null null ] end "},
		{"[\"q\\\"\\\\\\/\\n\\u00e9\\u20ac\\ud83d\\ude00\"]",
	         "[ s(q\"\\/\n\303\251\342\202\254\360\237\230\200) ] end "},
		{"[\"\\u0000\\ud800\\udc00\\ud800x\"]",
	         "[ s(\357\277\275\360\220\200\200\357\277\275x) ] end "},
		{"", "bad "},
		{"[1 2]", "[ n(1) bad "},
		{"[1,]", "[ n(1) bad "},
		{"{\"a\" 1}", "{ bad "},
		{"{a:1}", "{ bad "},
		{"{\"a\":1", "{ a:n(1) bad "},
		{"[\"a", "[ bad "},
		{"[\"\\x\"]", "[ bad "},
		{"[\"\\u12\"]", "[ bad "},
		{"[\"a\nb\"]", "[ bad "},
		{"[}", "[ bad "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text out = {0};

		tell(&out, cases[i].json);
		assert_string_equal(text_str(&out), cases[i].told);
		text_done(&out);
	}
}

static void what_is_too_long_is_cut_and_too_deep_is_bad(void **state)
{
	char json[400];
	struct json_reader r;
	unsigned depth = 0;

	(void)state;
	memset(json, 'x', sizeof(json));
	json[0] = '"';
	memcpy(json + sizeof(json) - 2, "\"", 2);
	json_read_begin(&r, json);
	assert_int_equal(json_read_next(&r), JSON_STRING);
	assert_true(r.is_cut);
	assert_int_equal(strlen(r.text), JSON_READ_TEXT_BYTES - 1);

	memset(json, '[', sizeof(json));
	json[sizeof(json) - 1] = '\0';
	json_read_begin(&r, json);
	while (json_read_next(&r) == JSON_LIST)
		depth++;
	assert_int_equal(depth, JSON_READ_DEPTH);
	assert_int_equal(json_read_next(&r), JSON_BAD);
}

static void what_is_not_wanted_is_passed_over(void **state)
{
	struct json_reader r;
	int64_t n = 7;

	(void)state;
	json_read_begin(
		&r, "{\"a\":{\"b\":[1,{}],\"c\":2},\"d\":3,\"e\":-4,\"f\":99999999999999999999}");
	assert_int_equal(json_read_next(&r), JSON_OBJECT);
	assert_int_equal(json_read_next(&r), JSON_OBJECT);
	assert_true(json_read_skip(&r));
	assert_int_equal(json_read_next(&r), JSON_NUMBER);
	assert_string_equal(r.key, "d");
	assert_true(json_read_int(&r, &n));
	assert_int_equal(n, 3);
	assert_int_equal(json_read_next(&r), JSON_NUMBER);
	assert_false(json_read_int(&r, &n));
	assert_int_equal(json_read_next(&r), JSON_NUMBER);
	assert_false(json_read_int(&r, &n));
	assert_int_equal(n, 3);
	json_read_begin(&r, "[[1");
	assert_int_equal(json_read_next(&r), JSON_LIST);
	assert_false(json_read_skip(&r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_told_in_order),
		cmocka_unit_test(what_is_too_long_is_cut_and_too_deep_is_bad),
		cmocka_unit_test(what_is_not_wanted_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
