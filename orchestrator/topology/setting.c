/* SPDX-License-Identifier: MIT */
#include "topology/setting.h"

#include <string.h>

/* clang-format off */
#define MEMBER(name) {offsetof(struct setting, name), sizeof(((struct setting *)NULL)->name)}
static const struct {
	size_t offset, size;
} members[FACTOR_COUNT] = {
	[FACTOR_MTU] = MEMBER(mtu_bytes),
	[FACTOR_WINDOW] = MEMBER(window_bytes),
	[FACTOR_STREAMS] = MEMBER(streams),
	[FACTOR_BUFFER] = MEMBER(buffer_bytes),
	[FACTOR_DIRECTION] = MEMBER(direction),
	[FACTOR_DRIVER] = MEMBER(driver),
	[FACTOR_LRO] = MEMBER(lro),
	[FACTOR_TSO] = MEMBER(tso),
	[FACTOR_DURATION] = MEMBER(duration_ms),
	[FACTOR_OMIT] = MEMBER(omit_ms),
};
/* clang-format on */

void setting_take(struct setting *to, const struct setting *from, enum factor factor)
{
	memcpy((char *)to + members[factor].offset, (const char *)from + members[factor].offset,
	       members[factor].size);
	to->given = (to->given & ~(1u << factor)) | (from->given & (1u << factor));
}

void setting_overlay(struct setting *to, const struct setting *from)
{
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((from->given & (1u << f)) != 0)
			setting_take(to, from, (enum factor)f);
	}
}

bool setting_same(const struct setting *a, const struct setting *b, enum factor factor)
{
	if (factor == FACTOR_DRIVER) {
		if (a->driver == NULL || b->driver == NULL)
			return a->driver == b->driver;
		return strcmp(a->driver, b->driver) == 0;
	}
	return memcmp((const char *)a + members[factor].offset,
	              (const char *)b + members[factor].offset, members[factor].size) == 0;
}
