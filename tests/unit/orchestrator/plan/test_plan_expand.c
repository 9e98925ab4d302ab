/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

#define K UINT64_C(1024)
#define M (1024 * K)

/* The lab with these profiles instead of its own. */
static struct topology lab_with(struct profile *profiles, size_t count)
{
	struct topology topo = lab_topology();

	topo.profiles = profiles;
	topo.profile_count = count;
	return topo;
}

static struct pair pair_of(const char *a, const char *b)
{
	const struct nic *x = lab_nic(a);
	const struct nic *y = lab_nic(b);

	return (struct pair){.a = {.host = x->host, .nic = x}, .b = {.host = y->host, .nic = y}};
}

/* The cell that lab_cell_text() shows like that; fails the test when there is none. */
static const struct plan_cell *find_cell(const struct plan *plan, const char *text)
{
	size_t i = 0;

	while (i < plan->cell_count && strcmp(lab_cell_text(&plan->cells[i]), text) != 0)
		i++;
	if (i == plan->cell_count)
		fail_msg("no cell %s", text);
	return &plan->cells[i];
}

/* ---- the published labs ---- */

static void the_published_profiles_have_their_cells(void **state)
{
	static const struct {
		const char *profile;
		size_t cells, tests;
	} cases[] = {
		{"truenas-vmxnet3-lro-tso", 4, 24},
		{"freebsd-lro-retransmits", 2, 12},
		{"em-vs-vmxnet3", 20, 120},
		{"100g-esxi-lab", 5, 30},
		{"full-matrix", 448, 2688},
		{"quick", 56, 168},
		{NULL, 4 + 2 + 20 + 5 + 448 + 56, 2688 + 168 + 186},
	};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan = lab_plan(&topo, cases[i].profile);

		assert_int_equal(plan.cell_count, cases[i].cells);
		assert_int_equal(plan.slot_count, cases[i].tests);
		for (size_t k = 0; k < plan.cell_count; k++)
			assert_int_equal(plan.cells[k].index, k);
		plan_done(&plan);
	}
}

static void the_full_matrix_has_every_ordered_pair_of_each_class(void **state)
{
	/* 2 ESXi hosts, 4 VMs on the first and 1 on the second, 1 PC */
	static const size_t wanted[PATH_CLASS_COUNT] = {
		[PATH_HOST_HOST] = 2,     [PATH_VM_VM_SAME_HOST] = 12, [PATH_VM_VM_CROSS_HOST] = 8,
		[PATH_VM_OWN_HOST] = 10,  [PATH_VM_OTHER_HOST] = 10,   [PATH_BAREMETAL_HOST] = 4,
		[PATH_BAREMETAL_VM] = 10,
	};
	size_t found[PATH_CLASS_COUNT] = {0};
	size_t routed = 0;
	struct topology topo = lab_topology();
	struct plan plan = lab_plan(&topo, "full-matrix");

	(void)state;
	for (size_t i = 0; i < plan.cell_count; i++) {
		found[plan.cells[i].path_class]++;
		routed += plan.cells[i].is_routed;
		assert_false(plan.cells[i].dst_initiates);
	}
	for (size_t i = 0; i < PATH_CLASS_COUNT; i++)
		assert_int_equal(found[i], 8 * wanted[i]); /* eight settings */
	/* between fast (3 ends) and vmfast (5 ends), both ways */
	assert_int_equal(routed, 3 * 5 * 2 * 8);
	plan_done(&plan);
}

static void cells_stand_in_the_order_of_the_file(void **state)
{
	static const struct {
		const char *profile;
		size_t index;
		const char *cell;
	} cases[] = {
		{"truenas-vmxnet3-lro-tso", 0,
	         "truenas.vmx0 > esx1.vmk2 mtu=1500 buffer=128K lro=off tso=off 10s+0ms"},
		{"truenas-vmxnet3-lro-tso", 1,
	         "esx1.vmk2 > truenas.vmx0 reverse mtu=1500 buffer=128K lro=off tso=off 10s+0ms"},
		{"truenas-vmxnet3-lro-tso", 2,
	         "truenas.vmx0 > esx1.vmk2 mtu=1500 buffer=128K lro=on tso=on 10s+0ms"},
		{"truenas-vmxnet3-lro-tso", 3,
	         "esx1.vmk2 > truenas.vmx0 reverse mtu=1500 buffer=128K lro=on tso=on 10s+0ms"},
		{"freebsd-lro-retransmits", 0,
	         "pc.enp4s0 > truenas.vmx0 mtu=1500 buffer=128K lro=off 10s+0ms"},
		{"freebsd-lro-retransmits", 1,
	         "pc.enp4s0 > truenas.vmx0 mtu=1500 buffer=128K lro=on 10s+0ms"},
		{"em-vs-vmxnet3", 0, "freenas2.em0 > truenas.em0 mtu=1500 buffer=128K 20s+0ms"},
		{"em-vs-vmxnet3", 12,
	         "freenas2.vmx0 > truenas.vmx0 mtu=9000 window=384K buffer=128K 20s+0ms"},
		{"100g-esxi-lab", 0,
	         "esx2.vmk1 > esx1.vmk1 window=12M streams=9 buffer=1M 10s+0ms"},
		{"100g-esxi-lab", 1, "vm1.ens192 > vm3.ens192 window=10M buffer=1M 10s+0ms"},
		{"100g-esxi-lab", 4,
	         "pc.enp4s0 > vm3.ens192 window=4M streams=4 buffer=1M 10s+0ms"},
		{"full-matrix", 0, "esx1.vmk1 > esx2.vmk1 mtu=1500 lro=off tso=off 10s+2s"},
		{"full-matrix", 447,
	         "pc.enp4s0 > vm3.ens192 mtu=9000 window=4M streams=4 lro=on tso=on 10s+2s"},
		{"quick", 0, "esx1.vmk1 > esx2.vmk1 buffer=128K 3s+1s"},
	};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan = lab_plan(&topo, cases[i].profile);

		assert_string_equal(lab_cell_text(&plan.cells[cases[i].index]), cases[i].cell);
		plan_done(&plan);
	}
}

