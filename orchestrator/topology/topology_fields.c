/* SPDX-License-Identifier: MIT */
/*
 * The keys of the topology file: kind, range, default, meaning, one row each.
 * The reference in docs/man/vnm-topology.5 is made from the same rows, so `help`
 * is a sentence for the user, in mdoc's plain text.
 */
#include <limits.h>

#include "topology/topology_internal.h"

#define KBIT UINT64_C(1000)
#define MBIT (KBIT * 1000)
#define TBIT (MBIT * 1000000)
#define KIB  UINT64_C(1024)
#define MIB  (KIB * 1024)
#define GIB  (MIB * 1024)
#define S_MS UINT64_C(1000)

enum { MTU_MIN = 576, MTU_MAX = 65535 };

#define PATH_CLASSES(X)                              \
	X("host-host", PATH_HOST_HOST)               \
	X("vm-vm-same-host", PATH_VM_VM_SAME_HOST)   \
	X("vm-vm-cross-host", PATH_VM_VM_CROSS_HOST) \
	X("vm-own-host", PATH_VM_OWN_HOST)           \
	X("vm-other-host", PATH_VM_OTHER_HOST)       \
	X("baremetal-host", PATH_BAREMETAL_HOST)     \
	X("baremetal-vm", PATH_BAREMETAL_VM)         \
	X("baremetal-baremetal", PATH_BAREMETAL_BAREMETAL)

#define HOST_KINDS(X)        \
	X("esxi", HOST_ESXI) \
	X("vm", HOST_VM)     \
	X("baremetal", HOST_BAREMETAL)

#define NAME_OF(name, value)     [value] = (name),
#define WORD_OF(name, value)     {name, value, NULL},
#define WORD_OF_BIT(name, value) {name, 1 << (value), NULL},
#define ALL_CLASSES              ((1 << PATH_CLASS_COUNT) - 1)
#define NOWHERE                  .offset = FIELD_NOWHERE
#define CHANGES_NOTHING          "this version changes no setting of any host"

const char *const path_class_names[PATH_CLASS_COUNT + 1] = {PATH_CLASSES(NAME_OF)};
const char *const host_kind_names[] = {HOST_KINDS(NAME_OF) NULL};

/* clang-format off */
static const struct field_word host_kind_words[] = {HOST_KINDS(WORD_OF) {NULL, 0, NULL}};
static const struct field_word class_words[] = {PATH_CLASSES(WORD_OF) {NULL, 0, NULL}};
static const struct field_word class_bit_words[] = {
	PATH_CLASSES(WORD_OF_BIT) {"all", ALL_CLASSES, NULL}, {NULL, 0, NULL}};
static const struct field_word version_words[] = {{"1", 1, NULL}, {NULL, 0, NULL}};
static const struct field_word connection_words[] = {
	{"ssh", CONNECTION_SSH, NULL},
	{"local", CONNECTION_LOCAL, "reach this machine through `ssh` like the others"},
	{NULL, 0, NULL}};
static const struct field_word os_words[] = {
	{"linux", 0, NULL}, {"freebsd", 0, NULL}, {"esxi", 0, NULL}, {"windows", 0, NULL},
	{"macos", 0, NULL}, {"openbsd", 0, NULL}, {"netbsd", 0, NULL}, {"illumos", 0, NULL},
	{"other", 0, NULL}, {NULL, 0, NULL}};
static const struct field_word role_words[] = {
	{"test", NIC_TEST, NULL}, {"mgmt", NIC_MGMT, NULL}, {NULL, 0, NULL}};
static const struct field_word engine_words[] = {
	{"auto", ENGINE_AUTO, NULL}, {"agent", ENGINE_AGENT, NULL},
	{"iperf3", ENGINE_IPERF3, "use `auto` or `agent`"}, {NULL, 0, NULL}};
static const struct field_word resource_words[] = {
	{"link", RESOURCE_LINK, NULL}, {"port", RESOURCE_PORT, NULL},
	{"host-cpu", RESOURCE_CPU, NULL}, {NULL, 0, NULL}};
static const struct field_word direction_words[] = {
	{"forward", DIRECTION_FORWARD, NULL}, {"reverse", DIRECTION_REVERSE, NULL},
	{"bidir", 0, "measure `forward` and `reverse` one after the other"}, {NULL, 0, NULL}};
