/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/copy.h"
#include "measure/memory.h"
#include "measure/streams.h"
#include "measure/zero_copy.h"
#include "platform/platform.h"

/* All streams send the same pages, again and again. They are written before the first call and
 * never after, so it does not matter when the system reads them: for the network, or again
 * because a packet was lost. */
#define MEMORY_BYTES ((size_t)64 * 1024)

/* The order: KiB of a call. */
#define CALL_KIB_MIN 16u
#define CALL_KIB_MAX 1024u

struct zero_copy {
	size_t unit_bytes; /* the stream has a whole number of these; 0: any number of bytes */
	struct memory memory;
	struct platform_source source[REQUEST_STREAMS_MAX];
};

static bool open_way(struct streams *t, enum platform_source_way way, struct failure *f)
{
	struct zero_copy *z = calloc(1, sizeof(*z));

	if (z == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	if (!memory_map(&z->memory, MEMORY_BYTES, f)) {
		free(z);
		return false;
	}
	if (!platform_source_open(z->source, t->count, way, z->memory.at, MEMORY_BYTES)) {
		int why = errno;

		memory_unmap(&z->memory);
		free(z);
		return failure_set_errno(f, why, "pipes or files for %u streams", t->count);
	}
	z->unit_bytes = (size_t)t->request->buffer_bytes;
	t->own = z;
	atomic_store(&t->order, CALL_KIB_MIN);
	return true;
}

static bool open_splice(struct streams *t, struct failure *f)
{
	return open_way(t, PLATFORM_SOURCE_SPLICE, f);
}

static bool open_file(struct streams *t, struct failure *f)
{
	return open_way(t, PLATFORM_SOURCE_FILE, f);
}

static void close_way(struct streams *t)
{
	struct zero_copy *z = t->own;

	platform_source_close(z->source, t->count);
	memory_unmap(&z->memory);
	free(z);
	t->own = NULL;
}

/* All of `bytes`, unless there is an error; counts what went. */
static bool send_bytes(struct stream *s, const struct platform_source *source, size_t bytes,
                       uint64_t *total)
{
	while (bytes > 0) {
		size_t taken;
		ssize_t n = platform_source_send(source, s->fd, bytes, *total, &taken);

		*total += taken;
		bytes -= taken;
		atomic_store_explicit(&s->bytes, *total, memory_order_relaxed);
		if (n < 0 && errno != EINTR) {
			s->end_errno = errno;
			return false;
		}
	}
	return true;
}

static const struct platform_source *fit_source(const struct stream *s)
{
	struct zero_copy *z = s->all->own;
	struct platform_source *source = &z->source[s->number - 1];
	struct platform_tcp_info info;

	platform_tcp_info(s->fd, &info);
	platform_source_fit(source, info.mss_bytes);
	return source;
}

/* Whole slices, unless even one is more than what is ordered. */
static size_t call_bytes(const struct platform_source *source, unsigned order)
{
	size_t bytes = (size_t)order * 1024;

	if (bytes >= source->call_bytes)
		return source->call_bytes;
	if (bytes > source->slice_bytes)
		bytes -= bytes % source->slice_bytes;
	return bytes;
}

static void send_all(struct stream *s)
{
	const struct streams *t = s->all;
	const struct zero_copy *z = t->own;
	const struct platform_source *source = fit_source(s);
	uint64_t total = 0;
	unsigned order;

	platform_tcp_limit_unsent(s->fd, COPY_UNSENT_BYTES);
	while ((order = atomic_load_explicit(&t->order, memory_order_relaxed)) != 0) {
		uint64_t limit = atomic_load_explicit(&s->limit, memory_order_relaxed);
		size_t bytes = z->unit_bytes != 0 ? z->unit_bytes : call_bytes(source, order);

		if (limit <= total)
			break;
		if (bytes > limit - total)
			bytes = (size_t)(limit - total);
		if (!send_bytes(s, source, bytes, &total))
			break;
	}
	(void)shutdown(s->fd, SHUT_WR); /* fails only when the stream is dead: end_errno tells */
}

/* On a slow path a call must not last long. */
static uint64_t adapt_call(struct streams *t, uint64_t now_ns, uint64_t bytes_per_s)
{
	uint64_t kib = bytes_per_s / 1000 * COPY_CALL_MS / 1024;
	unsigned now = atomic_load(&t->order);

	(void)now_ns;
	if (kib < CALL_KIB_MIN)
		kib = CALL_KIB_MIN;
	if (kib > CALL_KIB_MAX)
		kib = CALL_KIB_MAX;
	if (now != 0) /* nothing orders after stop */
		(void)atomic_compare_exchange_strong(&t->order, &now, (unsigned)kib);
	return 0;
}

/* By way, the best first: measured, splice is never behind sendfile and well before it with
 * several streams or a receiver that discards. */
static const struct mover movers[] = {
	{.method = "splice",
         .open = open_splice,
         .run = send_all,
         .adapt = adapt_call,
         .close = close_way},
	{.method = "sendfile",
         .open = open_file,
         .run = send_all,
         .adapt = adapt_call,
         .close = close_way},
};

/* Does a byte come out that went in? A local socket tells as well as a TCP one whether this
 * system has the calls and lets us use them. */
static bool works(enum platform_source_way way)
{
	static const char word[4] = "vnm";
	struct memory memory = {0};
	struct platform_source source;
	struct failure unused;
	char got[sizeof(word)] = "";
	size_t taken;
	int pair[2];
	bool ok = false;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return false;
	if (memory_map(&memory, 4096, &unused)) {
		memcpy(memory.at, word, sizeof(word));
		if (platform_source_open(&source, 1, way, memory.at, memory.bytes)) {
			ok = platform_source_send(&source, pair[0], sizeof(word), 0, &taken) ==
			             (ssize_t)sizeof(word) &&
			     recv(pair[1], got, sizeof(got), MSG_DONTWAIT) ==
			             (ssize_t)sizeof(got) &&
			     memcmp(got, word, sizeof(word)) == 0;
			platform_source_close(&source, 1);
		}
		memory_unmap(&memory);
	}
	(void)close(pair[0]);
	(void)close(pair[1]);
	return ok;
}

const struct mover *zero_copy_sender(void)
{
	if (works(PLATFORM_SOURCE_SPLICE))
		return &movers[PLATFORM_SOURCE_SPLICE];
	return works(PLATFORM_SOURCE_FILE) ? &movers[PLATFORM_SOURCE_FILE] : &copy_sender;
}
