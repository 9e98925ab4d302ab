/* SPDX-License-Identifier: MIT */
#include "common/compact_alloc.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static void assert_zero(const unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(at[i], 0);
}

static void memory_is_zeroed_aligned_and_apart(void **state)
{
	static const size_t sizes[] = {0, 1, 17, 4096, 4097, 1000000};
	unsigned char *at[COUNT_OF(sizes)];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		at[i] = compact_malloc(sizes[i]);
		assert_non_null(at[i]);
		assert_int_equal((uintptr_t)at[i] % sizeof(max_align_t), 0);
		assert_zero(at[i], sizes[i]);
		memset(at[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(at[i][b], i + 1);
		compact_free(at[i]);
	}
	compact_free(NULL);
}

static void alignment_is_as_asked(void **state)
{
	(void)state;
	for (size_t align = 1; align <= 4096; align *= 2) {
		unsigned char *at = compact_aligned_alloc(align, 100);

		assert_non_null(at);
		assert_int_equal((uintptr_t)at % align, 0);
		memset(at, 1, 100);
		compact_free(at);
	}
	assert_null(compact_aligned_alloc(8192, 1));
}

static void what_was_there_survives_a_new_size(void **state)
{
	char *at = compact_realloc(NULL, 6);

	(void)state;
	memcpy(at, "lasts", 6);
	at = compact_realloc(at, 100000);
	assert_string_equal(at, "lasts");
	assert_zero((const unsigned char *)at + 6, 99994);
	at = compact_realloc(at, 3);
	assert_memory_equal(at, "las", 3);
	compact_free(at);
}

static void too_much_is_refused(void **state)
{
	volatile size_t much = SIZE_MAX;
	volatile size_t half = SIZE_MAX / 2;

	(void)state;
	errno = 0;
	assert_null(compact_malloc(much - 5));
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_null(compact_calloc(half, 3));
	assert_int_equal(errno, ENOMEM);
	assert_null(compact_malloc(half));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
		cmocka_unit_test(alignment_is_as_asked),
		cmocka_unit_test(what_was_there_survives_a_new_size),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests_name("common/compact_alloc", tests, NULL, NULL);
}
