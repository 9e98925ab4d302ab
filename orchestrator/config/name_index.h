/* SPDX-License-Identifier: MIT */
/*
 * name_index.h - finds a thing by its name in constant time.
 *
 * A hash table of borrowed names and pointers. {0} is an empty index. Its
 * memory comes from the arena given to name_index_put() and dies with it.
 * Looking up is safe from several threads once nothing is put any more.
 */
#ifndef CONFIG_NAME_INDEX_H
#define CONFIG_NAME_INDEX_H

#include <stddef.h>

#include "common/arena.h"

struct name_slot {
	const char *name; /* NULL: free */
	const void *value;
};

struct name_index {
	struct name_slot *slots;
	size_t room; /* 0 or a power of two */
	size_t used;
};

/* The value put under that name, NULL when there is none. */
const void *name_index_get(const struct name_index *index, const char *name);

/* Puts value, which is not NULL, under name; a value that is there already is replaced. Both are
 * borrowed. */
void name_index_put(struct name_index *index, struct arena *arena, const char *name,
                    const void *value);

#endif
