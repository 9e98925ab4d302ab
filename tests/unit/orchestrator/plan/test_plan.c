/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

/*
 * `resume` makes the plan of a run anew, perhaps with another build on another
 * machine: this must not change but with a new version of the order itself.
 */
static void a_plan_is_the_same_everywhere(void **state)
{
	static const struct {
		const char *profile, *sha256;
	} cases[] = {
		{"100g-esxi-lab",
	         "77a4d0b5a7a29d9dbfba5797d3dad45f46d0da0fbc60d7b63ac1ffc169c86c9f"},
		{"em-vs-vmxnet3",
	         "64cfe8fbf424327f02b1948998a54160b95907d7f8250e67e256ae4ab25d822f"},
		{"full-matrix", "4dce01012592f600f6597c3c53703007cf6e73e24f537a7759b3e1a4be682868"},
	};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan = lab_plan(&topo, cases[i].profile);

		assert_string_equal(plan.sha256, cases[i].sha256);
		plan_done(&plan);
	}
}

/* Each row changes one thing that the plan's name must tell. */
static void whatever_matters_changes_the_plans_name(void **state)
{
	enum { CHANGES = 8 };
	char names[CHANGES][SHA256_HEX_BYTES];

	(void)state;
	for (size_t i = 0; i < CHANGES; i++) {
		static const char *const one[] = {"100g-esxi-lab"};
		static const char *const two[] = {"100g-esxi-lab", "freebsd-lro-retransmits"};
		struct topology topo = lab_topology();
		struct plan_request request = {.profiles = one, .profile_count = 1};
		struct profile named;
		struct plan plan;
		struct err err;

		if (i == 1)
			request.seed = 2;
		request.has_seed = true;
		if (i == 2)
			topo.design.repeats.min = 7;
		if (i == 3)
			topo.design.isolation = ISOLATION_DUPLEX;
		if (i == 4)
			topo.design.order = ORDER_SERIAL;
		if (i == 5) {
			request.profiles = two;
			request.profile_count = 2;
		}
		if (i == 6)
			request.only = "cell=0|1|2|3";
		if (i == 7) {
			named = topo.profiles[3];
			named.name = "renamed";
			topo.profiles = &named;
			topo.profile_count = 1;
			request.profile_count = 0;
		}
		assert_true(plan_make(&topo, &request, 0, &plan, &err));
		memcpy(names[i], plan.sha256, SHA256_HEX_BYTES);
		plan_done(&plan);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	}
}

static void profiles_keep_the_order_of_the_request_and_come_once(void **state)
{
	static const char *const names[] = {"quick", "100g-esxi-lab", "quick"};
	struct topology topo = lab_topology();
	struct plan_request request = {.profiles = names, .profile_count = COUNT_OF(names)};
	struct plan plan;
	struct err err;

	(void)state;
	assert_true(plan_make(&topo, &request, 1, &plan, &err));
	assert_int_equal(plan.profile_count, 2);
	assert_string_equal(plan.profiles[0]->name, "quick");
	assert_string_equal(plan.profiles[1]->name, "100g-esxi-lab");
	assert_int_equal(plan.cell_count, 61);
	assert_string_equal(plan.cells[0].profiles[0].profile->name, "quick");
	plan_done(&plan);
}

/* No profile named: all but those that are a search. */
static void all_that_can_be_run_is_planned_when_nothing_is_named(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.profile_count, topo.profile_count - 1);
	for (size_t i = 0; i < plan.profile_count; i++)
		assert_ptr_equal(plan.profiles[i], &topo.profiles[i]);
	plan_done(&plan);
}

static void a_failure_leaves_the_plan_alone(void **state)
{
	struct topology topo = lab_topology();
	struct plan_request request = {.only = "src=nobody"};
	struct plan plan = {.seed = 77};
	struct err err;

	(void)state;
	assert_false(plan_make(&topo, &request, 1, &plan, &err));
	assert_int_equal(plan.seed, 77);
	assert_null(plan.arena.head);
	plan_done(&plan);
	plan_done(NULL);
}

/* ---- time ---- */

