/* SPDX-License-Identifier: MIT */
#include "common/arena.h"

#include <stdint.h>
#include <string.h>

#include "common/oom.h"
#include "tests/support/child.h"
#include "tests/support/test.h"

static void memory_is_zeroed_and_aligned_for_any_type(void **state)
{
	struct arena arena = {0};

	(void)state;
	for (size_t size = 1; size < 200; size += 7) {
		static const unsigned char zero[600];
		unsigned char *at = arena_alloc(&arena, 3, size);

		assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
		assert_memory_equal(at, zero, 3 * size);
		memset(at, 0xff, 3 * size);
	}
	arena_done(&arena);
}

static void an_empty_object_still_has_an_address(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_non_null(arena_alloc(&arena, 0, 8));
	assert_non_null(arena_alloc(&arena, 8, 0));
	arena_done(&arena);
}

static void a_copy_of_part_of_a_string_is_terminated(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(arena_strndup(&arena, "window=64K", 6), "window");
	assert_string_equal(arena_strndup(&arena, "", 0), "");
	arena_done(&arena);
}

static void an_arena_is_usable_again_after_done(void **state)
{
	struct arena arena = {0};

	(void)state;
	arena_done(&arena);
	(void)arena_alloc(&arena, 1, 1);
	arena_done(&arena);
	assert_null(arena.head);
	assert_non_null(arena_alloc(&arena, 1, 1));
	arena_done(&arena);
}

static void alloc_too_much(void *arg)
{
	(void)arena_alloc(arg, SIZE_MAX / 2, 3);
}

static void a_size_that_overflows_is_out_of_memory(void **state)
{
	struct arena arena = {0};
	char said[64];

	(void)state;
	assert_int_equal(child_run(alloc_too_much, &arena, said, sizeof(said)), OOM_EXIT_CODE);
	assert_string_equal(said, "vnm: out of memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned_for_any_type),
		cmocka_unit_test(an_empty_object_still_has_an_address),
		cmocka_unit_test(a_copy_of_part_of_a_string_is_terminated),
		cmocka_unit_test(an_arena_is_usable_again_after_done),
		cmocka_unit_test(a_size_that_overflows_is_out_of_memory),
	};

	return cmocka_run_group_tests_name("common/arena", tests, NULL, NULL);
}
