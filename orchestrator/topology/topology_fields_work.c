/* SPDX-License-Identifier: MIT */
/*
 * The keys of the topology file that say what is to be measured and how: design,
 * factors, profiles, promises. See topology_fields.c.
 */
#include "topology/topology_fields.h"

#define PATH_CLASSES(X)                              \
	X("host-host", PATH_HOST_HOST)               \
	X("vm-vm-same-host", PATH_VM_VM_SAME_HOST)   \
	X("vm-vm-cross-host", PATH_VM_VM_CROSS_HOST) \
	X("vm-own-host", PATH_VM_OWN_HOST)           \
	X("vm-other-host", PATH_VM_OTHER_HOST)       \
	X("baremetal-host", PATH_BAREMETAL_HOST)     \
	X("baremetal-vm", PATH_BAREMETAL_VM)         \
	X("baremetal-baremetal", PATH_BAREMETAL_BAREMETAL)

#define WORD_OF_BIT(name, value) {name, 1 << (value), NULL},
#define ALL_CLASSES              ((1 << PATH_CLASS_COUNT) - 1)

const char *const path_class_names[PATH_CLASS_COUNT + 1] = {PATH_CLASSES(NAME_OF)};

/* clang-format off */
static const struct field_word class_words[] = {PATH_CLASSES(WORD_OF) {NULL, 0, NULL}};
static const struct field_word class_bit_words[] = {
	PATH_CLASSES(WORD_OF_BIT) {"all", ALL_CLASSES, NULL}, {NULL, 0, NULL}};
static const struct field_word direction_words[] = {
	{"forward", DIRECTION_FORWARD, NULL}, {"reverse", DIRECTION_REVERSE, NULL},
	{"bidir", DIRECTION_BIDIR, NULL}, {NULL, 0, NULL}};
static const struct field_word toggle_words[] = {
	{"on", TOGGLE_ON, NULL}, {"off", TOGGLE_OFF, NULL}, {"yes", TOGGLE_ON, NULL},
	{"no", TOGGLE_OFF, NULL}, {"true", TOGGLE_ON, NULL}, {"false", TOGGLE_OFF, NULL},
	{"unchanged", TOGGLE_UNCHANGED, NULL}, {NULL, 0, NULL}};
static const struct field_word protocol_words[] = {
	{"tcp", PROTOCOL_TCP, NULL}, {"udp", PROTOCOL_UDP, NULL}, {NULL, 0, NULL}};
static const struct field_word mode_words[] = {
	{"bulk", MODE_BULK, NULL}, {"rr", MODE_RR, NULL}, {NULL, 0, NULL}};
static const struct field_word zero_copy_words[] = {
	{"off", ZERO_COPY_OFF, NULL}, {"sender", ZERO_COPY_SENDER, NULL},
	{"both", ZERO_COPY_BOTH, NULL}, {NULL, 0, NULL}};
static const struct field_word ip_version_words[] = {
	{"default", 0, NULL}, {"4", 4, NULL}, {"6", 6, NULL}, {NULL, 0, NULL}};
/* RFC 2474 (csN), 2597 (afXY), 3246 (ef), 5865 (va), 8622 (le). */
static const struct field_word dscp_words[] = {
	{"cs0", 0, NULL}, {"cs1", 8, NULL}, {"cs2", 16, NULL}, {"cs3", 24, NULL},
	{"cs4", 32, NULL}, {"cs5", 40, NULL}, {"cs6", 48, NULL}, {"cs7", 56, NULL},
	{"af11", 10, NULL}, {"af12", 12, NULL}, {"af13", 14, NULL},
	{"af21", 18, NULL}, {"af22", 20, NULL}, {"af23", 22, NULL},
	{"af31", 26, NULL}, {"af32", 28, NULL}, {"af33", 30, NULL},
	{"af41", 34, NULL}, {"af42", 36, NULL}, {"af43", 38, NULL},
	{"ef", 46, NULL}, {"va", 44, NULL}, {"le", 1, NULL}, {NULL, 0, NULL}};
static const struct field_word order_words[] = {
	{"split-plot", ORDER_SPLIT_PLOT, NULL}, {"random", ORDER_RANDOM, NULL},
	{"serial", ORDER_SERIAL, NULL}, {NULL, 0, NULL}};
static const struct field_word isolation_words[] = {
	{"host", ISOLATION_HOST, NULL}, {"duplex", ISOLATION_DUPLEX, NULL},
	{"machine", ISOLATION_MACHINE, NULL}, {NULL, 0, NULL}};