static void the_estimate_takes_the_longest_test_of_each_round(void **state)
{
	static const struct {
		size_t first;
		uint64_t ms;
	} cases[] = {
		{0, 12000 + 3000 + 1000 + 3 * PLAN_TEST_OVERHEAD_MS},
		{1, 3000 + 3000 + 1000 + 3 * PLAN_TEST_OVERHEAD_MS},
		{2, 3000 + 1000 + 2 * PLAN_TEST_OVERHEAD_MS},
		{3, 1000 + PLAN_TEST_OVERHEAD_MS},
		{4, 0},
		{9, 0},
	};
	struct plan_cell cells[] = {{.config = {.duration_ms = 10000, .omit_ms = 2000}},
	                            {.config = {.duration_ms = 3000}},
	                            {.config = {.duration_ms = 1000}}};
	struct plan_slot slots[] = {{.cell = 0, .round = 1},
	                            {.cell = 1, .round = 1},
	                            {.cell = 1, .round = 2},
	                            {.cell = 2, .round = 3}};
	struct plan plan = {.cells = cells, .cell_count = 3, .slots = slots, .slot_count = 4};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_true(plan_estimate_ms(&plan, cases[i].first) == cases[i].ms);
}

/* 1 GiB is 8.59 Gbit. */
static void bytes_take_as_long_as_the_slowest_known_part_needs(void **state)
{
	static const struct host vm = {.name = "vm", .kind = HOST_VM};
	static const struct host pc = {.name = "pc", .kind = HOST_BAREMETAL};
	static const struct nic virtual = {.host = &vm, .speed_bps = 1000};
	static const struct nic slow = {.host = &pc, .speed_bps = 1000000000};
	static const struct nic unsaid = {.host = &pc};
	static const struct resource gbit10 = {.speed_bps = 10000000000}, dark = {.speed_bps = 0};
	static const struct {
		const struct nic *src, *dst;
		const struct resource *link;
		uint64_t rate_bps;
		uint64_t ms;
	} cases[] = {
		{&virtual, &virtual, &gbit10, 0, 858},
		{&virtual, &slow, &gbit10, 0, 8589},
		{&unsaid, &unsaid, &dark, 0, 7000},
		{&unsaid, &unsaid, &dark, 50000000, 85899},
		{&unsaid, &slow, &gbit10, 50000000, 85899},
		{&slow, &unsaid, &dark, 5000000000, 8589},
	};
	struct topology topo = {.design = {.duration_ms = 7000}};
	struct plan plan = {.topology = &topo};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct resource *link = cases[i].link;
		struct plan_cell cell = {
			.src = cases[i].src,
			.dst = cases[i].dst,
			.links = &link,
			.link_count = 1,
			.config = {.streams = 2,
		                   .omit_ms = 1000,
		                   .bytes = UINT64_C(1) << 30,
		                   .rate_bps = cases[i].rate_bps},
		};

		if (plan_test_ms(&plan, &cell) != cases[i].ms + 1000 + PLAN_TEST_OVERHEAD_MS)
			fail_msg("case %zu: %llu", i,
			         (unsigned long long)plan_test_ms(&plan, &cell));
	}
}

static void a_serial_plan_takes_the_sum_of_its_tests(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.design.order = ORDER_SERIAL;
	plan = lab_plan(&topo, "quick");
	assert_true(plan_estimate_ms(&plan, 0) == UINT64_C(168) * (4000 + PLAN_TEST_OVERHEAD_MS));
	plan_done(&plan);
}

/* ---- settings ---- */

