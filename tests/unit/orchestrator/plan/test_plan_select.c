/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_only.h"
#include "plan/plan_random.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/plan/lab.h"

static const struct {
	const char *profile, *only;
	size_t cells;
} terms[] = {
	/* 8 ends, 8 settings: 56 cells from each end, 56 to it */
	{"full-matrix", "src=pc", 56},
	{"full-matrix", "src=pc.enp4s0", 56},
	{"full-matrix", "dst=pc", 56},
	{"full-matrix", "host=pc", 112},
	{"full-matrix", "host=pc.enp4s0", 112},
	{"full-matrix", "host=pc|esx1", 208},
	{"full-matrix", "src=vm*", 168},
	{"full-matrix", "src=vm1.*", 56},
	{"full-matrix", "src=*", 448},
	{"full-matrix", "src=esx1.vmk*", 56},
	{"full-matrix", "pair=esx1:pc", 16},
	{"full-matrix", "pair=pc:esx1.vmk1", 16},
	{"full-matrix", "pair=vm*:truenas", 48},
	{"full-matrix", "pair=esx1:pc|esx2:pc", 32},
	{"full-matrix", "class=host-host", 16},
	{"full-matrix", "class=vm-vm*", 160},
	{"full-matrix", "class=host-host|baremetal-host", 48},
	{"full-matrix", "driver=vmxnet3", 400}, /* 3 of the 8 ends name no driver */
	{"full-matrix", "mtu=9000", 224},
	{"full-matrix", "window=default", 224},
	{"full-matrix", "window=4M", 224},
	{"full-matrix", "window=4194304", 224},
	{"full-matrix", "streams=4", 224},
	{"full-matrix", "streams=1|4", 448},
	{"full-matrix", "buffer=default", 448},
	{"full-matrix", "lro=on", 224},
	{"full-matrix", "tso=off|on", 448},
	{"full-matrix", "direction=forward", 448},
	{"full-matrix", "class=host-host,mtu=9000,lro=on,streams=4", 2},
	{"full-matrix", " class = host-host , mtu = 9000 | 1500 ", 16},
	{"full-matrix", "src=pc,src=pc", 56},
	{"truenas-vmxnet3-lro-tso", "direction=reverse", 2},
	{"em-vs-vmxnet3", "driver=em", 10},
	{"em-vs-vmxnet3", "driver=e1000", 10},
	{"em-vs-vmxnet3", "driver=em,window=192K|256K", 4},
	{"em-vs-vmxnet3", "driver=vmx*,mtu=1500", 5},
	{"em-vs-vmxnet3", "mtu=1500,buffer=128K", 10},
	{"100g-esxi-lab", "mtu=unchanged,lro=unchanged", 5},
	{"100g-esxi-lab", "cell=3", 1},
	{"100g-esxi-lab", "cell=0|4", 2},
	{NULL, "profile=quick", 56},
	{NULL, "profile=quick|full-matrix,src=pc", 63},
	{NULL, "profile=*lab", 0},
};

static void a_term_keeps_the_cells_that_are_like_it(void **state)
{
	struct topology topo = lab_topology();

	(void)state;
	topo.design.repeats.min = 1;
	for (size_t i = 0; i < COUNT_OF(terms); i++) {
		struct plan plan;
		enum err_kind kind;

		if (terms[i].cells == 0) { /* a star elsewhere than at the end is no star */
			(void)lab_plan_error(&topo, terms[i].profile, terms[i].only, &kind);
			assert_int_equal(kind, ERR_USAGE);
			continue;
		}
		plan = lab_plan_only(&topo, terms[i].profile, terms[i].only);
		if (plan.cell_count != terms[i].cells)
			fail_msg("%s: %zu cells", terms[i].only, plan.cell_count);
		for (size_t k = 0; k < plan.cell_count; k++)
			assert_int_equal(plan.cells[k].index, k);
		for (size_t k = 0; k < plan.slot_count; k++)
			assert_in_range(plan.slots[k].cell, 0, plan.cell_count - 1);
		plan_done(&plan);
	}
}

