/* SPDX-License-Identifier: MIT */
#include "measure/connector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "measure/options.h"
#include "measure/sockopt.h"
#include "measure/udp_socket.h"

void connector_init(struct connector *c)
{
	*c = (struct connector){.probe_fd = -1, .rtt_least_ns = UINT64_MAX};
}

void connector_start(struct connector *c, const struct request *request, int *fds, int *data_fds,
                     uint64_t now_ns)
{
	connector_init(c);
	c->request = request;
	c->fds = fds;
	c->data_fds = data_fds;
	c->tries_left = UDP_SOCKET_TRIES;
	c->until_ns = now_ns + CONNECTOR_DEADLINE_MS * CLOCK_NS_PER_MS;
	c->probes_left = request->rtt_probes;
	if (!request_has_probe(request))
		c->probe_phase = CONNECTOR_READY;
	for (uint32_t i = 0; i < request->streams; i++)
		fds[i] = data_fds[i] = -1;
}

/* "connect to 10.1.0.22 port 5203", for every message. */
static bool fail(const struct connector *c, enum failure_kind kind, const char *why,
                 struct failure *f)
{
	char text[ADDRESS_TEXT_BYTES];

	address_format(&c->request->peer, text);
	return failure_set(f, kind, "connect to %s port %u: %s", text,
	                   address_port(&c->request->peer), why);
}

static bool fail_errno(const struct connector *c, int errnum, struct failure *f)
{
	enum failure_kind kind = FAILURE_SYSTEM;

	if (errnum == ECONNREFUSED || errnum == ECONNRESET || errnum == EPIPE)
		kind = FAILURE_REFUSED;
	if (errnum == ETIMEDOUT)
		kind = FAILURE_TIMEOUT;
	return fail(c, kind, strerror(errnum), f);
}

static void find_missing(const struct connector *c, struct lost *out)
{
	static const char *const why[] = {[CONNECTOR_TO_CONNECT] = "its turn has not come",
	                                  [CONNECTOR_CONNECTING] = "no answer",
	                                  [CONNECTOR_GREETING] = "taken, but no answer",
	                                  [CONNECTOR_READY] = NULL};

	*out = (struct lost){0};
	for (uint32_t i = 0; i < c->request->streams; i++)
		out->why[i] = why[c->phase[i]];
}

void connector_missing(const struct connector *c, const struct failure *f, struct lost *out)
{
	bool is_some = false;

	*out = (struct lost){0};
	for (uint32_t i = 0; i < c->request->streams; i++)
		is_some = is_some || c->phase[i] == CONNECTOR_READY;
	if (c->failed != 0)
		out->why[c->failed - 1] = f->reason;
	else if (f->kind == FAILURE_TIMEOUT && is_some) /* else the failure tells of all */
		find_missing(c, out);
}

/* Which streams, unless it is all of them. */
static bool fail_late(const struct connector *c, struct failure *f)
{
	bool was_taken = c->probe_phase == CONNECTOR_GREETING;
	bool is_some = false;
	struct lost missing;
	char which[64];
	char why[128];

	find_missing(c, &missing);
	for (uint32_t i = 0; i < c->request->streams; i++) {
		was_taken = was_taken || c->phase[i] == CONNECTOR_GREETING;
		is_some = is_some || c->phase[i] == CONNECTOR_READY;
	}
	lost_format(&missing, which, sizeof(which));
	(void)snprintf(why, sizeof(why), is_some ? "streams %s: %s" : "%.0s%s", which,
	               was_taken ? "taken, but no answer in 5 s" : "no answer in 5 s: a firewall?");
	return fail(c, FAILURE_TIMEOUT, why, f);
}

/* A socket on its way to the listener. */
static bool begin(const struct connector *c, int *fd, uint16_t stream, struct failure *f)
{
	const struct request *r = c->request;

	*fd = socket(r->own.at.any.sa_family, SOCK_STREAM, 0);
	if (*fd < 0)
		return failure_set_errno(f, errno, "socket");
	(void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
	if (!sockopt_set_blocking(*fd, false, f))
		return false;
	if (!sockopt_apply(*fd, r, f) || !options_bind(*fd, r, stream, f))
		return false;
	if (connect(*fd, &r->peer.at.any, r->peer.len) < 0 && errno != EINPROGRESS &&
	    errno != EINTR)
		return fail_errno(c, errno, f);
	return true;
}

static bool is_writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1;
}