static const struct field_word toggle_words[] = {
	{"on", TOGGLE_ON, NULL}, {"off", TOGGLE_OFF, NULL}, {"true", TOGGLE_ON, NULL},
	{"false", TOGGLE_OFF, NULL}, {"unchanged", TOGGLE_UNCHANGED, NULL}, {NULL, 0, NULL}};
static const struct field_word protocol_words[] = {
	{"tcp", 0, NULL}, {"udp", 0, "only tcp is measured"}, {NULL, 0, NULL}};
static const struct field_word mode_words[] = {
	{"bulk", 0, NULL}, {"rr", 0, "only bulk transfers are measured"}, {NULL, 0, NULL}};
static const struct field_word zero_copy_words[] = {
	{"off", 0, NULL}, {"sender", 0, "leave it `off`"}, {"both", 0, "leave it `off`"},
	{NULL, 0, NULL}};
static const struct field_word order_words[] = {
	{"split-plot", ORDER_SPLIT_PLOT, NULL}, {"random", ORDER_RANDOM, NULL},
	{"serial", ORDER_SERIAL, NULL}, {NULL, 0, NULL}};
static const struct field_word isolation_words[] = {
	{"host", ISOLATION_HOST, NULL}, {"duplex", ISOLATION_DUPLEX, NULL},
	{"machine", ISOLATION_MACHINE, NULL}, {NULL, 0, NULL}};
static const struct field_word change_words[] = {
	{"mtu", 1, NULL}, {"lro", 2, NULL}, {"tso", 4, NULL}, {NULL, 0, NULL}};
static const struct field_word restore_words[] = {{"always", 0, NULL}, {NULL, 0, NULL}};
static const struct field_word method_words[] = {{"successive-halving", 0, NULL}, {NULL, 0, NULL}};
static const struct field_word over_words[] = {
	{"window", 1, NULL}, {"streams", 2, NULL}, {"buffer", 4, NULL}, {NULL, 0, NULL}};

static const struct field safety_fields[] = {
	{.key = "change", .kind = FIELD_WORDS, NOWHERE, .words = change_words,
	 .help = "Settings that vnm may change; all others are read only."},
	{.key = "dead_man", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_MS, .min = 5 * S_MS, .max = 600 * S_MS,
	 .help = "A host that hears nothing for this long undoes its changes."},
	{.key = "router_guard", .kind = FIELD_WORD, NOWHERE, .words = field_truth,
	 .help = "Refuse LRO on a host that forwards packets."},
	{.key = "restore", .kind = FIELD_WORD, NOWHERE, .words = restore_words,
	 .help = "When changes are undone."},
	{.key = "verify_restore", .kind = FIELD_WORD, NOWHERE, .words = field_truth,
	 .help = "Read restored settings back."},
	{0},
};

const struct field root_fields[] = {
	{.key = "version", .kind = FIELD_WORD, FIELD_AT(struct source_root, version), .words = version_words, .required = true,
	 .help = "Version of this format."},
	{.key = "defaults", .kind = FIELD_NODE, FIELD_AT(struct source_root, defaults), .shape = "a mapping, see DEFAULTS",
	 .help = "What holds for every host and test."},
	{.key = "resources", .kind = FIELD_NODE, FIELD_AT(struct source_root, resources), .shape = "a mapping of names, see RESOURCES",
	 .help = "Links, ports and processors that two tests must not fight over."},
	{.key = "segments", .kind = FIELD_NODE, FIELD_AT(struct source_root, segments), .shape = "a mapping of names, see SEGMENTS",
	 .help = "Broadcast domains: which NICs can talk without a router."},
	{.key = "hosts", .kind = FIELD_NODE, FIELD_AT(struct source_root, hosts), .required = true, .shape = "a mapping of names, see HOSTS",
	 .help = "The machines of the lab."},
	{.key = "routes", .kind = FIELD_NODE, FIELD_AT(struct source_root, routes), .shape = "a list, see ROUTES",
	 .help = "Segments that reach each other through a router."},
	{.key = "groups", .kind = FIELD_NODE, FIELD_AT(struct source_root, groups), .shape = "a mapping of names to lists of ends",
	 .help = "Names for sets of NICs, for between."},
	{.key = "design", .kind = FIELD_NODE, FIELD_AT(struct source_root, design), .shape = "a mapping, see DESIGN",
	 .help = "How often and in which order tests are made."},
	{.key = "safety", .kind = FIELD_MAP, NOWHERE, .rows = safety_fields, .later = CHANGES_NOTHING,
	 .help = "What may be changed on hosts and how it is undone, see SAFETY."},
	{.key = "axes", .kind = FIELD_NODE, FIELD_AT(struct source_root, axes), .shape = "a mapping of names to lists of levels, see FACTORS AND AXES",
	 .help = "Levels that a grid takes by all."},
	{.key = "profiles", .kind = FIELD_NODE, FIELD_AT(struct source_root, profiles), .required = true, .shape = "a mapping of names, see PROFILES",
	 .help = "What to measure."},
	{.key = "expect", .kind = FIELD_NODE, FIELD_AT(struct source_root, expect), .shape = "a list, see EXPECT",
	 .later = "no result is held against it",
	 .help = "Promises that a run has to keep."},
	{0},
};

