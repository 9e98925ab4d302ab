/* SPDX-License-Identifier: MIT */
/* udp_sender.c - the loop of a thread that sends datagrams. */
#include <errno.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "measure/udp.h"
#include "measure/udp_pace.h"

#define NAP_NS     (50 * CLOCK_NS_PER_MS)         /* at most, to hear that the test is over */
#define REFUSED_NS (100 * CLOCK_NS_PER_MS / 1000) /* until the system is asked for room again */

struct work {
	struct stream *stream;
	struct udp_stream *own;
	unsigned char *memory;
	size_t payload_bytes;
	unsigned batch;
	enum platform_udp way;
	uint64_t sent;
	struct udp_pace pace;
};

static struct work begin(struct stream *s)
{
	const struct streams *t = s->all;
	const struct udp *u = t->own;
	struct work w = {
		.stream = s,
		.own = &u->stream[s->number - 1],
		.memory = u->memory.at + (s->number - 1) * u->stream_bytes,
		.payload_bytes = u->payload_bytes,
		.batch = u->batch,
		.way = (enum platform_udp)(t->mover - udp_senders),
	};

	udp_pace_start(&w.pace, t->request->rate_bps, clock_now_ns());
	return w;
}

/* How many may go now: 0 when the test is over. */
static unsigned next_batch(const struct work *w)
{
	const struct stream *s = w->stream;
	uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
	uint64_t total = w->sent * w->payload_bytes;
	uint64_t left;

	if (atomic_load_explicit(&s->all->order, memory_order_relaxed) == 0 || total >= limit)
		return 0;
	left = (limit - total - 1) / w->payload_bytes + 1; /* the last one is whole, too */
	return left < w->batch ? (unsigned)left : w->batch;
}

static void stamp(const struct work *w, unsigned count, uint64_t now_ns)
{
	struct udp_header h = {.sequence = w->sent, .sent_ns = now_ns};

	for (unsigned i = 0; i < count; i++) {
		h.sequence++;
		udp_header_format(&h, &w->own->tag, w->memory + i * w->payload_bytes);
	}
}

/* False when the stream cannot go on. */
static bool send_batch(struct work *w, unsigned count, uint64_t now_ns)
{
	struct stream *s = w->stream;
	int n;

	stamp(w, count, now_ns);
	n = platform_udp_send(s->data_fd, w->way, w->memory, w->payload_bytes, count);
	if (n > 0) {
		w->sent += (unsigned)n;
		udp_pace_spend(&w->pace, (unsigned)n * w->payload_bytes);
		atomic_store_explicit(&s->bytes, w->sent * w->payload_bytes, memory_order_relaxed);
		atomic_store_explicit(&s->units, w->sent, memory_order_relaxed);
		return true;
	}
	if (errno == EINTR)
		return true;
	if (errno != ENOBUFS && errno != EAGAIN) {
		s->end_errno = errno;
		return false;
	}
	atomic_fetch_add_explicit(&w->own->no_room, 1, memory_order_relaxed);
	clock_sleep_until(now_ns + REFUSED_NS);
	return true;
}

/* So that the receiver knows what is missing at the end. */
static void tell_count(const struct work *w)
{
	unsigned char bytes[UDP_COUNT_BYTES];
	ssize_t n;

	udp_count_format(w->sent, bytes);
	n = send(w->stream->fd, bytes, sizeof(bytes), MSG_NOSIGNAL);
	(void)n; /* fails only when the stream is dead, which the other end tells, too */
	(void)shutdown(w->stream->fd, SHUT_WR);
}

void udp_send_all(struct stream *s)
{
	const struct udp *u = s->all->own;
	struct work w;
	unsigned count;

	if (u->payload_bytes == 0)
		return; /* was closed before it was settled */
	w = begin(s);
	platform_exact_sleep();
	while ((count = next_batch(&w)) > 0) {
		uint64_t now = clock_now_ns();
		uint64_t due = udp_pace_due_ns(&w.pace, now);

		if (due > now)
			clock_sleep_until(due - now < NAP_NS ? due : now + NAP_NS);
		else if (!send_batch(&w, count, now))
			break;
	}
	tell_count(&w);
}
