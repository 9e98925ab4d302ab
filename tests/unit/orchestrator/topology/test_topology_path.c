/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include <string.h>

#include "topology/topology.h"

static struct host esx1 = {.name = "esx1", .kind = HOST_ESXI};
static struct host esx2 = {.name = "esx2", .kind = HOST_ESXI};
static struct host vm1 = {.name = "vm1", .kind = HOST_VM, .runs_on = &esx1};
static struct host vm2 = {.name = "vm2", .kind = HOST_VM, .runs_on = &esx1};
static struct host vm3 = {.name = "vm3", .kind = HOST_VM, .runs_on = &esx2};
static struct host pc1 = {.name = "pc1", .kind = HOST_BAREMETAL};
static struct host pc2 = {.name = "pc2", .kind = HOST_BAREMETAL};

static void the_class_follows_from_the_hosts_in_either_order(void **state)
{
	static const struct {
		const struct host *a, *b;
		const char *want;
	} cases[] = {
		{&esx1, &esx2, "host-host"},      {&vm1, &vm2, "vm-vm-same-host"},
		{&vm1, &vm3, "vm-vm-cross-host"}, {&vm1, &esx1, "vm-own-host"},
		{&vm1, &esx2, "vm-other-host"},   {&pc1, &esx1, "baremetal-host"},
		{&pc1, &vm1, "baremetal-vm"},     {&pc1, &pc2, "baremetal-baremetal"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct nic a = {.host = cases[i].a}, b = {.host = cases[i].b};

		assert_string_equal(path_class_names[topology_path_class(&a, &b)], cases[i].want);
		assert_string_equal(path_class_names[topology_path_class(&b, &a)], cases[i].want);
	}
	assert_int_equal(COUNT_OF(cases), PATH_CLASS_COUNT);
	assert_null(path_class_names[PATH_CLASS_COUNT]);
}

static void a_path_is_routed_when_both_segments_are_known_and_differ(void **state)
{
	struct segment lan = {.name = "lan"}, fast = {.name = "fast"};
	struct nic in_lan = {.segment = &lan}, also_lan = {.segment = &lan};
	struct nic in_fast = {.segment = &fast}, unknown = {0};

	(void)state;
	assert_false(topology_is_routed(&in_lan, &also_lan));
	assert_true(topology_is_routed(&in_lan, &in_fast));
	assert_false(topology_is_routed(&in_lan, &unknown));
	assert_false(topology_is_routed(&unknown, &unknown));
}

static void hosts_nics_and_profiles_are_found_by_name(void **state)
{
	struct nic nics[] = {{.name = "vmk0"}, {.name = "eth0.100"}};
	struct host hosts[] = {{.name = "esx1", .nics = nics, .nic_count = 2}, {.name = "esx10"}};
	struct profile profiles[] = {{.name = "quick"}};
	struct topology topo = {
		.hosts = hosts, .host_count = 2, .profiles = profiles, .profile_count = 1};

	(void)state;
	assert_ptr_equal(topology_host(&topo, "esx1"), &hosts[0]);
	assert_ptr_equal(topology_host(&topo, "esx10"), &hosts[1]);
	assert_null(topology_host(&topo, "esx"));
	assert_null(topology_host(&topo, ""));
	assert_ptr_equal(topology_nic(&topo, "esx1.vmk0"), &nics[0]);
	assert_ptr_equal(topology_nic(&topo, "esx1.eth0.100"), &nics[1]);
	assert_null(topology_nic(&topo, "esx1"));
	assert_null(topology_nic(&topo, "esx1."));
	assert_null(topology_nic(&topo, "esx10.vmk0"));
	assert_null(topology_nic(&topo, "esx.vmk0"));
	assert_ptr_equal(topology_profile(&topo, "quick"), &profiles[0]);
	assert_null(topology_profile(&topo, "slow"));
}

static void labels_of_one_adapter_are_one_family(void **state)
{
	static const struct {
		const char *label, *family;
	} cases[] = {
		{"em", "em"},
		{"lem", "em"},
		{"e1000", "em"},
		{"e1000e", "em"},
		{"vmx", "vmxnet3"},
		{"vmxnet3", "vmxnet3"},
		{"mlx5_core", "mlx5_core"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(topology_driver_family(cases[i].label), cases[i].family);
	assert_null(topology_driver_family(NULL));
}

static void a_driver_chooses_the_only_test_nic_of_its_family(void **state)
{
	struct nic nics[] = {
		{.name = "vmx1", .driver = "vmxnet3", .role = NIC_MGMT},
		{.name = "vmx0", .driver = "vmxnet3", .role = NIC_TEST},
		{.name = "em0", .driver = "em", .role = NIC_TEST},
		{.name = "em1", .driver = "em", .role = NIC_TEST},
		{.name = "x", .role = NIC_TEST},
	};
	struct host host = {.name = "nas", .nics = nics, .nic_count = COUNT_OF(nics)};

	(void)state;
	assert_ptr_equal(topology_driver_nic(&host, "vmxnet3"), &nics[1]);
	assert_null(topology_driver_nic(&host, "em"));
	assert_null(topology_driver_nic(&host, "igb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_follows_from_the_hosts_in_either_order),
		cmocka_unit_test(a_path_is_routed_when_both_segments_are_known_and_differ),
		cmocka_unit_test(hosts_nics_and_profiles_are_found_by_name),
		cmocka_unit_test(labels_of_one_adapter_are_one_family),
		cmocka_unit_test(a_driver_chooses_the_only_test_nic_of_its_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
