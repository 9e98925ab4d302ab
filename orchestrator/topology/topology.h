/* SPDX-License-Identifier: MIT */
/*
 * topology.h - the lab as the user described it: plain data, already checked.
 *
 * First stage of the pipeline (docs/ARCHITECTURE.md):
 *	file -> [topology] -> plan -> run -> store -> analysis -> report
 *
 * Made by topology_load() and read-only afterwards; may be shared between
 * threads. The arena owns everything that it points to; pointers between
 * entries (nic to host, pair to nic) point into the same topology. Lists keep
 * the order of the file.
 */
#ifndef TOPOLOGY_TOPOLOGY_H
#define TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "config/diag.h"

enum host_kind { HOST_ESXI, HOST_VM, HOST_BAREMETAL };
enum host_connection { CONNECTION_SSH, CONNECTION_LOCAL };
enum ssh_transport { SSH_LIBSSH, SSH_OPENSSH };
enum nic_role { NIC_TEST, NIC_MGMT };
enum engine { ENGINE_AUTO, ENGINE_AGENT, ENGINE_IPERF3 };

enum resource_kind {
	RESOURCE_LINK, /* crossed by traffic that leaves the hypervisor */
	RESOURCE_PORT, /* crossed by all that its NICs send and receive */
	RESOURCE_CPU   /* host-cpu: taken by every test that has an end on it */
};

/* The classes of product.md and schemas/results; unordered as classes. */
enum path_class {
	PATH_HOST_HOST,
	PATH_VM_VM_SAME_HOST,
	PATH_VM_VM_CROSS_HOST,
	PATH_VM_OWN_HOST,
	PATH_VM_OTHER_HOST,
	PATH_BAREMETAL_HOST,
	PATH_BAREMETAL_VM,
	PATH_BAREMETAL_BAREMETAL,
	PATH_CLASS_COUNT
};

/* "host-host", ... as the file and the database write them. */
extern const char *const path_class_names[PATH_CLASS_COUNT + 1]; /* NULL-terminated */
extern const char *const host_kind_names[]; /* "esxi", "vm", "baremetal", NULL */

/* NULL or 0: not said, so the user's ssh configuration decides. Files have their ~ expanded. */
struct ssh_settings {
	const char *user;
	const char *key; /* private key file */
	uint32_t port;
	const char *known_hosts;
	bool accept_new;
	enum ssh_transport transport;
	const char *config;        /* an ssh_config file, or "none" */
	const char *jump;          /* [user@]host[:port],... or "none" */
	const char *password_file; /* its first line is the password */
	const char *password_env;  /* the environment variable that holds it */
};

struct resource {
	struct src_pos pos;
	const char *name;
	enum resource_kind kind;
	uint64_t speed_bps;      /* 0: not said; always 0 for host-cpu */
	uint32_t frame_overhead; /* bytes a frame costs beyond its MTU: 38 for Ethernet */
	uint32_t slots;          /* host-cpu: tests at once, default 1; else 1 */
};

struct segment {
	struct src_pos pos;
	const char *name;
	uint32_t vlan;      /* 0: not said */
	const char *subnet; /* "10.1.0.0/24", NULL: not said */
	uint32_t max_mtu;   /* 0: not said */
	const char *note;
};

struct route {
	struct src_pos pos;
	const struct segment *a, *b;
	const char *via, *note;
};

struct nic {
	struct src_pos pos;
	const char *name; /* as the host names it: vmk1, ens192 */
	const struct host *host;
	const char *ip;  /* literal address; NULL: not said, see topology_nic_address() */
	const char *ip6; /* a second one, always IPv6; NULL: not said */
	const struct segment *segment; /* NULL: not said */
	enum nic_role role;
	const char *driver; /* family label: "em", "vmxnet3"; NULL: not said */
	uint64_t speed_bps; /* 0: not said */
	const char *uplink, *vswitch, *portgroup; /* NULL: not said */
	const struct resource **uses;
	size_t use_count;
	bool allow_busy; /* may be changed although storage, a bridge, a route or the like use it */
};

