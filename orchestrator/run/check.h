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

enum check_answer {
	CHECK_UNTRIED, /* one of the hosts is not up, or has no such NIC */
	CHECK_REACHED,
	CHECK_REFUSED, /* at once: a reset, or a message that says so */
	CHECK_DROPPED, /* no answer at all */
	CHECK_FAILED   /* the ends did not get so far, or something else answers: see reason */
};

/* One NIC opening a data connection to another, as some cell will. */
struct check_probe {
	const struct plan_cell *cell; /* the first cell that does so */
	const struct nic *connector, *listener;
	enum check_answer answer;
	double rtt_base_us; /* NAN: not known */
	char reason[256];   /* when not reached; "" = none */
};

/* What the agent of a host cannot do on its system, though cells ask for it: they will be skipped. */
struct check_lack {
	const struct host *host;
	char reason[256]; /* begins with the host's name */
	size_t cells;
};

struct check {
	struct hosts hosts;
	struct check_probe *probes;
	size_t probe_count;
	struct check_lack *lacks;
	size_t lack_count, lack_room;
	struct arena arena;
};

/*
 * Without a plan every host of the topology is reached, with all its NICs that
 * have an address, and no pair is tried. Asks the hosts for what hostops/survey.h tells, too.
 * Release with check_close() in any case.
 */
bool check_open(struct check *check, const struct topology *topo, const struct plan *plan,
                const struct link_options *options, struct err *err) NODISCARD;
void check_close(struct check *check); /* ends all agents */

/* How many probes of hosts that are up came to `host`, and how many were let in. */
void check_count_probes(const struct check *check, const struct host *host, size_t *reached,
                        size_t *all);

#endif
