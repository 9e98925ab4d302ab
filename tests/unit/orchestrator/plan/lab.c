/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/plan/lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "tests/support/test.h"

enum { ESX1_UPLINK, ESX2_UPLINK, PC_PORT, ESX1_CPU, ESX2_CPU, RESOURCES };
enum { LAN, FAST, VMFAST, EMLAB, SEGMENTS };

#define GBPS UINT64_C(1000000000)
#define K    UINT64_C(1024)
#define M    (1024 * K)

/* clang-format off */
static struct resource resources[RESOURCES] = {
	[ESX1_UPLINK] = {.name = "esx1-uplink", .kind = RESOURCE_LINK, .speed_bps = 100 * GBPS, .frame_overhead = 38, .slots = 1},
	[ESX2_UPLINK] = {.name = "esx2-uplink", .kind = RESOURCE_LINK, .speed_bps = 100 * GBPS, .frame_overhead = 38, .slots = 1},
	[PC_PORT] = {.name = "pc-port", .kind = RESOURCE_LINK, .speed_bps = 100 * GBPS, .frame_overhead = 38, .slots = 1},
	[ESX1_CPU] = {.name = "esx1-cpu", .kind = RESOURCE_CPU, .slots = 1},
	[ESX2_CPU] = {.name = "esx2-cpu", .kind = RESOURCE_CPU, .slots = 1},
};
static const struct resource *uses_esx1_uplink[] = {&resources[ESX1_UPLINK]};
static const struct resource *uses_esx2_uplink[] = {&resources[ESX2_UPLINK]};
static const struct resource *uses_pc_port[] = {&resources[PC_PORT]};
static const struct resource *uses_esx1_cpu[] = {&resources[ESX1_CPU]};
static const struct resource *uses_esx2_cpu[] = {&resources[ESX2_CPU]};

static struct segment segments[SEGMENTS] = {
	[LAN] = {.name = "lan", .vlan = 2, .max_mtu = 1500},
	[FAST] = {.name = "fast", .vlan = 10, .max_mtu = 9000},
	[VMFAST] = {.name = "vmfast", .vlan = 20, .max_mtu = 9000},
	[EMLAB] = {.name = "emlab", .vlan = 21, .max_mtu = 9000},
};
static struct route routes[] = {{.a = &segments[FAST], .b = &segments[VMFAST], .via = "switch-l3"}};

static struct host hosts[LAB_HOSTS];

#define NIC(owner, nic_name, address, seg, nic_role, ...) \
	{.name = (nic_name), .host = &hosts[owner], .ip = (address), .segment = &segments[seg], .role = (nic_role), __VA_ARGS__}
#define USES(list) .uses = (list), .use_count = 1

