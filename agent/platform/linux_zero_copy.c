/* SPDX-License-Identifier: MIT */
/* linux_zero_copy.c - pages handed to a socket, and taken from it, without a copy. */
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The page's worth of a pipe that is asked for. With several streams larger ones leave the
 * core's cache, smaller ones cost more calls. A user without privileges may have 64 MiB in all
 * (fs.pipe-user-pages-soft), after which a pipe keeps its 64 KiB. */
#define PIPE_BYTES         ((size_t)256 * 1024)
#define PIPE_DEFAULT_BYTES ((size_t)64 * 1024)
#define SPLICE_PARTS_MAX   (PIPE_BYTES / 4096)

void platform_tcp_limit_unsent(int fd, uint32_t bytes)
{
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes));
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static bool open_pipe(int fd[2], size_t *room)
{
	int granted;

	if (pipe2(fd, O_CLOEXEC) < 0) {
		fd[0] = fd[1] = -1;
		return false;
	}
	granted = fcntl(fd[1], F_SETPIPE_SZ, (int)PIPE_BYTES);
	if (granted < 0)
		granted = fcntl(fd[1], F_GETPIPE_SZ);
	*room = granted <= 0 ? PIPE_DEFAULT_BYTES : (size_t)granted;
	if (*room > PIPE_BYTES)
		*room = PIPE_BYTES;
	return true;
}

static bool open_file(struct platform_source *s)
{
	s->fd[0] = memfd_create("vnm-agent", MFD_CLOEXEC);
	if (s->fd[0] < 0)
		return false;
	if (write(s->fd[0], s->at, s->bytes) == (ssize_t)s->bytes)
		return true;
	errno = ENOSPC;
	return false;
}

bool platform_source_open(struct platform_source *s, unsigned count, enum platform_source_way way,
                          const unsigned char *at, size_t bytes)
{
	bool ok = true;
	int why;

	for (unsigned i = 0; i < count; i++)
		s[i] = (struct platform_source){way, {-1, -1}, at, bytes, bytes};
	for (unsigned i = 0; ok && i < count; i++) {
		if (way == PLATFORM_SOURCE_SPLICE)
			ok = open_pipe(s[i].fd, &s[i].call_bytes);
		else if (i == 0)
			ok = open_file(s);
		else
			s[i].fd[0] = s->fd[0]; /* where a file is read is told with each call */
	}
	if (ok)
		return true;
	why = errno;
	platform_source_close(s, count);
	errno = why;
	return false;
}

void platform_source_close(struct platform_source *s, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (s[i].way == PLATFORM_SOURCE_SPLICE || i == 0)
			close_fd(&s[i].fd[0]);
		close_fd(&s[i].fd[1]);
	}
}

/* Fills the pipe with the memory's pages; returns how many bytes, or -1. */
static ssize_t fill_pipe(const struct platform_source *s, size_t bytes)
{
	struct iovec parts[SPLICE_PARTS_MAX];
	size_t count = 0;

	while (bytes > 0 && count < SPLICE_PARTS_MAX) {
		size_t part = bytes < s->bytes ? bytes : s->bytes;

		parts[count++] = (struct iovec){(void *)(uintptr_t)s->at, part};
		bytes -= part;
	}
	return vmsplice(s->fd[1], parts, count, 0);
}

/* What was in the pipe stays there after an error: the stream is over then. */
static ssize_t splice_pages(const struct platform_source *s, int fd, size_t bytes, size_t *taken)
{
	ssize_t left = fill_pipe(s, bytes < s->call_bytes ? bytes : s->call_bytes);

	if (left < 0)
		return -1;
	while (left > 0) {
		ssize_t n = splice(s->fd[0], NULL, fd, NULL, (size_t)left, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		*taken += (size_t)n;
		left -= n;
	}
	return (ssize_t)*taken;
}

ssize_t platform_source_send(const struct platform_source *s, int fd, size_t bytes, size_t *taken)
{
	off_t offset = 0;
	ssize_t n;

	*taken = 0;
	if (s->way == PLATFORM_SOURCE_SPLICE)
		return splice_pages(s, fd, bytes, taken);
	n = sendfile(fd, s->fd[0], &offset, bytes < s->bytes ? bytes : s->bytes);
	if (n > 0)
		*taken = (size_t)n;
	return n;
}

bool platform_drain_open(struct platform_drain *d, enum platform_drain_way way)
{
	size_t room;

	*d = (struct platform_drain){way, {-1, -1, -1}};
	if (way == PLATFORM_DRAIN_DISCARD)
		return true;
	d->fd[2] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (d->fd[2] >= 0 && open_pipe(d->fd, &room))
		return true;
	platform_drain_close(d);
	return false;
}

void platform_drain_close(struct platform_drain *d)
{
	for (int i = 0; i < 3; i++)
		close_fd(&d->fd[i]);
}

/* tcp(7): "the use of MSG_TRUNC in the flags argument of recv(2) [...] causes the received bytes
 * of data to be discarded, rather than passed back in a caller-supplied buffer". */
ssize_t platform_drain_take(const struct platform_drain *d, int fd, void *scratch, size_t bytes)
{
	ssize_t all, left;

	if (d->way == PLATFORM_DRAIN_DISCARD)
		return recv(fd, scratch, bytes, MSG_TRUNC);
	all = splice(fd, NULL, d->fd[1], NULL, bytes, SPLICE_F_MOVE);
	left = all;
	while (left > 0) {
		ssize_t n = splice(d->fd[0], NULL, d->fd[2], NULL, (size_t)left, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		left -= n;
	}
	return all;
}
