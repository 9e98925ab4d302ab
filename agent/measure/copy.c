/* SPDX-License-Identifier: MIT */
#include "measure/copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure/memory.h"
#include "measure/streams.h"
#include "measure/trial.h"
#include "platform/platform.h"

/* The order: how many slices a call has, and their size, in KiB; 0: as the test asks for. */
#define ORDER(count, kib)  ((unsigned)(kib) << 16 | (unsigned)(count))
#define ORDER_COUNT(order) ((order)&0xffff)
#define ORDER_BYTES(order) ((size_t)((order) >> 16) * 1024)
#define SLICE_KIB          (COPY_SLICE_BYTES / 1024)

/* What is tried, and what is used where nothing is: with one stream large calls are best, with
 * several those whose slices leave room in the core's first cache. */
static const unsigned orders[] = {ORDER(8, SLICE_KIB), ORDER(COPY_SLICES_MAX, SLICE_KIB),
                                  ORDER(COPY_SLICES_MAX / 4, SLICE_KIB * 4)};
enum { USUAL = 1 };

struct copy {
	bool is_fixed;        /* each write has the size that the test asks for */
	size_t slice_bytes;   /* then */
	size_t last_bytes;    /* the last of the slices, then */
	size_t stride_bytes;  /* receiver: from a stream's memory to the next one's */
	unsigned told;        /* the order of the calls while bytes moved */
	struct memory memory; /* sender: the same for all */
	struct trial trial;
};

/* One call, as it stands ready. */
struct call {
	unsigned order;
	int count;
	size_t bytes;
	size_t shift; /* of all slices, below PLATFORM_COPY_ALIGN */
	struct iovec slice[COPY_SLICES_MAX];
};

/* A write of a given size has as many slices of at least COPY_SLICE_BYTES as it needs, the last
 * one shorter. */
static unsigned fix_slices(struct copy *c, uint64_t buffer_bytes)
{
	uint64_t slice = COPY_SLICE_BYTES;
	unsigned count;

	if (buffer_bytes > COPY_CALL_BYTES)
		slice = (buffer_bytes + COPY_SLICES_MAX - 1) / COPY_SLICES_MAX;
	count = (unsigned)((buffer_bytes + slice - 1) / slice);
	c->is_fixed = true;
	c->slice_bytes = (size_t)slice;
	c->last_bytes = (size_t)(buffer_bytes - (count - 1) * slice);
	return ORDER(count, 0);
}