static void a_cell_is_found_by_its_fingerprint(void **state)
{
	struct topology topo = lab_topology();
	struct plan all = lab_plan(&topo, "full-matrix");
	size_t lengths[] = {8, 12, SHA256_HEX_BYTES - 1};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		char only[80];
		struct plan plan;

		(void)snprintf(only, sizeof(only), "cell=%.*s", (int)lengths[i],
		               all.cells[77].fingerprint);
		plan = lab_plan_only(&topo, "full-matrix", only);
		assert_int_equal(plan.cell_count, 1);
		assert_string_equal(plan.cells[0].fingerprint, all.cells[77].fingerprint);
		plan_done(&plan);
	}
	plan_done(&all);
}

/* What the cells are is not touched by what else is run. */
static void a_selected_cell_is_the_same_cell(void **state)
{
	struct topology topo = lab_topology();
	struct plan all = lab_plan(&topo, "100g-esxi-lab");
	struct plan one = lab_plan_only(&topo, "100g-esxi-lab", "cell=4");

	(void)state;
	assert_string_equal(one.cells[0].fingerprint, all.cells[4].fingerprint);
	assert_int_equal(one.cells[0].repeats, all.cells[4].repeats);
	assert_true(one.cells[0].profiles[0].published_bps ==
	            all.cells[4].profiles[0].published_bps);
	assert_int_equal(one.slot_count, 6);
	plan_done(&all);
	plan_done(&one);
}

struct bad_case {
	const char *only, *msg;
};

#define KEYS                                                                                    \
	"; keys: src, dst, host, pair, class, driver, profile, mtu, window, buffer, streams, "  \
	"direction, lro, tso, bytes, protocol, mode, zero_copy, bitrate, mss, no_delay, dscp, " \
	"congestion, ip_version, affinity, bind_device, source_port, cell"

static const struct bad_case bad_terms[] = {
	{"", "--only: no key=value in ``" KEYS},
	{"src", "--only: no key=value in `src`" KEYS},
	{"src=pc,", "--only: no key=value in ``" KEYS},
	{"scr=pc", "--only: unknown key in `scr=pc`" KEYS},
	{"=pc", "--only: unknown key in `=pc`" KEYS},
	{"src=", "--only src=: no such host or NIC; hosts: esx1, esx2, truenas, freenas2, vm1, "
                 "vm2, vm3, pc"},
	{"src=pc2", "--only src=pc2: no such host or NIC; hosts: esx1, esx2, truenas, "
                    "freenas2, vm1, vm2, vm3, pc"},
	{"dst=pc.eth9", "--only dst=pc.eth9: no such host or NIC; hosts: esx1, esx2, truenas, "
                        "freenas2, vm1, vm2, vm3, pc"},
	{"pair=pc", "--only pair=pc: want two hosts or NICs, A:B; hosts: esx1, esx2, truenas, "
                    "freenas2, vm1, vm2, vm3, pc"},
	{"pair=pc:xx", "--only pair=pc:xx: want two hosts or NICs, A:B; hosts: esx1, esx2, "
                       "truenas, freenas2, vm1, vm2, vm3, pc"},
	{"class=host", "--only class=host: no such path class; classes: host-host, "
                       "vm-vm-same-host, vm-vm-cross-host, vm-own-host, vm-other-host, "
                       "baremetal-host, baremetal-vm, baremetal-baremetal"},
	{"driver=mlx5", "--only driver=mlx5: no NIC has this driver; drivers: vmxnet3, em"},
	{"profile=full-matrix", "--only profile=full-matrix: no such profile in this plan; "
                                "profiles: quick"},
	{"mtu=15x0", "--only mtu=15x0: want a number of bytes or unchanged"},
	{"mtu=0", "--only mtu=0: want a number of bytes or unchanged"},
	{"mtu=default", "--only mtu=default: want a number of bytes or unchanged"},
	{"window=64Q", "--only window=64Q: want a size such as 64K, or default"},
	{"buffer=-1", "--only buffer=-1: want a size such as 128K, or default"},
	{"streams=1|two", "--only streams=two: want a number"},
	{"direction=back", "--only direction=back: want forward, reverse or bidir"},
	{"lro=yes", "--only lro=yes: want on, off or unchanged"},
	{"tso=", "--only tso=: want on, off or unchanged"},
	{"bytes=0", "--only bytes=0: want a size such as 10G, or none"},
	{"protocol=sctp", "--only protocol=sctp: want tcp or udp"},
	{"mode=crr", "--only mode=crr: want bulk or rr"},
	{"zero_copy=on", "--only zero_copy=on: want off, sender or both"},
	{"bitrate=fast", "--only bitrate=fast: want a rate such as 500M, or unlimited"},
	{"mss=0", "--only mss=0: want a number of bytes or default"},
	{"no_delay=yes", "--only no_delay=yes: want on or off"},
	{"dscp=af14", "--only dscp=af14: want a number up to 63, a name such as ef, or default"},
	{"ip_version=v6", "--only ip_version=v6: want 4, 6 or default"},
	{"bind_device=eth0", "--only bind_device=eth0: want on or off"},
	{"source_port=all", "--only source_port=all: want a port or any"},
	{"cell=12345678x",
         "--only cell=12345678x: want a cell's index, or at least 8 digits of its "
         "fingerprint"},
	{"cell=abc",
         "--only cell=abc: want a cell's index, or at least 8 digits of its fingerprint"},
};

