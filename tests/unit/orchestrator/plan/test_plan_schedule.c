/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"
#include "tests/unit/orchestrator/plan/random_lab.h"

/* ---- what holds for every plan ---- */

static bool same_setting(const struct plan_config *a, const struct plan_config *b)
{
	return a->mtu_bytes == b->mtu_bytes && a->lro == b->lro && a->tso == b->tso;
}

/* Each cell once in each of the blocks 1 to its repeats, in the order promised by plan.h. */
static void check_blocks(const struct plan *plan)
{
	uint32_t *seen = calloc(plan->cell_count, sizeof(*seen));
	uint32_t round = 0;
	uint32_t block = 1;

	assert_non_null(seen);
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_slot *s = &plan->slots[i];

		assert_int_equal(s->seq, i + 1);
		assert_true(s->round == round || s->round == round + 1);
		assert_true(s->block == block || (s->block == block + 1 && s->round == round + 1));
		round = s->round;
		block = s->block;
		assert_int_equal(s->replicate, s->block);
		assert_int_equal(++seen[s->cell], s->replicate);
	}
	assert_int_equal(round, plan->rounds);
	assert_int_equal(block, plan->blocks);
	for (size_t i = 0; i < plan->cell_count; i++)
		assert_int_equal(seen[i], plan->cells[i].repeats);
	free(seen);
}

/* No resource is taken beyond its slots in any round, and a round needs one setting only. */
static void check_rounds(const struct plan *plan)
{
	uint32_t *taken = calloc(plan->resource_count, sizeof(*taken));
	const struct plan_cell *first = NULL;

	assert_non_null(taken);
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_cell *cell = &plan->cells[plan->slots[i].cell];

		if (i == 0 || plan->slots[i].round != plan->slots[i - 1].round) {
			memset(taken, 0, plan->resource_count * sizeof(*taken));
			first = cell;
		}
		assert_true(same_setting(&cell->config, &first->config));
		for (size_t k = 0; k < cell->resource_count; k++)
			assert_true(++taken[cell->resources[k]] <=
			            plan->resources[cell->resources[k]].slots);
	}
	free(taken);
}

/* ---- blocks ---- */

static void a_block_is_one_pass_over_the_cells_that_need_a_repeat(void **state)
{
	static const enum design_order orders[] = {ORDER_SPLIT_PLOT, ORDER_RANDOM, ORDER_SERIAL};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct plan plan;

		topo.design.order = orders[i];
		plan = lab_plan(&topo, NULL);
		/* quick asks for three, all others for six */
		assert_int_equal(plan.blocks, 6);
		check_blocks(&plan);
		check_rounds(&plan);
		plan_done(&plan);
	}
}

static void serial_keeps_the_order_of_the_file_one_at_a_time(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.design.order = ORDER_SERIAL;
	plan = lab_plan(&topo, "full-matrix");
	assert_int_equal(plan.rounds, plan.slot_count);
	for (size_t i = 0; i < plan.slot_count; i++)
		assert_int_equal(plan.slots[i].cell, i % plan.cell_count);
	plan_done(&plan);
}

/* How often a setting differs from the slot's before, within a block and from mtu alone. */
static void count_changes(const struct plan *plan, uint32_t block, size_t *all, size_t *mtu)
{
	*all = *mtu = 0;
	for (size_t i = 1; i < plan->slot_count; i++) {
		const struct plan_config *a = &plan->cells[plan->slots[i - 1].cell].config;
		const struct plan_config *b = &plan->cells[plan->slots[i].cell].config;

		if (plan->slots[i].block != block || plan->slots[i - 1].block != block)
			continue;
		*all += !same_setting(a, b);
		*mtu += a->mtu_bytes != b->mtu_bytes;
	}
}

static void split_plot_changes_settings_as_seldom_as_can_be(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;
	unsigned starts_at_1500 = 0;

	(void)state;
	topo.design.repeats.min = 20;
	plan = lab_plan(&topo, "full-matrix");
	for (uint32_t block = 1; block <= plan.blocks; block++) {
		size_t first = (block - 1) * plan.cell_count;
		size_t all;
		size_t mtu;

		count_changes(&plan, block, &all, &mtu);
		assert_int_equal(all, 3); /* four settings */
		assert_int_equal(mtu, 1); /* the slowest */
		starts_at_1500 += plan.cells[plan.slots[first].cell].config.mtu_bytes == 1500;
	}
	plan_done(&plan);
	/* a fair start: 20 blocks, at least 3 either way (fails once in 2,500 seeds) */
	assert_in_range(starts_at_1500, 3, 17);
}