/* Connected, or why not. */
static bool check_connected(const struct connector *c, int fd, struct failure *f)
{
	int why = 0;
	socklen_t len = sizeof(why);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		return failure_set_errno(f, errno, "SO_ERROR");
	return why == 0 || fail_errno(c, why, f);
}

/* The socket for the stream's datagrams. When a program has the connection's port for UDP
 * there is another try with another connection: *fd is -1 then. */
static bool open_datagrams(struct connector *c, int *fd, uint16_t stream, struct failure *f)
{
	int result;

	if (c->request->protocol != REQUEST_UDP || stream == 0)
		return true;
	result = udp_socket_open(c->request, *fd, &c->data_fds[stream - 1], f);
	if (result != EADDRINUSE)
		return result == 0;
	if (c->request->source_port != 0 || c->tries_left == 0)
		return udp_socket_fail_taken(*fd, f);
	c->tries_left--;
	(void)close(*fd);
	*fd = -1;
	return true;
}

static bool greet(const struct connector *c, int fd, uint16_t stream, struct failure *f)
{
	struct preamble p = {.stream = stream, .kind = request_preamble_kind(c->request)};
	unsigned char bytes[PREAMBLE_BYTES];
	ssize_t n;

	if (stream == 0)
		p.kind = PREAMBLE_PROBE;
	memcpy(p.token, c->request->token, sizeof(p.token));
	preamble_format(&p, bytes);
	n = send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL);
	if (n == (ssize_t)sizeof(bytes))
		return true;
	return fail_errno(c, n < 0 ? errno : ENOBUFS, f); /* a new socket has room for 32 bytes */
}

/* One byte from the listener: 1 when it is `wanted` (any, when negative), 0 when
 * it is not there yet, -1 with *f set. */
static int take_byte(const struct connector *c, int fd, int wanted, struct failure *f)
{
	unsigned char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	if (n < 0 && sockopt_is_passing(errno))
		return 0;
	if (n < 0)
		(void)fail_errno(c, errno, f);
	else if (n == 0)
		(void)fail(c, FAILURE_REFUSED, "closed without an answer: not this test's port?",
		           f);
	else if (wanted < 0 || byte == wanted)
		return 1;
	else
		(void)fail(c, FAILURE_REFUSED, "something else answers there", f);
	return -1;
}

/* Brings one connection as far as it goes without waiting. */
static bool advance(struct connector *c, int *fd, enum connector_phase *phase, uint16_t stream,
                    struct failure *f)
{
	int got;

	if (*phase == CONNECTOR_TO_CONNECT) {
		if (!begin(c, fd, stream, f))
			return false;
		*phase = CONNECTOR_CONNECTING;
	}
	if (*phase == CONNECTOR_CONNECTING && is_writable(*fd)) {
		if (!check_connected(c, *fd, f) || !open_datagrams(c, fd, stream, f))
			return false;
		if (*fd < 0) {
			*phase = CONNECTOR_TO_CONNECT;
			return true;
		}
		if (!greet(c, *fd, stream, f))
			return false;
		*phase = CONNECTOR_GREETING;
	}
	if (*phase != CONNECTOR_GREETING)
		return true;
	got = take_byte(c, *fd, PREAMBLE_ACCEPTED, f);
	if (got == 1)
		*phase = CONNECTOR_READY;
	return got >= 0;
}

static void close_probe(struct connector *c)
{
	if (c->probe_fd >= 0)
		(void)close(c->probe_fd);
	c->probe_fd = -1;
}

static void end_probes(struct connector *c)
{
	c->probes_left = 0;
	if (c->request->probe_ns == 0)
		close_probe(c);
}