static const struct bad_case nothing_fits[] = {
	{"streams=5", "--only streams=5: fits none of 56 cells; among them: 1"},
	{"mtu=9000", "--only mtu=9000: fits none of 56 cells; among them: unchanged"},
	{"window=64K", "--only window=64K: fits none of 56 cells; among them: default"},
	{"buffer=1M", "--only buffer=1M: fits none of 56 cells; among them: 128K"},
	{"driver=em", "--only driver=em: fits none of 56 cells; among them: vmxnet3"},
	{"tso=on", "--only tso=on: fits none of 56 cells; among them: unchanged"},
	{"bytes=1G", "--only bytes=1G: fits none of 56 cells; among them: none"},
	{"protocol=udp", "--only protocol=udp: fits none of 56 cells; among them: tcp"},
	{"bitrate=1G", "--only bitrate=1G: fits none of 56 cells; among them: unlimited"},
	{"congestion=bbr", "--only congestion=bbr: fits none of 56 cells; among them: default"},
	{"affinity=0-3+6", "--only affinity=0-3+6: fits none of 56 cells; among them: off"},
	{"source_port=5201", "--only source_port=5201: fits none of 56 cells; among them: any"},
	{"src=pc,direction=reverse",
         "--only direction=reverse: fits none of 56 cells; among them: forward"},
	{"src=truenas.em0",
         "--only src=truenas.em0: fits none of 56 cells; among them: esx1.vmk1, esx2.vmk1, "
         "truenas.vmx0, freenas2.vmx0, vm1.ens192, vm2.ens192, vm3.ens192, pc.enp4s0"},
	{"host=truenas.em0",
         "--only host=truenas.em0: fits none of 56 cells; among them: esx1.vmk1, esx2.vmk1, "
         "truenas.vmx0, freenas2.vmx0, vm1.ens192, vm2.ens192, vm3.ens192, pc.enp4s0"},
	{"class=baremetal-baremetal",
         "--only class=baremetal-baremetal: fits none of 56 cells; among them: host-host, "
         "vm-own-host, vm-other-host, baremetal-host, vm-vm-same-host, vm-vm-cross-host, "
         "baremetal-vm"},
	{"src=pc,dst=pc", "--only: none of 56 cells fits all terms at once"},
};

static void check_bad(const struct bad_case *cases, size_t count)
{
	struct topology topo = lab_topology();

	for (size_t i = 0; i < count; i++) {
		enum err_kind kind;

		assert_string_equal(lab_plan_error(&topo, "quick", cases[i].only, &kind),
		                    cases[i].msg);
		assert_int_equal(kind, ERR_USAGE);
	}
}

