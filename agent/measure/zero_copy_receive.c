/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/copy.h"
#include "measure/streams.h"
#include "measure/zero_copy.h"
#include "platform/platform.h"

#define CALL_BYTES ((size_t)1024 * 1024)

struct discard {
	struct platform_drain drain[REQUEST_STREAMS_MAX];
};

static void close_way(struct streams *t)
{
	struct discard *d = t->own;

	for (uint32_t i = 0; i < t->count; i++)
		platform_drain_close(&d->drain[i]);
	free(d);
	t->own = NULL;
}

static bool open_way(struct streams *t, enum platform_drain_way way, struct failure *f)
{
	struct discard *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	for (uint32_t i = 0; i < t->count; i++) {
		int why;

		if (platform_drain_open(&d->drain[i], way))
			continue;
		why = errno;
		while (i-- > 0)
			platform_drain_close(&d->drain[i]);
		free(d);
		return failure_set_errno(f, why, "pipes for %u streams", t->count);
	}
	t->own = d;
	atomic_store(&t->order, 1);
	return true;
}

static bool open_discard(struct streams *t, struct failure *f)
{
	return open_way(t, PLATFORM_DRAIN_DISCARD, f);
}

static bool open_splice(struct streams *t, struct failure *f)
{
	return open_way(t, PLATFORM_DRAIN_SPLICE, f);
}

static void receive_all(struct stream *s)
{
	const struct streams *t = s->all;
	const struct discard *d = t->own;
	uint64_t total = 0;

	while (atomic_load_explicit(&t->order, memory_order_relaxed) != 0) {
		ssize_t n = platform_drain_take(&d->drain[s->number - 1], s->fd, NULL, CALL_BYTES);

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

static const struct mover movers[] = {
	{.method = "msg_trunc", .open = open_discard, .run = receive_all, .close = close_way},
	{.method = "splice", .open = open_splice, .run = receive_all, .close = close_way},
};

/* Two ends of a TCP connection within this machine. */
static bool connect_pair(int pair[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	pair[1] = -1;
	if (listener >= 0 && pair[0] >= 0 &&
	    bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 1) == 0 &&
	    getsockname(listener, (struct sockaddr *)&at, &len) == 0 &&
	    connect(pair[0], (struct sockaddr *)&at, sizeof(at)) == 0)
		pair[1] = accept(listener, NULL, NULL);
	if (listener >= 0)
		(void)close(listener);
	if (pair[1] >= 0)
		return true;
	if (pair[0] >= 0)
		(void)close(pair[0]);
	return false;
}

/* Are bytes taken and not copied? Where there is no loopback to try it on, it is as the system's
 * manual says. */
static bool works(enum platform_drain_way way)
{
	static const char word[4] = "vnm";
	char scratch[sizeof(word)] = "";
	struct platform_drain drain;
	bool ok;
	int pair[2];

	if (!platform_drain_open(&drain, way))
		return false;
	ok = !connect_pair(pair);
	if (!ok) {
		ok = send(pair[0], word, sizeof(word), MSG_NOSIGNAL) == (ssize_t)sizeof(word) &&
		     platform_drain_take(&drain, pair[1], scratch, sizeof(scratch)) ==
		             (ssize_t)sizeof(word) &&
		     scratch[0] == '\0';
		(void)close(pair[0]);
		(void)close(pair[1]);
	}
	platform_drain_close(&drain);
	return ok;
}

const struct mover *zero_copy_receiver(void)
{
	if (works(PLATFORM_DRAIN_DISCARD))
		return &movers[PLATFORM_DRAIN_DISCARD];
	return works(PLATFORM_DRAIN_SPLICE) ? &movers[PLATFORM_DRAIN_SPLICE] : &copy_receiver;
}
