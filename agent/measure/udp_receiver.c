/* SPDX-License-Identifier: MIT */
/* udp_receiver.c - the loop of a thread that receives datagrams. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "common/clock.h"
#include "measure/sockopt.h"
#include "measure/udp.h"

#define IDLE_NS  (UDP_IDLE_MS * CLOCK_NS_PER_MS)
#define DRAIN_NS (UDP_DRAIN_MS * CLOCK_NS_PER_MS)

struct work {
	struct stream *stream;
	struct udp_stream *own;
	unsigned char *memory;
	enum platform_udp way;
	uint64_t bytes;
	uint64_t look_ns; /* when to listen to the sender next */
	uint64_t last_ns; /* when the last datagrams came; 0: none did */
	/* What the sender said on its connection. */
	unsigned char count[UDP_COUNT_BYTES];
	size_t got;
	bool has_ended;
	uint64_t ended_ns; /* when we heard it */
};

/* The datagrams of one piece; what is not this test's is passed over. */
static void take_piece(struct work *w, const struct platform_udp_piece *piece, uint64_t now_ns)
{
	struct udp_header h;
	size_t bytes;

	for (size_t at = 0; at < piece->bytes; at += bytes) {
		bytes = piece->bytes - at;
		if (bytes > piece->datagram_bytes)
			bytes = piece->datagram_bytes;
		if (!udp_header_parse(piece->at + at, bytes, &w->own->tag, &h))
			continue;
		udp_stats_take(&w->own->stats, &h, now_ns);
		w->bytes += bytes;
	}
}

static void publish(const struct work *w)
{
	const struct udp_stats *stats = &w->own->stats;
	struct stream *s = w->stream;

	atomic_store_explicit(&s->bytes, w->bytes, memory_order_relaxed);
	atomic_store_explicit(&s->units, stats->received, memory_order_relaxed);
	atomic_store_explicit(&s->lost, udp_stats_lost(stats), memory_order_relaxed);
	atomic_store_explicit(&w->own->reordered, stats->reordered, memory_order_relaxed);
	atomic_store_explicit(&w->own->duplicates, stats->duplicates, memory_order_relaxed);
	atomic_store_explicit(&w->own->jitter_ns, udp_stats_jitter_ns(stats), memory_order_relaxed);
}

static void take_all(struct work *w, const struct platform_udp_piece *pieces, int count,
                     uint64_t now_ns)
{
	uint64_t before = w->bytes;

	for (int i = 0; i < count; i++)
		take_piece(w, &pieces[i], now_ns);
	if (w->bytes == before)
		return;
	w->last_ns = now_ns;
	if (before == 0)
		streams_note_first(w->stream);
	publish(w);
}

/* What the sender says on its connection; false when that is broken. */
static bool hear_sender(struct work *w, uint64_t now_ns)
{
	struct stream *s = w->stream;

	while (!w->has_ended) {
		unsigned char beyond;
		bool is_whole = w->got == sizeof(w->count);
		ssize_t n = recv(s->fd, is_whole ? &beyond : w->count + w->got,
		                 is_whole ? 1 : sizeof(w->count) - w->got, MSG_DONTWAIT);

		if (n < 0 && sockopt_is_passing(errno))
			return true;
		if (n < 0 || (n == 0) != is_whole) {
			s->end_errno = n < 0 ? errno : n == 0 ? ECONNRESET : EPROTO;
			return false;
		}
		w->got += (size_t)n;
		w->has_ended = n == 0;
		w->ended_ns = now_ns;
	}
	return true;
}

/* Nothing more to wait for. */
static bool is_over(const struct work *w, bool is_idle, uint64_t now_ns)
{
	return w->has_ended && (is_idle || now_ns - w->ended_ns >= DRAIN_NS ||
	                        w->own->stats.unique >= udp_count_parse(w->count));
}

static void set_patience(int fd)
{
	struct timeval patience = {.tv_usec = UDP_IDLE_MS * 1000};

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

/* False at the end. */
static bool receive_some(struct work *w)
{
	struct stream *s = w->stream;
	struct platform_udp_piece pieces[PLATFORM_UDP_PIECES];
	int n = platform_udp_recv(s->data_fd, w->way, w->memory, pieces);
	bool is_idle = n < 0 && errno == EAGAIN;
	uint64_t now;

	/* What ICMP says of the other end, the connection will tell. */
	if (n < 0 && !sockopt_is_passing(errno) && errno != ECONNREFUSED) {
		s->end_errno = errno;
		return false;
	}
	now = clock_now_ns();
	if (n > 0)
		take_all(w, pieces, n, now);
	if (n > 0 && now < w->look_ns)
		return true;
	w->look_ns = now + IDLE_NS;
	return hear_sender(w, now) && !is_over(w, is_idle, now);
}

void udp_receive_all(struct stream *s)
{
	const struct streams *t = s->all;
	const struct udp *u = t->own;
	struct work w = {
		.stream = s,
		.own = &u->stream[s->number - 1],
		.memory = u->memory.at + (s->number - 1) * u->stream_bytes,
		.way = (enum platform_udp)(t->mover - udp_receivers),
	};

	set_patience(s->data_fd);
	while (atomic_load_explicit(&t->order, memory_order_relaxed) != 0 && receive_some(&w))
		;
	atomic_store(&s->end_ns, w.last_ns); /* not when it was tired of waiting; 0: it is that */
	if (!w.has_ended)
		return;
	udp_stats_end(&w.own->stats, udp_count_parse(w.count));
	publish(&w);
}
