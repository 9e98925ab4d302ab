/* SPDX-License-Identifier: MIT */
/*
 * udp_header.h - what every datagram of a test begins with.
 *
 *	bytes	0..7	sequence, from 1, big-endian
 *		8..15	when the sender gave it to its system, on its own monotonic clock, ns, big-endian
 *		16..21	the first bytes of the test's token
 *		22..23	stream, from 1, big-endian
 *
 * The rest of the payload means nothing. Token and stream keep out what an earlier test
 * left on its way: the ports alone may be the same.
 */
#ifndef AGENT_MEASURE_UDP_HEADER_H
#define AGENT_MEASURE_UDP_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/wire/preamble.h"

#define UDP_HEADER_BYTES 24u

struct udp_header {
	uint64_t sequence;
	uint64_t sent_ns;
};

/* What all datagrams of one stream have in common. */
struct udp_tag {
	unsigned char bytes[8];
};
void udp_tag_make(const unsigned char token[PREAMBLE_TOKEN_BYTES], uint32_t stream,
                  struct udp_tag *out);

void udp_header_format(const struct udp_header *h, const struct udp_tag *tag,
                       unsigned char out[UDP_HEADER_BYTES]);

/* False when it is none of this stream's: too short, another tag, sequence 0. */
bool udp_header_parse(const unsigned char *at, size_t bytes, const struct udp_tag *tag,
                      struct udp_header *out) NODISCARD;

/* How many datagrams there were, as the sender tells it on the stream's connection at its
 * end: a big-endian number. */
#define UDP_COUNT_BYTES 8u
void udp_count_format(uint64_t count, unsigned char out[UDP_COUNT_BYTES]);
uint64_t udp_count_parse(const unsigned char in[UDP_COUNT_BYTES]);

#endif
