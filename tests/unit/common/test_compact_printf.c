/* SPDX-License-Identifier: MIT */
#include "common/compact_printf.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static void compare(size_t size, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
static void compare(size_t size, const char *fmt, va_list ap)
{
	char ours[256];
	char theirs[256];
	va_list again;
	int our_len;
	int their_len;

	va_copy(again, ap);
	memset(ours, '#', sizeof(ours));
	memset(theirs, '#', sizeof(theirs));
	our_len = compact_vsnprintf(ours, size, fmt, ap);
	their_len = vsnprintf(theirs, size, fmt, again);
	va_end(again);
	if (our_len != their_len || memcmp(ours, theirs, sizeof(ours)) != 0)
		fail_msg("'%s', room %zu: '%.*s' (%d), the C library: '%.*s' (%d)", fmt, size,
		         (int)sizeof(ours), ours, our_len, (int)sizeof(theirs), theirs, their_len);
}

/* What both write into the same room, for several rooms, and what they return. */
static void check(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void check(const char *fmt, ...)
{
	static const size_t sizes[] = {0, 1, 2, 7, 256};
	va_list ap;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		va_start(ap, fmt);
		compare(sizes[i], fmt, ap);
		va_end(ap);
	}
}

static void numbers_are_as_the_c_library_writes_them(void **state)
{
	static const int values[] = {0, 1, -1, 9, 10, -10, 12345, INT_MAX, INT_MIN};

	(void)state;
	for (size_t n = 0; n < COUNT_OF(values); n++) {
		check("%d %i %u %x %X", values[n], values[n], (unsigned)values[n],
		      (unsigned)values[n], (unsigned)values[n]);
		check("[%5d] [%-5d] [%05d] [%.3d] [%6.3d] [%-6.3d]", values[n], values[n],
		      values[n], values[n], values[n], values[n]);
		check("%ld %lld %jd %td", (long)values[n], (long long)values[n],
		      (intmax_t)values[n], (ptrdiff_t)values[n]);
		check("%hd %hhd %hu %hhu", (short)values[n], (signed char)values[n],
		      (unsigned short)values[n], (unsigned char)values[n]);
		check("[%*d] [%.*d]", 8, values[n], 4, values[n]);
	}
	check("%" PRIu64 " %" PRId64 " %zu %lu %llu", UINT64_MAX, INT64_MIN, SIZE_MAX, ULONG_MAX,
	      ULLONG_MAX);
	check("%02x:%02x %08x %.0d|", 7u, 0xabu, 0xbeefu, 0);
}

static void texts_are_as_the_c_library_writes_them(void **state)
{
	static const char *const values[] = {"", "a", "some text", "100%"};

	(void)state;
	for (size_t n = 0; n < COUNT_OF(values); n++) {
		check("%s", values[n]);
		check("<%10s> <%-10s> <%.3s> <%6.2s> <%-6.2s>", values[n], values[n], values[n],
		      values[n], values[n]);
		check("<%.*s> <%*s>", 4, values[n], 7, values[n]);
	}
	check("no conversion");
	check("%c%c 100%%", 'o', 'k');
	check("stream %u: %s %" PRIu64 " ms after the test's end", 3u, "late", UINT64_C(17));
}

static void what_follows_a_precision_is_not_read(void **state)
{
	static const char bytes[2] = {'x', 'y'}; /* no NUL */
	char out[8];

	(void)state;
	assert_int_equal(compact_snprintf(out, sizeof(out), "%.*s", 2, bytes), 2);
	assert_string_equal(out, "xy");
}

static void an_unknown_conversion_ends_the_text(void **state)
{
	const char *volatile fmt = "before %f after";
	char out[32];
	int (*print)(char *, size_t, const char *, ...) = compact_snprintf;

	(void)state;
	assert_int_equal(print(out, sizeof(out), fmt, 1.5), 7);
	assert_string_equal(out, "before ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_the_c_library_writes_them),
		cmocka_unit_test(texts_are_as_the_c_library_writes_them),
		cmocka_unit_test(what_follows_a_precision_is_not_read),
		cmocka_unit_test(an_unknown_conversion_ends_the_text),
	};

	return cmocka_run_group_tests_name("common/compact_printf", tests, NULL, NULL);
}
