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
	[FACTOR_BYTES] = MEMBER(bytes),
	[FACTOR_PROTOCOL] = MEMBER(protocol),
	[FACTOR_MODE] = MEMBER(mode),
	[FACTOR_ZERO_COPY] = MEMBER(zero_copy),
	[FACTOR_BITRATE] = MEMBER(rate_bps),
	[FACTOR_MSS] = MEMBER(mss_bytes),
	[FACTOR_NO_DELAY] = MEMBER(no_delay),
	[FACTOR_DSCP] = MEMBER(dscp),
	[FACTOR_CONGESTION] = MEMBER(congestion),
	[FACTOR_IP_VERSION] = MEMBER(ip_version),
	[FACTOR_AFFINITY] = MEMBER(affinity),
	[FACTOR_BIND_DEVICE] = MEMBER(bind_device),
	[FACTOR_SOURCE_PORT] = MEMBER(source_port),
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

static bool same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool setting_same(const struct setting *a, const struct setting *b, enum factor factor)
{
	if (factor == FACTOR_DRIVER)
		return same_text(a->driver, b->driver);
	if (factor == FACTOR_CONGESTION)
		return same_text(a->congestion, b->congestion);
	if (factor == FACTOR_AFFINITY)
		return same_text(a->affinity, b->affinity);
	return memcmp((const char *)a + members[factor].offset,
	              (const char *)b + members[factor].offset, members[factor].size) == 0;
}
