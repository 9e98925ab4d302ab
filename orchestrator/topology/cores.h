/* SPDX-License-Identifier: MIT */
/* cores.h - lists of cores such as 0-3,6. */
#ifndef TOPOLOGY_CORES_H
#define TOPOLOGY_CORES_H

#include "common/arena.h"

/*
 * The one way to write a list that keeps to TEXT_CORES, in the arena: 0,1,2,3,6
 * becomes 0-3,6. NULL and "auto" stay what they are.
 */
const char *cores_canonical(struct arena *arena, const char *list);

#endif
