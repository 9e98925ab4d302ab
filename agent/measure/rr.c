/* SPDX-License-Identifier: MIT */
#include "measure/rr.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "measure/histogram.h"
#include "measure/memory.h"
#include "measure/sockopt.h"
#include "measure/streams.h"

/* Beside the transactions in a stream's units: which time runs. One word, so that each
 * transaction lies on one side of a cut for those who count and those who sort. */
#define TIME_SHIFT 62
#define TIME_NEXT  (UINT64_C(1) << TIME_SHIFT)
enum { TIME_OMITTED, TIME_MEASURED };

struct rr {
	size_t piece_bytes;
	size_t stride_bytes;  /* between the streams' pieces */
	struct memory memory; /* one piece a stream: what it sends and what it receives */
	struct histogram *of; /* requester: by stream, then one for all; NULL */
};

static void close_rr(struct streams *t)
{
	struct rr *r = t->own;

	memory_unmap(&r->memory);
	free(r->of);
	free(r);
	t->own = NULL;
}

static bool open_rr(struct streams *t, struct failure *f)
{
	struct rr *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	t->own = r;
	t->unit_bytes = t->request->buffer_bytes > 0 ? t->request->buffer_bytes : RR_DEFAULT_BYTES;
	r->piece_bytes = (size_t)(t->unit_bytes < RR_PIECE_BYTES ? t->unit_bytes : RR_PIECE_BYTES);
	r->stride_bytes = (r->piece_bytes + STREAMS_CACHE_LINE_BYTES - 1) /
	                  STREAMS_CACHE_LINE_BYTES * STREAMS_CACHE_LINE_BYTES;
	if (!memory_map(&r->memory, r->stride_bytes * t->count, f)) {
		close_rr(t);
		return false;
	}
	atomic_store(&t->order, 1);
	return true;
}

static bool open_requester(struct streams *t, struct failure *f)
{
	struct rr *r;

	if (!open_rr(t, f))
		return false;
	r = t->own;
	r->of = malloc((t->count + 1) * sizeof(*r->of));
	if (r->of == NULL) {
		close_rr(t);
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	}
	for (uint32_t i = 0; i <= t->count; i++)
		histogram_init(&r->of[i]);
	for (uint32_t i = 0; i < t->count && t->request->omit_ns == 0; i++)
		atomic_store(&t->stream[i].units, TIME_NEXT);
	return true;
}

static unsigned char *piece_of(const struct stream *s)
{
	const struct rr *r = s->all->own;

	return r->memory.at + (s->number - 1) * r->stride_bytes;
}

static size_t next_bytes(const struct stream *s, uint64_t done)
{
	const struct rr *r = s->all->own;
	uint64_t left = s->all->unit_bytes - done;

	return left < r->piece_bytes ? (size_t)left : r->piece_bytes;
}

static void note_moved(struct stream *s, ssize_t n)
{
	uint64_t both = atomic_load_explicit(&s->both_ways, memory_order_relaxed);

	atomic_store_explicit(&s->both_ways, both + (uint64_t)n, memory_order_relaxed);
}

/* A whole request or response. False after an error, which the stream has then. */
static bool send_whole(struct stream *s)
{
	uint64_t done = 0;

	while (done < s->all->unit_bytes) {
		ssize_t n = send(s->fd, piece_of(s), next_bytes(s, done), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			s->end_errno = errno;
			return false;
		}
		done += (uint64_t)n;
		note_moved(s, n);
	}
	return true;
}

/* A whole request or response, whose first byte is *first then. False at the end of the
 * stream, too; in the middle that is an error. */
static bool receive_whole(struct stream *s, unsigned char *first)
{
	unsigned char *piece = piece_of(s);
	uint64_t done = 0;

	while (done < s->all->unit_bytes) {
		ssize_t n = recv(s->fd, piece, next_bytes(s, done), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			s->end_errno = errno;
		else if (n == 0 && done > 0)
			s->end_errno = ECONNRESET;
		if (n <= 0)
			return false;
		if (done == 0)
			*first = piece[0];
		done += (uint64_t)n;
		note_moved(s, n);
	}
	return true;
}

/* One more is complete; which time it belongs to. */
static unsigned count_one(struct stream *s)
{
	uint64_t before = atomic_fetch_add_explicit(&s->units, 1, memory_order_relaxed);
	uint64_t units = (before & STREAMS_UNITS_MASK) + 1;

	atomic_store_explicit(&s->bytes, units * s->all->unit_bytes, memory_order_relaxed);
	return (unsigned)(before >> TIME_SHIFT);
}

static bool is_to_go_on(const struct stream *s)
{
	return atomic_load_explicit(&s->all->order, memory_order_relaxed) != 0 &&
	       atomic_load_explicit(&s->bytes, memory_order_relaxed) <
	               atomic_load_explicit(&s->limit, memory_order_relaxed);
}

static void hear(const struct stream *s, unsigned char byte)
{
	if (byte != PREAMBLE_ENOUGH || atomic_load(&s->all->had_enough))
		return;
	atomic_store(&s->all->had_enough, true);
	streams_wake(s->all);
}

static void request(struct stream *s)
{
	struct rr *r = s->all->own;
	struct histogram *h = &r->of[s->number - 1];
	unsigned char first = 0;
	uint64_t start_ns;

	sockopt_set_nodelay(s->fd);
	piece_of(s)[0] = 0;
	start_ns = clock_now_ns();
	while (is_to_go_on(s)) {
		uint64_t now_ns;

		if (!send_whole(s))
			break;
		if (!receive_whole(s, &first)) {
			if (s->end_errno == 0)
				s->end_errno = ECONNRESET; /* a response is missing */
			break;
		}
		now_ns = clock_now_ns();
		if (count_one(s) == TIME_MEASURED)
			histogram_add(h, now_ns - start_ns);
		start_ns = now_ns;
		hear(s, first);
	}
	(void)shutdown(s->fd, SHUT_WR); /* fails only when the stream is dead: end_errno tells */
}

static void respond(struct stream *s)
{
	const struct streams *t = s->all;
	unsigned char *piece = piece_of(s);
	unsigned char first;

	sockopt_set_nodelay(s->fd);
	while (atomic_load_explicit(&t->order, memory_order_relaxed) != 0) {
		if (!receive_whole(s, &first))
			break;
		if (atomic_load_explicit(&s->first_ns, memory_order_relaxed) == 0)
			streams_note_first(s);
		piece[0] = atomic_load_explicit(&t->say_enough, memory_order_relaxed)
		                   ? PREAMBLE_ENOUGH
		                   : 0;
		if (!send_whole(s))
			break;
		(void)count_one(s);
	}
}

static uint64_t cut(struct stream *s)
{
	return atomic_fetch_add_explicit(&s->units, TIME_NEXT, memory_order_relaxed);
}

static const struct histogram *latency(const struct streams *t)
{
	struct rr *r = t->own;
	struct histogram *all = &r->of[t->count];

	histogram_init(all);
	for (uint32_t i = 0; i < t->count; i++)
		histogram_merge(all, &r->of[i]);
	return all;
}

const struct mover rr_requester = {.method = "rr",
                                   .signals_in_data = true,
                                   .has_units = true,
                                   .open = open_requester,
                                   .run = request,
                                   .cut = cut,
                                   .latency = latency,
                                   .close = close_rr};
const struct mover rr_responder = {.method = "rr",
                                   .signals_in_data = true,
                                   .has_units = true,
                                   .open = open_rr,
                                   .run = respond,
                                   .close = close_rr};
