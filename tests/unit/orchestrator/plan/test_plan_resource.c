/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

/*
 * A lab for what the published ones lack: ports, two vSwitches, a link that the
 * hypervisor itself names, a hypervisor that says nothing of its CPU, VMs on a
 * machine that is no ESXi.
 */
enum { TRUNK, HV_PORT, A_PORT, B_PORT, SWITCH, BIG_CPU, RESOURCES };
enum { HV, A, B, C, OTHER, D, KVM, E, HOSTS };

struct lab {
	struct topology topo;
	struct segment lan;
	struct resource resources[RESOURCES];
	const struct resource *uses[HOSTS][2], *nic_uses[HOSTS][2];
	struct host hosts[HOSTS];
	struct nic nics[HOSTS];
	struct profile profile;
};

static void build(struct lab *lab, enum isolation isolation)
{
	static const struct {
		const char *name, *vswitch;
		enum host_kind kind;
		int runs_on, uses, nic_uses[2]; /* -1: none */
	} rows[HOSTS] = {
		[HV] = {"hv", "v1", HOST_ESXI, -1, TRUNK, {HV_PORT, -1}},
		[A] = {"a", "v1", HOST_VM, HV, -1, {A_PORT, -1}},
		[B] = {"b", "v2", HOST_VM, HV, -1, {B_PORT, -1}},
		[C] = {"c", NULL, HOST_VM, HV, -1, {-1, -1}},
		[OTHER] = {"other", NULL, HOST_ESXI, -1, BIG_CPU, {SWITCH, -1}},
		[D] = {"d", NULL, HOST_VM, OTHER, -1, {SWITCH, -1}},
		[KVM] = {"kvm", NULL, HOST_BAREMETAL, -1, SWITCH, {-1, -1}},
		[E] = {"e", NULL, HOST_VM, KVM, -1, {-1, -1}},
	};
	static const struct resource resources[RESOURCES] = {
		[TRUNK] = {.name = "trunk", .kind = RESOURCE_LINK, .slots = 1},
		[HV_PORT] = {.name = "hv-port", .kind = RESOURCE_PORT, .slots = 1},
		[A_PORT] = {.name = "a-port", .kind = RESOURCE_PORT, .slots = 1},
		[B_PORT] = {.name = "b-port", .kind = RESOURCE_PORT, .slots = 1},
		[SWITCH] = {.name = "switch", .kind = RESOURCE_LINK, .slots = 1},
		[BIG_CPU] = {.name = "big-cpu", .kind = RESOURCE_CPU, .slots = 3},
	};

	*lab = (struct lab){.lan = {.name = "lan"},
	                    .profile = {.name = "p", .classes = (1u << PATH_CLASS_COUNT) - 1}};
	memcpy(lab->resources, resources, sizeof(resources));
	for (size_t i = 0; i < HOSTS; i++) {
		struct host *host = &lab->hosts[i];
		struct nic *nic = &lab->nics[i];

		*host = (struct host){.name = rows[i].name, .kind = rows[i].kind};
		host->runs_on = rows[i].runs_on < 0 ? NULL : &lab->hosts[rows[i].runs_on];
		host->nics = nic;
		host->nic_count = 1;
		host->uses = lab->uses[i];
		if (rows[i].uses >= 0)
			host->uses[host->use_count++] = &lab->resources[rows[i].uses];
		*nic = (struct nic){.name = "n", .host = host, .ip = "192.0.2.1"};
		nic->segment = &lab->lan;
		nic->vswitch = rows[i].vswitch;
		nic->uses = lab->nic_uses[i];
		for (size_t k = 0; k < 2 && rows[i].nic_uses[k] >= 0; k++)
			nic->uses[nic->use_count++] = &lab->resources[rows[i].nic_uses[k]];
	}
	lab->topo = (struct topology){.path = "ports.yaml",
	                              .hosts = lab->hosts,
	                              .host_count = HOSTS,
	                              .resources = lab->resources,
	                              .resource_count = RESOURCES,
	                              .segments = &lab->lan,
	                              .segment_count = 1,
	                              .profiles = &lab->profile,
	                              .profile_count = 1,
	                              .design = {.isolation = isolation}};
}

static const struct plan_cell *find_cell(const struct plan *plan, const char *src, const char *dst)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct nic *s = plan->cells[i].src;
		const struct nic *d = plan->cells[i].dst;
		char text[128];

		(void)snprintf(text, sizeof(text), "%s.%s %s.%s", s->host->name, s->name,
		               d->host->name, d->name);
		if (strncmp(text, src, strlen(src)) == 0 &&
		    strcmp(text + strlen(src) + 1, dst) == 0)
			return &plan->cells[i];
	}
	fail_msg("no cell %s to %s", src, dst);
	return plan->cells; /* not reached */
}

