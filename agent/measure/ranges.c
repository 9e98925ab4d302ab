/* SPDX-License-Identifier: MIT */
#include "measure/ranges.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The ranges of the numbers of `prepare`. */
struct range {
	const char *name;
	size_t offset; /* in struct msg_prepare */
	enum wire_kind kind;
	uint64_t min;
	uint64_t max;
};

#define RANGE(kind, field, min, max)                                                          \
	{                                                                                     \
#field, offsetof(struct msg_prepare, field), WIRE_KIND_##kind, UINT64_C(min), \
			UINT64_C(max)                                                         \
	}

/* An OPT number that is left out is not checked. The least window is a page (the
 * kernel rounds up below), the greatest that of iperf3; a day is long enough for
 * a soak test. */
/* clang-format off */
static const struct range ranges[] = {
	RANGE(u32, port,         1,    65535),
	RANGE(u32, port_min,     1,    65535),
	RANGE(u32, port_max,     1,    65535),
	RANGE(u32, streams,      1,    128),
	RANGE(u64, window_bytes, 4096, 536870912),
	RANGE(u64, buffer_bytes, 1,    16777216),
	RANGE(u32, omit_ms,      0,    600000),
	RANGE(u32, duration_ms,  100,  86400000),
	RANGE(u32, interval_ms,  20,   86400000),
	RANGE(u32, rtt_probes,   0,    1000),
	RANGE(u64, bytes,        1,    1125899906842624),
	RANGE(u64, rate_bps,     8000, 1000000000000),
	RANGE(u32, mss_bytes,    88,   65483),
	RANGE(u32, no_delay,     0,    1),
	RANGE(u32, dscp,         0,    63),
	RANGE(u32, source_port,  1024, 65535),
	RANGE(u32, probe_ms,     1,    60000),
};
/* clang-format on */

static uint64_t load(const struct msg_prepare *m, const struct range *r, bool *is_known)
{
	const char *at = (const char *)m + r->offset;
	uint64_t u64;
	uint32_t u32;

	if (r->kind == WIRE_KIND_u64) {
		memcpy(&u64, at, sizeof(u64));
		*is_known = u64 != WIRE_UNKNOWN_U64;
		return u64;
	}
	memcpy(&u32, at, sizeof(u32));
	*is_known = u32 != WIRE_UNKNOWN_U32;
	return u32;
}

bool ranges_check(const struct msg_prepare *m, struct failure *f)
{
	for (size_t i = 0; i < COUNT_OF(ranges); i++) {
		const struct range *r = &ranges[i];
		bool is_known;
		uint64_t value = load(m, r, &is_known);

		if (is_known && (value < r->min || value > r->max))
			return failure_set(f, FAILURE_USAGE,
			                   "%s %" PRIu64 " is out of range: %" PRIu64
			                   " to %" PRIu64,
			                   r->name, value, r->min, r->max);
	}
	return true;
}
