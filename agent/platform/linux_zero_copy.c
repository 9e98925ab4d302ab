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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* How much a pipe shall hold, counted in pages, whole or not. A user without privileges may have
 * 64 MiB in all (fs.pipe-user-pages-soft); beyond that a pipe keeps its 64 KiB. */
#define PIPE_BYTES         ((size_t)1024 * 1024)
#define PIPE_SMALL_BYTES   ((size_t)256 * 1024)
#define PIPE_FEW           16u /* streams that have the larger ones */
#define PIPE_DEFAULT_BYTES ((size_t)64 * 1024)
#define PAGE_BYTES         ((size_t)4096) /* the least; larger ones only waste room in a pipe */
#define PARTS_MAX          64u

/* Payload of a packet to the NIC: 65536 less what tcp_sock.c leaves for headers. */
#define PACKET_BYTES 65215u

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

static bool open_pipe(int fd[2], size_t wanted, size_t *pages)
{
	int granted;

	*pages = PIPE_DEFAULT_BYTES / PAGE_BYTES;
	if (pipe2(fd, O_CLOEXEC) < 0) {
		fd[0] = fd[1] = -1;
		return false;
	}
	granted = fcntl(fd[1], F_SETPIPE_SZ, (int)wanted);
	if (granted < 0)
		granted = fcntl(fd[1], F_GETPIPE_SZ);
	if (granted > 0)
		*pages = (size_t)granted / PAGE_BYTES;
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
                          unsigned char *at, size_t bytes)
{
	size_t wanted = count <= PIPE_FEW ? PIPE_BYTES : PIPE_SMALL_BYTES;
	bool ok = true;
	int why;

	for (unsigned i = 0; i < count; i++)
		s[i] = (struct platform_source){way, {-1, -1}, at, bytes, bytes, bytes, 0};
	for (unsigned i = 0; ok && i < count; i++) {
		if (way == PLATFORM_SOURCE_SPLICE)
			ok = open_pipe(s[i].fd, wanted, &s[i].pages);
		else if (i == 0)
			ok = open_file(s);
		else
			s[i].fd[0] = s->fd[0]; /* where a file is read is told with each call */
		platform_source_fit(&s[i], PLATFORM_UNKNOWN);
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

/* At most: it may begin a little later than a page. */
static size_t pages_of_slice(const struct platform_source *s)
{
	return (s->slice_bytes + PLATFORM_COPY_ALIGN - 1 + PAGE_BYTES - 1) / PAGE_BYTES;
}

void platform_source_fit(struct platform_source *s, uint64_t segment_bytes)
{
	size_t segments;

	s->slice_bytes = s->bytes - PLATFORM_COPY_ALIGN; /* room to begin a little later */
	if (segment_bytes > 0 && segment_bytes < s->slice_bytes) {
		segments = PACKET_BYTES / (size_t)segment_bytes;
		s->slice_bytes = (size_t)segment_bytes * (segments > 0 ? segments : 1);
	}
	s->call_bytes = s->slice_bytes;
	if (s->way == PLATFORM_SOURCE_SPLICE)
		s->call_bytes *= s->pages / pages_of_slice(s);
	if (s->call_bytes == 0) /* a pipe smaller than a slice takes what it can */
		s->call_bytes = s->slice_bytes;
}

/* Fills the pipe with the memory's pages; returns how many bytes, or -1. */
static ssize_t fill_pipe(const struct platform_source *s, size_t bytes, uint64_t position)
{
	struct iovec parts[PARTS_MAX];
	size_t count = 0;

	while (bytes > 0 && count < PARTS_MAX) {
		size_t part = bytes < s->slice_bytes ? bytes : s->slice_bytes;

		parts[count++] = (struct iovec){s->at + position % PLATFORM_COPY_ALIGN, part};
		position += part;
		bytes -= part;
	}
	return vmsplice(s->fd[1], parts, count, 0);
}

/* What was in the pipe stays there after an error: the stream is over then. */
static ssize_t splice_pages(const struct platform_source *s, int fd, size_t bytes,
                            uint64_t position, size_t *taken)
{
	ssize_t left = fill_pipe(s, bytes < s->call_bytes ? bytes : s->call_bytes, position);

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

ssize_t platform_source_send(const struct platform_source *s, int fd, size_t bytes,
                             uint64_t position, size_t *taken)
{
	off_t offset = (off_t)(position % PLATFORM_COPY_ALIGN);
	ssize_t n;

	*taken = 0;
	if (s->way == PLATFORM_SOURCE_SPLICE)
		return splice_pages(s, fd, bytes, position, taken);
	n = sendfile(fd, s->fd[0], &offset, bytes < s->slice_bytes ? bytes : s->slice_bytes);
	if (n > 0)
		*taken = (size_t)n;
	return n;
}

bool platform_drain_open(struct platform_drain *d, enum platform_drain_way way)
{
	size_t pages;

	*d = (struct platform_drain){way, {-1, -1, -1}};
	if (way == PLATFORM_DRAIN_DISCARD)
		return true;
	d->fd[2] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (d->fd[2] >= 0 && open_pipe(d->fd, PIPE_SMALL_BYTES, &pages))
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
 * of data to be discarded, rather than passed back in a caller-supplied buffer". Past the C library,
 * in which sanitizers would take the dropped bytes for written ones. */
ssize_t platform_drain_take(const struct platform_drain *d, int fd, void *scratch, size_t bytes)
{
	ssize_t all, left;

	if (d->way == PLATFORM_DRAIN_DISCARD)
		return syscall(SYS_recvfrom, fd, scratch, bytes, MSG_TRUNC, NULL, NULL);
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
