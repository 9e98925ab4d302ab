/* SPDX-License-Identifier: MIT */
#include "measure/udp.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/udp_pace.h"

/* Headers of IP and UDP. */
static uint64_t overhead_bytes(const struct request *r)
{
	return r->own.at.any.sa_family == AF_INET6 ? 48 : 28;
}

static bool check_payload(const struct request *r, struct failure *f)
{
	if (r->buffer_bytes == 0 ||
	    (r->buffer_bytes >= UDP_HEADER_BYTES && r->buffer_bytes <= UDP_PAYLOAD_MAX))
		return true;
	return failure_set(f, FAILURE_USAGE,
	                   "a datagram of %" PRIu64 " bytes is out of range: %u to %u",
	                   r->buffer_bytes, UDP_HEADER_BYTES, UDP_PAYLOAD_MAX);
}

static void close_udp(struct streams *t)
{
	struct udp *u = t->own;

	memory_unmap(&u->memory);
	free(u->stream);
	free(u);
	t->own = NULL;
}

static bool open_udp(struct streams *t, struct failure *f)
{
	struct udp *u;

	if (!check_payload(t->request, f))
		return false;
	u = calloc(1, sizeof(*u));
	if (u == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	t->own = u;
	u->stream_bytes = t->side == REQUEST_SEND ? PLATFORM_UDP_PIECE_BYTES
	                                          : PLATFORM_UDP_PIECES * PLATFORM_UDP_PIECE_BYTES;
	u->stream = aligned_alloc(STREAMS_CACHE_LINE_BYTES, t->count * sizeof(*u->stream));
	if (u->stream == NULL)
		(void)failure_set(f, FAILURE_SYSTEM, "out of memory");
	if (u->stream == NULL || !memory_map(&u->memory, t->count * u->stream_bytes, f)) {
		close_udp(t);
		return false;
	}
	memset(u->stream, 0, t->count * sizeof(*u->stream));
	for (uint32_t i = 0; i < t->count; i++)
		udp_tag_make(t->request->token, i + 1, &u->stream[i].tag);
	atomic_store(&t->order, 1);
	return true;
}

/* The largest payload that fits the path; 0 when the system does not know. */
static uint64_t fitting_bytes(const struct streams *t, int data_fd)
{
	uint64_t mtu = platform_udp_path_mtu(data_fd);
	uint64_t overhead = overhead_bytes(t->request);
	uint64_t fits;

	if (mtu == PLATFORM_UNKNOWN || mtu < overhead + UDP_HEADER_BYTES)
		return 0;
	fits = mtu - overhead;
	return fits < UDP_PAYLOAD_MAX ? fits : UDP_PAYLOAD_MAX;
}

/* A segment of TCP has 12 bytes more of headers, and up to 12 less when it has time stamps. */
static uint64_t payload_like_tcp(int fd)
{
	int mss = 0;
	socklen_t len = sizeof(mss);

	if (getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len) < 0 || mss < 88)
		return 512; /* fits whatever carries IPv4, RFC 791: 576 bytes */
	return mss + 12 < (int)UDP_PAYLOAD_MAX ? (uint64_t)mss + 12 : UDP_PAYLOAD_MAX;
}

/* In one call. */
static unsigned most_datagrams(uint64_t payload)
{
	uint64_t most = PLATFORM_UDP_SEND_BYTES / payload;

	return most < PLATFORM_UDP_SEND_MAX ? (unsigned)most : PLATFORM_UDP_SEND_MAX;
}

static bool settle_payload(struct streams *t, int fd, int data_fd, struct failure *f)
{
	const struct request *r = t->request;
	struct udp *u = t->own;
	uint64_t fits = fitting_bytes(t, data_fd);
	uint64_t payload = r->buffer_bytes;

	if (payload == 0)
		payload = fits > 0 ? fits : payload_like_tcp(fd);
	if (r->rate_bps > 0 && r->rate_bps < payload * 8)
		return failure_set(f, FAILURE_USAGE,
		                   "%" PRIu64 " bit/s are less than a datagram of %" PRIu64
		                   " bytes a second: shorter ones, or a greater rate",
		                   r->rate_bps, payload);
	u->payload_bytes = (size_t)payload;
	u->batch = udp_pace_batch(r->rate_bps, payload, most_datagrams(payload));
	u->in_fragments = fits > 0 && payload > fits;
	t->unit_bytes = payload;
	return true;
}

/* The best way for one sender. What the system cuts into datagrams it does not cut again. */
static enum platform_udp settle_sender(const struct udp *u, int data_fd)
{
	enum platform_udp way;
	int told;
	socklen_t len = sizeof(told);

	(void)getsockopt(data_fd, SOL_SOCKET, SO_ERROR, &told, &len); /* of the trial before */
	platform_udp_keep_whole(data_fd, !u->in_fragments);
	way = platform_udp_send_way(data_fd);
	/* One of nobody's, of full size: if it does not get through, we hear of that before go. */
	(void)platform_udp_send(data_fd, PLATFORM_UDP_SINGLE, u->memory.at, u->payload_bytes, 1);
	return u->in_fragments && way > PLATFORM_UDP_MANY ? PLATFORM_UDP_MANY : way;
}

bool udp_settle(struct streams *t, const int *fds, const int *data_fds, struct failure *f)
{
	enum platform_udp way = PLATFORM_UDP_SEGMENTED;

	if (t->side == REQUEST_SEND && !settle_payload(t, fds[0], data_fds[0], f))
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		enum platform_udp best = t->side == REQUEST_SEND
		                                 ? settle_sender(t->own, data_fds[i])
		                                 : platform_udp_recv_way(data_fds[i]);

		if (best < way)
			way = best;
	}
	t->mover = t->side == REQUEST_SEND ? &udp_senders[way] : &udp_receivers[way];
	return true;
}

/* "udp_segment 44x1472", "sendmmsg 7x8972 in fragments". */
static void tell_sender(const struct streams *t, char *out, size_t room)
{
	const struct udp *u = t->own;

	(void)snprintf(out, room, "%s %ux%zu%s", t->mover->method, u->batch, u->payload_bytes,
	               u->in_fragments ? " in fragments" : "");
}

static uint64_t load(const _Atomic uint64_t *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

void udp_read(const struct streams *t, uint32_t index, struct udp_reading *out)
{
	const struct udp *u = t->own;
	const struct udp_stream *s = &u->stream[index];

	out->count = load(&t->stream[index].units);
	if (t->side == REQUEST_SEND) {
		*out = (struct udp_reading){out->count,       PLATFORM_UNKNOWN, PLATFORM_UNKNOWN,
		                            PLATFORM_UNKNOWN, PLATFORM_UNKNOWN, load(&s->no_room)};
		return;
	}
	out->lost = load(&t->stream[index].lost);
	out->reordered = load(&s->reordered);
	out->duplicates = load(&s->duplicates);
	out->jitter_ns = load(&s->jitter_ns);
	out->no_room = PLATFORM_UNKNOWN;
}

#define SENDER(name)                                                                        \
	{                                                                                   \
		.method = (name), .has_units = true, .open = open_udp, .run = udp_send_all, \
		.tell = tell_sender, .close = close_udp                                     \
	}
#define RECEIVER(name)                                                                         \
	{                                                                                      \
		.method = (name), .has_units = true, .open = open_udp, .run = udp_receive_all, \
		.close = close_udp                                                             \
	}

const struct mover udp_senders[] = {SENDER("send"), SENDER("sendmmsg"), SENDER("udp_segment")};
const struct mover udp_receivers[] = {RECEIVER("recv"), RECEIVER("recvmmsg"), RECEIVER("udp_gro")};