static void complete_adds_the_cells_that_the_list_leaves_out(void **state)
{
	static const char *const added[] = {
		"freenas2.em0 > truenas.em0 mtu=1500 window=192K buffer=128K 20s+0ms",
		"freenas2.em0 > truenas.em0 mtu=1500 window=384K buffer=128K 20s+0ms",
		"freenas2.em0 > truenas.em0 mtu=1500 window=512K buffer=128K 20s+0ms",
		"freenas2.vmx0 > truenas.vmx0 mtu=1500 window=192K buffer=128K 20s+0ms",
		"freenas2.vmx0 > truenas.vmx0 mtu=1500 window=384K buffer=128K 20s+0ms",
		"freenas2.vmx0 > truenas.vmx0 mtu=1500 window=512K buffer=128K 20s+0ms",
		"freenas2.vmx0 > truenas.vmx0 mtu=9000 window=512K buffer=128K 20s+0ms",
	};
	struct topology topo = lab_topology();
	struct plan plan = lab_plan(&topo, "em-vs-vmxnet3");

	(void)state;
	for (size_t i = 0; i < COUNT_OF(added); i++) {
		(void)find_cell(&plan, added[i]);
	}
	for (size_t i = 13; i < plan.cell_count; i++)
		assert_true(isnan(plan.cells[i].profiles[0].published_bps));
	assert_int_equal(plan.note_count, 1);
	assert_string_equal(plan.notes[0], "em-vs-vmxnet3: 7 of 20 cells are added to complete the "
	                                   "table of the listed ones");
	plan_done(&plan);
}

static void published_figures_stay_with_their_cells(void **state)
{
	static const struct {
		const char *profile, *cell;
		double gbps; /* NAN: none */
		int64_t retransmits;
	} cases[] = {
		{"truenas-vmxnet3-lro-tso",
	         "truenas.vmx0 > esx1.vmk2 mtu=1500 buffer=128K lro=off tso=off 10s+0ms", 22.2, -1},
		{"truenas-vmxnet3-lro-tso",
	         "esx1.vmk2 > truenas.vmx0 reverse mtu=1500 buffer=128K lro=off tso=off 10s+0ms",
	         2.02, -1},
		{"truenas-vmxnet3-lro-tso",
	         "truenas.vmx0 > esx1.vmk2 mtu=1500 buffer=128K lro=on tso=on 10s+0ms", (double)NAN,
	         -1},
		{"truenas-vmxnet3-lro-tso",
	         "esx1.vmk2 > truenas.vmx0 reverse mtu=1500 buffer=128K lro=on tso=on 10s+0ms",
	         23.3, -1},
		{"freebsd-lro-retransmits",
	         "pc.enp4s0 > truenas.vmx0 mtu=1500 buffer=128K lro=off 10s+0ms", 4.65, 8449},
		{"freebsd-lro-retransmits",
	         "pc.enp4s0 > truenas.vmx0 mtu=1500 buffer=128K lro=on 10s+0ms", 9.26, 0},
		{"em-vs-vmxnet3",
	         "freenas2.em0 > truenas.em0 mtu=9000 window=192K buffer=128K 20s+0ms", 5.3, -1},
		{"100g-esxi-lab", "esx2.vmk1 > esx1.vmk1 window=12M streams=9 buffer=1M 10s+0ms",
	         94, -1},
		{"full-matrix", "esx1.vmk1 > esx2.vmk1 mtu=1500 lro=off tso=off 10s+2s",
	         (double)NAN, -1},
	};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan plan = lab_plan(&topo, cases[i].profile);
		const struct plan_membership *m = find_cell(&plan, cases[i].cell)->profiles;

		assert_ptr_equal(m->profile, topology_profile(&topo, cases[i].profile));
		if (isnan(cases[i].gbps))
			assert_true(isnan(m->published_bps));
		else
			assert_true(fabs(m->published_bps / 1e9 - cases[i].gbps) < 1e-9);
		assert_int_equal(m->published_retransmits, cases[i].retransmits);
		plan_done(&plan);
	}
}

/* ---- levels ---- */

