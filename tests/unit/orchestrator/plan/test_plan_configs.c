/* SPDX-License-Identifier: MIT */
/* The shipped topologies, from their files: what the literals of lab.c stand for. */
#include <math.h>
#include <stdio.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

static struct topology load(const char *name)
{
	struct topology topo = {0};
	struct diag_list diags = {0};
	char path[512];
	struct err err;
	bool ok;

	(void)snprintf(path, sizeof(path), "%s/%s", CONFIGS_FOLDER, name);
	ok = topology_load(path, "/root", &topo, &diags, &err);
	diag_done(&diags);
	if (!ok)
		fail_msg("%s", err.msg);
	return topo;
}

static void the_published_labs_have_their_cells(void **state)
{
	static const struct {
		const char *file, *profile;
		size_t cells, published;
		uint32_t repeats;
	} cases[] = {
		{"truenas-vmxnet3-lro-tso.yaml", NULL, 4, 3, 6},
		{"freebsd-lro-retransmits.yaml", NULL, 2, 2, 6},
		{"em-vs-vmxnet3.yaml", NULL, 20, 13, 6},
		{"100g-esxi-lab.yaml", NULL, 5, 5, 6},
		{"homelab.yaml", "truenas-vmxnet3-lro-tso", 4, 3, 6},
		{"homelab.yaml", "freebsd-lro-retransmits", 2, 2, 6},
		{"homelab.yaml", "em-vs-vmxnet3", 20, 13, 6},
		{"homelab.yaml", "100g-esxi-lab", 5, 5, 6},
		{"homelab.yaml", "full-matrix", 448, 0, 6},
		{"homelab.yaml", "quick", 56, 0, 3},
		{"engine-axes.yaml", "both-ways", 6, 0, 6},
		{"engine-axes.yaml", "zero-copy", 6, 0, 6},
		{"engine-axes.yaml", "datagrams", 3, 0, 6},
		{"engine-axes.yaml", "requests", 4, 0, 6},
		{"engine-axes.yaml", "options", 8, 0, 6},
		{"homelab.yaml", NULL, 4 + 2 + 20 + 5 + 448 + 56, 23, 6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct topology topo = load(cases[i].file);
		struct plan plan = lab_plan(&topo, cases[i].profile);
		size_t published = 0;

		assert_int_equal(plan.cell_count, cases[i].cells);
		assert_int_equal(plan.blocks, cases[i].repeats);
		for (size_t k = 0; k < plan.cell_count; k++) {
			for (size_t m = 0; m < plan.cells[k].profile_count; m++)
				published +=
					isnan(plan.cells[k].profiles[m].published_bps) ? 0u : 1u;
		}
		assert_int_equal(published, cases[i].published);
		plan_done(&plan);
		topology_done(&topo);
	}
}

/* Four published measurements in one evening: 31 cells, 186 tests, about an hour. */
static void the_four_published_labs_take_about_an_hour(void **state)
{
	static const char *const names[] = {"em-vs-vmxnet3", "truenas-vmxnet3-lro-tso",
	                                    "freebsd-lro-retransmits", "100g-esxi-lab"};
	struct plan_request request = {.profiles = names, .profile_count = COUNT_OF(names)};
	struct topology topo = load("homelab.yaml");
	struct plan plan;
	struct err err;

	(void)state;
	assert_true(plan_make(&topo, &request, 1, &plan, &err));
	assert_int_equal(plan.cell_count, 31);
	assert_int_equal(plan.slot_count, 186);
	assert_in_range(plan_estimate_ms(&plan, 0), 45 * 60000, 65 * 60000);
	plan_done(&plan);
	topology_done(&topo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_labs_have_their_cells),
		cmocka_unit_test(the_four_published_labs_take_about_an_hour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