static void a_bad_term_is_told_with_what_could_stand_there(void **state)
{
	(void)state;
	check_bad(bad_terms, COUNT_OF(bad_terms));
}

static void a_term_that_fits_nothing_is_told_with_what_would(void **state)
{
	(void)state;
	check_bad(nothing_fits, COUNT_OF(nothing_fits));
}

static void a_long_list_of_choices_is_cut(void **state)
{
	struct topology topo = lab_topology();
	const char *msg;
	enum err_kind kind;

	(void)state;
	msg = lab_plan_error(&topo, "full-matrix", "cell=9999", &kind);
	assert_int_equal(kind, ERR_USAGE);
	assert_true(strlen(msg) < 400);
	assert_non_null(strstr(msg, "among them: 0, 1, 2, 3, "));
	assert_string_equal(msg + strlen(msg) - 5, ", ...");
}

/* Each level is that of one cell; the first has none of them. */
static const struct setting engine_levels[] = {
	{.streams = 1},
	{.direction = DIRECTION_BIDIR},
	{.bytes = UINT64_C(10) << 30},
	{.protocol = PROTOCOL_UDP},
	{.mode = MODE_RR},
	{.zero_copy = ZERO_COPY_SENDER},
	{.zero_copy = ZERO_COPY_BOTH},
	{.rate_bps = 500000000},
	{.mss_bytes = 1400},
	{.no_delay = true},
	{.dscp = 46},
	{.congestion = "bbr"},
	{.ip_version = 6},
	{.affinity = "0-3,6"},
	{.bind_device = true},
	{.source_port = 40000},
};

static const struct {
	const char *only;
	uint32_t cell; /* CELLS: all but one */
} engine_cases[] = {
	{"direction=bidir", 1},
	{"bytes=10G", 2},
	{"bytes=10240M", 2},
	{"protocol=udp", 3},
	{"mode=rr", 4},
	{"zero_copy=sender", 5},
	{"zero_copy=both", 6},
	{"bitrate=500M", 7},
	{"bitrate=0.5G", 7},
	{"mss=1400", 8},
	{"no_delay=on", 9},
	{"dscp=46", 10},
	{"dscp=ef", 10},
	{"congestion=bbr", 11},
	{"congestion=bb*", 11},
	{"ip_version=6", 12},
	{"affinity=0-3+6", 13},
	{"affinity=0-3,6", 13},
	{" affinity = 0-3,6 , mss=default", 13},
	{"affinity=1,2|0-3,6", 13},
	{"affinity=0-*", 13},
	{"bind_device=on", 14},
	{"source_port=40000", 15},
	{"direction=forward", COUNT_OF(engine_levels)},
	{"bytes=none", COUNT_OF(engine_levels)},
	{"protocol=tcp", COUNT_OF(engine_levels)},
	{"mode=bulk", COUNT_OF(engine_levels)},
	{"bitrate=unlimited", COUNT_OF(engine_levels)},
	{"mss=default", COUNT_OF(engine_levels)},
	{"no_delay=off", COUNT_OF(engine_levels)},
	{"dscp=default|12", COUNT_OF(engine_levels)},
	{"congestion=default", COUNT_OF(engine_levels)},
	{"ip_version=default", COUNT_OF(engine_levels)},
	{"affinity=off", COUNT_OF(engine_levels)},
	{"bind_device=off", COUNT_OF(engine_levels)},
	{"source_port=any", COUNT_OF(engine_levels)},
};

