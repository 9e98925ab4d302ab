/* SPDX-License-Identifier: MIT */
/*
 * check.h - the preflight: are the hosts there, does the agent run on them, do
 * they have the NICs, and do the data ports of each pair let connections in?
 *
 * The same first steps as a run, and then one connection a pair instead of a
 * test: no load, nothing changed. Blocks until every host has answered or failed.
 */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "plan/plan.h"
#include "run/hosts.h"

/* One NIC opening a data connection to another, as some cell will. */
struct check_probe {
	const struct plan_cell *cell; /* the first cell that does so */
	const struct nic *connector, *listener;
	bool is_reached;
	double rtt_base_us; /* NAN: not known */
	char reason[256];   /* when not reached */
};

struct check {
	struct hosts hosts;
	struct check_probe *probes;
	size_t probe_count;
	struct arena arena;
};

/*
 * Without a plan every host of the topology is reached, with all its NICs that
 * have an address, and no pair is tried. Release with check_close() in any case.
 */
bool check_open(struct check *check, const struct topology *topo, const struct plan *plan,
                const struct link_options *options, struct err *err) NODISCARD;
void check_close(struct check *check); /* ends all agents */

#endif
