/* SPDX-License-Identifier: MIT */
#include "tests/agent/lossy.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/agent/driver.h"
#include "tests/support/test.h"

#define DATAGRAM_BYTES 65536

/* One end of the way: a connection and the socket for datagrams beside it. */
struct side {
	int tcp;
	int udp;
};

/* The datagram that waits for the next one. */
struct waiting {
	ssize_t len; /* 0: none */
	char bytes[DATAGRAM_BYTES];
};

/* Connected as the TCP socket is. */
static int open_beside(int tcp)
{
	struct sockaddr_in own;
	struct sockaddr_in peer;
	socklen_t len = sizeof(own);
	int room = 4 * 1024 * 1024;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)getsockname(tcp, (struct sockaddr *)&own, &len);
	(void)getpeername(tcp, (struct sockaddr *)&peer, &len);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, (struct sockaddr *)&own, len) < 0 ||
	    connect(fd, (struct sockaddr *)&peer, len) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

/* False at the end of what comes; it is passed on. */
static bool pass_stream(int from, int to)
{
	char bytes[4096];
	ssize_t n = recv(from, bytes, sizeof(bytes), 0);

	if (n > 0)
		return send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
	(void)shutdown(to, SHUT_WR);
	return false;
}

static bool is_due(uint64_t count, uint32_t every)
{
	return every != 0 && count % every == 0;
}

static void pass_datagram(struct lossy *l, int from, int to, struct waiting *waiting)
{
	static const unsigned char token[] = {0x00, 0x11, 0x22,
	                                      0x33, 0x44, 0x55}; /* DRIVER_TOKEN */
	static char bytes[DATAGRAM_BYTES];
	ssize_t n = recv(from, bytes, sizeof(bytes), 0);
	ssize_t sent;

	if (n < (ssize_t)sizeof(token) + 16 || memcmp(bytes + 16, token, sizeof(token)) != 0)
		return; /* an agent tries with such how it can send */
	l->taken++;
	if (is_due(l->taken, l->wish.lose_every)) {
		l->lost++;
		return;
	}
	if (is_due(l->taken, l->wish.delay_every) && waiting->len == 0) {
		l->delayed++;
		memcpy(waiting->bytes, bytes, (size_t)n);
		waiting->len = n;
		return;
	}
	sent = send(to, bytes, (size_t)n, 0);
	if (is_due(l->taken, l->wish.double_every)) {
		l->doubled++;
		sent = send(to, bytes, (size_t)n, 0);
	}
	if (waiting->len > 0)
		sent = send(to, waiting->bytes, (size_t)waiting->len, 0);
	(void)sent; /* a loopback with room loses nothing */
	waiting->len = 0;
}

/* No next one comes: what waits for it comes last, in order after all. */
static void pass_waiting(struct lossy *l, int to, struct waiting *waiting)
{
	if (waiting->len == 0)
		return;
	assert_int_equal(send(to, waiting->bytes, (size_t)waiting->len, 0), waiting->len);
	waiting->len = 0;
	l->delayed--;
}

static void pass_all(struct lossy *l, const struct side *near, const struct side *far)
{
	static struct waiting waiting;
	enum { NEAR_TCP, FAR_TCP, NEAR_UDP, QUIT, COUNT };
	struct pollfd p[COUNT] = {[NEAR_TCP] = {.fd = near->tcp, .events = POLLIN},
	                          [FAR_TCP] = {.fd = far->tcp, .events = POLLIN},
	                          [NEAR_UDP] = {.fd = near->udp, .events = POLLIN},
	                          [QUIT] = {.fd = l->quit[0], .events = POLLIN}};

	waiting.len = 0;
	while (poll(p, COUNT, -1) > 0 && p[QUIT].revents == 0) {
		/* Datagrams first: the end of the stream must not overtake them. */
		if (p[NEAR_UDP].revents != 0)
			pass_datagram(l, near->udp, far->udp, &waiting);
		else if (p[NEAR_TCP].revents != 0) {
			pass_waiting(l, far->udp, &waiting); /* the sender tells how many it sent */
			if (!pass_stream(near->tcp, far->tcp))
				p[NEAR_TCP].fd = -1;
		}
		if (p[FAR_TCP].revents != 0 && !pass_stream(far->tcp, near->tcp))
			p[FAR_TCP].fd = -1;
	}
}

static void close_side(const struct side *s)
{
	(void)close(s->tcp);
	if (s->udp >= 0)
		(void)close(s->udp);
}

static void *run(void *arg)
{
	struct lossy *l = arg;
	struct pollfd p[2] = {{.fd = l->listen_fd, .events = POLLIN},
	                      {.fd = l->quit[0], .events = POLLIN}};
	struct side near;
	struct side far;

	if (poll(p, 2, -1) <= 0 || p[1].revents != 0)
		return NULL;
	near.tcp = accept(l->listen_fd, NULL, NULL);
	far.tcp = driver_dial(l->to_port);
	near.udp = open_beside(near.tcp);
	far.udp = open_beside(far.tcp);
	if (near.udp >= 0 && far.udp >= 0)
		pass_all(l, &near, &far);
	close_side(&near);
	close_side(&far);
	return NULL;
}

void lossy_start(struct lossy *l, const struct lossy_wish *wish, uint32_t to_port)
{
	memset(l, 0, sizeof(*l));
	l->wish = *wish;
	l->to_port = to_port;
	l->listen_fd = driver_listen(&l->port);
	assert_int_equal(pipe(l->quit), 0);
	assert_int_equal(pthread_create(&l->thread, NULL, run, l), 0);
}

void lossy_end(struct lossy *l)
{
	assert_int_equal(write(l->quit[1], "", 1), 1);
	assert_int_equal(pthread_join(l->thread, NULL), 0);
	(void)close(l->listen_fd);
	(void)close(l->quit[0]);
	(void)close(l->quit[1]);
}