const struct field topology_fields[] = {
	{.key = "name", .kind = FIELD_TEXT, FIELD_AT(struct topology, name), .rule = TEXT_LABEL, .preset = "lab",
	 .help = "Name of the lab, shown and stored with every run."},
	{.key = "store", .kind = FIELD_TEXT, FIELD_AT(struct topology, store), .rule = TEXT_PATH, .preset = "results.db",
	 .help = "SQLite file for the results; a relative name is relative to the working directory."},
	{0},
};

const struct field ssh_fields[] = {
	{.key = "user", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, user), .rule = TEXT_USER, .preset = "root",
	 .help = "User to log in as."},
	{.key = "key", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, key), .rule = TEXT_PATH,
	 .help = "Private key file; ~/ is replaced. Without it the keys of the SSH agent are used."},
	{.key = "port", .kind = FIELD_NUMBER, FIELD_AT(struct ssh_settings, port), .min = 1, .max = 65535, .preset = "22",
	 .help = "TCP port of the SSH server."},
	{.key = "known_hosts", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, known_hosts), .rule = TEXT_PATH, .preset = "~/.ssh/known_hosts",
	 .help = "File of host keys that are trusted."},
	{.key = "accept_new", .kind = FIELD_WORD, FIELD_AT(struct ssh_settings, accept_new), .words = field_truth, .preset = "false",
	 .help = "Trust a host that is not in known_hosts and remember its key. A changed key is refused in any case."},
	{0},
};

const struct field defaults_fields[] = {
	{.key = "ssh", .kind = FIELD_MAP, FIELD_AT(struct source_defaults, ssh), .rows = ssh_fields,
	 .help = "How hosts are reached, see SSH."},
	{.key = "engine", .kind = FIELD_WORD, FIELD_AT(struct source_defaults, engine), .words = engine_words, .preset = "auto",
	 .help = "What makes the traffic; auto is the agent of vnm."},
	{.key = "ports", .kind = FIELD_NODE, FIELD_AT(struct source_defaults, ports), .shape = "a port or a range such as 5201-5299", .preset = "5201-5299",
	 .help = "Data ports, open only while a test runs; control travels inside SSH."},
	{0},
};

const struct field resource_fields[] = {
	{.key = "kind", .kind = FIELD_WORD, FIELD_AT(struct source_resource_fields, kind), .words = resource_words, .required = true,
	 .help = "link: crossed by traffic that leaves the hypervisor; port: crossed by all that its NICs send and receive; host-cpu: taken by every test with an end on the host."},
	{.key = "speed", .kind = FIELD_NUMBER, FIELD_AT(struct source_resource_fields, resource.speed_bps), .unit = UNIT_BPS, .min = MBIT, .max = 10 * TBIT,
	 .help = "Rate of a link or port in each direction; without it no ceiling is known."},
	{.key = "frame_overhead", .kind = FIELD_NUMBER, FIELD_AT(struct source_resource_fields, resource.frame_overhead), .max = 256, .preset = "38",
	 .help = "Bytes that a frame costs the link beyond its MTU: 38 on Ethernet, 14 behind a Linux tbf shaper."},
	{.key = "slots", .kind = FIELD_NUMBER, FIELD_AT(struct source_resource_fields, resource.slots), .min = 1, .max = 1024, .preset = "1",
	 .help = "Tests that a host-cpu bears at the same time."},
	{0},
};