/* "hv hv.n ... | trunk": what is held, and after the bar what is crossed. */
static void check_cell(const struct plan *plan, const struct plan_cell *cell, const char *wanted)
{
	struct text text = {0};

	for (size_t i = 0; i < cell->resource_count; i++) {
		if (i > 0)
			assert_true(cell->resources[i - 1] < cell->resources[i]);
		text_printf(&text, "%s, ", plan->resources[cell->resources[i]].name);
	}
	text_add(&text, "|");
	for (size_t i = 0; i < cell->link_count; i++)
		text_printf(&text, " %s", cell->links[i]->name);
	assert_string_equal(text_str(&text), wanted);
	text_done(&text);
}

static void check_holds(const struct plan *plan, const char *src, const char *dst,
                        const char *wanted)
{
	check_cell(plan, find_cell(plan, src, dst), wanted);
}

static uint32_t slots_of(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->resource_count; i++) {
		if (strcmp(plan->resources[i].name, name) == 0)
			return plan->resources[i].slots;
	}
	return 0;
}

struct holds_case {
	const char *src, *dst, *holds;
};

static void check_table(const struct topology *topo, const char *profile,
                        const struct holds_case *cases, size_t count)
{
	struct plan plan = lab_plan(topo, profile);

	for (size_t i = 0; i < count; i++)
		check_holds(&plan, cases[i].src, cases[i].dst, cases[i].holds);
	plan_done(&plan);
}

static void a_test_holds_machines_nics_hypervisors_and_links(void **state)
{
	/* clang-format off */
	static const struct holds_case cases[] = {
		/* over the wire */
		{"esx2.vmk1", "esx1.vmk1", "esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink, esx2-uplink, esx1-cpu, esx2-cpu, | esx2-uplink esx1-uplink"},
		{"vm1.ens192", "vm3.ens192", "vm1, vm1.ens192, vm3, vm3.ens192, esx1-uplink, esx2-uplink, esx1-cpu, esx2-cpu, | esx1-uplink esx2-uplink"},
		{"pc.enp4s0", "esx1.vmk1", "esx1, esx1.vmk1, pc, pc.enp4s0, esx1-uplink, pc-port, esx1-cpu, | pc-port esx1-uplink"},
		{"pc.enp4s0", "vm3.ens192", "vm3, vm3.ens192, pc, pc.enp4s0, esx2-uplink, pc-port, esx2-cpu, | pc-port esx2-uplink"},
		/* inside one hypervisor */
		{"vm1.ens192", "vm2.ens192", "vm1, vm1.ens192, vm2, vm2.ens192, esx1-cpu, |"},
		{"truenas.vmx0", "esx1.vmk2", "esx1, esx1.vmk2, truenas, truenas.vmx0, esx1-cpu, |"},
		{"truenas.em0", "freenas2.em0", "truenas, truenas.em0, freenas2, freenas2.em0, esx1-cpu, |"},
		/* out to the router and back over the same uplink */
		{"truenas.vmx0", "esx1.vmk1", "esx1, esx1.vmk1, truenas, truenas.vmx0, esx1-uplink, esx1-cpu, | esx1-uplink"},
	};
	/* clang-format on */
	struct topology topo = lab_topology();
	struct profile every = {.name = "every", .classes = 0xff};

	(void)state;
	topo.profiles = &every;
	topo.profile_count = 1;
	check_table(&topo, NULL, cases, COUNT_OF(cases));
}