static const struct field_word method_words[] = {{"successive-halving", 0, NULL}, {NULL, 0, NULL}};
static const struct field_word over_words[] = {
	{"window", 1, NULL}, {"streams", 2, NULL}, {"buffer", 4, NULL}, {NULL, 0, NULL}};


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
	{.key = "repeats", .kind = FIELD_NODE, FIELD_AT(struct source_design, repeats), .shape = "a mapping, see REPEATS", .example = "repeats: { min: 3, max: 3 }",
	 .help = "How often each cell is measured."},
	{.key = "order", .kind = FIELD_WORD, FIELD_AT(struct source_design, design.order), .words = order_words, .preset = "split-plot",
	 .help = "split-plot: settings that cost time to change outermost, the rest shuffled in every block; random: all shuffled; serial: as written."},
	{.key = "isolation", .kind = FIELD_WORD, FIELD_AT(struct source_design, design.isolation), .words = isolation_words, .preset = "host",
	 .help = "What a test has for itself: host: its hypervisors and both directions of its links; duplex: its machines and one direction; machine: its machines only."},
	{.key = "seed", .kind = FIELD_NUMBER, FIELD_AT(struct source_design, design.seed), .min = 0, .max = INT64_MAX,
	 .help = "Start of the random order; without it one is drawn and stored."},
	{.key = "sentinel", .kind = FIELD_NODE, FIELD_AT(struct source_design, sentinel), .shape = "a mapping: pair, every_block", .later = "the pair is measured only where a profile names it", .example = "sentinel: { pair: [a.eth0, b.eth0] }",
	 .help = "A pair that shows the noise of the lab."},
	{.key = "quiet", .kind = FIELD_MAP, NOWHERE, .rows = quiet_fields, .later = "other traffic is not looked for", .example = "quiet: { max_background: 2% }",
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
	[FACTOR_WINDOW] = {.key = "window", .kind = FIELD_NUMBER, FIELD_AT(struct setting, window_bytes), .unit = UNIT_BYTES, .min = 4 * KIB, .max = GIB / 2, .zero_word = "default",
	 .help = "Socket buffer of each stream on both sides (-w of iperf3); default leaves it to the system."},
	[FACTOR_STREAMS] = {.key = "streams", .kind = FIELD_NUMBER, FIELD_AT(struct setting, streams), .min = 1, .max = 128,
	 .help = "Connections at the same time (-P of iperf3)."},
	[FACTOR_BUFFER] = {.key = "buffer", .kind = FIELD_NUMBER, FIELD_AT(struct setting, buffer_bytes), .unit = UNIT_BYTES, .min = 1, .max = 16 * MIB, .zero_word = "default",
	 .help = "Bytes of one write (-l of iperf3); default leaves it to the engine."},
	[FACTOR_DIRECTION] = {.key = "direction", .kind = FIELD_WORD, FIELD_AT(struct setting, direction), .words = direction_words,
	 .help = "forward: the first end of a pair sends; reverse: the second one does (-R of iperf3); bidir: both at the same time (--bidir of iperf3). The first opens the connections in all cases."},
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
	[FACTOR_BYTES] = {.key = "bytes", .kind = FIELD_NUMBER, FIELD_AT(struct setting, bytes), .unit = UNIT_BYTES, .min = 1, .max = PIB, .zero_word = "none",
	 .help = "Payload of all streams together, after omit, that ends a test instead of the duration (-n of iperf3); duration of the same cell must not be given then."},
	[FACTOR_PROTOCOL] = {.key = "protocol", .kind = FIELD_WORD, FIELD_AT(struct setting, protocol), .words = protocol_words,
	 .help = "Transport protocol (udp: -u of iperf3); buffer is then the payload of a datagram, by default what fits the MTU of the path."},
	[FACTOR_MODE] = {.key = "mode", .kind = FIELD_WORD, FIELD_AT(struct setting, mode), .words = mode_words,
	 .help = "bulk: as much as fits; rr: on each stream a request and its response, one after the other, each of the size of buffer, by default 1 byte (TCP_RR of netperf)."},
	[FACTOR_ZERO_COPY] = {.key = "zero_copy", .kind = FIELD_WORD, FIELD_AT(struct setting, zero_copy), .words = zero_copy_words,
	 .help = "off: memory to memory, as an application does; sender: sent without copying (-Z of iperf3); both: received without copying, too."},
	[FACTOR_BITRATE] = {.key = "bitrate", .kind = FIELD_NUMBER, FIELD_AT(struct setting, rate_bps), .unit = UNIT_BPS, .min = 8000, .max = TBIT, .zero_word = "unlimited",
	 .help = "Limit of the payload that each stream sends, bit/s (-b of iperf3)."},
	[FACTOR_MSS] = {.key = "mss", .kind = FIELD_NUMBER, FIELD_AT(struct setting, mss_bytes), .min = MSS_MIN, .max = MSS_MAX, .zero_word = "default",
	 .help = "Greatest segment of TCP, bytes (-M of iperf3); 88 is the least that Linux takes, 65483 what an IPv4 packet holds beside 52 bytes of headers."},
	[FACTOR_NO_DELAY] = {.key = "no_delay", .kind = FIELD_WORD, FIELD_AT(struct setting, no_delay), .words = field_truth,
	 .help = "TCP_NODELAY (-N of iperf3): small writes are not gathered."},
	[FACTOR_DSCP] = {.key = "dscp", .kind = FIELD_NUMBER, FIELD_AT(struct setting, dscp), .max = TOPOLOGY_DSCP_MAX, .zero_word = "default", .words = dscp_words,
	 .help = "Differentiated services code point of all packets (--dscp of iperf3)."},
	[FACTOR_CONGESTION] = {.key = "congestion", .kind = FIELD_TEXT, FIELD_AT(struct setting, congestion), .rule = TEXT_ALGORITHM, .zero_word = "default",
	 .help = "Congestion control, as the sender's system names it (-C of iperf3)."},
	[FACTOR_IP_VERSION] = {.key = "ip_version", .kind = FIELD_WORD, FIELD_AT(struct setting, ip_version), .words = ip_version_words,
	 .help = "Which addresses of the NICs are used (-4 and -6 of iperf3); default: ip, or ip6 where a NIC has no other."},
	[FACTOR_AFFINITY] = {.key = "affinity", .kind = FIELD_TEXT, FIELD_AT(struct setting, affinity), .rule = TEXT_CORES, .zero_word = "off",
	 .help = "Cores for the threads of the streams, the same on both ends (-A of iperf3); auto: those near the NIC, without the one that takes its interrupts."},
	[FACTOR_BIND_DEVICE] = {.key = "bind_device", .kind = FIELD_WORD, FIELD_AT(struct setting, bind_device), .words = field_truth,
	 .help = "Bind the sockets to the NIC, beside its address (SO_BINDTODEVICE; --bind-dev of iperf3)."},
	[FACTOR_SOURCE_PORT] = {.key = "source_port", .kind = FIELD_NUMBER, FIELD_AT(struct setting, source_port), .min = 1024, .max = 65535, .zero_word = "any",
	 .help = "Port from which the first stream is opened, each further one from the next (--cport of iperf3): decides which link of an aggregation each takes."},
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
	{.key = "pairs", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.pairs), .shape = "a list of pairs, see ENDS AND PAIRS", .example = "pairs: [[a.eth0, b.eth0]]",
	 .help = "The pairs to measure. Not together with classes."},
	{.key = "classes", .kind = FIELD_WORDS, FIELD_AT(struct source_profile_fields, classes), .words = class_bit_words,
	 .help = "Measure every pair of between, in both orders, whose path is of one of these classes. Pairs whose segments no route joins are left out."},
	{.key = "between", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.between), .shape = "a list of groups and ends",
	 .help = "The NICs that classes combines; without it all NICs of role test."},
	{.key = "class", .kind = FIELD_WORD, FIELD_AT(struct source_profile_fields, source.expected_class), .words = class_words,
	 .help = "The class that all pairs of the profile must be of; an error before the run when one is not."},
	{.key = "grid", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.grid), .shape = "a mapping of axes to levels, or to all", .example = "grid: { window: [default, 64K], mtu: all }",
	 .help = "Every combination of these levels is a cell. Not together with cells."},
	{.key = "cells", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.cells), .shape = "a list of cells, see CELLS", .example = "cells: [{ streams: 1 }, { streams: 4 }]",
	 .help = "Exactly these cells."},
	{.key = "complete", .kind = FIELD_WORD, FIELD_AT(struct source_profile_fields, complete), .words = field_truth, .preset = "false",
	 .help = "Also the cells that are missing from the full table of the levels in cells."},
	{.key = "fixed", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.fixed), .shape = "a mapping of factors", .example = "fixed: { streams: 4 }",
	 .help = "Levels that hold for all cells."},
	{.key = "repeats", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.repeats), .shape = "a mapping, see REPEATS", .example = "repeats: { min: 3, max: 3 }",
	 .help = "Keys that differ from those of design."},
	{.key = "published", .kind = FIELD_NODE, FIELD_AT(struct source_profile_fields, source.published), .shape = "a list, see PUBLISHED FIGURES", .example = "published: [{ where: { streams: 1 }, gbps: 9.4 }]",
	 .help = "Figures of others, shown beside the measured ones."},
	{.key = "search", .kind = FIELD_MAP, NOWHERE, .rows = search_fields, .later = "this profile cannot be run", .example = "search: { over: [window] }",
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
	 .help = "Its own pair, instead of those of the profile."},
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
	{.key = "where", .kind = FIELD_NODE, FIELD_AT(struct source_figure, where), .required = true, .shape = "a mapping of factors", .example = "where: { streams: 1 }",
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

const char *topology_dscp_name(unsigned dscp)
{
	const struct field_word *w = dscp_words;

	while (w->word != NULL && w->value != (int)dscp)
		w++;
	return w->word;
}
