/* SPDX-License-Identifier: MIT */
#include "measure/sockopt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/request.h"

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

/* 0, or what stands against it. */
static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) < 0 ? errno : 0;
}

static uint64_t read_int(int fd, int level, int option)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, level, option, &value, &len) < 0 || value < 0)
		return SOCKOPT_UNKNOWN;
	return (uint64_t)value;
}

/* The upper six bits of a byte whose lower two are ECN's, RFC 2474 and 3168. */
struct traffic_class {
	int level;
	int option;
};

static struct traffic_class traffic_class(int family)
{
	if (family == AF_INET6)
		return (struct traffic_class){IPPROTO_IPV6, IPV6_TCLASS};
	return (struct traffic_class){IPPROTO_IP, IP_TOS};
}

static bool set_dscp(int fd, const struct request *r, struct failure *f)
{
	struct traffic_class c = traffic_class(r->own.at.any.sa_family);
	uint64_t now = read_int(fd, c.level, c.option);
	int why;

	if (r->dscp == REQUEST_DSCP_DEFAULT)
		return true;
	why = set_int(fd, c.level, c.option,
	              (int)(r->dscp << 2 | (now == SOCKOPT_UNKNOWN ? 0 : (uint32_t)now & 3)));
	return why == 0 || failure_set_errno(f, why, "dscp %u", r->dscp);
}

static bool bind_device(int fd, const struct request *r, struct failure *f)
{
	int why = r->device[0] == '\0' ? 0 : platform_bind_device(fd, r->device);

	if (why == ENOTSUP)
		return failure_set(f, FAILURE_USAGE,
		                   "this system cannot bind a socket to a NIC: leave bind_device");
	if (why == EPERM)
		return failure_set(f, FAILURE_SYSTEM,
		                   "binding to the NIC %s takes CAP_NET_RAW here: log in as root, "
		                   "or leave bind_device",
		                   r->device);
	return why == 0 || failure_set_errno(f, why, "bind to the NIC %s", r->device);
}

static bool set_mss(int fd, const struct request *r, struct failure *f)
{
	int why = r->mss_bytes == 0 ? 0 : set_int(fd, IPPROTO_TCP, TCP_MAXSEG, (int)r->mss_bytes);

	if (why == EINVAL)
		return failure_set(f, FAILURE_USAGE, "mss %u is out of this system's range",
		                   r->mss_bytes);
	return why == 0 || failure_set_errno(f, why, "mss %u", r->mss_bytes);
}

static bool set_congestion(int fd, const struct request *r, struct failure *f)
{
	char hint[PLATFORM_TEXT_BYTES];
	int why = r->congestion[0] == '\0' ? 0 : platform_set_congestion(fd, r->congestion);

	if (why == 0)
		return true;
	if (why == ENOTSUP)
		return failure_set(f, FAILURE_USAGE,
		                   "congestion control cannot be chosen on this system");
	platform_explain_congestion(r->congestion, why, hint);
	return failure_set(f, why == ENOENT ? FAILURE_USAGE : FAILURE_SYSTEM,
	                   "congestion control '%s': %s", r->congestion,
	                   hint[0] != '\0' ? hint : strerror(why));
}

bool sockopt_apply_any(int fd, const struct request *r, struct failure *f)
{
	return (r->window_bytes == 0 || sockopt_set_window(fd, r->window_bytes, f)) &&
	       bind_device(fd, r, f) && set_dscp(fd, r, f);
}

/* Of payload, while TCP itself counts bytes: those of the headers are more. */
static bool set_pacing(int fd, const struct request *r, struct failure *f)
{
	if (r->rate_bps == 0 || r->protocol != REQUEST_TCP || r->side != REQUEST_SEND ||
	    platform_tcp_pace(fd, r->rate_bps / 8))
		return true;
	return failure_set(f, FAILURE_USAGE,
	                   "this system cannot limit the rate of TCP: leave bitrate, or use udp");
}

bool sockopt_renew(int fd, const struct request *r, struct failure *f)
{
	if (r->is_no_delay)
		sockopt_set_nodelay(fd);
	return set_dscp(fd, r, f) && set_congestion(fd, r, f) && set_pacing(fd, r, f);
}

bool sockopt_apply(int fd, const struct request *r, struct failure *f)
{
	return sockopt_apply_any(fd, r, f) && set_mss(fd, r, f) && sockopt_renew(fd, r, f);
}

void sockopt_set_nodelay(int fd)
{
	(void)set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1); /* else slower, not wrong */
}

void sockopt_set_no_linger(int fd)
{
	struct linger at_once = {.l_onoff = 1};

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
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

static void read_first(int fd, struct sockopt_granted *out)
{
	struct address own = {0};
	socklen_t len = sizeof(own.at);
	struct traffic_class c;

	out->mss_bytes = read_int(fd, IPPROTO_TCP, TCP_MAXSEG);
	out->no_delay = read_int(fd, IPPROTO_TCP, TCP_NODELAY);
	if (out->no_delay != SOCKOPT_UNKNOWN) /* some systems tell another number than 1 */
		out->no_delay = out->no_delay != 0;
	if (getsockname(fd, &own.at.any, &len) == 0) {
		c = traffic_class(own.at.any.sa_family);
		out->dscp = read_int(fd, c.level, c.option);
	}
	if (out->dscp != SOCKOPT_UNKNOWN)
		out->dscp = (out->dscp & 0xff) >> 2;
	if (!platform_get_congestion(fd, out->congestion))
		out->congestion[0] = '\0';
}

void sockopt_read(const int *fds, size_t count, struct sockopt_granted *out)
{
	*out = (struct sockopt_granted){.sndbuf_bytes = SOCKOPT_UNKNOWN,
	                                .rcvbuf_bytes = SOCKOPT_UNKNOWN,
	                                .doubling = find_doubling(),
	                                .mss_bytes = SOCKOPT_UNKNOWN,
	                                .no_delay = SOCKOPT_UNKNOWN,
	                                .dscp = SOCKOPT_UNKNOWN};
	for (size_t i = 0; i < count; i++) {
		out->sndbuf_bytes =
			least(out->sndbuf_bytes, read_int(fds[i], SOL_SOCKET, SO_SNDBUF));
		out->rcvbuf_bytes =
			least(out->rcvbuf_bytes, read_int(fds[i], SOL_SOCKET, SO_RCVBUF));
	}
	if (count > 0)
		read_first(fds[0], out);
}