/* Three factors that are varied one by one: neighbours differ in one of them. */
static void split_plot_walks_a_grid_in_gray_code(void **state)
{
	struct setting mtus[] = {{.given = GIVES(MTU), .mtu_bytes = 0},
	                         {.given = GIVES(MTU), .mtu_bytes = 1500},
	                         {.given = GIVES(MTU), .mtu_bytes = 9000}};
	struct setting lros[] = {{.given = GIVES(LRO), .lro = TOGGLE_UNCHANGED},
	                         {.given = GIVES(LRO), .lro = TOGGLE_OFF},
	                         {.given = GIVES(LRO), .lro = TOGGLE_ON}};
	struct setting tsos[] = {{.given = GIVES(TSO), .tso = TOGGLE_OFF},
	                         {.given = GIVES(TSO), .tso = TOGGLE_ON}};
	struct axis grid[] = {{.name = "mtu", .levels = mtus, .level_count = 3},
	                      {.name = "lro", .levels = lros, .level_count = 3},
	                      {.name = "tso", .levels = tsos, .level_count = 2}};
	const struct nic *between[] = {lab_nic("esx1.vmk1"), lab_nic("esx2.vmk1"),
	                               lab_nic("pc.enp4s0")};
	struct profile profile = {.name = "p",
	                          .classes = 0xff,
	                          .between = between,
	                          .between_count = 3,
	                          .grid = grid,
	                          .axis_count = 3};
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.profiles = &profile;
	topo.profile_count = 1;
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.cell_count, 6 * 18);
	for (size_t i = 1; i < plan.slot_count; i++) {
		const struct plan_config *a = &plan.cells[plan.slots[i - 1].cell].config;
		const struct plan_config *b = &plan.cells[plan.slots[i].cell].config;

		if (plan.slots[i].block == plan.slots[i - 1].block)
			assert_true((a->mtu_bytes != b->mtu_bytes) + (a->lro != b->lro) +
			                    (a->tso != b->tso) <=
			            1);
	}
	for (uint32_t block = 1; block <= plan.blocks; block++) {
		size_t all;
		size_t mtu;

		count_changes(&plan, block, &all, &mtu);
		assert_int_equal(all, 17);
		assert_int_equal(mtu, 2);
	}
	plan_done(&plan);
}

static void random_mixes_the_settings(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;
	size_t all;
	size_t mtu;

	(void)state;
	topo.design.order = ORDER_RANDOM;
	plan = lab_plan(&topo, "full-matrix");
	count_changes(&plan, 1, &all, &mtu);
	/* about 400 rounds of four settings: three in four differ from the one before */
	assert_true(all > 200);
	assert_true(mtu > 100);
	plan_done(&plan);
}

static void every_block_has_a_fresh_order(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan = lab_plan(&topo, "quick");
	size_t same = 0;

	(void)state;
	for (size_t i = 0; i < plan.cell_count; i++)
		same += plan.slots[i].cell == plan.slots[plan.cell_count + i].cell;
	assert_true(same < plan.cell_count / 4);
	plan_done(&plan);
}

/* ---- seeds ---- */

static void the_seed_decides(void **state)
{
	struct topology topo = lab_topology();
	struct plan_request request = {0};
	char with_1[SHA256_HEX_BYTES];
	char with_2[SHA256_HEX_BYTES];
	/* clang-format off */
	const struct {
		bool design_has, request_has;
		uint64_t design, request, caller, wanted;
	} cases[] = {
		{false, false, 0, 0, 1, 1},
		{false, false, 0, 0, 2, 2},
		{true, false, 2, 0, 1, 2},
		{true, true, 2, 1, 2, 1},
		{false, true, 0, 2, 1, 2},
		{false, true, 0, 0, 1, 0},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan;
		struct err err;

		topo.design.has_seed = cases[i].design_has;
		topo.design.seed = cases[i].design;
		request.has_seed = cases[i].request_has;
		request.seed = cases[i].request;
		assert_true(plan_make(&topo, &request, cases[i].caller, &plan, &err));
		assert_true(plan.seed == cases[i].wanted);
		if (i == 0)
			memcpy(with_1, plan.sha256, sizeof(with_1));
		if (i == 1)
			memcpy(with_2, plan.sha256, sizeof(with_2));
		if (cases[i].wanted == 1)
			assert_string_equal(plan.sha256, with_1);
		if (cases[i].wanted == 2)
			assert_string_equal(plan.sha256, with_2);
		plan_done(&plan);
	}
	assert_string_not_equal(with_1, with_2);
}

/* ---- random labs ---- */

/* How the tests of a plan take its resources. */
struct demand {
	const struct plan *plan;
	uint32_t load[RANDOM_LAB_RESOURCES_MAX];
	uint32_t both[RANDOM_LAB_RESOURCES_MAX][RANDOM_LAB_RESOURCES_MAX];
};

