/* SPDX-License-Identifier: MIT */
/* random_lab.h - labs of random shape with one profile over all ordered pairs. */
#ifndef TESTS_UNIT_ORCHESTRATOR_PLAN_RANDOM_LAB_H
#define TESTS_UNIT_ORCHESTRATOR_PLAN_RANDOM_LAB_H

#include "plan/plan.h"
#include "plan/plan_random.h"

/* No lab of random_lab_make() has more resources. */
#define RANDOM_LAB_RESOURCES_MAX 128

struct random_lab {
	struct arena arena;
	struct topology topo; /* its parts lie in the arena */
	struct profile profile;
};

/*
 * Up to four hypervisors, each with up to four VMs, and up to three machines;
 * ports, shared links, vSwitches, a second segment, CPUs with slots, isolation
 * and order as the dice fall. At least two hosts. *lab must not move.
 */
void random_lab_make(struct random_lab *lab, struct plan_random *random);

/* So many equal hypervisors, each with an own uplink and so many VMs; isolation host. */
void random_lab_of(struct random_lab *lab, struct plan_random *random, size_t hypervisors,
                   size_t vms);

void random_lab_done(struct random_lab *lab);

#endif
