/* SPDX-License-Identifier: MIT */
#include "plan/plan_random.h"

#include "common/attr.h"
#include "tests/support/test.h"

/* Figures of the authors' C code (prng.di.unimi.it), as rand_xoshiro tests them too. */
static void the_numbers_are_those_of_xoshiro256starstar(void **state)
{
	static const uint64_t wanted[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
	};
	struct plan_random random = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_true(plan_random_next(&random) == wanted[i]);
}

/* splitmix64 from 1234567: the example of the published algorithm. */
static void the_state_is_filled_by_splitmix64(void **state)
{
	static const uint64_t wanted[] = {
		UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431),
	};
	struct plan_random random;

	(void)state;
	plan_random_init(&random, 1234567);
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_true(random.state[i] == wanted[i]);
}

static void a_bound_is_kept_and_every_number_below_it_comes(void **state)
{
	static const uint64_t bounds[] = {1, 2, 3, 7, 64, 100};
	struct plan_random random;

	(void)state;
	plan_random_init(&random, 5);
	for (size_t i = 0; i < COUNT_OF(bounds); i++) {
		unsigned seen[100] = {0};

		for (unsigned n = 0; n < 1000 * bounds[i]; n++) {
			uint64_t x = plan_random_below(&random, bounds[i]);

			assert_true(x < bounds[i]);
			seen[x]++;
		}
		/* 1000 expected, standard deviation below 32: five of them */
		for (uint64_t x = 0; x < bounds[i]; x++)
			assert_in_range(seen[x], 840, 1160);
	}
}

/* Without rejection the lower half of 2^63 + 1 numbers would come twice as often. */
static void a_huge_bound_has_no_bias(void **state)
{
	const uint64_t bound = (UINT64_C(1) << 63) + 1;
	unsigned low = 0;
	struct plan_random random;

	(void)state;
	plan_random_init(&random, 6);
	for (unsigned i = 0; i < 10000; i++)
		low += plan_random_below(&random, bound) < bound / 2;
	assert_in_range(low, 4750, 5250);
}

static void every_order_is_as_likely(void **state)
{
	unsigned seen[3][3] = {{0}};
	struct plan_random random;

	(void)state;
	plan_random_init(&random, 7);
	for (unsigned n = 0; n < 6000; n++) {
		uint32_t at[] = {0, 1, 2};

		plan_random_shuffle(&random, at, COUNT_OF(at));
		assert_int_equal(at[0] + at[1] + at[2], 3);
		seen[at[0]][at[1]]++;
	}
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 3; j++) {
			if (i == j)
				assert_int_equal(seen[i][j], 0);
			else
				assert_in_range(seen[i][j], 850, 1150);
		}
	}
}

static void nothing_and_one_can_be_shuffled(void **state)
{
	struct plan_random random;
	uint32_t one = 9;

	(void)state;
	plan_random_init(&random, 8);
	plan_random_shuffle(&random, &one, 0);
	plan_random_shuffle(&random, &one, 1);
	assert_int_equal(one, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_numbers_are_those_of_xoshiro256starstar),
		cmocka_unit_test(the_state_is_filled_by_splitmix64),
		cmocka_unit_test(a_bound_is_kept_and_every_number_below_it_comes),
		cmocka_unit_test(a_huge_bound_has_no_bias),
		cmocka_unit_test(every_order_is_as_likely),
		cmocka_unit_test(nothing_and_one_can_be_shuffled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
