/* SPDX-License-Identifier: MIT */
/* Datagrams, each a byte with its length and its bytes: one that is accepted is the one that
 * would have been written, and whatever their order the counts agree with each other. */
#include <stdlib.h>
#include <string.h>

#include "measure/udp_header.h"
#include "measure/udp_stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct udp_stats *s)
{
	if (s->unique + s->duplicates != s->received || s->reordered > s->unique ||
	    udp_stats_lost(s) > s->highest)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned char token[PREAMBLE_TOKEN_BYTES] = {'v', 'n', 'm', 't', 'o', 'k'};
	static struct udp_stats stats;
	unsigned char again[UDP_HEADER_BYTES];
	struct udp_tag tag;
	uint64_t now = 0;

	memset(&stats, 0, sizeof(stats));
	udp_tag_make(token, 1, &tag);
	while (size > 0) {
		size_t bytes = *data < size - 1 ? *data : size - 1;
		struct udp_header h;

		data++;
		if (udp_header_parse(data, bytes, &tag, &h)) {
			udp_header_format(&h, &tag, again);
			if (memcmp(data, again, sizeof(again)) != 0)
				abort();
			udp_stats_take(&stats, &h, now += 1000);
			check(&stats);
		}
		data += bytes;
		size -= bytes + 1;
	}
	udp_stats_end(&stats, now);
	check(&stats);
	return 0;
}
