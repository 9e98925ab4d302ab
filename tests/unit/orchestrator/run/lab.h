/* SPDX-License-Identifier: MIT */
/*
 * lab.h - a small lab and a plan over it as plain data, and a sink that
 * remembers, for the tests of run/.
 */
#ifndef TESTS_UNIT_RUN_LAB_H
#define TESTS_UNIT_RUN_LAB_H

#include "plan/plan.h"
#include "run/result.h"

#define LAB_HOSTS     4
#define LAB_CELLS_MAX 32
#define LAB_TESTS_MAX 128

struct lab {
	struct topology topo;
	struct host hosts[LAB_HOSTS]; /* a, b, c, d: bare metal with one NIC eth1 each */
	struct nic nics[LAB_HOSTS];
	struct resource link; /* 100 Mbit/s, crossed by every cell that lab_link() was asked for */
	const struct resource *links[1];
	struct plan plan;
	struct plan_cell cells[LAB_CELLS_MAX];
	struct plan_slot slots[LAB_CELLS_MAX * 4];
	struct plan_resource resources[LAB_HOSTS];
	uint32_t used[LAB_CELLS_MAX][2];
	bool done[LAB_CELLS_MAX * 4];
};

void lab_init(struct lab *lab);

/* Adds the cell src -> dst (indices of hosts); lab_plan() makes the slots of all. */
struct plan_cell *lab_cell(struct lab *lab, size_t src, size_t dst);
void lab_plan(struct lab *lab, uint32_t blocks);

/* A sink that keeps the last of everything. */
struct lab_sink {
	struct result_sink sink;
	struct arena words; /* that the tests below point to; lists are not kept */
	struct test_result tests[LAB_TESTS_MAX];
	size_t test_count;
	enum cell_state states[LAB_CELLS_MAX];
	char reasons[LAB_CELLS_MAX][256];
	size_t facts_before, facts_after, hosts, events;
	size_t fail_at; /* the n-th test cannot be kept; 0: never */
};

void lab_sink_init(struct lab_sink *s);
void lab_sink_done(struct lab_sink *s);

#endif
