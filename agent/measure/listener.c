/* SPDX-License-Identifier: MIT */
#include "measure/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/sockopt.h"
#include "measure/udp_socket.h"

/* All streams may arrive at once, with strangers among them. */
#define BACKLOG 256

#define ECHO_BYTES 64

void listener_init(struct listener *l)
{
	*l = (struct listener){.fd = -1, .probe_fd = -1};
	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++)
		l->pending[i].fd = -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* 0, or the errno that says why this port cannot be used. A window that the
 * kernel refuses is a failure of its own. */
static int try_port(struct listener *l, uint16_t port)
{
	struct address at = l->request->own;
	socklen_t len = sizeof(at.at);

	address_set_port(&at, port);
	if (bind(l->fd, &at.at.any, at.len) < 0 || listen(l->fd, BACKLOG) < 0)
		return errno;
	if (getsockname(l->fd, &at.at.any, &len) < 0)
		return errno;
	l->port = address_port(&at);
	return l->request->protocol == REQUEST_UDP ? udp_socket_try_port(&at) : 0;
}

static bool open_socket(struct listener *l, struct failure *f)
{
	int one = 1;

	l->fd = socket(l->request->own.at.any.sa_family, SOCK_STREAM, 0);
	if (l->fd < 0)
		return failure_set_errno(f, errno, "socket");
	(void)fcntl(l->fd, F_SETFD, FD_CLOEXEC);
	(void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!sockopt_set_blocking(l->fd, false, f))
		return false;
	return sockopt_apply(l->fd, l->request, f);
}

static bool fail_port(const struct request *r, int why, struct failure *f)
{
	char text[ADDRESS_TEXT_BYTES];
	const char *remedy =
		why == EADDRINUSE ? "; give it other `ports`, or end what listens there" : "";

	address_format(&r->own, text);
	if (r->port_min == r->port_max)
		return failure_set(f, FAILURE_PORT, "listen on %s port %u: %s%s", text, r->port_min,
		                   strerror(why), remedy);
	return failure_set(f, FAILURE_PORT, "no free port from %u to %u on %s: %s%s", r->port_min,
	                   r->port_max, text, strerror(why), remedy);
}

bool listener_open(struct listener *l, const struct request *request, int *fds, int *data_fds,
                   struct failure *f)
{
	bool is_any = request->port_max == 0; /* the system chooses; but udp may not like it */
	uint32_t count =
		is_any ? UDP_SOCKET_TRIES : (uint32_t)(request->port_max - request->port_min) + 1;
	uint32_t first =
		(uint32_t)(clock_now_ns() / 1000) % count; /* random enough: not a secret */
	int why = 0;

	l->request = request;
	l->fds = fds;
	l->data_fds = data_fds;
	for (uint32_t i = 0; i < request->streams; i++)
		fds[i] = data_fds[i] = -1;
	for (uint32_t i = 0; i < count; i++) {
		/* Anew for each port: after a failed listen() a socket stays bound. */
		if (!open_socket(l, f)) {
			close_fd(&l->fd);
			return false;
		}
		why = try_port(l, (uint16_t)(is_any ? 0 : request->port_min + (first + i) % count));
		if (why == 0)
			return true;
		close_fd(&l->fd);
	}
	return fail_port(request, why, f);
}

size_t listener_poll(const struct listener *l, struct pollfd *fds)
{
	size_t count = 0;

	if (l->fd >= 0)
		fds[count++] = (struct pollfd){.fd = l->fd, .events = POLLIN};
	if (l->probe_fd >= 0)
		fds[count++] = (struct pollfd){.fd = l->probe_fd, .events = POLLIN};
	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++) {
		if (l->pending[i].fd >= 0)
			fds[count++] = (struct pollfd){.fd = l->pending[i].fd, .events = POLLIN};
	}
	return count;
}

uint64_t listener_due_ns(const struct listener *l)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++) {
		if (l->pending[i].fd >= 0 && l->pending[i].until_ns < due)
			due = l->pending[i].until_ns;
	}
	return due;
}

bool listener_is_complete(const struct listener *l)
{
	return l->connected == l->request->streams &&
	       (l->had_probe || !request_has_probe(l->request));
}

static void drop_stranger(struct listener *l, struct listener_pending *p)
{
	close_fd(&p->fd);
	l->strangers++;
}

/* A free place; when there is none that of the oldest, so that connections which
 * say nothing cannot keep the test's own out. */
static struct listener_pending *find_place(struct listener *l)
{
	struct listener_pending *oldest = &l->pending[0];

	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++) {
		struct listener_pending *p = &l->pending[i];

		if (p->fd < 0)
			return p;
		if (p->until_ns < oldest->until_ns)
			oldest = p;
	}
	drop_stranger(l, oldest);
	return oldest;
}

