/* SPDX-License-Identifier: MIT */
/*
 * hosts.h - the hosts of a run: reached or not, and what their agents said of
 * them.
 *
 * Sits between the links and the run: asks every agent for the facts of its
 * machine and of the NICs that are used, keeps them, and decides when a lost
 * host is tried again and when it is given up. Borrows the topology. One
 * thread.
 */
#ifndef RUN_HOSTS_H
#define RUN_HOSTS_H

#include "common/arena.h"
#include "link/link.h"
#include "run/result.h"
#include "topology/topology.h"

#define HOSTS_RETRIES_MAX 3u     /* of a host that was up and got lost */
#define HOSTS_FACTS_MS    10000u /* an agent that has not told its facts by then is given up */

enum hosts_state {
	HOSTS_UNUSED,     /* not part of this run */
	HOSTS_CONNECTING, /* on the way up, or telling its facts */
	HOSTS_READY,
	HOSTS_WAITING, /* lost, will be tried again */
	HOSTS_GONE     /* given up */
};

/* What is known of a NIC that the run uses. */
struct hosts_nic {
	const struct nic *nic;
	bool is_known;        /* the agent found the address */
	char problem[160];    /* why not */
	char name[64];        /* as the system calls it; "" unknown */
	int64_t mtu_bytes;    /* RESULT_UNKNOWN */
	enum toggle lro, tso; /* TOGGLE_UNCHANGED: not known */
	struct hosts_nic *next;
};

struct hosts_fact {
	struct result_fact fact;
	struct hosts_fact *next;
};

struct hosts_entry {
	const struct host *host;
	enum hosts_state state;
	bool was_ready; /* once, in this run */
	struct link_info info;
	struct err why; /* HOSTS_WAITING, HOSTS_GONE */
	unsigned retries;
	int64_t down_since_wall_ms;
	uint64_t due_ns; /* facts deadline, or time of the next try */
	struct hosts_nic *nics;
	struct arena facts_arena;
	struct hosts_fact *facts; /* in the order told */
	struct hosts_fact **facts_tail;
	size_t facts_pending;       /* requests not answered in full */
	int64_t rmem_max, wmem_max; /* RESULT_UNKNOWN; for the remedy of a clamped window */
};

struct hosts_request {
	uint32_t id; /* 0: free */
	size_t host;
	struct hosts_nic *nic; /* NULL: the machine */
};

struct hosts {
	const struct topology *topology;
	struct link_set *links;
	struct hosts_entry *at; /* one for each topology->hosts; link index = host index */
	struct hosts_request *requests;
	size_t request_room;
	uint32_t next_id;
	struct arena arena;
};

/* How a host is reached, as the topology says; borrows its texts. */
struct link_target hosts_target(const struct host *host);

/* Makes the links; starts nothing. False: *err. */
bool hosts_init(struct hosts *hosts, const struct topology *topo,
                const struct link_options *options, struct err *err) NODISCARD;
void hosts_done(struct hosts *hosts); /* ends all agents, see link_set_free() */

/* This NIC's host takes part. Before hosts_start(). */
void hosts_use(struct hosts *hosts, const struct nic *nic);

void hosts_start(struct hosts *hosts, uint64_t now_ns); /* connects every used host */

/*
 * Lets hosts see an event first. True when the event was about reaching a host
 * or its facts and is dealt with; the caller then looks at the entry's state.
 * LINK_DOWN is dealt with here too, but the caller must also end its tests.
 */
bool hosts_event(struct hosts *hosts, const struct link_event *event, uint64_t now_ns);

/* Tries again what is due, gives up what took too long. Next time of interest, or UINT64_MAX. */
uint64_t hosts_tick(struct hosts *hosts, uint64_t now_ns);

/* Asks for the facts again (phase `after`); READY hosts become CONNECTING until told. */
void hosts_ask_facts(struct hosts *hosts, size_t host, uint64_t now_ns);

bool hosts_any(const struct hosts *hosts, enum hosts_state state);
size_t hosts_index(const struct hosts *hosts, const struct host *host);
const struct hosts_nic *hosts_nic(const struct hosts *hosts,
                                  const struct nic *nic); /* NULL: not used */

/* A fact of a NIC that was changed meanwhile: "nic.mtu", "nic.lro", "nic.tso". */
void hosts_learn(struct hosts *hosts, const struct nic *nic, const char *key, const char *value);

/* An id for a message; never 0. */
uint32_t hosts_id(struct hosts *hosts);

#endif