static void the_nearest_word_on_a_level_counts(void **state)
{
	struct setting streams[] = {{.given = GIVES(STREAMS), .streams = 8}};
	struct axis grid[] = {{.name = "streams", .levels = streams, .level_count = 1}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "esx1.vmk1")};
	struct listed_cell listed[] = {
		{.setting = {.given = GIVES(STREAMS), .streams = 8}, .published_bps = (double)NAN}};
	const struct setting fixed = {
		.given = GIVES(STREAMS) | GIVES(OMIT) | GIVES(WINDOW) | GIVES(TSO),
		.streams = 2,
		.omit_ms = 500,
		.window_bytes = 64 * K,
		.tso = TOGGLE_ON,
	};
	struct profile cases[] = {
		{.name = "bare", .pairs = pairs, .pair_count = 1},
		{.name = "fixed", .pairs = pairs, .pair_count = 1, .fixed = fixed},
		{.name = "grid",
	         .pairs = pairs,
	         .pair_count = 1,
	         .fixed = fixed,
	         .grid = grid,
	         .axis_count = 1},
		{.name = "cells",
	         .pairs = pairs,
	         .pair_count = 1,
	         .fixed = fixed,
	         .cells = listed,
	         .cell_count = 1},
	};
	static const char *const wanted[] = {
		"pc.enp4s0 > esx1.vmk1 10s+2s",
		"pc.enp4s0 > esx1.vmk1 window=64K streams=2 tso=on 10s+500ms",
		"pc.enp4s0 > esx1.vmk1 window=64K streams=8 tso=on 10s+500ms",
		"pc.enp4s0 > esx1.vmk1 window=64K streams=8 tso=on 10s+500ms",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct topology topo = lab_with(&cases[i], 1);
		struct plan plan = lab_plan(&topo, NULL);

		assert_int_equal(plan.cell_count, 1);
		assert_string_equal(lab_cell_text(&plan.cells[0]), wanted[i]);
		assert_int_equal(plan.cells[0].config.engine, ENGINE_AGENT);
		assert_int_equal(plan.cells[0].repeats, 6);
		plan_done(&plan);
	}
}

static void the_engine_that_the_file_names_is_kept(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.engine = ENGINE_IPERF3;
	plan = lab_plan(&topo, "100g-esxi-lab");
	assert_int_equal(plan.cells[0].config.engine, ENGINE_IPERF3);
	plan_done(&plan);
}

static void one_host_end_lets_the_driver_choose_there_only(void **state)
{
	struct setting drivers[] = {{.given = GIVES(DRIVER), .driver = "vmxnet3"}};
	struct axis grid[] = {{.name = "driver", .levels = drivers, .level_count = 1}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "truenas.vmx0")};
	struct profile profile = {
		.name = "p", .pairs = pairs, .pair_count = 1, .grid = grid, .axis_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan;

	(void)state;
	pairs[0].b.nic = NULL;
	plan = lab_plan(&topo, NULL);
	assert_string_equal(lab_cell_text(&plan.cells[0]), "pc.enp4s0 > truenas.vmx0 10s+2s");
	plan_done(&plan);
}

/* ---- pairs ---- */

static void classes_combine_the_test_nics_when_no_ends_are_named(void **state)
{
	struct profile profile = {.name = "p", .classes = 1u << PATH_HOST_HOST};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	/* vmk1 and vmk2 of both, in routed and in equal segments; never the management vmk0 */
	assert_int_equal(plan.cell_count, 8);
	for (size_t i = 0; i < plan.cell_count; i++) {
		assert_int_equal(plan.cells[i].src->role, NIC_TEST);
		assert_int_equal(plan.cells[i].dst->role, NIC_TEST);
	}
	plan_done(&plan);
}

static void management_nics_are_ends_when_they_are_named(void **state)
{
	const struct nic *between[] = {lab_nic("esx1.vmk0"), lab_nic("esx2.vmk0")};
	struct profile profile = {.name = "p",
	                          .classes = 1u << PATH_HOST_HOST,
	                          .between = between,
	                          .between_count = 2};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_string_equal(lab_cell_text(&plan.cells[0]), "esx1.vmk0 > esx2.vmk0 10s+2s");
	assert_string_equal(lab_cell_text(&plan.cells[1]), "esx2.vmk0 > esx1.vmk0 10s+2s");
	plan_done(&plan);
}

static void pairs_that_no_route_joins_are_left_out_and_told(void **state)
{
	const struct nic *between[] = {lab_nic("pc.enp4s0"), lab_nic("truenas.em0"),
	                               lab_nic("truenas.vmx0")};
	struct profile profile = {
		.name = "p", .classes = 0xff, .between = between, .between_count = 3};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_true(plan.cells[0].is_routed);
	assert_int_equal(plan.note_count, 1);
	assert_string_equal(plan.notes[0], "p: 2 ordered pairs left out, no route joins the "
	                                   "segments: pc.enp4s0 to truenas.em0 and others");
	plan_done(&plan);
}

static void a_segment_that_is_not_said_reaches_every_other(void **state)
{
	struct segment lan = {.name = "lan"};
	struct host hosts[2] = {{.name = "a", .kind = HOST_BAREMETAL},
	                        {.name = "b", .kind = HOST_BAREMETAL}};
	struct nic nics[2] = {
		{.name = "eth0", .host = &hosts[0], .ip = "192.0.2.1", .segment = &lan},
		{.name = "eth0", .host = &hosts[1], .ip = "192.0.2.2"}};
	struct profile profile = {.name = "p", .classes = 0xff};
	struct topology topo = {.path = "two.yaml",
	                        .hosts = hosts,
	                        .host_count = 2,
	                        .segments = &lan,
	                        .segment_count = 1,
	                        .profiles = &profile,
	                        .profile_count = 1};
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hosts[i].nics = &nics[i];
		hosts[i].nic_count = 1;
	}
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.cell_count, 2);
	assert_false(plan.cells[0].is_routed);
	assert_int_equal(plan.cells[0].path_class, PATH_BAREMETAL_BAREMETAL);
	assert_int_equal(plan.cells[0].repeats, 1);
	plan_done(&plan);
}

