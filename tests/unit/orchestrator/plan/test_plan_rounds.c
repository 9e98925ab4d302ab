/* SPDX-License-Identifier: MIT */
#include "plan/plan_build.h"
#include "tests/support/test.h"

enum { TESTS_MAX = 200 };

/* Every test holds up to three of the resources 0 to 3. */
struct bench {
	struct plan plan;
	struct plan_resource resources[4];
	struct plan_cell cells[TESTS_MAX];
	uint32_t holds[TESTS_MAX][3];
	uint32_t order[TESTS_MAX], round_of[TESTS_MAX];
};

static void bench_init(struct bench *bench, const uint32_t slots[4])
{
	bench->plan = (struct plan){.resources = bench->resources,
	                            .resource_count = COUNT_OF(bench->resources),
	                            .cells = bench->cells};
	for (size_t i = 0; i < COUNT_OF(bench->resources); i++)
		bench->resources[i] = (struct plan_resource){.name = "r", .slots = slots[i]};
}

static void add_test(struct bench *bench, const uint32_t *holds, size_t count)
{
	size_t i = bench->plan.cell_count++;

	for (size_t k = 0; k < count; k++)
		bench->holds[i][k] = holds[k];
	bench->cells[i] = (struct plan_cell){.resources = bench->holds[i], .resource_count = count};
	bench->order[i] = (uint32_t)i;
}

static uint32_t pack(struct bench *bench, struct plan_rounds *rounds)
{
	return plan_rounds_pack(rounds, bench->order, bench->plan.cell_count, bench->round_of);
}

static void tests_that_share_nothing_run_together(void **state)
{
	static const uint32_t slots[4] = {1, 1, 1, 1};
	struct bench bench;
	struct plan_rounds *rounds;

	(void)state;
	bench_init(&bench, slots);
	for (uint32_t i = 0; i < 4; i++)
		add_test(&bench, &i, 1);
	add_test(&bench, NULL, 0);
	rounds = plan_rounds_new(&bench.plan);
	assert_int_equal(pack(&bench, rounds), 1);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(bench.round_of[i], 0);
	plan_rounds_free(rounds);
}

/* More rounds than a word of the bit set has bits, and more than it first has room for. */
static void tests_of_one_resource_take_turns_in_their_order(void **state)
{
	static const uint32_t slots[4] = {1, 1, 1, 1};
	static const uint32_t holds[] = {0, 2};
	struct bench bench;
	struct plan_rounds *rounds;

	(void)state;
	bench_init(&bench, slots);
	for (size_t i = 0; i < TESTS_MAX; i++)
		add_test(&bench, holds, COUNT_OF(holds));
	rounds = plan_rounds_new(&bench.plan);
	assert_int_equal(pack(&bench, rounds), TESTS_MAX);
	for (size_t i = 0; i < TESTS_MAX; i++)
		assert_int_equal(bench.round_of[i], i);
	plan_rounds_free(rounds);
}

static void slots_let_so_many_run_together(void **state)
{
	static const struct {
		uint32_t slots, tests, rounds;
	} cases[] = {{1, 7, 7}, {2, 7, 4}, {3, 7, 3},
	             {7, 7, 1}, {9, 7, 1}, {2, TESTS_MAX, TESTS_MAX / 2}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const uint32_t slots[4] = {cases[i].slots, 1, 1, 1};
		const uint32_t holds = 0;
		uint32_t taken[TESTS_MAX] = {0};
		struct bench bench;
		struct plan_rounds *rounds;

		bench_init(&bench, slots);
		for (uint32_t k = 0; k < cases[i].tests; k++)
			add_test(&bench, &holds, 1);
		rounds = plan_rounds_new(&bench.plan);
		assert_int_equal(pack(&bench, rounds), cases[i].rounds);
		for (uint32_t k = 0; k < cases[i].tests; k++)
			assert_true(++taken[bench.round_of[k]] <= cases[i].slots);
		plan_rounds_free(rounds);
	}
}

/* In the order given, the first two would keep the busy resource waiting. */
static void the_busiest_resource_goes_first(void **state)
{
	static const uint32_t slots[4] = {1, 1, 1, 1};
	static const uint32_t idle[] = {1, 2};
	static const uint32_t busy[] = {0, 1};
	static const uint32_t busy_too[] = {0, 3};
	struct bench bench;
	struct plan_rounds *rounds;

	(void)state;
	bench_init(&bench, slots);
	add_test(&bench, idle, 2);
	add_test(&bench, busy, 2);
	add_test(&bench, busy_too, 2);
	add_test(&bench, busy_too, 2);
	rounds = plan_rounds_new(&bench.plan);
	assert_int_equal(pack(&bench, rounds), 3);
	assert_int_equal(bench.round_of[1], 0);
	assert_int_equal(bench.round_of[0], 1);
	plan_rounds_free(rounds);
}

static void each_packing_begins_afresh(void **state)
{
	static const uint32_t slots[4] = {1, 2, 1, 1};
	static const uint32_t holds[] = {0, 1};
	struct bench bench;
	struct plan_rounds *rounds;

	(void)state;
	bench_init(&bench, slots);
	for (size_t i = 0; i < 70; i++)
		add_test(&bench, holds, 1 + i % 2);
	rounds = plan_rounds_new(&bench.plan);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pack(&bench, rounds), 70);
	assert_int_equal(plan_rounds_pack(rounds, bench.order, 0, bench.round_of), 0);
	plan_rounds_free(rounds);
	plan_rounds_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_that_share_nothing_run_together),
		cmocka_unit_test(tests_of_one_resource_take_turns_in_their_order),
		cmocka_unit_test(slots_let_so_many_run_together),
		cmocka_unit_test(the_busiest_resource_goes_first),
		cmocka_unit_test(each_packing_begins_afresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
