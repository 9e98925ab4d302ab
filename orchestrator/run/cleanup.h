/* SPDX-License-Identifier: MIT */
/*
 * cleanup.h - looks on every host for what lost runs have left, and removes it.
 *
 * Reaches the hosts as a run does, but puts nothing there: all is done by two
 * commands of hostops/leftover.h over the same session. Blocks until every host has
 * answered or failed. Borrows the topology. One thread.
 */
#ifndef RUN_CLEANUP_H
#define RUN_CLEANUP_H

#include "common/arena.h"
#include "hostops/leftover.h"
#include "link/link.h"
#include "topology/topology.h"

enum cleanup_state {
	CLEANUP_ASKED, /* waiting for its answer */
	CLEANUP_KNOWN, /* `found` tells */
	CLEANUP_GONE   /* not reached, or lost: `why` */
};

struct cleanup_host {
	const struct host *host;
	enum cleanup_state state;
	struct link_info info;
	struct err why;
	struct leftovers found;
	struct shell_marker marker;
	struct leftover_reader *reader; /* NULL while removing */
	size_t next;                    /* the first leftover that was not asked to be removed */
};

struct cleanup {
	const struct topology *topology;
	struct link_set *links;
	struct cleanup_host *at; /* one for each topology->hosts */
	struct arena arena;
};

/* Looks. Release with cleanup_close() in any case. False: *err, nothing was reached. */
bool cleanup_open(struct cleanup *c, const struct topology *topo,
                  const struct link_options *options, struct err *err) NODISCARD;

/* Removes what is LEFTOVER_LOST; `is_gone` and `why_left` of each tell. */
void cleanup_remove(struct cleanup *c);

void cleanup_close(struct cleanup *c);

#endif