static bool accept_all(struct listener *l, uint64_t now_ns, struct failure *f)
{
	/* Bounded: whoever connects without end must not keep us here. */
	for (int i = 0; i < BACKLOG; i++) {
		int fd = accept(l->fd, NULL, NULL);
		struct listener_pending *p;

		if (fd < 0 && (errno == ECONNABORTED || errno == EPROTO))
			continue; /* given up by the other end meanwhile */
		if (fd < 0 && sockopt_is_passing(errno))
			return true;
		if (fd < 0)
			return failure_set_errno(f, errno, "accept");
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
		if (!sockopt_set_blocking(fd, false, f)) {
			(void)close(fd);
			return false;
		}
		p = find_place(l);
		p->fd = fd;
		p->got = 0;
		p->until_ns = now_ns + LISTENER_STRANGER_MS * CLOCK_NS_PER_MS;
	}
	return true;
}

/* Where the connection belongs; NULL when not to this test. */
static int *find_owner(struct listener *l, const unsigned char bytes[PREAMBLE_BYTES])
{
	struct preamble p;

	if (!preamble_parse(bytes, &p) || !preamble_token_equal(p.token, l->request->token))
		return NULL;
	if (p.kind == PREAMBLE_PROBE)
		return request_has_probe(l->request) && !l->had_probe ? &l->probe_fd : NULL;
	if (p.kind != request_preamble_kind(l->request) || p.stream > l->request->streams ||
	    l->fds[p.stream - 1] >= 0)
		return NULL;
	return &l->fds[p.stream - 1];
}

/* The socket for the datagrams of the stream whose connection goes to *owner. */
static bool open_datagrams(struct listener *l, const int *owner, int fd, struct failure *f)
{
	int result;

	if (l->request->protocol != REQUEST_UDP || owner == &l->probe_fd)
		return true;
	result = udp_socket_open(l->request, fd, &l->data_fds[owner - l->fds], f);
	return result == EADDRINUSE ? udp_socket_fail_taken(fd, f) : result == 0;
}

static bool welcome(struct listener *l, struct listener_pending *p, struct failure *f)
{
	static const unsigned char yes = PREAMBLE_ACCEPTED;
	int *owner = find_owner(l, p->bytes);

	if (owner != NULL && !open_datagrams(l, owner, p->fd, f))
		return false;
	if (owner == NULL || send(p->fd, &yes, 1, MSG_NOSIGNAL) != 1) {
		if (owner != NULL && owner != &l->probe_fd)
			close_fd(&l->data_fds[owner - l->fds]);
		drop_stranger(l, p);
		return true;
	}
	*owner = p->fd;
	p->fd = -1;
	if (owner == &l->probe_fd) {
		l->had_probe = true;
		sockopt_set_nodelay(l->probe_fd);
	} else {
		l->connected++;
	}
	return true;
}

static bool read_preamble(struct listener *l, struct listener_pending *p, uint64_t now_ns,
                          struct failure *f)
{
	ssize_t n = recv(p->fd, p->bytes + p->got, PREAMBLE_BYTES - p->got, 0);

	if (n > 0) {
		p->got += (size_t)n;
		if (p->got == PREAMBLE_BYTES)
			return welcome(l, p, f);
	}
	if (n == 0 || (n < 0 && !sockopt_is_passing(errno)) || now_ns >= p->until_ns)
		drop_stranger(l, p);
	return true;
}

static void echo_probe(struct listener *l)
{
	char bytes[ECHO_BYTES];
	ssize_t n = recv(l->probe_fd, bytes, sizeof(bytes), 0);

	if (n > 0 && send(l->probe_fd, bytes, (size_t)n, MSG_NOSIGNAL) == n)
		return;
	if (n < 0 && sockopt_is_passing(errno))
		return;
	close_fd(&l->probe_fd);
}

bool listener_step(struct listener *l, uint64_t now_ns, struct failure *f)
{
	if (l->probe_fd >= 0)
		echo_probe(l); /* first: the other end's clock runs */
	if (l->fd >= 0 && !accept_all(l, now_ns, f))
		return false;
	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++) {
		if (l->pending[i].fd >= 0 && !read_preamble(l, &l->pending[i], now_ns, f))
			return false;
	}
	return true;
}

int listener_take_probe(struct listener *l)
{
	int fd = l->probe_fd;

	l->probe_fd = -1;
	return fd;
}

void listener_missing(const struct listener *l, struct lost *out)
{
	*out = (struct lost){0};
	for (uint32_t i = 0; i < l->request->streams; i++) {
		if (l->fds[i] < 0)
			out->why[i] = "it has not come";
	}
}

void listener_close(struct listener *l)
{
	close_fd(&l->fd);
	close_fd(&l->probe_fd);
	for (size_t i = 0; i < LISTENER_PENDING_MAX; i++)
		close_fd(&l->pending[i].fd);
}
