/* SPDX-License-Identifier: MIT */
/* The histogram against all its lengths in order. */
#include <stdlib.h>
#include <string.h>

#include "measure/histogram.h"
#include "tests/support/test.h"

#define LENGTHS 20000u

static struct histogram histogram;
static struct histogram other;
static uint64_t lengths[LENGTHS];
static uint64_t seed;

static uint64_t next_random(void) /* xorshift64; the same in each run */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int start(void **state)
{
	(void)state;
	seed = 88172645463325252u;
	histogram_init(&histogram);
	histogram_init(&other);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of the sorted lengths; the least that so many thousandths do not exceed. */
static uint64_t true_percentile(uint32_t permille)
{
	return lengths[(uint64_t)LENGTHS * permille / 1000 - 1];
}

static void check(const struct histogram *h)
{
	static const uint32_t permilles[] = {1, 10, 500, 900, 950, 990, 999, 1000};
	uint64_t sum = 0;

	qsort(lengths, LENGTHS, sizeof(lengths[0]), compare);
	for (uint32_t i = 0; i < LENGTHS; i++)
		sum += lengths[i];
	assert_int_equal(h->count, LENGTHS);
	assert_int_equal(h->min_ns, lengths[0]);
	assert_int_equal(h->max_ns, lengths[LENGTHS - 1]);
	assert_int_equal(histogram_mean_ns(h), sum / LENGTHS);
	for (size_t i = 0; i < COUNT_OF(permilles); i++) {
		uint64_t wanted = true_percentile(permilles[i]);

		/* Not below, and at most 1/128 above. */
		assert_in_range(histogram_percentile_ns(h, permilles[i]), wanted,
		                wanted + wanted / 128);
	}
	assert_int_equal(histogram_percentile_ns(h, 1000), h->max_ns);
}

static void percentiles_are_those_of_the_sorted_lengths(void **state)
{
	static const unsigned bits[] = {4, 8, 14, 20, 27, 33};

	for (size_t b = 0; b < COUNT_OF(bits); b++) { /* from ns to seconds */
		(void)start(state);
		for (uint32_t i = 0; i < LENGTHS; i++) {
			lengths[i] = next_random() % (UINT64_C(1) << bits[b]);
			histogram_add(&histogram, lengths[i]);
		}
		check(&histogram);
	}
}

static void a_long_tail_is_where_it_is(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < LENGTHS; i++) {
		unsigned tail = (unsigned)(next_random() % 20);

		lengths[i] = 9000 + next_random() % 3000 + (tail == 0 ? next_random() >> 33 : 0);
		histogram_add(&histogram, lengths[i]);
	}
	check(&histogram);
}

static void merged_is_as_if_all_had_gone_into_one(void **state)
{
	static struct histogram all;

	(void)state;
	histogram_init(&all);
	for (uint32_t i = 0; i < LENGTHS; i++) {
		lengths[i] = next_random() % (i % 3 == 0 ? 1000 : 10000000);
		histogram_add(i % 3 == 0 ? &histogram : &other, lengths[i]);
		histogram_add(&all, lengths[i]);
	}
	histogram_merge(&histogram, &other);
	check(&histogram);
	assert_memory_equal(&histogram, &all, sizeof(all));
	histogram_init(&other);
	histogram_merge(&histogram, &other); /* one that is empty adds nothing */
	assert_memory_equal(&histogram, &all, sizeof(all));
}

static void one_length_is_all_percentiles(void **state)
{
	static const uint64_t cases[] = {0,   1,     127,         128,         255,           256,
	                                 257, 12345, 17179869183, 17179869184, 86400000000000};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) { /* also longer than the buckets reach */
		histogram_init(&histogram);
		histogram_add(&histogram, cases[i]);
		assert_int_equal(histogram.min_ns, cases[i]);
		assert_int_equal(histogram_mean_ns(&histogram), cases[i]);
		assert_int_equal(histogram_percentile_ns(&histogram, 1), cases[i]);
		assert_int_equal(histogram_percentile_ns(&histogram, 999), cases[i]);
	}
}

static void every_length_lies_in_a_bucket_of_its_size(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits < HISTOGRAM_TOP_BITS; bits++) {
		for (int step = -2; step <= 2; step++) { /* around each power of two */
			uint64_t ns = (UINT64_C(1) << bits) + (uint64_t)(int64_t)step;

			if (bits < 2)
				continue;
			histogram_init(&histogram);
			histogram_add(&histogram, ns);
			histogram_add(&histogram, UINT64_C(1) << 40); /* so that max is no help */
			assert_in_range(histogram_percentile_ns(&histogram, 500), ns,
			                ns + ns / 128);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(percentiles_are_those_of_the_sorted_lengths, start),
		cmocka_unit_test_setup(a_long_tail_is_where_it_is, start),
		cmocka_unit_test_setup(merged_is_as_if_all_had_gone_into_one, start),
		cmocka_unit_test_setup(one_length_is_all_percentiles, start),
		cmocka_unit_test_setup(every_length_lies_in_a_bucket_of_its_size, start),
	};

	return cmocka_run_group_tests_name("agent/measure/histogram", tests, NULL, NULL);
}