static void duplex_parts_the_directions_of_a_link(void **state)
{
	/* clang-format off */
	static const struct holds_case cases[] = {
		{"esx2.vmk1", "esx1.vmk1", "esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink rx, esx2-uplink tx, esx1-cpu, esx2-cpu, | esx2-uplink esx1-uplink"},
		{"esx1.vmk1", "esx2.vmk1", "esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink tx, esx2-uplink rx, esx1-cpu, esx2-cpu, | esx1-uplink esx2-uplink"},
		{"vm1.ens192", "vm2.ens192", "vm1, vm1.ens192, vm2, vm2.ens192, esx1-cpu, |"},
		/* routed: both links in both directions */
		{"pc.enp4s0", "vm3.ens192", "vm3, vm3.ens192, pc, pc.enp4s0, esx2-uplink tx, esx2-uplink rx, pc-port tx, pc-port rx, esx2-cpu, | pc-port esx2-uplink"},
		{"truenas.vmx0", "esx1.vmk1", "esx1, esx1.vmk1, truenas, truenas.vmx0, esx1-uplink tx, esx1-uplink rx, esx1-cpu, | esx1-uplink"},
	};
	/* clang-format on */
	struct topology topo = lab_topology();
	struct profile every = {.name = "every", .classes = 0xff};
	struct plan plan;

	(void)state;
	topo.design.isolation = ISOLATION_DUPLEX;
	topo.profiles = &every;
	topo.profile_count = 1;
	check_table(&topo, NULL, cases, COUNT_OF(cases));
	plan = lab_plan(&topo, NULL);
	assert_int_equal(slots_of(&plan, "esx1-cpu"), 2);
	assert_int_equal(slots_of(&plan, "esx1"), 1);
	assert_int_equal(slots_of(&plan, "esx1-uplink tx"), 1);
	plan_done(&plan);
}

static void machine_holds_the_ends_but_still_knows_the_links(void **state)
{
	static const struct holds_case cases[] = {
		{"esx2.vmk1", "esx1.vmk1",
	         "esx1, esx1.vmk1, esx2, esx2.vmk1, | esx2-uplink esx1-uplink"},
		{"vm1.ens192", "vm2.ens192", "vm1, vm1.ens192, vm2, vm2.ens192, |"},
	};
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.design.isolation = ISOLATION_MACHINE;
	check_table(&topo, "100g-esxi-lab", cases, COUNT_OF(cases));
	plan = lab_plan(&topo, "100g-esxi-lab");
	assert_int_equal(slots_of(&plan, "esx1-cpu"), 0);
	plan_done(&plan);
}

static void ports_are_always_crossed_and_links_only_by_what_leaves(void **state)
{
	/* clang-format off */
	static const struct holds_case cases[] = {
		/* one vSwitch: only the ports */
		{"a.n", "hv.n", "hv, hv (hypervisor), hv.n, a, a.n, hv-port, a-port, | a-port hv-port"},
		/* an unknown vSwitch counts as the same */
		{"a.n", "c.n", "hv (hypervisor), a, a.n, c, c.n, a-port, | a-port"},
		{"c.n", "b.n", "hv (hypervisor), b, b.n, c, c.n, b-port, | b-port"},
		/* two vSwitches: out over the hypervisor's trunk and in again; its own port is not theirs */
		{"a.n", "b.n", "hv (hypervisor), a, a.n, b, b.n, trunk, a-port, b-port, | a-port trunk b-port"},
		/* another hypervisor: both ends' links, also one that both name */
		{"a.n", "d.n", "hv (hypervisor), a, a.n, d, d.n, trunk, a-port, switch, big-cpu, | a-port trunk switch"},
		{"other.n", "kvm.n", "other, other.n, kvm, kvm (hypervisor), kvm.n, switch, big-cpu, | switch"},
		/* inside: the link that both name is not crossed */
		{"d.n", "other.n", "other, other.n, d, d.n, big-cpu, |"},
		/* a VM on a machine that is no ESXi */
		{"e.n", "kvm.n", "kvm, kvm (hypervisor), kvm.n, e, e.n, |"},
		{"e.n", "d.n", "d, d.n, kvm (hypervisor), e, e.n, switch, big-cpu, | switch"},
	};
	/* clang-format on */
	struct lab lab;
	struct plan plan;

	(void)state;
	build(&lab, ISOLATION_HOST);
	check_table(&lab.topo, NULL, cases, COUNT_OF(cases));
	plan = lab_plan(&lab.topo, NULL);
	assert_int_equal(slots_of(&plan, "hv (hypervisor)"), 1);
	assert_int_equal(slots_of(&plan, "big-cpu"), 3);
	plan_done(&plan);
}

static void duplex_lets_two_tests_on_a_hypervisor_at_least(void **state)
{
	/* clang-format off */
	static const struct holds_case cases[] = {
		{"a.n", "b.n", "hv (hypervisor), a, a.n, b, b.n, trunk tx, trunk rx, a-port tx, b-port rx, | a-port trunk b-port"},
		{"b.n", "a.n", "hv (hypervisor), a, a.n, b, b.n, trunk tx, trunk rx, a-port rx, b-port tx, | b-port trunk a-port"},
		{"a.n", "d.n", "hv (hypervisor), a, a.n, d, d.n, trunk tx, a-port tx, switch rx, big-cpu, | a-port trunk switch"},
	};
	/* clang-format on */
	struct lab lab;
	struct plan plan;

	(void)state;
	build(&lab, ISOLATION_DUPLEX);
	check_table(&lab.topo, NULL, cases, COUNT_OF(cases));
	plan = lab_plan(&lab.topo, NULL);
	assert_int_equal(slots_of(&plan, "hv (hypervisor)"), 2);
	assert_int_equal(slots_of(&plan, "big-cpu"), 3);
	plan_done(&plan);
}

