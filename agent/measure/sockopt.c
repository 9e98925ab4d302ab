/* SPDX-License-Identifier: MIT */
#include "measure/sockopt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* Small enough that no kernel's limit cuts it, large enough for no least size. */
#define DOUBLING_TRIAL_BYTES 16384

static bool set_buffer(int fd, int option, const char *name, uint64_t bytes, struct failure *f)
{
	int value = (int)bytes;

	if (setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)) < 0)
		return failure_set_errno(f, errno, "window of %" PRIu64 " bytes (%s)", bytes, name);
	return true;
}

bool sockopt_set_window(int fd, uint64_t bytes, struct failure *f)
{
	return set_buffer(fd, SO_SNDBUF, "SO_SNDBUF", bytes, f) &&
	       set_buffer(fd, SO_RCVBUF, "SO_RCVBUF", bytes, f);
}

void sockopt_set_nodelay(int fd)
{
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one,
	                 sizeof(one)); /* else slower, not wrong */
}

bool sockopt_set_blocking(int fd, bool blocking, struct failure *f)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return failure_set_errno(f, errno, "fcntl");
	flags = blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
	if (fcntl(fd, F_SETFL, flags) < 0)
		return failure_set_errno(f, errno, "fcntl");
	return true;
}

bool sockopt_is_passing(int errnum)
{
	return errnum == EAGAIN || errnum == EINTR;
}

static uint64_t read_int(int fd, int level, int option)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, level, option, &value, &len) < 0 || value < 0)
		return SOCKOPT_UNKNOWN;
	return (uint64_t)value;
}

/* Some kernels double what is asked for, to have room for their bookkeeping, and
 * tell the doubled figure (Linux: socket(7)); asking is the portable way to know. */
static uint64_t find_doubling(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int value = DOUBLING_TRIAL_BYTES;
	uint64_t given;

	if (fd < 0)
		fd = socket(AF_INET6, SOCK_STREAM, 0);
	if (fd < 0)
		return 1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value));
	given = read_int(fd, SOL_SOCKET, SO_RCVBUF);
	(void)close(fd);
	return given == UINT64_C(2) * DOUBLING_TRIAL_BYTES ? 2 : 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void sockopt_read(const int *fds, size_t count, struct sockopt_granted *out)
{
	*out = (struct sockopt_granted){SOCKOPT_UNKNOWN, SOCKOPT_UNKNOWN, SOCKOPT_UNKNOWN,
	                                find_doubling()};
	for (size_t i = 0; i < count; i++) {
		out->sndbuf_bytes =
			least(out->sndbuf_bytes, read_int(fds[i], SOL_SOCKET, SO_SNDBUF));
		out->rcvbuf_bytes =
			least(out->rcvbuf_bytes, read_int(fds[i], SOL_SOCKET, SO_RCVBUF));
	}
	if (count > 0)
		out->mss_bytes = read_int(fds[0], IPPROTO_TCP, TCP_MAXSEG);
}