static void the_engines_factors_choose_cells(void **state)
{
	struct listed_cell cells[COUNT_OF(engine_levels)];
	const struct nic *a = lab_nic("esx1.vmk1"), *b = lab_nic("esx2.vmk1");
	struct pair pair = {.a = {.host = a->host, .nic = a}, .b = {.host = b->host, .nic = b}};
	struct profile profile = {.name = "p",
	                          .pairs = &pair,
	                          .pair_count = 1,
	                          .cells = cells,
	                          .cell_count = COUNT_OF(engine_levels)};
	struct topology topo = lab_topology();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(engine_levels); i++) {
		cells[i] = (struct listed_cell){.setting = engine_levels[i],
		                                .published_bps = (double)NAN,
		                                .published_retransmits = -1};
		cells[i].setting.given = 0;
		for (unsigned f = 0; f < FACTOR_COUNT; f++) {
			if (f != FACTOR_STREAMS && f != FACTOR_DURATION && f != FACTOR_OMIT &&
			    f != FACTOR_DRIVER)
				cells[i].setting.given |= 1u << f;
		}
	}
	topo.profiles = &profile;
	topo.profile_count = 1;
	for (size_t i = 0; i < COUNT_OF(engine_cases); i++) {
		struct plan plan = lab_plan_only(&topo, NULL, engine_cases[i].only);
		struct plan one;
		char index[32];

		if (engine_cases[i].cell == COUNT_OF(engine_levels)) {
			if (plan.cell_count != COUNT_OF(engine_levels) - 1)
				fail_msg("%s: %zu cells", engine_cases[i].only, plan.cell_count);
			plan_done(&plan);
			continue;
		}
		(void)snprintf(index, sizeof(index), "cell=%u", engine_cases[i].cell);
		one = lab_plan_only(&topo, NULL, index);
		assert_int_equal(plan.cell_count, 1);
		assert_string_equal(plan.cells[0].fingerprint, one.cells[0].fingerprint);
		plan_done(&one);
		plan_done(&plan);
	}
}

/* NICs with a colon in the name (aliases): the colon that parts two ends counts. */
static void a_pair_may_name_a_nic_with_a_colon(void **state)
{
	struct host hosts[2] = {{.name = "a", .kind = HOST_BAREMETAL},
	                        {.name = "b", .kind = HOST_BAREMETAL}};
	struct nic nics[2] = {{.name = "eth0:1", .host = &hosts[0], .ip = "192.0.2.1"},
	                      {.name = "eth0:2", .host = &hosts[1], .ip = "192.0.2.2"}};
	struct profile profile = {.name = "p", .classes = 0xff};
	struct topology topo = {.path = "two.yaml",
	                        .hosts = hosts,
	                        .host_count = 2,
	                        .profiles = &profile,
	                        .profile_count = 1};
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		hosts[i].nics = &nics[i];
		hosts[i].nic_count = 1;
	}
	plan = lab_plan_only(&topo, NULL, "pair=b.eth0:2:a.eth0:1,src=b");
	assert_int_equal(plan.cell_count, 1);
	plan_done(&plan);
}

/* Whatever is typed: a plan or a message, no more. */
static void no_expression_does_harm(void **state)
{
	static const char *const pieces[] = {"src",  "pair", "cell",    "mtu", "=",  "=",   "|",
	                                     ",",    ":",    "*",       ".",   " ",  "pc",  "esx1",
	                                     "9000", "64K",  "default", "em",  "0f", "\x01"};
	struct topology topo = lab_topology();
	struct plan_random random;

	(void)state;
	plan_random_init(&random, 11);
	for (unsigned i = 0; i < 800; i++) {
		char only[200] = "";
		size_t len = 0;
		enum err_kind kind;

		for (uint64_t n = plan_random_below(&random, 12); n > 0; n--)
			len += (size_t)snprintf(
				only + len, sizeof(only) - len, "%s",
				pieces[plan_random_below(&random, COUNT_OF(pieces))]);
		(void)lab_plan_error(&topo, "100g-esxi-lab", only, &kind);
		assert_true(kind == ERR_NONE || kind == ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_term_keeps_the_cells_that_are_like_it),
		cmocka_unit_test(a_cell_is_found_by_its_fingerprint),
		cmocka_unit_test(a_selected_cell_is_the_same_cell),
		cmocka_unit_test(a_bad_term_is_told_with_what_could_stand_there),
		cmocka_unit_test(a_term_that_fits_nothing_is_told_with_what_would),
		cmocka_unit_test(a_long_list_of_choices_is_cut),
		cmocka_unit_test(the_engines_factors_choose_cells),
		cmocka_unit_test(a_pair_may_name_a_nic_with_a_colon),
		cmocka_unit_test(no_expression_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