struct host {
	struct src_pos pos;
	const char *name;
	enum host_kind kind;
	const struct host *runs_on; /* hypervisor of a VM; NULL otherwise */
	const char *os;             /* "linux", "freebsd", "esxi"...; NULL: not said */
	const char *mgmt;           /* address or name for SSH; NULL only with CONNECTION_LOCAL */
	enum host_connection connection; /* LOCAL: the machine that vnm runs on */
	struct ssh_settings ssh;         /* defaults.ssh with the host's own keys over it */
	const struct resource **uses;
	size_t use_count;
	struct nic *nics;
	size_t nic_count;
};

/* ---- factors: what a cell may vary ---- */

enum factor {
	FACTOR_MTU,
	FACTOR_WINDOW,
	FACTOR_STREAMS,
	FACTOR_BUFFER,
	FACTOR_DIRECTION,
	FACTOR_DRIVER,
	FACTOR_LRO,
	FACTOR_TSO,
	FACTOR_DURATION,
	FACTOR_OMIT,
	FACTOR_BYTES,
	FACTOR_PROTOCOL,
	FACTOR_MODE,
	FACTOR_ZERO_COPY,
	FACTOR_BITRATE,
	FACTOR_MSS,
	FACTOR_NO_DELAY,
	FACTOR_DSCP,
	FACTOR_CONGESTION,
	FACTOR_IP_VERSION,
	FACTOR_AFFINITY,
	FACTOR_BIND_DEVICE,
	FACTOR_SOURCE_PORT,
	FACTOR_COUNT
};

enum toggle { TOGGLE_UNCHANGED, TOGGLE_OFF, TOGGLE_ON };
enum direction { DIRECTION_FORWARD, DIRECTION_REVERSE, DIRECTION_BIDIR };
enum protocol { PROTOCOL_TCP, PROTOCOL_UDP };
enum test_mode { MODE_BULK, MODE_RR /* a request and its response after the other */ };
enum zero_copy { ZERO_COPY_OFF, ZERO_COPY_SENDER, ZERO_COPY_BOTH };

/* A choice of levels for some factors; bit (1u << FACTOR_x) of `given` says which. */
struct setting {
	uint32_t given;
	uint32_t mtu_bytes;    /* 0: unchanged */
	uint64_t window_bytes; /* 0: default, the system's autotuning */
	uint32_t streams;
	uint64_t buffer_bytes; /* 0: default, the engine chooses */
	enum direction direction;
	const char *driver; /* family label */
	enum toggle lro, tso;
	uint32_t duration_ms;
	uint32_t omit_ms;
	uint64_t bytes; /* payload of all streams that ends a test; 0: none, the duration does */
	enum protocol protocol;
	enum test_mode mode;
	enum zero_copy zero_copy;
	uint64_t rate_bps;  /* payload of each stream; 0: unlimited */
	uint32_t mss_bytes; /* 0: default */
	bool no_delay;
	uint32_t dscp;          /* 0: default */
	const char *congestion; /* NULL: default */
	uint32_t ip_version;    /* 4, 6; 0: default, what the NICs have */
	const char *affinity;   /* "auto" or cores as "0-3,6"; NULL: off */
	bool bind_device;
	uint32_t source_port; /* of stream 1, stream n has n - 1 more; 0: any */
};

/* One axis of a grid: its levels. A plain axis sets one factor a level, a bundle several. */
struct axis {
	struct src_pos pos;
	const char *name;
	struct setting *levels;
	size_t level_count;
};

/* One end of a pair. nic NULL: "HOST", the NIC is chosen by the driver factor. */
struct endpoint {
	struct src_pos pos;
	const struct host *host;
	const struct nic *nic;
};

struct pair {
	struct src_pos pos;
	struct endpoint a, b; /* forward: a opens the connection and sends to b */
};

struct repeats {
	uint32_t min,
		max; /* max and precision: told as not yet supported when they differ from min */
	uint32_t precision_permille; /* 0: not said */
};

/* A line of `cells`: an exact cell. */
struct listed_cell {
	struct src_pos pos;
	struct setting setting;
	bool has_pair;
	struct pair pair;
	double published_bps;          /* NAN: none */
	int64_t published_retransmits; /* -1: none */
};

/* A line of `published`: the figure that belongs to all cells of the profile which `where` fits. */
struct published {
	struct src_pos pos;
	struct setting where;
	double bps;          /* NAN: not given */
	int64_t retransmits; /* -1: not given */
};