static bool open_copy(struct streams *t, struct failure *f)
{
	struct copy *c = calloc(1, sizeof(*c));
	size_t bytes = ORDER_BYTES(orders[COUNT_OF(orders) - 1]);

	if (c == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	trial_init(&c->trial, COUNT_OF(orders), USUAL);
	c->told = orders[USUAL];
	if (t->side == REQUEST_RECV) {
		c->stride_bytes = bytes + PLATFORM_COPY_ALIGN;
		bytes = c->stride_bytes * t->count;
	} else if (t->request->buffer_bytes > 0) {
		c->told = fix_slices(c, t->request->buffer_bytes);
		bytes = c->slice_bytes;
	} else {
		c->told = ORDER(1, SLICE_KIB * 4); /* on an unknown path; adapt_copy() follows */
	}
	if (!memory_map(&c->memory, bytes, f)) {
		free(c);
		return false;
	}
	t->own = c;
	atomic_store(&t->order, c->told);
	return true;
}

static void close_copy(struct streams *t)
{
	struct copy *c = t->own;

	memory_unmap(&c->memory);
	free(c);
	t->own = NULL;
}

static void set_call(const struct stream *s, unsigned order, struct call *call)
{
	const struct copy *c = s->all->own;
	size_t slice = c->is_fixed ? c->slice_bytes : ORDER_BYTES(order);

	call->order = order;
	call->shift = 0;
	call->count = (int)ORDER_COUNT(order);
	for (int i = 0; i < call->count; i++)
		call->slice[i] =
			(struct iovec){c->memory.at + (s->number - 1) * c->stride_bytes, slice};
	call->bytes = slice * (size_t)call->count;
	if (c->is_fixed && call->count > 0) {
		call->slice[call->count - 1].iov_len = c->last_bytes;
		call->bytes += c->last_bytes - slice;
	}
}

/* Where the stream's next byte lies: see PLATFORM_COPY_ALIGN. */
static void shift_call(struct call *call, uint64_t total)
{
	size_t shift = (size_t)(total % PLATFORM_COPY_ALIGN);

	if (shift == call->shift)
		return;
	for (int i = 0; i < call->count; i++)
		call->slice[i].iov_base =
			(unsigned char *)call->slice[i].iov_base - call->shift + shift;
	call->shift = shift;
}

/* What is left of a limit, in the slices of one call. */
static ssize_t send_rest(int fd, const struct call *call, uint64_t left)
{
	struct iovec slice[COPY_SLICES_MAX];
	int n = 0;

	while (n < call->count && left > 0) {
		slice[n] = call->slice[n];
		if (slice[n].iov_len > left)
			slice[n].iov_len = (size_t)left;
		left -= slice[n].iov_len;
		n++;
	}
	return writev(fd, slice, n);
}

static ssize_t send_call(int fd, const struct call *call, uint64_t left)
{
	if (left < call->bytes)
		return send_rest(fd, call, left);
	if (call->count == 1)
		return write(fd, call->slice[0].iov_base, call->bytes);
	return writev(fd, call->slice, call->count);
}

static void send_all(struct stream *s)
{
	const struct streams *t = s->all;
	struct call call = {0};
	uint64_t total = 0;
	unsigned order;

	platform_tcp_limit_unsent(s->fd, COPY_UNSENT_BYTES);
	while ((order = atomic_load_explicit(&t->order, memory_order_relaxed)) != 0) {
		uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
		ssize_t n;

		if (order != call.order)
			set_call(s, order, &call);
		if (limit <= total)
			break;
		n = send_call(s->fd, &call, limit - total);
		if (n < 0 && errno != EINTR) {
			s->end_errno = errno;
			break;
		}
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
	}
	(void)shutdown(s->fd, SHUT_WR); /* fails only when the stream is dead: end_errno tells */
}

static void receive_all(struct stream *s)
{
	const struct streams *t = s->all;
	struct call call = {0};
	uint64_t total = 0;
	unsigned order;

	while ((order = atomic_load_explicit(&t->order, memory_order_relaxed)) != 0) {
		ssize_t n;

		if (order != call.order)
			set_call(s, order, &call);
		shift_call(&call, total);
		n = readv(s->fd, call.slice, call.count);
		if (n < 0 && errno != EINTR)
			s->end_errno = errno;
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (total == 0 && n > 0)
			streams_note_first(s);
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
	}
}

static void give(struct streams *t, struct copy *c, unsigned order)
{
	unsigned now = atomic_load(&t->order);

	c->told = order;
	if (now != 0) /* nothing orders after stop */
		(void)atomic_compare_exchange_strong(&t->order, &now, order);
}

/* A call of the largest size would last too long: one that does not. */
static uint64_t adapt_copy(struct streams *t, uint64_t now_ns, uint64_t bytes_per_s)
{
	struct copy *c = t->own;
	uint64_t slices = bytes_per_s / 1000 * COPY_CALL_MS / COPY_SLICE_BYTES;
	uint64_t next_ns = 0;

	if (c->is_fixed || atomic_load(&t->order) == 0)
		return 0;
	if (t->side == REQUEST_SEND && slices < COPY_SLICES_MAX) {
		if (now_ns >= c->trial.begin_ns)
			trial_give_up(&c->trial);
		give(t, c, ORDER(slices < 1 ? 1 : slices, SLICE_KIB));
		return c->trial.begin_ns == UINT64_MAX ? 0 : c->trial.begin_ns;
	}
	give(t, c, orders[trial_step(&c->trial, now_ns, bytes_per_s, &next_ns)]);
	return next_ns;
}

static void plan_copy(struct streams *t, uint64_t go_ns)
{
	struct copy *c = t->own;

	if (!c->is_fixed)
		trial_plan(&c->trial, t->request, go_ns);
}

static void tell_copy(const struct streams *t, char *out, size_t room)
{
	const struct copy *c = t->own;

	if (c->is_fixed)
		(void)snprintf(out, room, "%s", t->mover->method);
	else
		(void)snprintf(out, room, "%s %ux%uK", t->mover->method, ORDER_COUNT(c->told),
		               c->told >> 16);
}

const struct mover copy_sender = {.method = "writev",
                                  .open = open_copy,
                                  .plan = plan_copy,
                                  .run = send_all,
                                  .adapt = adapt_copy,
                                  .tell = tell_copy,
                                  .close = close_copy};
const struct mover copy_receiver = {.method = "readv",
                                    .open = open_copy,
                                    .plan = plan_copy,
                                    .run = receive_all,
                                    .adapt = adapt_copy,
                                    .tell = tell_copy,
                                    .close = close_copy};