/* What a reverse test sends and receives is as its ends say, whoever connects. */
static void directions_follow_the_data(void **state)
{
	struct topology topo = lab_topology();
	struct plan plan;

	(void)state;
	topo.design.isolation = ISOLATION_DUPLEX;
	topo.profiles = topo.profiles + 3; /* 100g-esxi-lab */
	topo.profile_count = 1;
	topo.profiles[0].fixed.direction = DIRECTION_REVERSE;
	plan = lab_plan(&topo, NULL);
	topo.profiles[0].fixed.direction = DIRECTION_FORWARD;
	assert_true(plan.cells[0].dst_initiates);
	check_holds(&plan, "esx1.vmk1", "esx2.vmk1",
	            "esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink tx, esx2-uplink rx, esx1-cpu, "
	            "esx2-cpu, | esx1-uplink esx2-uplink");
	plan_done(&plan);
}

/* In both directions at once a test holds both of each link; its neighbours keep one. */
static void bidir_holds_both_directions(void **state)
{
	struct setting directions[] = {{.given = GIVES(DIRECTION), .direction = DIRECTION_FORWARD},
	                               {.given = GIVES(DIRECTION), .direction = DIRECTION_BIDIR},
	                               {.given = GIVES(DIRECTION), .direction = DIRECTION_REVERSE}};
	struct axis grid[] = {{.name = "direction", .levels = directions, .level_count = 3}};
	struct topology topo = lab_topology();
	const struct nic *a = lab_nic("esx1.vmk1"), *b = lab_nic("esx2.vmk1");
	struct pair pair = {.a = {.host = a->host, .nic = a}, .b = {.host = b->host, .nic = b}};
	struct profile profile = topo.profiles[3]; /* 100g-esxi-lab */
	struct plan plan;
	size_t both = 0;

	(void)state;
	profile.cells = NULL;
	profile.cell_count = 0;
	profile.grid = grid;
	profile.axis_count = COUNT_OF(grid);
	profile.pairs = &pair;
	profile.pair_count = 1;
	profile.published_count = 0;
	topo.profiles = &profile;
	topo.profile_count = 1;
	topo.design.isolation = ISOLATION_DUPLEX;
	plan = lab_plan(&topo, NULL);
	assert_int_equal(plan.cell_count, 3);
	for (size_t i = 0; i < plan.cell_count; i++) {
		const struct plan_cell *cell = &plan.cells[i];

		if (cell->config.is_bidir)
			check_cell(
				&plan, cell,
				"esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink tx, esx1-uplink rx, "
				"esx2-uplink tx, esx2-uplink rx, esx1-cpu, esx2-cpu, | "
				"esx1-uplink esx2-uplink");
		else if (cell->dst_initiates)
			check_cell(
				&plan, cell,
				"esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink rx, esx2-uplink tx, "
				"esx1-cpu, esx2-cpu, | esx2-uplink esx1-uplink");
		else
			check_cell(
				&plan, cell,
				"esx1, esx1.vmk1, esx2, esx2.vmk1, esx1-uplink tx, esx2-uplink rx, "
				"esx1-cpu, esx2-cpu, | esx1-uplink esx2-uplink");
		both += cell->config.is_bidir;
	}
	assert_int_equal(both, 1);
	plan_done(&plan);
	topo.design.isolation = ISOLATION_HOST;
	plan = lab_plan(&topo, NULL);
	for (size_t i = 0; i < plan.cell_count; i++)
		assert_int_equal(plan.cells[i].resource_count, plan.cells[0].resource_count);
	plan_done(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_holds_machines_nics_hypervisors_and_links),
		cmocka_unit_test(duplex_parts_the_directions_of_a_link),
		cmocka_unit_test(machine_holds_the_ends_but_still_knows_the_links),
		cmocka_unit_test(ports_are_always_crossed_and_links_only_by_what_leaves),
		cmocka_unit_test(duplex_lets_two_tests_on_a_hypervisor_at_least),
		cmocka_unit_test(directions_follow_the_data),
		cmocka_unit_test(bidir_holds_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