static void demand_of(const struct plan *plan, struct demand *d)
{
	*d = (struct demand){.plan = plan};
	assert_true(plan->resource_count <= RANDOM_LAB_RESOURCES_MAX);
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		for (size_t a = 0; a < cell->resource_count; a++) {
			d->load[cell->resources[a]]++;
			for (size_t b = a + 1; b < cell->resource_count; b++)
				d->both[cell->resources[a]][cell->resources[b]]++;
		}
	}
}

/* Tests that hold at least two of the three: no two of them fit into a round. */
static uint32_t tests_of_triple(const struct plan *plan, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t count = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		unsigned held = 0;

		for (size_t k = 0; k < plan->cells[i].resource_count; k++) {
			uint32_t r = plan->cells[i].resources[k];

			held += r == a || r == b || r == c;
		}
		count += held >= 2;
	}
	return count;
}

static uint32_t triple_bound(const struct demand *d, uint32_t a, uint32_t b, uint32_t bound)
{
	for (uint32_t c = b + 1; c < d->plan->resource_count; c++) {
		uint32_t most = d->both[a][b] + d->both[b][c] + d->both[a][c];

		if (d->plan->resources[c].slots == 1 && d->both[a][b] > 0 && d->both[b][c] > 0 &&
		    d->both[a][c] > 0 && most > bound) {
			uint32_t count = tests_of_triple(d->plan, a, b, c);

			bound = count > bound ? count : bound;
		}
	}
	return bound;
}

/*
 * Rounds that no order can do without: what the busiest resource takes, what any
 * three resources take of which a test holds two, and two machines a test.
 */
static uint32_t lower_bound(const struct plan *plan)
{
	struct demand d;
	size_t at_once = plan->topology->host_count / 2;
	uint32_t bound = (uint32_t)((plan->cell_count + at_once - 1) / at_once);

	demand_of(plan, &d);
	for (size_t i = 0; i < plan->resource_count; i++) {
		uint32_t slots = plan->resources[i].slots;

		if ((d.load[i] + slots - 1) / slots > bound)
			bound = (d.load[i] + slots - 1) / slots;
	}
	for (uint32_t a = 0; a < plan->resource_count; a++) {
		for (uint32_t b = a + 1; b < plan->resource_count; b++) {
			if (plan->resources[a].slots == 1 && plan->resources[b].slots == 1)
				bound = triple_bound(&d, a, b, bound);
		}
	}
	return bound;
}

static void tests_side_by_side_share_nothing_and_little_time_is_lost(void **state)
{
	struct plan_random random;
	double worst = 0;

	(void)state;
	plan_random_init(&random, 20261130);
	for (unsigned i = 0; i < 60; i++) {
		struct random_lab lab;
		struct plan plan;
		uint32_t bound;
		double per_block;

		random_lab_make(&lab, &random);
		plan = lab_plan(&lab.topo, NULL);
		check_blocks(&plan);
		check_rounds(&plan);
		bound = lower_bound(&plan);
		per_block = (double)plan.rounds / plan.blocks;
		if (per_block / bound > worst)
			worst = per_block / bound;
		if (per_block > 1.15 * bound + 1)
			fail_msg("lab %u: %f rounds a block, at least %u are needed", i, per_block,
			         bound);
		plan_done(&plan);
		random_lab_done(&lab);
	}
	assert_true(worst >= 1);
}

static void equal_hosts_come_near_the_closed_form(void **state)
{
	struct plan_random random;
	struct random_lab lab;
	struct plan plan;

	(void)state;
	plan_random_init(&random, 3);
	random_lab_of(&lab, &random, 12, 4);
	plan = lab_plan(&lab.topo, NULL);
	assert_int_equal(plan.cell_count, 60 * 59);
	check_blocks(&plan);
	check_rounds(&plan);
	/* the closed form for equal hosts is 2 (H - 1) e^2 + e (e - 1) = 570 */
	assert_in_range(plan.rounds, 570, 590);
	plan_done(&plan);
	random_lab_done(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_one_pass_over_the_cells_that_need_a_repeat),
		cmocka_unit_test(serial_keeps_the_order_of_the_file_one_at_a_time),
		cmocka_unit_test(split_plot_changes_settings_as_seldom_as_can_be),
		cmocka_unit_test(split_plot_walks_a_grid_in_gray_code),
		cmocka_unit_test(random_mixes_the_settings),
		cmocka_unit_test(every_block_has_a_fresh_order),
		cmocka_unit_test(the_seed_decides),
		cmocka_unit_test(tests_side_by_side_share_nothing_and_little_time_is_lost),
		cmocka_unit_test(equal_hosts_come_near_the_closed_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