static void an_mtu_above_the_segments_is_told(void **state)
{
	struct setting mtus[] = {{.given = GIVES(MTU), .mtu_bytes = 1500},
	                         {.given = GIVES(MTU), .mtu_bytes = 9000}};
	struct axis grid[] = {{.name = "mtu", .levels = mtus, .level_count = 2}};
	struct pair pairs[] = {pair_of("pc.enp1s0", "esx1.vmk0")};
	struct profile profile = {
		.name = "p", .pairs = pairs, .pair_count = 1, .grid = grid, .axis_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_int_equal(plan.note_count, 1);
	assert_string_equal(plan.notes[0], "p: 1 cell above the max_mtu of a segment: MTU 9000 on "
	                                   "pc.enp1s0 in lan (1500)");
	plan_done(&plan);
}

/* ---- doubles ---- */

static void a_cell_of_two_profiles_is_one_with_the_larger_repeats(void **state)
{
	struct pair pairs[] = {pair_of("pc.enp4s0", "esx1.vmk1"),
	                       pair_of("pc.enp4s0", "esx1.vmk1")};
	struct published figure = {.where = {.given = 0}, .bps = 1e9, .retransmits = -1};
	struct profile cases[] = {
		{.name = "few",
	         .pairs = pairs,
	         .pair_count = 2,
	         .has_repeats = true,
	         .repeats = {.min = 3, .max = 3}},
		{.name = "many",
	         .pairs = pairs,
	         .pair_count = 1,
	         .has_repeats = true,
	         .repeats = {.min = 9, .max = 9},
	         .published = &figure,
	         .published_count = 1},
		{.name = "two",
	         .pairs = pairs,
	         .pair_count = 1,
	         .has_repeats = true,
	         .repeats = {.min = 2, .max = 2}},
	};
	struct topology topo = lab_with(cases, COUNT_OF(cases));
	struct plan plan = lab_plan(&topo, NULL);
	const struct plan_cell *cell = plan.cells;

	(void)state;
	assert_int_equal(plan.cell_count, 1);
	assert_int_equal(cell->repeats, 9);
	assert_int_equal(plan.slot_count, 9);
	assert_int_equal(cell->profile_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(cell->profiles[i].profile, &cases[i]);
	assert_true(isnan(cell->profiles[0].published_bps));
	assert_true(cell->profiles[1].published_bps > 0);
	assert_true(isnan(cell->profiles[2].published_bps));
	assert_int_equal(plan.note_count, 1);
	assert_string_equal(plan.notes[0],
	                    "1 cell belongs to more than one of these profiles: measured once for "
	                    "all of them, with the largest of their repeats");
	plan_done(&plan);
}

static void shared_cells_are_counted_among_those_that_only_leaves(void **state)
{
	struct setting streams[] = {{.given = GIVES(STREAMS), .streams = 1},
	                            {.given = GIVES(STREAMS), .streams = 2},
	                            {.given = GIVES(STREAMS), .streams = 4}};
	struct axis all[] = {{.name = "streams", .levels = streams, .level_count = 3}};
	struct axis two[] = {{.name = "streams", .levels = streams, .level_count = 2}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "esx1.vmk1")};
	struct profile cases[] = {
		{.name = "all", .pairs = pairs, .pair_count = 1, .grid = all, .axis_count = 1},
		{.name = "two", .pairs = pairs, .pair_count = 1, .grid = two, .axis_count = 1},
	};
	static const struct {
		const char *profile, *only, *note; /* NULL: none */
	} rows[] = {
		{NULL, NULL,
	         "2 cells belong to more than one of these profiles: measured once for all of "
	         "them, with the largest of their repeats"},
		{NULL, "streams=2",
	         "1 cell belongs to more than one of these profiles: measured once for all of "
	         "them, with the largest of their repeats"},
		{NULL, "streams=4", NULL},
		{"all", NULL, NULL},
	};
	struct topology topo = lab_with(cases, COUNT_OF(cases));

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct plan plan = lab_plan_only(&topo, rows[i].profile, rows[i].only);

		assert_int_equal(plan.note_count, rows[i].note != NULL);
		if (rows[i].note != NULL)
			assert_string_equal(plan.notes[0], rows[i].note);
		plan_done(&plan);
	}
}

static void no_fingerprint_comes_twice(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	for (size_t i = 0; i < plan.cell_count; i++) {
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(plan.cells[i].fingerprint,
			                        plan.cells[j].fingerprint);
	}
	plan_done(&plan);
}

/* Both send from the VM, but another end opens the connection. */
static void reverse_is_another_cell_than_the_swapped_pair(void **state)
{
	struct setting directions[] = {{.given = GIVES(DIRECTION), .direction = DIRECTION_FORWARD},
	                               {.given = GIVES(DIRECTION), .direction = DIRECTION_REVERSE}};
	struct axis grid[] = {{.name = "direction", .levels = directions, .level_count = 2}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "truenas.vmx0"),
	                       pair_of("truenas.vmx0", "pc.enp4s0")};
	struct profile profile = {
		.name = "p", .pairs = pairs, .pair_count = 2, .grid = grid, .axis_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	(void)find_cell(&plan, "truenas.vmx0 > pc.enp4s0 10s+2s");
	(void)find_cell(&plan, "truenas.vmx0 > pc.enp4s0 reverse 10s+2s");
	plan_done(&plan);
}

