/* SPDX-License-Identifier: MIT */
/* lab.h - the lab of the four published measurements, as the loader would give it. */
#ifndef TESTS_UNIT_ORCHESTRATOR_PLAN_LAB_H
#define TESTS_UNIT_ORCHESTRATOR_PLAN_LAB_H

#include "plan/plan.h"

/* Indices into lab.hosts and, of a host's NICs: the management NIC is the first. */
enum {
	LAB_ESX1,
	LAB_ESX2,
	LAB_TRUENAS,
	LAB_FREENAS2,
	LAB_VM1,
	LAB_VM2,
	LAB_VM3,
	LAB_PC,
	LAB_HOSTS
};

/* A bit of setting.given. */
#define GIVES(factor) (1u << FACTOR_##factor)

/* A fresh copy: tests may change it. What it points to is shared. */
struct topology lab_topology(void);

/* The NIC "esx1.vmk1" of the lab; fails the test when there is none. */
const struct nic *lab_nic(const char *dotted);

/* Makes a plan of the named profile (NULL: all) with seed 1; fails the test when that fails. */
struct plan lab_plan(const struct topology *topo, const char *profile);

/* The same with --only. */
struct plan lab_plan_only(const struct topology *topo, const char *profile, const char *only);

/* The message of a plan that cannot be made, or "" when it can. The next call overwrites it. */
const char *lab_plan_error(const struct topology *topo, const char *profile, const char *only,
                           enum err_kind *kind);

/* "esx1.vmk1 > truenas.vmx0 reverse mtu=1500 window=64K streams=4 buffer=128K lro=on tso=off 10s+2s",
 * without what is unchanged, default, one stream or forward. */
const char *lab_cell_text(const struct plan_cell *cell);

#endif