static struct nic esx1_nics[] = {
	NIC(LAB_ESX1, "vmk0", "192.0.2.10", LAN, NIC_MGMT, .driver = NULL),
	NIC(LAB_ESX1, "vmk1", "198.51.100.21", FAST, NIC_TEST, .vswitch = "vSwitch1", .uplink = "vmnic4", USES(uses_esx1_uplink)),
	NIC(LAB_ESX1, "vmk2", "203.0.113.21", VMFAST, NIC_TEST, .vswitch = "vSwitch1"),
};
static struct nic esx2_nics[] = {
	NIC(LAB_ESX2, "vmk0", "192.0.2.11", LAN, NIC_MGMT, .driver = NULL),
	NIC(LAB_ESX2, "vmk1", "198.51.100.22", FAST, NIC_TEST, .vswitch = "vSwitch1", .uplink = "vmnic4", USES(uses_esx2_uplink)),
	NIC(LAB_ESX2, "vmk2", "203.0.113.22", VMFAST, NIC_TEST, .vswitch = "vSwitch1"),
};
static struct nic truenas_nics[] = {
	NIC(LAB_TRUENAS, "vmx1", "192.0.2.94", LAN, NIC_MGMT, .driver = "vmxnet3"),
	NIC(LAB_TRUENAS, "vmx0", "203.0.113.94", VMFAST, NIC_TEST, .driver = "vmxnet3", .portgroup = "vm-fast", USES(uses_esx1_uplink)),
	NIC(LAB_TRUENAS, "em0", "198.51.100.94", EMLAB, NIC_TEST, .driver = "em", .portgroup = "vm-em", USES(uses_esx1_uplink)),
};
static struct nic freenas2_nics[] = {
	NIC(LAB_FREENAS2, "vmx1", "192.0.2.95", LAN, NIC_MGMT, .driver = "vmxnet3"),
	NIC(LAB_FREENAS2, "vmx0", "203.0.113.95", VMFAST, NIC_TEST, .driver = "vmxnet3", .portgroup = "vm-fast", USES(uses_esx1_uplink)),
	NIC(LAB_FREENAS2, "em0", "198.51.100.95", EMLAB, NIC_TEST, .driver = "em", .portgroup = "vm-em", USES(uses_esx1_uplink)),
};
static struct nic vm1_nics[] = {
	NIC(LAB_VM1, "ens160", "192.0.2.31", LAN, NIC_MGMT, .driver = "vmxnet3"),
	NIC(LAB_VM1, "ens192", "203.0.113.31", VMFAST, NIC_TEST, .driver = "vmxnet3", .portgroup = "vm-fast", USES(uses_esx1_uplink)),
};
static struct nic vm2_nics[] = {
	NIC(LAB_VM2, "ens160", "192.0.2.32", LAN, NIC_MGMT, .driver = "vmxnet3"),
	NIC(LAB_VM2, "ens192", "203.0.113.4", VMFAST, NIC_TEST, .driver = "vmxnet3", .portgroup = "vm-fast", USES(uses_esx1_uplink)),
};
static struct nic vm3_nics[] = {
	NIC(LAB_VM3, "ens160", "192.0.2.33", LAN, NIC_MGMT, .driver = "vmxnet3"),
	NIC(LAB_VM3, "ens192", "203.0.113.33", VMFAST, NIC_TEST, .driver = "vmxnet3", .portgroup = "vm-fast", USES(uses_esx2_uplink)),
};
static struct nic pc_nics[] = {
	NIC(LAB_PC, "enp1s0", "192.0.2.20", LAN, NIC_MGMT, .driver = NULL),
	NIC(LAB_PC, "enp4s0", "198.51.100.50", FAST, NIC_TEST, .speed_bps = 100 * GBPS, USES(uses_pc_port)),
};
#define NICS(list) .nics = (list), .nic_count = COUNT_OF(list)
static struct host hosts[LAB_HOSTS] = {
	[LAB_ESX1] = {.name = "esx1", .kind = HOST_ESXI, USES(uses_esx1_cpu), NICS(esx1_nics)},
	[LAB_ESX2] = {.name = "esx2", .kind = HOST_ESXI, USES(uses_esx2_cpu), NICS(esx2_nics)},
	[LAB_TRUENAS] = {.name = "truenas", .kind = HOST_VM, .runs_on = &hosts[LAB_ESX1], NICS(truenas_nics)},
	[LAB_FREENAS2] = {.name = "freenas2", .kind = HOST_VM, .runs_on = &hosts[LAB_ESX1], NICS(freenas2_nics)},
	[LAB_VM1] = {.name = "vm1", .kind = HOST_VM, .runs_on = &hosts[LAB_ESX1], NICS(vm1_nics)},
	[LAB_VM2] = {.name = "vm2", .kind = HOST_VM, .runs_on = &hosts[LAB_ESX1], NICS(vm2_nics)},
	[LAB_VM3] = {.name = "vm3", .kind = HOST_VM, .runs_on = &hosts[LAB_ESX2], NICS(vm3_nics)},
	[LAB_PC] = {.name = "pc", .kind = HOST_BAREMETAL, NICS(pc_nics)},
};

/* ---- axes ---- */

static struct setting mtu_levels[] = {
	{.given = GIVES(MTU), .mtu_bytes = 1500}, {.given = GIVES(MTU), .mtu_bytes = 9000}};
static struct setting direction_levels[] = {
	{.given = GIVES(DIRECTION), .direction = DIRECTION_FORWARD},
	{.given = GIVES(DIRECTION), .direction = DIRECTION_REVERSE}};