static void bidir_is_one_cell_of_its_own(void **state)
{
	struct setting directions[] = {{.given = GIVES(DIRECTION), .direction = DIRECTION_FORWARD},
	                               {.given = GIVES(DIRECTION), .direction = DIRECTION_REVERSE},
	                               {.given = GIVES(DIRECTION), .direction = DIRECTION_BIDIR}};
	struct axis grid[] = {{.name = "direction", .levels = directions, .level_count = 3}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "truenas.vmx0")};
	struct profile profile = {
		.name = "p", .pairs = pairs, .pair_count = 1, .grid = grid, .axis_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 3);
	assert_string_equal(lab_cell_text(&plan.cells[0]), "pc.enp4s0 > truenas.vmx0 10s+2s");
	assert_string_equal(lab_cell_text(&plan.cells[1]),
	                    "truenas.vmx0 > pc.enp4s0 reverse 10s+2s");
	assert_string_equal(lab_cell_text(&plan.cells[2]), "pc.enp4s0 > truenas.vmx0 bidir 10s+2s");
	assert_false(plan.cells[2].dst_initiates);
	plan_done(&plan);
}

/* Cells without `bytes` keep the design's duration; those with it have none. */
static void bytes_stand_for_the_duration(void **state)
{
	struct setting bytes[] = {{.given = GIVES(BYTES)},
	                          {.given = GIVES(BYTES), .bytes = UINT64_C(3) << 30}};
	struct axis grid[] = {{.name = "bytes", .levels = bytes, .level_count = 2}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "truenas.vmx0")};
	struct profile profile = {
		.name = "p", .pairs = pairs, .pair_count = 1, .grid = grid, .axis_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_string_equal(lab_cell_text(&plan.cells[0]), "pc.enp4s0 > truenas.vmx0 10s+2s");
	assert_string_equal(lab_cell_text(&plan.cells[1]),
	                    "pc.enp4s0 > truenas.vmx0 bytes=3G 0ms+2s");
	plan_done(&plan);
}

static void every_level_of_the_engine_reaches_its_cell(void **state)
{
	const struct setting fixed = {
		.given = ~0u >> (32 - FACTOR_COUNT) & ~(GIVES(DRIVER)),
		.streams = 2,
		.duration_ms = 3000,
		.protocol = PROTOCOL_UDP,
		.mode = MODE_RR,
		.zero_copy = ZERO_COPY_BOTH,
		.rate_bps = 8000,
		.mss_bytes = 88,
		.no_delay = true,
		.dscp = 46,
		.congestion = "bbr",
		.ip_version = 6,
		.affinity = "0-3,6",
		.bind_device = true,
		.source_port = 40000,
	};
	struct pair pairs[] = {pair_of("pc.enp4s0", "truenas.vmx0")};
	struct profile profile = {.name = "p", .pairs = pairs, .pair_count = 1, .fixed = fixed};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);
	const struct plan_config *c = &plan.cells[0].config;

	(void)state;
	assert_int_equal(c->protocol, PROTOCOL_UDP);
	assert_int_equal(c->mode, MODE_RR);
	assert_int_equal(c->zero_copy, ZERO_COPY_BOTH);
	assert_true(c->rate_bps == 8000 && c->mss_bytes == 88 && c->dscp == 46);
	assert_true(c->no_delay && c->bind_device && !c->is_bidir && c->bytes == 0);
	assert_string_equal(c->congestion, "bbr");
	assert_string_equal(c->affinity, "0-3,6");
	assert_true(c->ip_version == 6 && c->source_port == 40000);
	plan_done(&plan);
}

static void datagrams_above_the_mtu_are_noted(void **state)
{
	struct setting mtus[] = {{.given = GIVES(MTU), .mtu_bytes = 0},
	                         {.given = GIVES(MTU), .mtu_bytes = 1500},
	                         {.given = GIVES(MTU), .mtu_bytes = 9000}};
	struct setting buffers[] = {{.given = GIVES(BUFFER), .buffer_bytes = 0},
	                            {.given = GIVES(BUFFER), .buffer_bytes = 1472},
	                            {.given = GIVES(BUFFER), .buffer_bytes = 1473},
	                            {.given = GIVES(BUFFER), .buffer_bytes = 8973}};
	struct axis grid[] = {{.name = "mtu", .levels = mtus, .level_count = 3},
	                      {.name = "buffer", .levels = buffers, .level_count = 4}};
	struct pair pairs[] = {pair_of("pc.enp4s0", "esx1.vmk1")};
	struct profile profile = {.name = "p",
	                          .pairs = pairs,
	                          .pair_count = 1,
	                          .grid = grid,
	                          .axis_count = 2,
	                          .fixed = {.given = GIVES(PROTOCOL), .protocol = PROTOCOL_UDP}};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 12);
	assert_int_equal(plan.note_count, 1);
	assert_string_equal(plan.notes[0], "p: 3 cells with datagrams in fragments: 1473 bytes at "
	                                   "MTU 1500, where 1472 fit and others");
	plan_done(&plan);
	profile.fixed.protocol = PROTOCOL_TCP;
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.note_count, 0);
	plan_done(&plan);
}

static void complete_crosses_the_pairs_of_the_listed_cells(void **state)
{
	struct listed_cell listed[] = {
		{.setting = {.given = GIVES(STREAMS), .streams = 1},
	         .has_pair = true,
	         .pair = pair_of("pc.enp4s0", "esx1.vmk1"),
	         .published_bps = (double)NAN,
	         .published_retransmits = -1},
		{.setting = {.given = GIVES(STREAMS), .streams = 4},
	         .has_pair = true,
	         .pair = pair_of("pc.enp4s0", "esx2.vmk1"),
	         .published_bps = (double)NAN,
	         .published_retransmits = -1},
	};
	struct profile profile = {
		.name = "p", .cells = listed, .cell_count = COUNT_OF(listed), .complete = true};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	assert_string_equal(lab_cell_text(&plan.cells[1]),
	                    "pc.enp4s0 > esx2.vmk1 streams=4 10s+2s");
	(void)find_cell(&plan, "pc.enp4s0 > esx1.vmk1 streams=4 10s+2s");
	(void)find_cell(&plan, "pc.enp4s0 > esx2.vmk1 10s+2s");
	plan_done(&plan);
}

