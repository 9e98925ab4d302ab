/* SPDX-License-Identifier: MIT */
#include "measure/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure/memory.h"
#include "measure/streams.h"

struct copy {
	bool is_adaptive; /* the number of slices is ours to choose */
	size_t slice_bytes;
	size_t last_bytes;    /* the last of the slices, when their number is fixed */
	struct memory memory; /* sender: one slice for all; receiver: one a stream */
};

/* How a call is cut into slices. A write of a given size has as many of at least
 * COPY_SLICE_BYTES as it needs, the last one shorter. */
static unsigned choose_slices(const struct streams *t, struct copy *c)
{
	uint64_t buffer_bytes = t->request->buffer_bytes;
	uint64_t slice = COPY_SLICE_BYTES;
	unsigned count = 1; /* the first call on an unknown path is small; adapt() follows */

	c->is_adaptive = t->side == REQUEST_SEND && buffer_bytes == 0;
	c->last_bytes = COPY_SLICE_BYTES;
	if (t->side == REQUEST_RECV)
		count = COPY_SLICES_MAX;
	if (t->side == REQUEST_SEND && buffer_bytes > 0) {
		if (buffer_bytes > COPY_CALL_BYTES)
			slice = (buffer_bytes + COPY_SLICES_MAX - 1) / COPY_SLICES_MAX;
		count = (unsigned)((buffer_bytes + slice - 1) / slice);
		c->last_bytes = (size_t)(buffer_bytes - (count - 1) * slice);
	}
	c->slice_bytes = (size_t)slice;
	return count;
}

static bool open_copy(struct streams *t, struct failure *f)
{
	struct copy *c = calloc(1, sizeof(*c));
	unsigned slices;

	if (c == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	slices = choose_slices(t, c);
	if (!memory_map(&c->memory, c->slice_bytes * (t->side == REQUEST_RECV ? t->count : 1), f)) {
		free(c);
		return false;
	}
	t->own = c;
	atomic_store(&t->order, slices);
	return true;
}

static void close_copy(struct streams *t)
{
	struct copy *c = t->own;

	memory_unmap(&c->memory);
	free(c);
	t->own = NULL;
}

/* Fills iov[] with slices of the stream's memory; returns their number. */
static unsigned set_slices(const struct stream *s, struct iovec iov[COPY_SLICES_MAX])
{
	const struct streams *t = s->all;
	const struct copy *c = t->own;
	size_t offset = t->side == REQUEST_RECV ? (s->number - 1) * c->slice_bytes : 0;
	unsigned count = atomic_load(&t->order);

	for (unsigned i = 0; i < COPY_SLICES_MAX; i++)
		iov[i] = (struct iovec){c->memory.at + offset, c->slice_bytes};
	if (t->side == REQUEST_SEND && !c->is_adaptive && count > 0)
		iov[count - 1].iov_len = c->last_bytes;
	return count;
}

static ssize_t call_bytes(const struct iovec *iov, unsigned slices)
{
	size_t sum = 0;

	for (unsigned i = 0; i < slices; i++)
		sum += iov[i].iov_len;
	return (ssize_t)sum;
}

/* The last call before a limit: what is left of it, in the slices of one call. */
static ssize_t send_rest(const struct stream *s, const struct iovec *slices, unsigned count,
                         uint64_t left)
{
	struct iovec iov[COPY_SLICES_MAX];
	unsigned n = 0;

	while (n < count && left > 0) {
		iov[n] = slices[n];
		if (iov[n].iov_len > left)
			iov[n].iov_len = (size_t)left;
		left -= iov[n].iov_len;
		n++;
	}
	return writev(s->fd, iov, (int)n);
}

static void send_all(struct stream *s)
{
	const struct streams *t = s->all;
	struct iovec iov[COPY_SLICES_MAX];
	uint64_t total = 0;
	unsigned slices = set_slices(s, iov);

	while (slices != 0) {
		uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
		ssize_t n;

		if (limit <= total)
			break;
		if (limit - total >= COPY_CALL_BYTES * 16 ||
		    limit - total >= (uint64_t)call_bytes(iov, slices))
			n = writev(s->fd, iov, (int)slices);
		else
			n = send_rest(s, iov, slices, limit - total);
		if (n < 0 && errno != EINTR) {
			s->end_errno = errno;
			break;
		}
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
		slices = atomic_load_explicit(&t->order, memory_order_relaxed);
	}
	(void)shutdown(s->fd, SHUT_WR); /* fails only when the stream is dead: end_errno tells */
}

static void receive_all(struct stream *s)
{
	const struct streams *t = s->all;
	struct iovec iov[COPY_SLICES_MAX];
	uint64_t total = 0;
	unsigned slices = set_slices(s, iov);

	while (slices != 0) {
		ssize_t n = readv(s->fd, iov, (int)slices);

		if (n < 0 && errno != EINTR)
			s->end_errno = errno;
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (total == 0 && n > 0)
			streams_note_first(s);
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
		slices = atomic_load_explicit(&t->order, memory_order_relaxed);
	}
}

/* For a stream that moves this much, so that on a slow path a call does not last long. */
static void adapt(struct streams *t, uint64_t bytes_per_s)
{
	const struct copy *c = t->own;
	uint64_t slices = bytes_per_s / 1000 * COPY_CALL_MS / COPY_SLICE_BYTES;

	if (!c->is_adaptive || atomic_load(&t->order) == 0)
		return;
	if (slices < 1)
		slices = 1;
	if (slices > COPY_SLICES_MAX)
		slices = COPY_SLICES_MAX;
	atomic_store_explicit(&t->order, (unsigned)slices, memory_order_relaxed);
}

const struct mover copy_sender = {.method = "writev",
                                  .open = open_copy,
                                  .run = send_all,
                                  .adapt = adapt,
                                  .close = close_copy};
const struct mover copy_receiver = {
	.method = "readv", .open = open_copy, .run = receive_all, .close = close_copy};
