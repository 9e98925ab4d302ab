/* SPDX-License-Identifier: MIT */
/*
 * The keys of the topology file that say what the lab is: kind, range, default,
 * meaning, one row each. topology_fields_work.c has those that say what is to be
 * measured. The reference in docs/man/vnm-topology.5 is made from the same rows, so `help`
 * is a sentence for the user, in mdoc's plain text.
 */
#include "topology/topology_fields.h"

#define HOST_KINDS(X)        \
	X("esxi", HOST_ESXI) \
	X("vm", HOST_VM)     \
	X("baremetal", HOST_BAREMETAL)

const char *const host_kind_names[] = {HOST_KINDS(NAME_OF) NULL};

/* clang-format off */
static const struct field_word host_kind_words[] = {HOST_KINDS(WORD_OF) {NULL, 0, NULL}};
static const struct field_word version_words[] = {{"1", 1, NULL}, {NULL, 0, NULL}};
static const struct field_word connection_words[] = {
	{"ssh", CONNECTION_SSH, NULL},
	{"local", CONNECTION_LOCAL, NULL},
	{NULL, 0, NULL}};
static const struct field_word transport_words[] = {
	{"libssh", SSH_LIBSSH, NULL}, {"openssh", SSH_OPENSSH, NULL}, {NULL, 0, NULL}};
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
static const struct field_word change_words[] = {
	{"mtu", SAFETY_MTU, NULL}, {"lro", SAFETY_LRO, NULL}, {"tso", SAFETY_TSO, NULL},
	{NULL, 0, NULL}};
/* There is no choice in these two: they may be written for those who read the file. */
static const struct field_word restore_words[] = {{"always", 0, NULL}, {NULL, 0, NULL}};
static const struct field_word verify_words[] = {
	{"true", true, NULL}, {"on", true, NULL}, {"yes", true, NULL}, {NULL, 0, NULL}};
static const struct field safety_fields[] = {
	{.key = "change", .kind = FIELD_WORDS, FIELD_AT(struct safety, change), .words = change_words,
	 .help = "Settings that vnm may change; all others are read only. Not given: none."},
	{.key = "dead_man", .kind = FIELD_NUMBER, FIELD_AT(struct safety, dead_man_ms), .unit = UNIT_MS, .min = 10 * S_MS, .max = 600 * S_MS, .preset = "30s",
	 .help = "A host that hears nothing for this long undoes its changes."},
	{.key = "router_guard", .kind = FIELD_WORD, FIELD_AT(struct safety, router_guard), .words = field_truth, .preset = "true",
	 .help = "Refuse LRO on a host that forwards packets."},
	{.key = "restore", .kind = FIELD_WORD, NOWHERE, .words = restore_words, .preset = "always",
	 .help = "What vnm changes it puts back, in any case."},
	{.key = "verify_restore", .kind = FIELD_WORD, NOWHERE, .words = verify_words, .preset = "true",
	 .help = "A setting counts as restored when it was read back, in any case."},
	{0},
};

const struct field root_fields[] = {
	{.key = "version", .kind = FIELD_WORD, FIELD_AT(struct source_root, version), .words = version_words, .required = true,
	 .help = "Version of this format."},
	{.key = "defaults", .kind = FIELD_NODE, FIELD_AT(struct source_root, defaults), .shape = "a mapping, see DEFAULTS", .example = "defaults: { ssh: { user: root } }",
	 .help = "What holds for every host and test."},
	{.key = "resources", .kind = FIELD_NODE, FIELD_AT(struct source_root, resources), .shape = "a mapping of names, see RESOURCES", .example = "resources: { uplink: { kind: link, speed: 10G } }",
	 .help = "Links, ports and processors that two tests must not fight over."},
	{.key = "segments", .kind = FIELD_NODE, FIELD_AT(struct source_root, segments), .shape = "a mapping of names, see SEGMENTS", .example = "segments: { lan: { subnet: 10.1.0.0/24 } }",
	 .help = "Broadcast domains: which NICs can talk without a router."},
	{.key = "hosts", .kind = FIELD_NODE, FIELD_AT(struct source_root, hosts), .required = true, .shape = "a mapping of names, see HOSTS", .example = "hosts: { a: { kind: baremetal, mgmt: a.example } }",
	 .help = "The machines of the lab."},
	{.key = "routes", .kind = FIELD_NODE, FIELD_AT(struct source_root, routes), .shape = "a list, see ROUTES", .example = "routes: [{ between: [lan, fast] }]",
	 .help = "Segments that reach each other through a router."},
	{.key = "groups", .kind = FIELD_NODE, FIELD_AT(struct source_root, groups), .shape = "a mapping of names to lists of ends", .example = "groups: { all-vms: [vm1.eth0, vm2.eth0] }",
	 .help = "Names for sets of NICs, for between."},
	{.key = "design", .kind = FIELD_NODE, FIELD_AT(struct source_root, design), .shape = "a mapping, see DESIGN", .example = "design: { duration: 10s }",
	 .help = "How often and in which order tests are made."},
	{.key = "safety", .kind = FIELD_MAP, FIELD_AT(struct source_root, safety), .rows = safety_fields, .later = "this version changes no setting of any host", .example = "safety: { change: [mtu] }",
	 .help = "What may be changed on hosts and how it is undone, see SAFETY."},
	{.key = "axes", .kind = FIELD_NODE, FIELD_AT(struct source_root, axes), .shape = "a mapping of names to lists of levels, see FACTORS AND AXES", .example = "axes: { window: [default, 64K] }",
	 .help = "Levels that a grid takes by all."},
	{.key = "profiles", .kind = FIELD_NODE, FIELD_AT(struct source_root, profiles), .required = true, .shape = "a mapping of names, see PROFILES", .example = "profiles: { first: { classes: all } }",
	 .help = "What to measure."},
	{.key = "expect", .kind = FIELD_NODE, FIELD_AT(struct source_root, expect), .shape = "a list, see EXPECT", .example = "expect: [{ pair: [a.eth0, b.eth0], min_line_rate: 90% }]",
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
	{.key = "user", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, user), .rule = TEXT_USER,
	 .help = "User to log in as. Not given: as `ssh` would, see ssh_config(5)."},
	{.key = "key", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, key), .rule = TEXT_PATH,
	 .help = "Private key file; ~/ is replaced. Not given: the keys that `ssh` would use."},
	{.key = "port", .kind = FIELD_NUMBER, FIELD_AT(struct ssh_settings, port), .min = 1, .max = 65535,
	 .help = "TCP port of the SSH server. Not given: as `ssh` would, 22 in the end."},
	{.key = "known_hosts", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, known_hosts), .rule = TEXT_PATH,
	 .help = "File of host keys that are trusted. Not given: the files of `ssh`."},
	{.key = "accept_new", .kind = FIELD_WORD, FIELD_AT(struct ssh_settings, accept_new), .words = field_truth, .preset = "false",
	 .help = "Trust a host that is not in known_hosts and remember its key. A changed key is refused in any case."},
	{.key = "transport", .kind = FIELD_WORD, FIELD_AT(struct ssh_settings, transport), .words = transport_words, .preset = "libssh",
	 .help = "libssh: inside vnm; openssh: by the ssh program of this machine, for host certificates, GSSAPI and PKCS#11. It asks for nothing."},
	{.key = "config", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, config), .rule = TEXT_PATH,
	 .help = "File in the format of ssh_config(5) that is read instead of the user's and the system's, or `none`."},
	{.key = "jump", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, jump), .rule = TEXT_JUMP,
	 .help = "Jump hosts on the way, the first one first, as ProxyJump of ssh_config(5), or `none`. What key, known_hosts, accept_new and config say holds for them, too; the rest is as `ssh` would. Not given: ProxyJump or ProxyCommand of ssh's configuration."},
	{.key = "password_file", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, password_file), .rule = TEXT_PATH,
	 .help = "File whose first line is the password, readable by its owner alone."},
	{.key = "password_env", .kind = FIELD_TEXT, FIELD_AT(struct ssh_settings, password_env), .rule = TEXT_ENVIRONMENT,
	 .help = "Environment variable that holds the password."},
	{0},
};