/* The same hosts with other NICs are other pairs. */
static void complete_tells_pairs_by_their_nics(void **state)
{
	static const char *const ends[][2] = {
		{"esx1.vmk1", "esx2.vmk1"},  {"esx1.vmk1", "esx2.vmk2"},
		{"esx1.vmk2", "esx2.vmk2"},  {"esx1.vmk1", "vm3.ens192"},
		{"pc.enp4s0", "vm3.ens192"}, {"esx1.vmk1", "esx2.vmk1"}};
	struct listed_cell listed[COUNT_OF(ends)];
	struct profile profile = {
		.name = "p", .cells = listed, .cell_count = COUNT_OF(ends), .complete = true};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan;

	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(ends); i++)
		listed[i] =
			(struct listed_cell){.setting = {.given = GIVES(STREAMS), .streams = i + 1},
		                             .has_pair = true,
		                             .pair = pair_of(ends[i][0], ends[i][1]),
		                             .published_bps = (double)NAN,
		                             .published_retransmits = -1};
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.cell_count, 5 * 6);
	plan_done(&plan);
}

static void a_published_count_of_retransmits_needs_no_rate(void **state)
{
	struct listed_cell listed = {
		.setting = {.given = 0}, .published_bps = (double)NAN, .published_retransmits = 0};
	struct published also = {.where = {.given = 0}, .bps = 1e9, .retransmits = 5};
	struct pair pair = pair_of("pc.enp4s0", "esx1.vmk1");
	struct profile profile = {.name = "p",
	                          .pairs = &pair,
	                          .pair_count = 1,
	                          .cells = &listed,
	                          .cell_count = 1,
	                          .published = &also,
	                          .published_count = 1};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_true(isnan(plan.cells[0].profiles[0].published_bps));
	assert_int_equal(plan.cells[0].profiles[0].published_retransmits, 0);
	plan_done(&plan);
}

/* Where no driver factor is set, what the NICs are counts, if they are the same. */
static void a_published_driver_is_that_of_both_ends(void **state)
{
	static const struct {
		const char *a, *b;
		bool fits;
	} cases[] = {
		{"freenas2.em0", "truenas.em0", true},
		{"freenas2.vmx0", "truenas.vmx0", false},
		{"pc.enp4s0", "truenas.vmx0", false},
		{"pc.enp4s0", "esx1.vmk1", false},
	};
	struct published figure = {
		.where = {.given = GIVES(DRIVER), .driver = "em"}, .bps = 1e9, .retransmits = -1};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct pair pair = pair_of(cases[i].a, cases[i].b);
		struct profile profile = {.name = "p",
		                          .pairs = &pair,
		                          .pair_count = 1,
		                          .published = &figure,
		                          .published_count = 1};
		struct topology topo = lab_with(&profile, 1);
		struct plan plan = lab_plan(&topo, NULL);

		assert_int_equal(!isnan(plan.cells[0].profiles[0].published_bps), cases[i].fits);
		plan_done(&plan);
	}
}

/* Each route in turn is the one that joins the pair; a NIC of every segment is there. */
static void any_of_many_routes_joins_its_segments(void **state)
{
	enum { SEGMENTS = 6 };
	static const char *const names[SEGMENTS] = {"h1", "h2", "h3", "h4", "h5", "h6"};
	struct segment segments[SEGMENTS] = {{.name = NULL}};
	struct route routes[] = {{.a = &segments[4], .b = &segments[1]},
	                         {.a = &segments[0], .b = &segments[5]},
	                         {.a = &segments[3], .b = &segments[2]},
	                         {.a = &segments[1], .b = &segments[0]}};
	struct host hosts[SEGMENTS];
	struct nic nics[SEGMENTS];
	struct profile profile = {.name = "p", .classes = 1u << PATH_BAREMETAL_BAREMETAL};
	struct topology topo = {.path = "six.yaml",
	                        .segments = segments,
	                        .segment_count = SEGMENTS,
	                        .routes = routes,
	                        .route_count = COUNT_OF(routes),
	                        .hosts = hosts,
	                        .host_count = SEGMENTS,
	                        .profiles = &profile,
	                        .profile_count = 1};
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < SEGMENTS; i++) {
		segments[i].name = names[i];
		hosts[i] = (struct host){
			.name = names[i], .kind = HOST_BAREMETAL, .nics = &nics[i], .nic_count = 1};
		nics[i] = (struct nic){
			.name = "n", .host = &hosts[i], .ip = "192.0.2.1", .segment = &segments[i]};
	}
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.cell_count, 2 * COUNT_OF(routes));
	for (size_t i = 0; i < plan.cell_count; i++)
		assert_true(plan.cells[i].is_routed);
	plan_done(&plan);
}

/* ---- what cannot be planned ---- */