static struct setting offload_levels[] = {
	{.given = GIVES(LRO) | GIVES(TSO), .lro = TOGGLE_OFF, .tso = TOGGLE_OFF},
	{.given = GIVES(LRO) | GIVES(TSO), .lro = TOGGLE_ON, .tso = TOGGLE_ON}};
static struct setting lro_levels[] = {
	{.given = GIVES(LRO), .lro = TOGGLE_OFF}, {.given = GIVES(LRO), .lro = TOGGLE_ON}};
static struct setting load_levels[] = {
	{.given = GIVES(STREAMS) | GIVES(WINDOW), .streams = 1, .window_bytes = 0},
	{.given = GIVES(STREAMS) | GIVES(WINDOW), .streams = 4, .window_bytes = 4 * M}};

static struct axis s1_grid[] = {
	{.name = "mtu", .levels = mtu_levels, .level_count = 1},
	{.name = "offload", .levels = offload_levels, .level_count = 2},
	{.name = "direction", .levels = direction_levels, .level_count = 2}};
static struct axis s2_grid[] = {
	{.name = "mtu", .levels = mtu_levels, .level_count = 1},
	{.name = "lro", .levels = lro_levels, .level_count = 2}};
static struct axis full_grid[] = {
	{.name = "mtu", .levels = mtu_levels, .level_count = 2},
	{.name = "offload", .levels = offload_levels, .level_count = 2},
	{.name = "load", .levels = load_levels, .level_count = 2}};

/* ---- profiles ---- */

#define END(owner, n) {.host = &hosts[owner], .nic = (n)}
#define ANY(owner)    {.host = &hosts[owner], .nic = NULL}

static struct pair s1_pairs[] = {{.a = END(LAB_TRUENAS, &truenas_nics[1]), .b = END(LAB_ESX1, &esx1_nics[2])}};
static struct pair s2_pairs[] = {{.a = END(LAB_PC, &pc_nics[1]), .b = END(LAB_TRUENAS, &truenas_nics[1])}};
static struct pair s3_pairs[] = {{.pos = {41, 13}, .a = {.pos = {41, 14}, .host = &hosts[LAB_FREENAS2]}, .b = ANY(LAB_TRUENAS)}};

static struct published s1_published[] = {
	{.where = {.given = GIVES(LRO) | GIVES(TSO) | GIVES(DIRECTION), .lro = TOGGLE_OFF, .tso = TOGGLE_OFF}, .bps = 22.2e9, .retransmits = -1},
	{.where = {.given = GIVES(LRO) | GIVES(TSO) | GIVES(DIRECTION), .lro = TOGGLE_OFF, .tso = TOGGLE_OFF, .direction = DIRECTION_REVERSE}, .bps = 2.02e9, .retransmits = -1},
	{.where = {.given = GIVES(LRO) | GIVES(TSO) | GIVES(DIRECTION), .lro = TOGGLE_ON, .tso = TOGGLE_ON, .direction = DIRECTION_REVERSE}, .bps = 23.3e9, .retransmits = -1}};
static struct published s2_published[] = {
	{.where = {.given = GIVES(LRO), .lro = TOGGLE_OFF}, .bps = 4.65e9, .retransmits = 8449},
	{.where = {.given = GIVES(LRO), .lro = TOGGLE_ON}, .bps = 9.26e9, .retransmits = 0}};

#define S3(d, m, w, gbps) \
	{.setting = {.given = GIVES(DRIVER) | GIVES(MTU) | GIVES(WINDOW), .driver = (d), .mtu_bytes = (m), .window_bytes = (w)}, \
	 .published_bps = (gbps) * 1e9, .published_retransmits = -1}
static struct listed_cell s3_cells[] = {
	S3("em", 1500, 0, 2.0), S3("em", 9000, 0, 1.7), S3("em", 9000, 192 * K, 5.3), S3("em", 1500, 256 * K, 2.0),
	S3("em", 9000, 256 * K, 5.6), S3("em", 9000, 384 * K, 4.4), S3("em", 9000, 512 * K, 3.9), S3("vmxnet3", 1500, 0, 3.0),
	S3("vmxnet3", 9000, 0, 2.0), S3("vmxnet3", 9000, 192 * K, 2.3), S3("vmxnet3", 9000, 256 * K, 2.5), S3("vmxnet3", 1500, 256 * K, 3.0),
	S3("vmxnet3", 9000, 384 * K, 2.4)};