struct profile {
	struct src_pos pos;
	const char *name;
	struct pair *pairs;
	size_t pair_count;
	uint32_t classes;           /* bit (1u << PATH_x); 0: pairs are listed */
	const struct nic **between; /* ends to combine by class */
	size_t between_count;
	struct axis *grid;
	size_t axis_count;
	struct listed_cell *cells;
	size_t cell_count;
	struct setting fixed;
	bool has_repeats;
	struct repeats repeats; /* design's when not said */
	bool complete; /* also the cells that the listed ones leave out of their full table */
	struct published *published;
	size_t published_count;
	bool is_search; /* search: not yet supported; cannot be run */
};

enum isolation { ISOLATION_HOST, ISOLATION_DUPLEX, ISOLATION_MACHINE };
enum design_order { ORDER_SPLIT_PLOT, ORDER_RANDOM, ORDER_SERIAL };

struct design {
	uint32_t duration_ms, omit_ms;
	struct repeats repeats;
	enum design_order order;
	enum isolation isolation;
	bool has_seed;
	uint64_t seed;
};

/* Settings of NICs that a run may change: bits of struct safety. */
enum safety_change { SAFETY_MTU = 1, SAFETY_LRO = 2, SAFETY_TSO = 4 };

/* What may be changed on hosts. What was changed is always put back, and read back then. */
struct safety {
	uint32_t change; /* enum safety_change, or-ed; 0: nothing */
	uint32_t
		dead_man_ms; /* a host that hears nothing for so long undoes its changes; 10 s to 10 min */
	bool router_guard; /* refuse LRO on a host that forwards packets */
};

struct topology {
	struct arena arena;
	const char *path; /* as given */
	char *source;     /* the file's text, NUL-terminated */
	size_t source_len;
	char source_sha256[65];
	const char *name;
	const char *store; /* database file; a relative one is relative to the working directory */
	enum engine engine;
	uint16_t port_min, port_max;
	struct resource *resources;
	size_t resource_count;
	struct segment *segments;
	size_t segment_count;
	struct route *routes;
	size_t route_count;
	struct host *hosts;
	size_t host_count;
	struct design design;
	struct safety safety;
	struct profile *profiles;
	size_t profile_count;
};

/*
 * Reads and checks a topology file, or its text (`resume` has it from the
 * database; `path` is then only a name for messages). False when it cannot be
 * used: *err then tells the count, or why it cannot be read, and `diags` holds
 * every problem. On true `diags` may still hold notes (DIAG_NOTE): keys that
 * this version does not act on yet. Release with topology_done() in both cases.
 * `home` replaces a leading ~/ in file names.
 */
bool topology_load(const char *path, const char *home, struct topology *out,
                   struct diag_list *diags, struct err *err) NODISCARD;
bool topology_load_text(const char *path, const char *text, size_t len, const char *home,
                        struct topology *out, struct diag_list *diags, struct err *err) NODISCARD;
void topology_done(struct topology *topo);

/* NULL when there is none of that name. */
const struct host *topology_host(const struct topology *topo, const char *name);
const struct nic *topology_nic(const struct topology *topo, const char *dotted); /* "esx1.vmk1" */
const struct profile *topology_profile(const struct topology *topo, const char *name);

/* The class of the path between two NICs of different hosts. */
enum path_class topology_path_class(const struct nic *a, const struct nic *b);

/*
 * The NIC's address of an IP version, 4 or 6; NULL when it has none. For 0 its
 * `ip`, or its `ip6` when that is all it has.
 */
const char *topology_nic_address(const struct nic *nic, uint32_t ip_version);

#define TOPOLOGY_DSCP_MAX 63u

/* "ef" for 46; NULL when the code point has no name. */
const char *topology_dscp_name(unsigned dscp);

/*
 * True when traffic between the two goes through a router: their segments
 * differ. (topology_load has made sure that a route joins them where a pair
 * asks for it.)
 */
bool topology_is_routed(const struct nic *a, const struct nic *b);

/* The family of a driver label: em for lem, e1000 and e1000e, vmxnet3 for vmx, else the label. */
const char *topology_driver_family(const char *driver);

/*
 * The NIC that the driver factor chooses on a host: its only NIC of role test
 * and that family. NULL when there is none or more than one (topology_load has
 * made sure that there is one where a pair leaves the choice to the driver).
 */
const struct nic *topology_driver_nic(const struct host *host, const char *driver);

#endif