static void a_bad_request_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *profile, *msg;
	} cases[] = {
		{"quik",
	         "unknown profile `quik`; the file has: truenas-vmxnet3-lro-tso, "
	         "freebsd-lro-retransmits, em-vs-vmxnet3, 100g-esxi-lab, full-matrix, quick, "
	         "tune-nas"},
		{"tune-nas", "profile tune-nas: search is not yet supported"},
	};
	struct topology topo = lab_topology();
	enum err_kind kind;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(lab_plan_error(&topo, cases[i].profile, NULL, &kind),
		                    cases[i].msg);
		assert_int_equal(kind, ERR_USAGE);
	}
	topo.profile_count = 0;
	assert_string_equal(lab_plan_error(&topo, NULL, NULL, &kind),
	                    "lab.yaml has no profile that can be run");
	assert_int_equal(kind, ERR_USAGE);
	assert_string_equal(lab_plan_error(&topo, "quick", NULL, &kind),
	                    "unknown profile `quick`; the file has: none");
}

static void a_driver_that_chooses_wrongly_is_told_with_its_place(void **state)
{
	static const struct {
		const char *a, *b; /* a NIC, or a host by its first NIC with is_host */
		bool a_is_host, b_is_host;
		const char *driver;
		unsigned line;
		const char *msg;
	} cases[] = {
		{"freenas2.vmx1", "vm1.ens160", true, true, "em", 7,
	         "lab.yaml:7:3: profile p: vm1 has not exactly one test NIC with driver em"},
		{"freenas2.vmx1", "vm1.ens160", true, true, NULL, 7,
	         "lab.yaml:7:3: profile p: no driver chooses the NIC of freenas2; name it as "
	         "freenas2.NIC"},
		{"freenas2.vmx0", "truenas.vmx0", false, false, "em", 7,
	         "lab.yaml:7:3: profile p: driver em chooses nothing: the pair names freenas2.vmx0 "
	         "and truenas.vmx0; name a host where the driver is to choose the NIC"},
		{"pc.enp4s0", "truenas.vmx1", false, true, "em", 7,
	         "lab.yaml:7:3: profile p: no route joins the segments of pc.enp4s0 (fast) and "
	         "truenas.em0 (emlab)"},
		{"truenas.vmx0", "truenas.em0", false, false, NULL, 0,
	         "profile p: both ends of a pair are on truenas"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct setting driver = {.given = cases[i].driver == NULL ? 0 : GIVES(DRIVER),
		                         .driver = cases[i].driver};
		struct pair pair = pair_of(cases[i].a, cases[i].b);
		struct profile profile = {
			.name = "p", .pairs = &pair, .pair_count = 1, .fixed = driver};
		struct topology topo = lab_with(&profile, 1);
		enum err_kind kind;

		pair.a.pos = (struct src_pos){cases[i].line, 3};
		if (cases[i].a_is_host)
			pair.a.nic = NULL;
		if (cases[i].b_is_host)
			pair.b.nic = NULL;
		assert_string_equal(lab_plan_error(&topo, NULL, NULL, &kind), cases[i].msg);
		assert_int_equal(kind, ERR_INPUT);
	}
}

static void a_driver_of_the_named_nics_is_no_contradiction(void **state)
{
	struct pair pair = pair_of("freenas2.em0", "truenas.em0");
	struct profile profile = {.name = "p",
	                          .pairs = &pair,
	                          .pair_count = 1,
	                          .fixed = {.given = GIVES(DRIVER), .driver = "em"}};
	struct topology topo = lab_with(&profile, 1);
	struct plan plan = lab_plan(&topo, NULL);

	(void)state;
	assert_int_equal(plan.cell_count, 1);
	plan_done(&plan);
}

static void a_driver_cannot_choose_among_classes(void **state)
{
	struct profile profile = {.pos = {9, 5},
	                          .name = "p",
	                          .classes = 0xff,
	                          .fixed = {.given = GIVES(DRIVER), .driver = "em"}};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	assert_string_equal(lab_plan_error(&topo, NULL, NULL, &kind),
	                    "lab.yaml:9:5: profile p: driver em chooses nothing: classes combine "
	                    "NICs; name hosts in pairs");
	assert_int_equal(kind, ERR_INPUT);
}

static void a_profile_without_cells_says_so(void **state)
{
	struct profile profile = {.name = "p", .classes = 1u << PATH_BAREMETAL_BAREMETAL};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	assert_string_equal(lab_plan_error(&topo, NULL, NULL, &kind),
	                    "p: no cells: nothing fits its classes and ends");
	assert_int_equal(kind, ERR_USAGE);
}

static void a_profile_whose_ends_reach_nothing_says_so(void **state)
{
	const struct nic *between[] = {lab_nic("pc.enp4s0"), lab_nic("truenas.em0")};
	struct profile profile = {
		.name = "p", .classes = 0xff, .between = between, .between_count = 2};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	assert_string_equal(lab_plan_error(&topo, NULL, NULL, &kind),
	                    "p: 2 ordered pairs left out, no route joins the segments: pc.enp4s0 "
	                    "to truenas.em0 and others");
	assert_int_equal(kind, ERR_USAGE);
}

/* 101 levels to the third are more than a million. */
static void more_cells_than_can_be_kept_are_refused_at_once(void **state)
{
	enum { LEVELS = 101 };
	struct setting windows[LEVELS], streams[LEVELS], buffers[LEVELS];
	struct axis grid[] = {
		{.name = "window", .levels = windows, .level_count = LEVELS},
		{.name = "streams", .levels = streams, .level_count = LEVELS},
		{.name = "buffer", .levels = buffers, .level_count = LEVELS},
	};
	struct pair pair = pair_of("pc.enp4s0", "esx1.vmk1");
	struct profile profile = {
		.name = "p", .pairs = &pair, .pair_count = 1, .grid = grid, .axis_count = 3};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	for (uint32_t i = 0; i < LEVELS; i++) {
		windows[i] = (struct setting){.given = GIVES(WINDOW), .window_bytes = i};
		streams[i] = (struct setting){.given = GIVES(STREAMS), .streams = i};
		buffers[i] = (struct setting){.given = GIVES(BUFFER), .buffer_bytes = i};
	}
	assert_string_equal(
		lab_plan_error(&topo, NULL, NULL, &kind),
		"profile p: pairs (1) by settings (1030301) are more than 1000000 cells");
	assert_int_equal(kind, ERR_INPUT);
}

/* 101 lines that differ in three factors each span 101 to the third. */
static void a_table_that_cannot_be_completed_is_refused_at_once(void **state)
{
	enum { LINES = 101 };
	static struct listed_cell listed[LINES];
	struct pair pair = pair_of("pc.enp4s0", "esx1.vmk1");
	struct profile profile = {.name = "p",
	                          .pairs = &pair,
	                          .pair_count = 1,
	                          .cells = listed,
	                          .cell_count = LINES,
	                          .complete = true};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	for (uint32_t i = 0; i < LINES; i++)
		listed[i].setting =
			(struct setting){.given = GIVES(WINDOW) | GIVES(STREAMS) | GIVES(BUFFER),
		                         .window_bytes = i,
		                         .streams = i,
		                         .buffer_bytes = i};
	assert_string_equal(
		lab_plan_error(&topo, NULL, NULL, &kind),
		"profile p: pairs (1) by settings (1030301) are more than 1000000 cells");
	assert_int_equal(kind, ERR_INPUT);
}

static void a_product_of_levels_beyond_64_bits_is_refused_too(void **state)
{
	static struct setting levels[1000];
	struct axis grid[8];
	struct pair pair = pair_of("pc.enp4s0", "esx1.vmk1");
	struct profile profile = {
		.name = "p", .pairs = &pair, .pair_count = 1, .grid = grid, .axis_count = 8};
	struct topology topo = lab_with(&profile, 1);
	enum err_kind kind;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(grid); i++)
		grid[i] = (struct axis){.levels = levels, .level_count = COUNT_OF(levels)};
	(void)lab_plan_error(&topo, NULL, NULL, &kind);
	assert_int_equal(kind, ERR_INPUT);
}

