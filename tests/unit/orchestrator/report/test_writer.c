/* SPDX-License-Identifier: MIT */
#include "report/writer.h"

#include <math.h>
#include <stdlib.h>

#include "common/attr.h"
#include "run/result.h"
#include "tests/support/test.h"

static const char *const columns[] = {"name", "count", "rate", "on"};

/* The table of the tests in a format; the caller frees it. */
static char *print(const struct writer_format *format, size_t rows)
{
	char *shown = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&shown, &len);
	struct writer w;

	assert_non_null(out);
	writer_begin(&w, format, out, columns, COUNT_OF(columns));
	if (rows > 0)
		writer_row(&w, (const struct writer_value[]){
				       writer_str("a,\"b\"\n"),
				       writer_int(INT64_MAX),
				       writer_real(0.123456789),
				       writer_bool(true),
			       });
	if (rows > 1)
		writer_row(&w, (const struct writer_value[]){
				       writer_str(NULL),
				       writer_int(RESULT_UNKNOWN),
				       writer_real((double)NAN),
				       writer_bool(false),
			       });
	if (rows > 2)
		writer_row(&w, (const struct writer_value[]){
				       writer_guess("text"),
				       writer_guess("9007199254740993"),
				       writer_guess("2.50"),
				       writer_uint(UINT64_MAX),
			       });
	writer_end(&w);
	assert_int_equal(fclose(out), 0);
	return shown;
}

static void every_format_shows_values_and_what_is_unknown(void **state)
{
	static const struct {
		const struct writer_format *format;
		size_t rows;
		const char *expected;
	} cases[] = {
		{&writer_text, 3,
	         "name                   count   rate  on\n"
	         "a,\"b\"\\n  9223372036854775807  0.123  yes\n"
	         "-                          -      -  no\n"
	         "text        9007199254740993   2.50  18446744073709551615\n"},
		{&writer_text, 0, "name  count  rate  on\n"},
		{&writer_csv, 3,
	         "name,count,rate,on\n"
	         "\"a,\"\"b\"\"\n\",9223372036854775807,0.123456789,1\n"
	         ",,,0\n"
	         "text,9007199254740993,2.50,18446744073709551615\n"},
		{&writer_csv, 0, "name,count,rate,on\n"},
		{&writer_json, 3,
	         "[\n"
	         "{\"name\":\"a,\\\"b\\\"\\u000a\",\"count\":9223372036854775807,\"rate\":0."
	         "123456789,\"on\":true},\n"
	         "{\"name\":null,\"count\":null,\"rate\":null,\"on\":false},\n"
	         "{\"name\":\"text\",\"count\":9007199254740993,\"rate\":2.5,\"on\":"
	         "18446744073709551615}\n"
	         "]\n"},
		{&writer_json, 0, "[]\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *shown = print(cases[i].format, cases[i].rows);

		assert_string_equal(shown, cases[i].expected);
		free(shown);
	}
}

static void an_empty_text_is_not_null(void **state)
{
	static const char *const one[] = {"a", "b"};
	char *shown = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&shown, &len);
	struct writer w;

	(void)state;
	assert_non_null(out);
	writer_begin(&w, &writer_csv, out, one, COUNT_OF(one));
	writer_row(&w, (const struct writer_value[]){writer_str(""), writer_str(NULL)});
	writer_end(&w);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(shown, "a,b\n\"\",\n");
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_shows_values_and_what_is_unknown),
		cmocka_unit_test(an_empty_text_is_not_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
