/* SPDX-License-Identifier: MIT */
#include "agent/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/wire/codec.h"

/* PIPE_BUF bytes go without waiting into a pipe or socket that poll() calls
 * writable. The descriptor itself stays blocking: its flags may be shared with
 * another process. */

void output_init(struct output *o, int fd, uint64_t patience_ns)
{
	o->fd = fd;
	o->is_broken = false;
	o->patience_ns = patience_ns;
	o->stuck_ns = 0;
	o->start = 0;
	o->len = 0;
}

static void write_piece(struct output *o)
{
	size_t len = o->len < PIPE_BUF ? o->len : PIPE_BUF;
	ssize_t n = write(o->fd, o->buffer + o->start, len);

	if (n < 0 && errno != EINTR && errno != EAGAIN)
		o->is_broken = true;
	if (n <= 0)
		return;
	o->start += (size_t)n;
	o->len -= (size_t)n;
	o->stuck_ns = 0;
	if (o->len == 0)
		o->start = 0;
}

static bool is_writable(const struct output *o, int wait_ms)
{
	struct pollfd p = {.fd = o->fd, .events = POLLOUT};

	return poll(&p, 1, wait_ms) == 1;
}

static void note_stuck(struct output *o, uint64_t now_ns)
{
	if (o->stuck_ns == 0)
		o->stuck_ns = now_ns;
	if (now_ns - o->stuck_ns > o->patience_ns)
		o->is_broken = true;
}

void output_flush(struct output *o, uint64_t now_ns)
{
	while (!o->is_broken && o->len > 0) {
		if (!is_writable(o, 0)) {
			note_stuck(o, now_ns);
			return;
		}
		write_piece(o);
	}
}

void output_drain(struct output *o, uint64_t until_ns)
{
	for (uint64_t now = clock_now_ns(); now < until_ns; now = clock_now_ns()) {
		output_flush(o, now);
		if (o->is_broken || o->len == 0)
			return;
		(void)is_writable(o, 10);
	}
}

/* Room at the end of the buffer, waiting for it when need be. */
static bool make_room(struct output *o, size_t len)
{
	while (!o->is_broken && OUTPUT_BYTES - o->len < len) {
		(void)is_writable(o, 10);
		output_flush(o, clock_now_ns());
	}
	if (o->start + o->len + len > OUTPUT_BYTES) {
		memmove(o->buffer, o->buffer + o->start, o->len);
		o->start = 0;
	}
	return !o->is_broken;
}

static void queue(struct output *o, const char *text, size_t len)
{
	if (!make_room(o, len))
		return;
	memcpy(o->buffer + o->start + o->len, text, len);
	o->len += len;
}

void output_text(struct output *o, const char *text)
{
	queue(o, text, strlen(text));
}

bool output_send(struct output *o, const struct msg *msg)
{
	char line[WIRE_LINE_MAX];
	size_t len = wire_encode(msg, line);

	if (len > 0)
		queue(o, line, len);
	return len > 0;
}

void output_failed(struct output *o, uint32_t id, const struct failure *f)
{
	struct msg msg;

	msg_init(&msg, MSG_FAILED, id);
	(void)snprintf(msg.u.failed.kind, sizeof(msg.u.failed.kind), "%s",
	               failure_kind_names[f->kind]);
	(void)snprintf(msg.u.failed.reason, sizeof(msg.u.failed.reason), "%s", f->reason);
	(void)output_send(o, &msg);
}

void output_done(struct output *o, uint32_t id)
{
	struct msg msg;

	msg_init(&msg, MSG_DONE, id);
	(void)output_send(o, &msg);
}
