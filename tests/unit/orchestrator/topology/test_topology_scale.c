/* SPDX-License-Identifier: MIT */
#include "tests/support/test.h"

#include "common/clock.h"
#include "tests/unit/orchestrator/topology/reading.h"

enum {
	HOSTS = 1000,
	MS_MAX = 5000 /* of CPU time, with sanitizers; about 20 ms without */
};

static struct reading r;

static int teardown(void **state)
{
	(void)state;
	reading_done(&r);
	return 0;
}

/* 50 hypervisors with 19 VMs each, all in one group. */
static void make_lab(struct text *t)
{
	text_add(t, "version: 1\n"
	            "segments: { lan: { subnet: 10.0.0.0/8, max_mtu: 9000 } }\n"
	            "hosts:\n");
	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned esx = i - i % 20;

		text_printf(t, "  h%u: { mgmt: 10.1.%u.%u, ", i, i / 250, i % 250 + 1);
		if (i % 20 == 0)
			text_add(t, "kind: esxi");
		else
			text_printf(t, "kind: vm, runs_on: h%u", esx);
		text_printf(t, ", nics: { n0: { ip: 10.2.%u.%u, segment: lan } } }\n", i / 250,
		            i % 250 + 1);
	}
	text_add(t, "groups:\n  all-nics: [");
	for (unsigned i = 0; i < HOSTS; i++)
		text_printf(t, "%sh%u.n0", i > 0 ? ", " : "", i);
	text_add(t, "]\n"
	            "profiles:\n"
	            "  one: { classes: all, between: [all-nics], grid: { mtu: [1500, 9000] } }\n");
}

static uint64_t read_timed(const struct text *t)
{
	uint64_t start = clock_cpu_us(CLOCK_THREAD_CPUTIME_ID);

	(void)reading_of(&r, text_str(t));
	return (clock_cpu_us(CLOCK_THREAD_CPUTIME_ID) - start) / 1000;
}

static void a_thousand_hosts_are_read_in_time(void **state)
{
	struct text t = {0};
	uint64_t ms;

	(void)state;
	make_lab(&t);
	ms = read_timed(&t);
	text_done(&t);
	assert_string_equal(text_str(&r.told), "");
	assert_int_equal(r.topo.host_count, HOSTS);
	assert_int_equal(r.topo.profiles[0].between_count, HOSTS);
	assert_ptr_equal(topology_host(&r.topo, "h999")->runs_on, topology_host(&r.topo, "h980"));
	assert_true(ms < MS_MAX);
}

static void a_thousand_wrong_references_are_told_in_time(void **state)
{
	struct text t = {0};
	uint64_t ms;

	(void)state;
	make_lab(&t);
	text_add(&t, "  two:\n    pairs:\n");
	for (unsigned i = 0; i < HOSTS; i++)
		text_printf(&t, "      - [h%u.n1, x%u.n0]\n", i, i);
	ms = read_timed(&t);
	text_done(&t);
	assert_int_equal(r.diags.errors, 2 * HOSTS);
	assert_true(ms < MS_MAX);
}

static void classes_that_fit_nothing_are_found_in_time(void **state)
{
	struct text t = {0};
	uint64_t ms;

	(void)state;
	make_lab(&t);
	text_add(&t, "  two: { classes: baremetal-vm }\n");
	ms = read_timed(&t);
	text_done(&t);
	assert_int_equal(r.diags.errors, 1);
	assert_string_equal(r.diags.first->text, "no pair of the lab is of these classes");
	assert_true(ms < MS_MAX);
}

/* As many pairs and cells as fit into a file. */
static void many_pairs_and_cells_are_checked_in_time(void **state)
{
	struct text t = {0};
	uint64_t ms;

	(void)state;
	make_lab(&t);
	text_add(&t, "  two:\n    pairs:\n");
	for (unsigned i = 0; i < 3000; i++)
		text_printf(&t, "      - [h%u.n0, h%u.n0]\n", i % HOSTS,
		            (i + 1 + i / HOSTS) % HOSTS);
	text_add(&t, "    cells:\n");
	for (unsigned i = 0; i < 3000; i++)
		text_printf(&t, "      - { mtu: %u, window: %u }\n", 1500 + i, 4096 + i);
	ms = read_timed(&t);
	text_done(&t);
	assert_string_equal(text_str(&r.told), "");
	assert_true(ms < MS_MAX);
}

static void a_bundle_that_nests_is_limited_by_the_depth_of_the_file(void **state)
{
	struct text t = {0};

	(void)state;
	text_add(&t, "version: 1\n"
	             "hosts:\n"
	             "  a: { kind: baremetal, mgmt: a, nics: { e: { ip: 10.0.0.1 } } }\n"
	             "  b: { kind: baremetal, mgmt: b, nics: { e: { ip: 10.0.0.2 } } }\n"
	             "profiles:\n"
	             "  p: { pairs: [[a.e, b.e]], fixed: ");
	for (int i = 0; i < 25; i++)
		text_add(&t, "{ offload: ");
	text_add(&t, "on");
	for (int i = 0; i < 25; i++)
		text_add(&t, " }");
	text_add(&t, " }\n");
	assert_string_equal(reading_of(&r, text_str(&t)), "");
	assert_int_equal(r.topo.profiles[0].fixed.lro, TOGGLE_ON);
	text_done(&t);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_thousand_hosts_are_read_in_time),
		TEST(a_thousand_wrong_references_are_told_in_time),
		TEST(classes_that_fit_nothing_are_found_in_time),
		TEST(many_pairs_and_cells_are_checked_in_time),
		TEST(a_bundle_that_nests_is_limited_by_the_depth_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