static void a_setting_is_needed_when_mtu_lro_or_tso_is_asked_for(void **state)
{
	static const struct {
		struct plan_config config;
		bool needs;
	} cases[] = {
		{{.streams = 4, .window_bytes = 65536, .buffer_bytes = 1500}, false},
		{{.mtu_bytes = 1500}, true},
		{{.lro = TOGGLE_ON}, true},
		{{.lro = TOGGLE_OFF}, true},
		{{.tso = TOGGLE_ON}, true},
		{{.tso = TOGGLE_OFF}, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(plan_needs_setting(&cases[i].config), cases[i].needs);
}

static void changes_are_counted_by_nic_and_setting(void **state)
{
	static const struct {
		const char *profile;
		enum design_order order;
		size_t changes;
	} cases[] = {
		{"quick", ORDER_SPLIT_PLOT, 0},
		/* mtu of both ends once; lro and tso of both in each pass: there and back */
		{"truenas-vmxnet3-lro-tso", ORDER_SERIAL, 2 + 6 * 2 * 2 * 2},
		/* one pair, tso unchanged */
		{"freebsd-lro-retransmits", ORDER_SERIAL, 2 + 6 * 2 * 2},
		{"100g-esxi-lab", ORDER_SERIAL, 0},
	};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan;

		topo.design.order = cases[i].order;
		plan = lab_plan(&topo, cases[i].profile);
		assert_int_equal(plan_setting_changes(&plan), cases[i].changes);
		plan_done(&plan);
	}
}

static void the_list_of_changes_names_nics_settings_and_levels(void **state)
{
	struct topology topo = lab_topology();
	struct arena arena = {0};
	struct plan_changes list;
	size_t sum = 0;
	size_t toggles = 0;
	struct plan plan;

	(void)state;
	topo.design.order = ORDER_SERIAL;
	plan = lab_plan(&topo, "truenas-vmxnet3-lro-tso");
	list = plan_list_changes(&plan, &arena);
	assert_int_equal(list.count, 2 * PLAN_SETTING_COUNT); /* of both ends */
	for (size_t i = 0; i < list.count; i++) {
		const struct plan_change *c = &list.at[i];

		assert_int_equal(c->setting, i % PLAN_SETTING_COUNT);
		assert_ptr_equal(c->nic, list.at[i - i % PLAN_SETTING_COUNT].nic);
		sum += c->changes;
		if (c->setting == PLAN_MTU) {
			assert_int_equal(c->level_count, 1);
			assert_int_equal(c->levels[0], 1500);
			assert_int_equal(c->changes, 1);
			continue;
		}
		assert_int_equal(c->level_count, 2);
		assert_int_equal(c->levels[0], TOGGLE_OFF);
		assert_int_equal(c->levels[1], TOGGLE_ON);
		toggles++;
	}
	assert_int_equal(toggles, 4);
	assert_true(list.at[0].nic != list.at[PLAN_SETTING_COUNT].nic);
	assert_int_equal(sum, plan_setting_changes(&plan));
	plan_done(&plan);
	plan = lab_plan(&topo, "quick");
	assert_int_equal(plan_list_changes(&plan, &arena).count, 0);
	plan_done(&plan);
	arena_done(&arena);
}

static void split_plot_needs_far_fewer_changes_than_random(void **state)
{
	struct topology topo = lab_topology();
	size_t split;
	struct plan plan = lab_plan(&topo, "full-matrix");

	(void)state;
	split = plan_setting_changes(&plan);
	plan_done(&plan);
	topo.design.order = ORDER_RANDOM;
	plan = lab_plan(&topo, "full-matrix");
	assert_true(plan_setting_changes(&plan) > 20 * split);
	plan_done(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_the_same_everywhere),
		cmocka_unit_test(whatever_matters_changes_the_plans_name),
		cmocka_unit_test(profiles_keep_the_order_of_the_request_and_come_once),
		cmocka_unit_test(all_that_can_be_run_is_planned_when_nothing_is_named),
		cmocka_unit_test(a_failure_leaves_the_plan_alone),
		cmocka_unit_test(the_estimate_takes_the_longest_test_of_each_round),
		cmocka_unit_test(bytes_take_as_long_as_the_slowest_known_part_needs),
		cmocka_unit_test(a_serial_plan_takes_the_sum_of_its_tests),
		cmocka_unit_test(a_setting_is_needed_when_mtu_lro_or_tso_is_asked_for),
		cmocka_unit_test(changes_are_counted_by_nic_and_setting),
		cmocka_unit_test(the_list_of_changes_names_nics_settings_and_levels),
		cmocka_unit_test(split_plot_needs_far_fewer_changes_than_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
