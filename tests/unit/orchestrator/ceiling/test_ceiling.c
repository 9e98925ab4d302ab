/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "ceiling/ceiling.h"
#include "tests/support/test.h"

static const struct host esx1 = {.name = "esx1", .kind = HOST_ESXI};
static const struct host vm1 = {.name = "vm1", .kind = HOST_VM, .runs_on = &esx1};
static const struct host pc = {.name = "pc", .kind = HOST_BAREMETAL};

static const struct nic vmk1 = {
	.name = "vmk1", .host = &esx1, .ip = "192.0.2.1", .speed_bps = 5000000000};
static const struct nic ens192 = {
	.name = "ens192", .host = &vm1, .ip = "192.0.2.2", .speed_bps = 1};
static const struct nic enp4s0 = {
	.name = "enp4s0", .host = &pc, .ip = "192.0.2.3", .speed_bps = 10000000000};
static const struct nic plain = {.name = "eth0", .host = &pc, .ip = "192.0.2.4"};
static const struct nic plain6 = {.name = "eth1", .host = &pc, .ip = "2001:db8::4"};

static const struct nic both = {
	.name = "eth2", .host = &pc, .ip = "192.0.2.5", .ip6 = "2001:db8::5"};

static const struct resource gbit = {.name = "gbit", .speed_bps = 1000000000, .frame_overhead = 38};
static const struct resource tbf = {.name = "tbf", .speed_bps = 1000000000, .frame_overhead = 14};
static const struct resource fast = {
	.name = "fast", .speed_bps = 100000000000, .frame_overhead = 38};
static const struct resource unsaid = {.name = "unsaid", .frame_overhead = 38};

/* Expected figures are speed times 1448/1538, 1460/1538, 8948/9038, 1428/1538 and labs' 1448/1514. */
static void line_rate_is_the_least_of_what_the_cell_crosses(void **state)
{
	/* clang-format off */
	static const struct {
		const struct nic *src, *dst;
		enum path_class path_class;
		bool is_routed;
		const struct resource *links[2];
		int64_t mss, mtu;
		double mbps; /* NAN: no line rate */
		const char *name;
	} cases[] = {
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 1448, 1500, 941.482, "gbit"},
		{&plain, &plain, PATH_HOST_HOST, false, {&tbf}, 1448, 1500, 956.407, "tbf"},
		{&plain, &plain, PATH_HOST_HOST, false, {&fast, &gbit}, 8948, 9000, 990.042, "gbit"},
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit, &tbf}, 1448, 1500, 941.482, "gbit"},
		{&plain, &plain, PATH_HOST_HOST, false, {&unsaid, &gbit}, 1448, 1500, 941.482, "gbit"},
		/* without timestamps the segment is larger than the formula's */
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 1460, 1500, 949.285, "gbit"},
		/* the other end's MTU is 1500: frames are small though ours could be large */
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 1448, 9000, 941.482, "gbit"},
		/* one size unknown */
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 0, 1500, 941.482, "gbit"},
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 1448, INT64_MIN, 941.482, "gbit"},
		{&plain6, &plain, PATH_HOST_HOST, false, {&gbit}, 1428, 0, 928.479, "gbit"},
		{&plain6, &plain, PATH_HOST_HOST, false, {&gbit}, 0, 1500, 928.479, "gbit"},
		/* nothing to go by */
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 0, 0, (double)NAN, NULL},
		{&plain, &plain, PATH_HOST_HOST, false, {&gbit}, 0, 52, (double)NAN, NULL},
		{&plain, &plain, PATH_HOST_HOST, false, {&unsaid}, 1448, 1500, (double)NAN, NULL},
		{&plain, &plain, PATH_HOST_HOST, false, {NULL}, 1448, 1500, (double)NAN, NULL},
		/* NICs: physical ones only, an ESXi host's when the traffic leaves the host */
		{&enp4s0, &plain, PATH_BAREMETAL_BAREMETAL, false, {&fast}, 1448, 1500, 9414.824, "enp4s0"},
		{&plain, &enp4s0, PATH_BAREMETAL_BAREMETAL, false, {NULL}, 1448, 1500, 9414.824, "enp4s0"},
		{&ens192, &plain, PATH_BAREMETAL_VM, false, {NULL}, 1448, 1500, (double)NAN, NULL},
		{&ens192, &vmk1, PATH_VM_OWN_HOST, false, {NULL}, 1448, 1500, (double)NAN, NULL},
		{&ens192, &vmk1, PATH_VM_OWN_HOST, true, {NULL}, 1448, 1500, 4707.412, "vmk1"},
		{&ens192, &vmk1, PATH_VM_OTHER_HOST, false, {NULL}, 1448, 1500, 4707.412, "vmk1"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct resource *links[2] = {cases[i].links[0], cases[i].links[1]};
		struct plan_cell cell = {.src = cases[i].src,
		                         .dst = cases[i].dst,
		                         .links = links,
		                         .path_class = cases[i].path_class,
		                         .is_routed = cases[i].is_routed};
		const char *name = NULL;
		double bps;

		while (cell.link_count < COUNT_OF(links) && links[cell.link_count] != NULL)
			cell.link_count++;
		bps = ceiling_line_rate(&cell, cases[i].mss, cases[i].mtu, &name);
		if (isnan(cases[i].mbps)) {
			assert_true(isnan(bps));
			assert_null(name);
			continue;
		}
		if (fabs(bps / 1e6 - cases[i].mbps) > 0.001)
			fail_msg("row %zu: %f Mbit/s", i, bps / 1e6);
		assert_string_equal(name, cases[i].name);
	}
}