static void too_many_repeats_are_refused(void **state)
{
	struct topology topo = lab_topology();
	enum err_kind kind;

	(void)state;
	topo.design.repeats.min = 5000000;
	assert_string_equal(lab_plan_error(&topo, "100g-esxi-lab", NULL, &kind),
	                    "5 cells and their repeats are more than 20000000 tests; lower repeats "
	                    "or name fewer profiles");
	assert_int_equal(kind, ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_profiles_have_their_cells),
		cmocka_unit_test(the_full_matrix_has_every_ordered_pair_of_each_class),
		cmocka_unit_test(cells_stand_in_the_order_of_the_file),
		cmocka_unit_test(complete_adds_the_cells_that_the_list_leaves_out),
		cmocka_unit_test(published_figures_stay_with_their_cells),
		cmocka_unit_test(the_nearest_word_on_a_level_counts),
		cmocka_unit_test(the_engine_that_the_file_names_is_kept),
		cmocka_unit_test(one_host_end_lets_the_driver_choose_there_only),
		cmocka_unit_test(classes_combine_the_test_nics_when_no_ends_are_named),
		cmocka_unit_test(management_nics_are_ends_when_they_are_named),
		cmocka_unit_test(pairs_that_no_route_joins_are_left_out_and_told),
		cmocka_unit_test(a_segment_that_is_not_said_reaches_every_other),
		cmocka_unit_test(an_mtu_above_the_segments_is_told),
		cmocka_unit_test(a_cell_of_two_profiles_is_one_with_the_larger_repeats),
		cmocka_unit_test(shared_cells_are_counted_among_those_that_only_leaves),
		cmocka_unit_test(no_fingerprint_comes_twice),
		cmocka_unit_test(reverse_is_another_cell_than_the_swapped_pair),
		cmocka_unit_test(bidir_is_one_cell_of_its_own),
		cmocka_unit_test(bytes_stand_for_the_duration),
		cmocka_unit_test(every_level_of_the_engine_reaches_its_cell),
		cmocka_unit_test(datagrams_above_the_mtu_are_noted),
		cmocka_unit_test(complete_crosses_the_pairs_of_the_listed_cells),
		cmocka_unit_test(complete_tells_pairs_by_their_nics),
		cmocka_unit_test(a_published_count_of_retransmits_needs_no_rate),
		cmocka_unit_test(a_published_driver_is_that_of_both_ends),
		cmocka_unit_test(any_of_many_routes_joins_its_segments),
		cmocka_unit_test(a_bad_request_is_refused_with_the_reason),
		cmocka_unit_test(a_driver_that_chooses_wrongly_is_told_with_its_place),
		cmocka_unit_test(a_driver_of_the_named_nics_is_no_contradiction),
		cmocka_unit_test(a_driver_cannot_choose_among_classes),
		cmocka_unit_test(a_profile_without_cells_says_so),
		cmocka_unit_test(a_profile_whose_ends_reach_nothing_says_so),
		cmocka_unit_test(more_cells_than_can_be_kept_are_refused_at_once),
		cmocka_unit_test(a_table_that_cannot_be_completed_is_refused_at_once),
		cmocka_unit_test(a_product_of_levels_beyond_64_bits_is_refused_too),
		cmocka_unit_test(too_many_repeats_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
