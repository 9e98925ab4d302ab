/* SPDX-License-Identifier: MIT */
#include "measure/udp_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/address.h"
#include "measure/sockopt.h"

/* Room for what comes while the receiver's thread has to wait for its core; systems cut it to
 * what they allow, and `connected` tells what it was. */
#define ROOM_BYTES (4 * 1024 * 1024)

static int new_socket(const struct address *own, bool is_shared)
{
	int one = 1;
	int fd = socket(own->at.any.sa_family, SOCK_DGRAM, 0);

	if (fd < 0)
		return -1;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (is_shared) /* a listener's streams have one port, and so may those of a test beside */
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return fd;
}

static void set_room(const struct request *r, int fd)
{
	int room = ROOM_BYTES;

	if (r->side == REQUEST_RECV && r->window_bytes == 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
}

/* As udp_socket_open(); the socket is closed by that when it is not 0. */
static int set_up(const struct request *r, int fd, const struct address *own,
                  const struct address *peer, struct failure *f)
{
	if (!sockopt_apply_any(fd, r, f))
		return -1;
	set_room(r, fd);
	if (bind(fd, &own->at.any, own->len) < 0) {
		if (errno == EADDRINUSE)
			return EADDRINUSE;
		(void)failure_set_errno(f, errno, "bind for udp");
		return -1;
	}
	if (connect(fd, &peer->at.any, peer->len) < 0) {
		(void)failure_set_errno(f, errno, "connect for udp");
		return -1;
	}
	return 0;
}

static bool read_ends(int tcp_fd, struct address *own, struct address *peer)
{
	own->len = sizeof(own->at);
	peer->len = sizeof(peer->at);
	return getsockname(tcp_fd, &own->at.any, &own->len) == 0 &&
	       getpeername(tcp_fd, &peer->at.any, &peer->len) == 0;
}

int udp_socket_open(const struct request *r, int tcp_fd, int *out, struct failure *f)
{
	struct address own = {0};
	struct address peer = {0};
	int result;
	int fd;

	if (!read_ends(tcp_fd, &own, &peer)) {
		(void)failure_set_errno(f, errno, "ports of a connection");
		return -1;
	}
	fd = new_socket(&own, r->is_listener || r->source_port != 0);
	if (fd < 0) {
		(void)failure_set_errno(f, errno, "socket for udp");
		return -1;
	}
	result = set_up(r, fd, &own, &peer, f);
	if (result == 0)
		*out = fd;
	else
		(void)close(fd);
	return result;
}

bool udp_socket_fail_taken(int tcp_fd, struct failure *f)
{
	struct address own = {0};
	struct address peer = {0};
	char text[ADDRESS_TEXT_BYTES] = "";

	if (read_ends(tcp_fd, &own, &peer))
		address_format(&own, text);
	return failure_set(f, FAILURE_PORT, "a program of this machine has UDP port %u of %s",
	                   own.len > 0 ? address_port(&own) : 0, text);
}

int udp_socket_try_port(const struct address *own)
{
	int fd = new_socket(own, true);
	int why;

	if (fd < 0)
		return errno;
	why = bind(fd, &own->at.any, own->len) < 0 ? errno : 0;
	(void)close(fd);
	return why;
}