static void a_window_carries_one_filling_a_round_trip(void **state)
{
	(void)state;
	/* 64 KiB a 100 us: 5.24 Gbit/s (window over round-trip time) */
	assert_true(fabs(ceiling_window(65536, 1, 100) / 1e9 - 5.243) < 0.001);
	assert_true(fabs(ceiling_window(65536, 4, 100) / 1e9 - 20.972) < 0.001);
	assert_true(isnan(ceiling_window(0, 1, 100)));
	assert_true(isnan(ceiling_window(INT64_MIN, 1, 100)));
	assert_true(isnan(ceiling_window(65536, 0, 100)));
	assert_true(isnan(ceiling_window(65536, 1, 0)));
	assert_true(isnan(ceiling_window(65536, 1, (double)NAN)));
}

/*
 * Of frames that carry datagrams: 1472/1538 and 1452/1538 fill the MTU, 8000 bytes are 6 frames
 * of IPv4, (8008 + 6 x 20) / 6 bytes each, and of IPv6, (8008 + 6 x 48) / 6.
 */
static void datagrams_have_other_headers(void **state)
{
	static const struct {
		const struct nic *nic;
		uint64_t buffer_bytes;
		uint32_t ip_version;
		int64_t mtu;
		double mbps;
	} cases[] = {
		{&plain, 0, 0, 1500, 957.087},    {&plain6, 0, 0, 1500, 944.083},
		{&both, 0, 6, 1500, 944.083},     {&both, 0, 4, 1500, 957.087},
		{&plain, 1000, 0, 1500, 938.086}, {&plain, 1000, 0, 0, 938.086},
		{&plain, 8000, 0, 1500, 957.396}, {&plain6, 8000, 0, 1500, 938.526},
		{&plain, 0, 0, 0, (double)NAN},   {&plain, 8000, 0, 20, (double)NAN},
	};
	const struct resource *link = &gbit;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct plan_cell cell = {
			.src = cases[i].nic,
			.dst = cases[i].nic,
			.links = &link,
			.link_count = 1,
			.config = {.protocol = PROTOCOL_UDP,
		                   .buffer_bytes = cases[i].buffer_bytes,
		                   .ip_version = cases[i].ip_version},
		};
		const char *name = NULL;
		double bps = ceiling_line_rate(&cell, 1448, cases[i].mtu, &name);

		if (isnan(cases[i].mbps))
			assert_true(isnan(bps));
		else if (fabs(bps / 1e6 - cases[i].mbps) > 0.001)
			fail_msg("case %zu: %f", i, bps / 1e6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_rate_is_the_least_of_what_the_cell_crosses),
		cmocka_unit_test(datagrams_have_other_headers),
		cmocka_unit_test(a_window_carries_one_filling_a_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