/* One byte there and back, as often as asked for. */
static bool probe(struct connector *c, struct failure *f)
{
	static const unsigned char byte = 0;
	uint64_t now = clock_now_ns();
	int got;

	if (c->probes_until_ns == 0) {
		sockopt_set_nodelay(c->probe_fd);
		c->probes_until_ns = now + CONNECTOR_PROBES_MS * CLOCK_NS_PER_MS;
	}
	if (c->probe_sent_ns != 0) {
		got = take_byte(c, c->probe_fd, -1, f);
		if (got < 0)
			return false;
		now = clock_now_ns();
		if (got == 1) {
			if (now - c->probe_sent_ns < c->rtt_least_ns)
				c->rtt_least_ns = now - c->probe_sent_ns;
			c->probe_sent_ns = 0;
			c->probes_left--;
		}
	}
	if (c->probes_left == 0 || now >= c->probes_until_ns) {
		end_probes(c);
	} else if (c->probe_sent_ns == 0) {
		c->probe_sent_ns = clock_now_ns();
		if (send(c->probe_fd, &byte, 1, MSG_NOSIGNAL) != 1)
			return fail_errno(c, errno, f);
	}
	return true;
}

/* The streams that are under way: the first ones that are not ready. */
static bool is_active(const struct connector *c, uint32_t index, uint32_t *active)
{
	return c->phase[index] != CONNECTOR_READY && (*active)++ < CONNECTOR_ACTIVE_MAX;
}

bool connector_is_complete(const struct connector *c)
{
	if (c->probe_phase != CONNECTOR_READY || c->probes_left > 0)
		return false;
	for (uint32_t i = 0; i < c->request->streams; i++) {
		if (c->phase[i] != CONNECTOR_READY)
			return false;
	}
	return true;
}

bool connector_step(struct connector *c, uint64_t now_ns, struct failure *f)
{
	uint32_t active = 0;

	if (c->probe_phase != CONNECTOR_READY && !advance(c, &c->probe_fd, &c->probe_phase, 0, f))
		return false;
	if (c->probe_phase == CONNECTOR_READY && c->probes_left > 0 && !probe(c, f))
		return false;
	if (c->probe_phase == CONNECTOR_READY && c->probes_left == 0) {
		for (uint32_t i = 0; i < c->request->streams; i++) {
			if (is_active(c, i, &active) &&
			    !advance(c, &c->fds[i], &c->phase[i], (uint16_t)(i + 1), f)) {
				c->failed = i + 1;
				return false;
			}
		}
	}
	if (now_ns >= c->until_ns && !connector_is_complete(c))
		return fail_late(c, f);
	return true;
}

static struct pollfd wait_for(int fd, enum connector_phase phase)
{
	return (struct pollfd){.fd = fd,
	                       .events = phase == CONNECTOR_CONNECTING ? POLLOUT : POLLIN};
}

size_t connector_poll(const struct connector *c, struct pollfd *fds)
{
	size_t count = 0;
	uint32_t active = 0;

	if (c->probe_phase != CONNECTOR_READY || c->probes_left > 0) {
		if (c->probe_fd >= 0)
			fds[count++] = wait_for(c->probe_fd, c->probe_phase);
		return count;
	}
	for (uint32_t i = 0; i < c->request->streams; i++) {
		if (is_active(c, i, &active) && c->fds[i] >= 0)
			fds[count++] = wait_for(c->fds[i], c->phase[i]);
	}
	return count;
}

uint64_t connector_due_ns(const struct connector *c)
{
	bool is_probing = c->probe_phase != CONNECTOR_READY || c->probes_left > 0;
	uint32_t active = 0;

	for (uint32_t i = 0; !is_probing && i < c->request->streams; i++) {
		if (is_active(c, i, &active) && c->phase[i] == CONNECTOR_TO_CONNECT)
			return 0; /* its turn came in the last step */
	}
	if (is_probing && c->probes_until_ns != 0 && c->probes_until_ns < c->until_ns)
		return c->probes_until_ns;
	return c->until_ns;
}

int connector_take_probe(struct connector *c)
{
	int fd = c->probe_fd;

	c->probe_fd = -1;
	return fd;
}

void connector_close(struct connector *c)
{
	close_probe(c);
}