#define S4(a_host, a_nic, b_host, b_nic, p, w, gbps) \
	{.setting = {.given = GIVES(STREAMS) | GIVES(WINDOW) | GIVES(BUFFER), .streams = (p), .window_bytes = (w), .buffer_bytes = M}, \
	 .has_pair = true, .pair = {.a = {.host = &hosts[a_host], .nic = (a_nic)}, .b = {.host = &hosts[b_host], .nic = (b_nic)}}, .published_bps = (gbps) * 1e9, .published_retransmits = -1}
static struct listed_cell s4_cells[] = {
	S4(LAB_ESX2, &esx2_nics[1], LAB_ESX1, &esx1_nics[1], 9, 12 * M, 94.0),
	S4(LAB_VM1, &vm1_nics[1], LAB_VM3, &vm3_nics[1], 1, 10 * M, 38.0),
	S4(LAB_VM1, &vm1_nics[1], LAB_VM2, &vm2_nics[1], 3, 10 * M, 39.3),
	S4(LAB_PC, &pc_nics[1], LAB_ESX1, &esx1_nics[1], 4, 4 * M, 98.9),
	S4(LAB_PC, &pc_nics[1], LAB_VM3, &vm3_nics[1], 4, 4 * M, 37.4)};

static const struct nic *everywhere[] = {
	&esx1_nics[1], &esx2_nics[1], &truenas_nics[1], &freenas2_nics[1], &vm1_nics[1], &vm2_nics[1], &vm3_nics[1], &pc_nics[1]};

#define ALL_CLASSES ((1u << PATH_CLASS_COUNT) - 1)
static struct profile profiles[] = {
	{.name = "truenas-vmxnet3-lro-tso", .pairs = s1_pairs, .pair_count = 1, .grid = s1_grid, .axis_count = 3,
	 .fixed = {.given = GIVES(STREAMS) | GIVES(WINDOW) | GIVES(BUFFER) | GIVES(DURATION) | GIVES(OMIT),
	           .streams = 1, .buffer_bytes = 128 * K, .duration_ms = 10000, .omit_ms = 0},
	 .published = s1_published, .published_count = COUNT_OF(s1_published)},
	{.name = "freebsd-lro-retransmits", .pairs = s2_pairs, .pair_count = 1, .grid = s2_grid, .axis_count = 2,
	 .fixed = {.given = GIVES(TSO) | GIVES(STREAMS) | GIVES(WINDOW) | GIVES(BUFFER) | GIVES(DURATION) | GIVES(OMIT) | GIVES(DIRECTION),
	           .streams = 1, .buffer_bytes = 128 * K, .duration_ms = 10000, .omit_ms = 0},
	 .published = s2_published, .published_count = COUNT_OF(s2_published)},
	{.pos = {40, 3}, .name = "em-vs-vmxnet3", .pairs = s3_pairs, .pair_count = 1, .cells = s3_cells, .cell_count = COUNT_OF(s3_cells),
	 .fixed = {.given = GIVES(STREAMS) | GIVES(BUFFER) | GIVES(DURATION) | GIVES(OMIT) | GIVES(DIRECTION) | GIVES(LRO) | GIVES(TSO),
	           .streams = 1, .buffer_bytes = 128 * K, .duration_ms = 20000, .omit_ms = 0},
	 .complete = true},
	{.name = "100g-esxi-lab", .cells = s4_cells, .cell_count = COUNT_OF(s4_cells),
	 .fixed = {.given = GIVES(DURATION) | GIVES(OMIT) | GIVES(DIRECTION) | GIVES(MTU), .duration_ms = 10000}},
	{.name = "full-matrix", .classes = ALL_CLASSES & ~(1u << PATH_BAREMETAL_BAREMETAL), .between = everywhere, .between_count = COUNT_OF(everywhere),
	 .grid = full_grid, .axis_count = 3, .fixed = {.given = GIVES(BUFFER) | GIVES(DIRECTION)}},
	{.name = "quick", .classes = ALL_CLASSES, .between = everywhere, .between_count = COUNT_OF(everywhere),
	 .fixed = {.given = GIVES(MTU) | GIVES(LRO) | GIVES(TSO) | GIVES(STREAMS) | GIVES(WINDOW) | GIVES(BUFFER) | GIVES(DURATION) | GIVES(OMIT),
	           .streams = 1, .buffer_bytes = 128 * K, .duration_ms = 3000, .omit_ms = 1000},
	 .has_repeats = true, .repeats = {.min = 3, .max = 3}},
	{.name = "tune-nas", .pairs = s2_pairs, .pair_count = 1, .is_search = true},
};
/* clang-format on */