const struct field segment_fields[] = {
	{.key = "vlan", .kind = FIELD_NUMBER, FIELD_AT(struct segment, vlan), .min = 1, .max = 4094,
	 .help = "VLAN number, for people."},
	{.key = "subnet", .kind = FIELD_TEXT, FIELD_AT(struct segment, subnet), .rule = TEXT_SUBNET,
	 .help = "Network such as 10.1.0.0/24; addresses of its NICs must lie in it."},
	{.key = "max_mtu", .kind = FIELD_NUMBER, FIELD_AT(struct segment, max_mtu), .min = MTU_MIN, .max = MTU_MAX,
	 .help = "Largest MTU that the switches pass."},
	{.key = "note", .kind = FIELD_TEXT, FIELD_AT(struct segment, note), .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field host_fields[] = {
	{.key = "kind", .kind = FIELD_WORD, FIELD_AT(struct source_host_fields, kind), .words = host_kind_words, .required = true,
	 .help = "esxi: a hypervisor; vm: a machine on one; baremetal: any other machine."},
	{.key = "runs_on", .kind = FIELD_TEXT, FIELD_AT(struct source_host_fields, source.runs_on), .rule = TEXT_REFERENCE,
	 .help = "Hypervisor of a vm, required there."},
	{.key = "os", .kind = FIELD_WORD, FIELD_AT(struct source_host_fields, host.os), .words = os_words, .keeps_word = true,
	 .help = "Operating system; TrueNAS CORE is freebsd, TrueNAS SCALE linux."},
	{.key = "mgmt", .kind = FIELD_TEXT, FIELD_AT(struct source_host_fields, host.mgmt), .rule = TEXT_HOST, .required = true,
	 .help = "Host name or address for SSH."},
	{.key = "connection", .kind = FIELD_WORD, FIELD_AT(struct source_host_fields, host.connection), .words = connection_words, .preset = "ssh",
	 .help = "How vnm gets there."},
	{.key = "ssh", .kind = FIELD_NODE, FIELD_AT(struct source_host_fields, source.ssh), .shape = "a mapping, see SSH",
	 .help = "Single keys that differ from those of defaults."},
	{.key = "uses", .kind = FIELD_TEXTS, FIELD_AT(struct source_host_fields, source.uses), .rule = TEXT_REFERENCE,
	 .help = "Resources of kind host-cpu that every test with an end on this host or on its machines takes."},
	{.key = "nics", .kind = FIELD_NODE, FIELD_AT(struct source_host_fields, source.nics_node), .shape = "a mapping of names, see NICS",
	 .help = "Its network interfaces, by the names that the host gives them."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field nic_fields[] = {
	{.key = "ip", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.ip), .rule = TEXT_ADDRESS,
	 .help = "IPv4 or IPv6 address; required for a NIC that is measured."},
	{.key = "segment", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, source.segment), .rule = TEXT_REFERENCE,
	 .help = "Broadcast domain that it is in."},
	{.key = "role", .kind = FIELD_WORD, FIELD_AT(struct source_nic_fields, nic.role), .words = role_words, .preset = "test",
	 .help = "mgmt: carries SSH, measured when a pair names it, never changed."},
	{.key = "driver", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.driver), .rule = TEXT_NAME,
	 .help = "Driver family: e1000, e1000e and lem count as em, vmx as vmxnet3."},
	{.key = "speed", .kind = FIELD_NUMBER, FIELD_AT(struct source_nic_fields, nic.speed_bps), .unit = UNIT_BPS, .min = MBIT, .max = 10 * TBIT,
	 .help = "Rate of a physical NIC."},
	{.key = "uplink", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.uplink), .rule = TEXT_DEVICE,
	 .help = "Physical NIC behind a vmk, such as vmnic4."},
	{.key = "vswitch", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.vswitch), .rule = TEXT_LABEL,
	 .help = "Virtual switch that it is on."},
	{.key = "portgroup", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.portgroup), .rule = TEXT_LABEL,
	 .help = "Port group that it is on."},
	{.key = "uses", .kind = FIELD_TEXTS, FIELD_AT(struct source_nic_fields, source.uses), .rule = TEXT_REFERENCE,
	 .help = "Resources of kind link and port that its traffic crosses."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field route_fields[] = {
	{.key = "between", .kind = FIELD_NODE, FIELD_AT(struct source_route, between), .required = true, .shape = "a list of two segments",
	 .help = "The two segments that the router joins."},
	{.key = "via", .kind = FIELD_TEXT, FIELD_AT(struct source_route, route.via), .rule = TEXT_LABEL,
	 .help = "Name of the router."},
	{.key = "note", .kind = FIELD_TEXT, FIELD_AT(struct source_route, route.note), .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

static const struct field quiet_fields[] = {
	{.key = "max_background", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_PERMILLE, .max = 1000,
	 .help = "Share of other traffic on a NIC that is borne."},
	{.key = "wait", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_MS, .max = 3600 * S_MS,
	 .help = "How long to wait for less."},
	{0},
};

const struct field sentinel_fields[] = {
	{.key = "pair", .kind = FIELD_NODE, FIELD_AT(struct source_pair_entry, pair), .required = true, .shape = "a list of two ends",
	 .help = "The pair that is measured again and again."},
	{.key = "every_block", .kind = FIELD_WORD, NOWHERE, .words = field_truth,
	 .help = "Measure it in every block."},
	{0},
};

const struct field design_fields[] = {
	{.key = "duration", .kind = FIELD_NUMBER, FIELD_AT(struct source_design, design.duration_ms), .unit = UNIT_MS, .min = 500, .max = 3600 * S_MS, .preset = "10s",
	 .help = "Length of a test, without omit; a profile may say its own."},
	{.key = "omit", .kind = FIELD_NUMBER, FIELD_AT(struct source_design, design.omit_ms), .unit = UNIT_MS, .max = 60 * S_MS, .preset = "2s",
	 .help = "Time before it that is not counted: slow start."},
	{.key = "repeats", .kind = FIELD_NODE, FIELD_AT(struct source_design, repeats), .shape = "a mapping, see REPEATS",
	 .help = "How often each cell is measured."},
	{.key = "order", .kind = FIELD_WORD, FIELD_AT(struct source_design, design.order), .words = order_words, .preset = "split-plot",
	 .help = "split-plot: settings that cost time to change outermost, the rest shuffled in every block; random: all shuffled; serial: as written."},
	{.key = "isolation", .kind = FIELD_WORD, FIELD_AT(struct source_design, design.isolation), .words = isolation_words, .preset = "host",
	 .help = "What a test has for itself: host: its hypervisors and both directions of its links; duplex: its machines and one direction; machine: its machines only."},
	{.key = "seed", .kind = FIELD_NUMBER, FIELD_AT(struct source_design, design.seed), .min = 0, .max = INT64_MAX,
	 .help = "Start of the random order; without it one is drawn and stored."},
	{.key = "sentinel", .kind = FIELD_NODE, FIELD_AT(struct source_design, sentinel), .shape = "a mapping: pair, every_block", .later = "the pair is measured only where a profile names it",
	 .help = "A pair that shows the noise of the lab."},
	{.key = "quiet", .kind = FIELD_MAP, NOWHERE, .rows = quiet_fields, .later = "other traffic is not looked for",
	 .help = "Other traffic that a test bears: max_background, wait."},
	{.key = "placement_check", .kind = FIELD_WORD, NOWHERE, .words = field_truth, .later = "runs_on is believed",
	 .help = "Check before each round that machines are still on their hypervisors."},
	{0},
};

const struct field repeats_fields[] = {
	{.key = "min", .kind = FIELD_NUMBER, FIELD_AT(struct repeats, min), .min = 1, .max = 1000,
	 .help = "Tests of each cell."},
	{.key = "max", .kind = FIELD_NUMBER, FIELD_AT(struct repeats, max), .min = 1, .max = 1000,
	 .help = "Upper limit when precision asks for more."},
	{.key = "precision", .kind = FIELD_NUMBER, FIELD_AT(struct repeats, precision_permille), .unit = UNIT_PERMILLE, .min = 1, .max = 500,
	 .help = "Half-width of the interval of the median at which to stop."},
	{0},
};

const struct field setting_fields[] = {
	[FACTOR_MTU] = {.key = "mtu", .kind = FIELD_NUMBER, FIELD_AT(struct setting, mtu_bytes), .min = MTU_MIN, .max = MTU_MAX, .zero_word = "unchanged",
	 .help = "MTU of both NICs, bytes."},
	[FACTOR_WINDOW] = {.key = "window", .kind = FIELD_NUMBER, FIELD_AT(struct setting, window_bytes), .unit = UNIT_BYTES, .min = 4 * KIB, .max = GIB, .zero_word = "default",
	 .help = "Socket buffer of each stream on both sides (-w of iperf3); default leaves it to the system."},
	[FACTOR_STREAMS] = {.key = "streams", .kind = FIELD_NUMBER, FIELD_AT(struct setting, streams), .min = 1, .max = 128,
	 .help = "Connections at the same time (-P of iperf3)."},
	[FACTOR_BUFFER] = {.key = "buffer", .kind = FIELD_NUMBER, FIELD_AT(struct setting, buffer_bytes), .unit = UNIT_BYTES, .min = 1, .max = 16 * MIB, .zero_word = "default",
	 .help = "Bytes of one write (-l of iperf3); default leaves it to the engine."},
	[FACTOR_DIRECTION] = {.key = "direction", .kind = FIELD_WORD, FIELD_AT(struct setting, direction), .words = direction_words,
	 .help = "forward: the first end of a pair sends; reverse: the second one does (-R of iperf3). The first opens the connection in both cases."},
	[FACTOR_DRIVER] = {.key = "driver", .kind = FIELD_TEXT, FIELD_AT(struct setting, driver), .rule = TEXT_NAME,
	 .help = "Driver family: chooses the NIC of every end that is written as HOST."},
	[FACTOR_LRO] = {.key = "lro", .kind = FIELD_WORD, FIELD_AT(struct setting, lro), .words = toggle_words,
	 .help = "Large receive offload of both NICs."},
	[FACTOR_TSO] = {.key = "tso", .kind = FIELD_WORD, FIELD_AT(struct setting, tso), .words = toggle_words,
	 .help = "TCP segmentation offload of both NICs."},
	[FACTOR_DURATION] = {.key = "duration", .kind = FIELD_NUMBER, FIELD_AT(struct setting, duration_ms), .unit = UNIT_MS, .min = 500, .max = 3600 * S_MS,
	 .help = "Length of a test, without omit (-t of iperf3)."},
	[FACTOR_OMIT] = {.key = "omit", .kind = FIELD_NUMBER, FIELD_AT(struct setting, omit_ms), .unit = UNIT_MS, .max = 60 * S_MS,
	 .help = "Time before it that is not counted (-O of iperf3)."},
	{.key = "protocol", .kind = FIELD_WORD, NOWHERE, .words = protocol_words,
	 .help = "Transport protocol."},
	{.key = "mode", .kind = FIELD_WORD, NOWHERE, .words = mode_words,
	 .help = "Kind of traffic."},
	{.key = "zero_copy", .kind = FIELD_WORD, NOWHERE, .words = zero_copy_words,
	 .help = "Sending without copying (-Z of iperf3)."},
	{.key = "mss", .kind = FIELD_NUMBER, NOWHERE, .refused = "remove the key; the MSS follows from the MTU",
	 .help = "Maximum segment size (-M of iperf3)."},
	{.key = "dscp", .kind = FIELD_TEXT, NOWHERE, .refused = "remove the key",
	 .help = "Type of service (-S of iperf3)."},
	{.key = "congestion", .kind = FIELD_TEXT, NOWHERE, .refused = "remove the key; the system's algorithm is used",
	 .help = "Congestion control (-C of iperf3)."},
	{.key = "bitrate", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_BPS, .refused = "remove the key; streams send as fast as they can",
	 .help = "Limit of the sending rate (-b of iperf3)."},
	{.key = "ip_version", .kind = FIELD_NUMBER, NOWHERE, .refused = "remove the key; the addresses of the NICs decide",
	 .help = "4 or 6."},
	{0},
};

const struct field search_fields[] = {
	{.key = "method", .kind = FIELD_WORD, NOWHERE, .words = method_words,
	 .help = "How to search."},
	{.key = "over", .kind = FIELD_WORDS, NOWHERE, .words = over_words,
	 .help = "Factors to vary."},
	{.key = "within", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_PERMILLE, .min = 1, .max = 500,
	 .help = "How near to the best is good enough."},
	{.key = "budget", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_MS, .min = S_MS, .max = 168 * 3600 * S_MS,
	 .help = "Time that the search may take."},
	{0},
};

const struct field profile_fields[] = {
	{.key = "pairs", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.pairs), .shape = "a list of pairs, see ENDS AND PAIRS",
	 .help = "The pairs to measure. Not together with classes."},
	{.key = "classes", .kind = FIELD_WORDS, FIELD_AT(struct source_profile_fields, classes), .words = class_bit_words,
	 .help = "Measure every pair of between, in both orders, whose path is of one of these classes."},
	{.key = "between", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.between), .shape = "a list of groups and ends",
	 .help = "The NICs that classes combines; without it all NICs of role test."},
	{.key = "class", .kind = FIELD_WORD, FIELD_AT(struct source_profile_fields, source.expected_class), .words = class_words,
	 .help = "The class that all pairs of the profile must be of; an error before the run when one is not."},
	{.key = "grid", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.grid), .shape = "a mapping of axes to levels, or all",
	 .help = "Every combination of these levels is a cell. Not together with cells."},
	{.key = "cells", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.cells), .shape = "a list of cells, see CELLS",
	 .help = "Exactly these cells."},
	{.key = "complete", .kind = FIELD_WORD, FIELD_AT(struct source_profile_fields, complete), .words = field_truth, .preset = "false",
	 .help = "Also the cells that are missing from the full table of the levels in cells."},
	{.key = "fixed", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.fixed), .shape = "a mapping of factors",
	 .help = "Levels that hold for all cells."},
	{.key = "repeats", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.repeats), .shape = "a mapping, see REPEATS",
	 .help = "Keys that differ from those of design."},
	{.key = "published", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.published), .shape = "a list, see PUBLISHED FIGURES",
	 .help = "Figures of others, shown beside the measured ones."},
	{.key = "search", .kind = FIELD_MAP, NOWHERE, .rows = search_fields, .later = "this profile cannot be run",
	 .help = "Look for the best setting instead of measuring all: method, over, within, budget."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field pair_fields[] = {
	{.key = "pair", .kind = FIELD_NODE, FIELD_AT(struct source_pair_entry, pair), .required = true, .shape = "a list of two ends",
	 .help = "The two ends."},
	{.key = "class", .kind = FIELD_WORD, FIELD_AT(struct source_pair_entry, expected_class), .words = class_words,
	 .help = "The class that the pair must be of."},
	{0},
};

const struct field cell_fields[] = {
	{.key = "pair", .kind = FIELD_NODE, FIELD_AT(struct source_listed_cell, pair), .shape = "a list of two ends",
	 .help = "Its own pair, in a profile without pairs and classes."},
	{.key = "class", .kind = FIELD_WORD, FIELD_AT(struct source_listed_cell, expected_class), .words = class_words,
	 .help = "The class that its pair must be of."},
	{.key = "published_gbps", .kind = FIELD_REAL, FIELD_AT(struct source_listed_cell, cell.published_bps), .max = 100000, .scale = 1e9,
	 .help = "Gbit/s that others measured."},
	{.key = "published_retransmits", .kind = FIELD_NUMBER, FIELD_AT(struct source_listed_cell, cell.published_retransmits), .min = 0, .max = INT64_MAX,
	 .help = "Retransmits that others saw."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field figure_fields[] = {
	{.key = "where", .kind = FIELD_NODE, FIELD_AT(struct source_figure, where), .required = true, .shape = "a mapping of factors",
	 .help = "The cells that the figure belongs to."},
	{.key = "gbps", .kind = FIELD_REAL, FIELD_AT(struct source_figure, figure.bps), .max = 100000, .scale = 1e9,
	 .help = "Gbit/s that others measured."},
	{.key = "retransmits", .kind = FIELD_NUMBER, FIELD_AT(struct source_figure, figure.retransmits), .min = 0, .max = INT64_MAX,
	 .help = "Retransmits that others saw."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field expect_fields[] = {
	{.key = "pair", .kind = FIELD_NODE, FIELD_AT(struct source_pair_entry, pair), .shape = "a list of two ends",
	 .help = "The pair that it is about."},
	{.key = "class", .kind = FIELD_WORD, NOWHERE, .words = class_words,
	 .help = "Or the class of pairs."},
	{.key = "min_line_rate", .kind = FIELD_NUMBER, NOWHERE, .unit = UNIT_PERMILLE, .min = 1, .max = 1000,
	 .help = "Share of the line rate that is reached."},
	{.key = "max_asymmetry", .kind = FIELD_REAL, NOWHERE, .min = 1, .max = 1000000, .scale = 1,
	 .help = "How many times faster one direction may be."},
	{0},
};
/* clang-format on */