const struct field defaults_fields[] = {
	{.key = "ssh", .kind = FIELD_MAP, FIELD_AT(struct source_defaults, ssh), .rows = ssh_fields, .example = "ssh: { user: root }",
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
	{.key = "mgmt", .kind = FIELD_TEXT, FIELD_AT(struct source_host_fields, host.mgmt), .rule = TEXT_HOST,
	 .help = "Host name, address or alias of ssh_config(5); required, but not with "
	         "`connection: local`."},
	{.key = "connection", .kind = FIELD_WORD, FIELD_AT(struct source_host_fields, host.connection), .words = connection_words, .preset = "ssh",
	 .help = "How vnm gets there; local: it is the machine that vnm runs on, one host at most."},
	{.key = "ssh", .kind = FIELD_NODE, FIELD_AT(struct source_host_fields, source.ssh), .shape = "a mapping, see SSH", .example = "ssh: { port: 2222 }",
	 .help = "Single keys that differ from those of defaults."},
	{.key = "uses", .kind = FIELD_TEXTS, FIELD_AT(struct source_host_fields, source.uses), .rule = TEXT_REFERENCE,
	 .help = "Resources of kind host-cpu that every test with an end on this host or on its machines takes."},
	{.key = "nics", .kind = FIELD_NODE, FIELD_AT(struct source_host_fields, source.nics_node), .shape = "a mapping of names, see NICS", .example = "nics: { eth0: { ip: 192.0.2.1 } }",
	 .help = "Its network interfaces, by the names that the host gives them."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field nic_fields[] = {
	{.key = "ip", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.ip), .rule = TEXT_ADDRESS,
	 .help = "IPv4 or IPv6 address; a NIC that is measured needs this or ip6."},
	{.key = "ip6", .kind = FIELD_TEXT, FIELD_AT(struct source_nic_fields, nic.ip6), .rule = TEXT_ADDRESS,
	 .help = "A second address, IPv6, for ip_version."},
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
	{.key = "allow_busy", .kind = FIELD_WORD, FIELD_AT(struct source_nic_fields, nic.allow_busy), .words = field_truth,
	 .later = "this version changes no setting of any host",
	 .help = "May be changed although other things use it: storage or vMotion of a vmk, a bridge or bond, the default route, a network mount. Not given: it may not."},
	{.key = "note", .kind = FIELD_TEXT, NOWHERE, .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};

const struct field route_fields[] = {
	{.key = "between", .kind = FIELD_NODE, FIELD_AT(struct source_route, between), .required = true, .shape = "a list of two segments", .example = "between: [lan, fast]",
	 .help = "The two segments that the router joins."},
	{.key = "via", .kind = FIELD_TEXT, FIELD_AT(struct source_route, route.via), .rule = TEXT_LABEL,
	 .help = "Name of the router."},
	{.key = "note", .kind = FIELD_TEXT, FIELD_AT(struct source_route, route.note), .rule = TEXT_FREE,
	 .help = "A remark."},
	{0},
};
/* clang-format on */
