/* SPDX-License-Identifier: MIT */
/*
 * plan.h - the cells to measure, in an order that is safe to run: plain data.
 *
 * Second stage: topology -> [plan] -> run. Made by plan_make(), read-only
 * afterwards. Borrows from the topology, which must outlive it. The same
 * topology text, request and version give the same plan, to the byte: that is
 * what `resume` rests on.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "common/arena.h"
#include "common/sha256.h"
#include "topology/topology.h"

/*
 * Results of different generations of an engine are not comparable and get
 * different fingerprints (plan_key.h). The agent's is raised when its way of
 * moving data changes what a cell reaches; iperf3's is its major version.
 */
#define PLAN_AGENT_GENERATION  2u
#define PLAN_IPERF3_GENERATION 3u

/* A cell's treatment: every factor has its level. */
struct plan_config {
	enum engine engine;    /* ENGINE_AUTO is resolved to ENGINE_AGENT in this version */
	uint32_t mtu_bytes;    /* 0: unchanged */
	uint64_t window_bytes; /* 0: default */
	uint32_t streams;
	uint64_t buffer_bytes; /* 0: the engine chooses */
	enum toggle lro, tso;
	uint32_t duration_ms, omit_ms; /* duration 0: `bytes` ends it */
	uint64_t bytes;                /* payload of all streams after omit; 0: none */
	bool is_bidir;                 /* src to dst and back at the same time; src opens both */
	enum protocol protocol;
	enum test_mode mode;
	enum zero_copy zero_copy;
	uint64_t rate_bps;  /* payload of each stream; 0: unlimited */
	uint32_t mss_bytes; /* 0: default */
	bool no_delay;
	uint32_t dscp;          /* 0: default */
	const char *congestion; /* NULL: default */
	uint32_t ip_version;    /* 4, 6; 0: default, see topology_nic_address() */
	const char *affinity;   /* "auto" or cores as "0-3,6"; NULL: off */
	bool bind_device;
	uint32_t source_port; /* of stream 1, stream n has n - 1 more; 0: any */
};

/* What a test holds while it runs; two tests that share one never overlap (beyond its slots). */
struct plan_resource {
	/* "esx1", "esx1 (hypervisor)", "esx1.vmk1", "esx1-uplink", "esx1-uplink tx" */
	const char *name;
	uint32_t slots;
};

struct plan_membership {
	const struct profile *profile;
	double published_bps;          /* NAN: none */
	int64_t published_retransmits; /* -1: none */
};

struct plan_cell {
	uint32_t index;        /* into plan->cells */
	const struct nic *src; /* the sender, always */
	const struct nic *dst; /* the receiver */
	bool dst_initiates;    /* true: the receiver opened the connection (direction reverse) */
	enum path_class path_class;
	bool is_routed;
	struct plan_config config;
	/* Of src, dst, drivers, initiator, config: the key of a time series (plan_key.h). */
	char fingerprint[SHA256_HEX_BYTES];
	char config_sha256[SHA256_HEX_BYTES];
	uint32_t repeats;    /* tests of this cell */
	uint32_t *resources; /* indices into plan->resources, ascending */
	size_t resource_count;
	/* Links and ports that the traffic crosses, for the ceiling. */
	const struct resource **links;
	size_t link_count;
	struct plan_membership *profiles;
	size_t profile_count;
};

/* One test to run. Ordered by block, then round, then seq. */
struct plan_slot {
	uint32_t cell;
	uint32_t replicate; /* from 1; = block + 1 less blocks without this cell */
	uint32_t block;     /* from 1: one pass over all cells */
	uint32_t round;     /* from 1 within the run: tests of one round share nothing */
	uint32_t seq;       /* from 1 over the whole plan */
};

/* What the user asked for. */
struct plan_request {
	const char *const *profiles; /* names; none: see plan_make() */
	size_t profile_count;
	const char *only; /* --only expression (plan_only.h), NULL: all */
	bool has_seed;
	uint64_t seed; /* else design.seed, else one is drawn by the caller */
};

struct plan {
	struct arena arena;
	const struct topology *topology;
	uint64_t seed;
	const struct profile **profiles; /* the request's, or all that can be run; each once */
	size_t profile_count;
	struct plan_cell *cells; /* profiles in their order, in each the order of the file */
	size_t cell_count;
	struct plan_resource *resources;
	size_t resource_count;
	struct plan_slot *slots;
	size_t slot_count;
	uint32_t blocks;
	uint32_t rounds;
	char sha256[SHA256_HEX_BYTES]; /* of everything above */
	/* For `vnm plan`: what was added or left out without being asked, a line each. */
	const char **notes;
	size_t note_count;
	size_t note_room; /* of plan_make() only */
};

#define PLAN_TEST_OVERHEAD_MS 400u /* set-up, connect, drain: for the estimate only */

#define PLAN_CELLS_MAX 1000000u
#define PLAN_TESTS_MAX 20000000u

/*
 * Expands the request's profiles (none named: all that are not `search`, in the
 * order of the file) to cells, drops doubles (one cell may belong to several
 * profiles), and orders the tests. ERR_USAGE: unknown profile, bad --only,
 * nothing left. ERR_INPUT: more than PLAN_CELLS_MAX cells or PLAN_TESTS_MAX
 * tests, or no NIC fits an end that is given as a host. Release *out with
 * plan_done() after true; false leaves it alone.
 * `seed` is used when neither request nor design has one.
 *
 * A factor's level is the grid's or the listed cell's, else the profile's
 * fixed, else the design's (duration, omit), else: one stream, everything else
 * as the system has it, forward.
 */
bool plan_make(const struct topology *topo, const struct plan_request *request, uint64_t seed,
               struct plan *out, struct err *err) NODISCARD;
void plan_done(struct plan *plan);

/*
 * How long one test of the cell will take, ms. One that `bytes` ends is reckoned
 * with the least speed that is known on its way (links, ports, physical NICs,
 * `bitrate`), and where none is known with the design's duration.
 */
uint64_t plan_test_ms(const struct plan *plan, const struct plan_cell *cell);

/* How long the slots from `first` on will take, ms, with tests side by side where rounds allow. */
uint64_t plan_estimate_ms(const struct plan *plan, size_t first);

/* True when a setting of the hosts is asked for: mtu, lro or tso not `unchanged`. */
bool plan_needs_setting(const struct plan_config *config);

enum plan_setting { PLAN_MTU, PLAN_LRO, PLAN_TSO, PLAN_SETTING_COUNT };

/* One setting of one NIC that cells ask for. */
struct plan_change {
	const struct nic *nic;
	enum plan_setting setting;
	uint32_t *levels; /* asked for, ascending, each once: bytes, or enum toggle */
	size_t level_count;
	/*
	 * How often it must be set when the slots are run in their order: each time it is asked to
	 * be other than the NIC's test before left it, and the first time it is asked for at all.
	 */
	size_t changes;
};

struct plan_changes {
	struct plan_change *at; /* in the order of the topology's NICs, then of enum plan_setting */
	size_t count;
};

/* What the plan may have to change on hosts, if they are not so already. In the arena. */
struct plan_changes plan_list_changes(const struct plan *plan, struct arena *arena);

/* The sum of its `changes`. */
size_t plan_setting_changes(const struct plan *plan);

#endif
