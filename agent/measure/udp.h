/* SPDX-License-Identifier: MIT */
/*
 * udp.h - datagrams: senders, receivers, and what they count.
 *
 * Each stream has its TCP connection as for tcp, which carries the signals: at its
 * end the sender tells there how many datagrams it has sent (udp_header.h) and
 * closes its direction. The datagrams have sockets of their own (udp_socket.h).
 *
 * Datagrams go in fragments only when the size asked for does not fit the path's MTU,
 * which the method tells; else they go whole or not at all.
 */
#ifndef AGENT_MEASURE_UDP_H
#define AGENT_MEASURE_UDP_H

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/memory.h"
#include "measure/mover.h"
#include "measure/streams.h"
#include "measure/udp_stats.h"
#include "platform/platform.h"

#define UDP_PAYLOAD_MAX 65507u /* 65535 less the headers of IPv4 and UDP */

/* The receiver waits so long for what is still on its way after the sender's end. */
#define UDP_IDLE_MS  50u
#define UDP_DRAIN_MS 500u

/* By enum platform_udp. The first is a request's mover until udp_settle(). */
extern const struct mover udp_senders[PLATFORM_UDP_WAYS];
extern const struct mover udp_receivers[PLATFORM_UDP_WAYS];

/*
 * All streams are connected: finds the best way for these sockets (t->mover) and, for a
 * sender, the payload of a datagram: what was asked for, or what fits the path. Fails
 * with kind usage when the rate is less than one a second. A sender's is done again before
 * it begins: the system may have heard of a smaller MTU on the way meanwhile.
 */
bool udp_settle(struct streams *t, const int *fds, const int *data_fds,
                struct failure *f) NODISCARD;

/* What one stream has come to. */
struct udp_reading {
	uint64_t count; /* sent, or received with duplicates */
	/* Receiver; else PLATFORM_UNKNOWN. */
	uint64_t lost;
	uint64_t reordered;
	uint64_t duplicates;
	uint64_t jitter_ns;
	/* Sender; else PLATFORM_UNKNOWN. */
	uint64_t no_room; /* times that the system had no room; tried again */
};
void udp_read(const struct streams *t, uint32_t index, struct udp_reading *out);

/* For the two files with the threads' loops. */
struct udp_stream {
	/* Written by the thread; the streams' other counters are in struct stream. */
	_Alignas(STREAMS_CACHE_LINE_BYTES) _Atomic uint64_t reordered;
	_Atomic uint64_t duplicates;
	_Atomic uint64_t jitter_ns;
	_Atomic uint64_t no_room;
	struct udp_tag tag;
	struct udp_stats stats; /* receiver */
};

struct udp {
	size_t payload_bytes; /* sender, after udp_settle(); these three */
	unsigned batch;       /* datagrams a call */
	bool in_fragments;
	size_t stream_bytes; /* of the memory, a stream's part */
	struct memory memory;
	struct udp_stream *stream;
};

void udp_send_all(struct stream *s);
void udp_receive_all(struct stream *s);

#endif
