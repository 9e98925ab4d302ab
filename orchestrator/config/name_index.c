/* SPDX-License-Identifier: MIT */
#include "config/name_index.h"

#include <stdint.h>
#include <string.h>

enum { NAME_INDEX_ROOM_MIN = 16 };

/* FNV-1a, 64 bit (RFC draft-eastlake-fnv). */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

static struct name_slot *slot_of(const struct name_index *index, const char *name)
{
	size_t at = (size_t)hash_of(name) & (index->room - 1);

	while (index->slots[at].name != NULL && strcmp(index->slots[at].name, name) != 0)
		at = (at + 1) & (index->room - 1);
	return &index->slots[at];
}

const void *name_index_get(const struct name_index *index, const char *name)
{
	return index->room == 0 ? NULL : slot_of(index, name)->value;
}

static void grow(struct name_index *index, struct arena *arena)
{
	struct name_index bigger = {.room = index->room == 0 ? NAME_INDEX_ROOM_MIN
	                                                     : index->room * 2};

	bigger.slots = arena_alloc(arena, bigger.room, sizeof(*bigger.slots));
	bigger.used = index->used;
	for (size_t i = 0; i < index->room; i++) {
		if (index->slots[i].name != NULL)
			*slot_of(&bigger, index->slots[i].name) = index->slots[i];
	}
	*index = bigger;
}

void name_index_put(struct name_index *index, struct arena *arena, const char *name,
                    const void *value)
{
	struct name_slot *slot;

	if (index->used * 2 >= index->room)
		grow(index, arena);
	slot = slot_of(index, name);
	if (slot->name == NULL)
		index->used++;
	slot->name = name;
	slot->value = value;
}
