/* SPDX-License-Identifier: MIT */
/*
 * memory.h - the memory that streams send from and receive into.
 */
#ifndef AGENT_MEASURE_MEMORY_H
#define AGENT_MEASURE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "measure/failure.h"

struct memory {
	unsigned char *at; /* NULL: none */
	size_t bytes;
};

/* Whole pages, every one touched and filled with bytes that a path cannot compress. */
bool memory_map(struct memory *m, size_t bytes, struct failure *f) NODISCARD;
void memory_unmap(struct memory *m); /* accepts {0} */

#endif
