/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

#include "run/result.h"
#include "tests/support/test.h"

struct thing {
	const char *name;
	int64_t bytes, asked, flag;
	double bps, more;
};

/* clang-format off */
#define COLUMN(head, kind, member, look, optional) \
	{{head, COLUMN_##kind, offsetof(struct thing, member)}, TABLE_##look, optional}
static const struct table_column columns[] = {
	COLUMN("name", STR, name, PLAIN, false), COLUMN(NULL, REAL, bps, RATE, false),
	COLUMN("about", INT, bytes, ABOUT, false), COLUMN("size", INT, bytes, SIZE, false),
	COLUMN("asked", INT, asked, ASKED, false), COLUMN("flag", INT, flag, SWITCH, true),
	COLUMN("more", REAL, more, PLAIN, true),
};
/* clang-format on */
static const struct table table = {columns, COUNT_OF(columns), {1e6, "Mbit/s"}};

static void expect(const struct thing *a, const struct thing *b, bool has_news,
                   const char *expected)
{
	const void *const rows[] = {a, b};
	char *shown = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&shown, &len);

	assert_non_null(out);
	table_print(out, &table, rows, COUNT_OF(rows));
	assert_int_equal(fclose(out), 0);
	assert_string_equal(shown, expected);
	free(shown);
	assert_int_equal(table_has_news(&table, rows, COUNT_OF(rows)), has_news);
}

static void an_optional_column_is_there_when_one_row_knows_it(void **state)
{
	struct thing a = {"a", 3614208, 65536, 0, 12.5e6, (double)NAN};
	struct thing b = {"b",         RESULT_UNKNOWN, RESULT_UNKNOWN, RESULT_UNKNOWN,
	                  (double)NAN, (double)NAN};

	(void)state;
	expect(&a, &b, true,
	       "name  Mbit/s  about     size  asked    flag\n"
	       "a       12.5  3.45M  3614208  64K      off\n"
	       "b          -  -            -  default  -\n");
	a.flag = RESULT_UNKNOWN;
	expect(&a, &b, false,
	       "name  Mbit/s  about     size  asked\n"
	       "a       12.5  3.45M  3614208  64K\n"
	       "b          -  -            -  default\n");
	b.more = 0;
	b.flag = 1;
	expect(&a, &b, true,
	       "name  Mbit/s  about     size  asked    flag  more\n"
	       "a       12.5  3.45M  3614208  64K      -        -\n"
	       "b          -  -            -  default  on       0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_optional_column_is_there_when_one_row_knows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