struct topology lab_topology(void)
{
	return (struct topology){
		.path = "lab.yaml",
		.name = "homelab",
		.engine = ENGINE_AUTO,
		.resources = resources,
		.resource_count = RESOURCES,
		.segments = segments,
		.segment_count = SEGMENTS,
		.routes = routes,
		.route_count = COUNT_OF(routes),
		.hosts = hosts,
		.host_count = LAB_HOSTS,
		.design = {.duration_ms = 10000, .omit_ms = 2000, .repeats = {.min = 6, .max = 6}},
		.profiles = profiles,
		.profile_count = COUNT_OF(profiles),
	};
}

const struct nic *lab_nic(const char *dotted)
{
	struct topology topo = lab_topology();
	const struct nic *nic = topology_nic(&topo, dotted);

	assert_non_null(nic);
	return nic;
}

static bool make(const struct topology *topo, const char *profile, const char *only,
                 struct plan *plan, struct err *err)
{
	struct plan_request request = {
		.profiles = &profile, .profile_count = profile == NULL ? 0 : 1, .only = only};

	return plan_make(topo, &request, 1, plan, err);
}

struct plan lab_plan_only(const struct topology *topo, const char *profile, const char *only)
{
	struct plan plan = {0};
	struct err err = {0};

	if (!make(topo, profile, only, &plan, &err))
		fail_msg("%s", err.msg);
	return plan;
}

struct plan lab_plan(const struct topology *topo, const char *profile)
{
	return lab_plan_only(topo, profile, NULL);
}

const char *lab_plan_error(const struct topology *topo, const char *profile, const char *only,
                           enum err_kind *kind)
{
	static struct err err;
	struct plan plan = {0};

	err = (struct err){0};
	if (make(topo, profile, only, &plan, &err))
		plan_done(&plan);
	*kind = err.kind;
	return err.msg;
}

static void add_toggle(struct text *text, const char *name, enum toggle toggle)
{
	if (toggle != TOGGLE_UNCHANGED)
		text_printf(text, " %s=%s", name, toggle == TOGGLE_ON ? "on" : "off");
}

static void add_size(struct text *text, const char *name, uint64_t bytes)
{
	char buf[UNITS_TEXT_BYTES];

	if (bytes != 0)
		text_printf(text, " %s=%s", name, units_format_bytes(bytes, buf));
}

const char *lab_cell_text(const struct plan_cell *cell)
{
	static char line[256];
	const struct plan_config *c = &cell->config;
	char duration[UNITS_TEXT_BYTES];
	char omit[UNITS_TEXT_BYTES];
	struct text text = {0};

	text_printf(&text, "%s.%s > %s.%s%s", cell->src->host->name, cell->src->name,
	            cell->dst->host->name, cell->dst->name,
	            cell->dst_initiates ? " reverse"
	            : c->is_bidir       ? " bidir"
	                                : "");
	if (c->mtu_bytes != 0)
		text_printf(&text, " mtu=%" PRIu32, c->mtu_bytes);
	add_size(&text, "window", c->window_bytes);
	if (c->streams != 1)
		text_printf(&text, " streams=%" PRIu32, c->streams);
	add_size(&text, "buffer", c->buffer_bytes);
	add_size(&text, "bytes", c->bytes);
	add_toggle(&text, "lro", c->lro);
	add_toggle(&text, "tso", c->tso);
	text_printf(&text, " %s+%s", units_format_ms(c->duration_ms, duration),
	            units_format_ms(c->omit_ms, omit));
	(void)snprintf(line, sizeof(line), "%s", text_str(&text));
	text_done(&text);
	return line;
}
