/* SPDX-License-Identifier: MIT */
#include "remote/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/resolve.h"

/* What the user can look at, by the reason. */
static const struct {
	int errnum;
	const char *remedy;
} remedies[] = {
	{ECONNREFUSED, "is sshd running there?"},
	{ETIMEDOUT, "is the address right, the host up, no firewall between?"},
	{EHOSTUNREACH, "is the host up and its network reachable from here?"},
	{ENETUNREACH, "is there a route to it from here?"},
	{EACCES, "a firewall on this machine forbids it"},
	{EPERM, "a firewall on this machine forbids it"},
	{EADDRNOTAVAIL, "is BindAddress of ssh_config an address of this machine?"},
	{EAFNOSUPPORT, "is BindAddress of ssh_config of the same family as the host's address?"},
};

struct attempt {
	const struct sockaddr *address;
	socklen_t len;
	int fd; /* -1: does not run */
	int error;
	uint64_t start_ns, end_ns;
};

/* The attempts in the order in which they start. */
struct race {
	const struct wait_limit *limit;
	struct resolved found, source; /* source.count 0: any address of ours */
	struct attempt attempts[RESOLVE_MAX];
	size_t count, started, running;
	uint64_t next_ns; /* when the next one starts, however the others do */
};

static const char *remedy_for(int errnum)
{
	for (size_t i = 0; i < COUNT_OF(remedies); i++) {
		if (remedies[i].errnum == errnum)
			return remedies[i].remedy;
	}
	return NULL;
}

/* "10.1.2.3 port 22", and "10.1.2.3:22" or "[fe80::1]:22". */
static void describe(const struct attempt *a, char *text, size_t room, char where[DIAL_WHERE_BYTES])
{
	char host[NI_MAXHOST];
	char port[NI_MAXSERV];

	if (getnameinfo(a->address, a->len, host, sizeof(host), port, sizeof(port),
	                NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
		(void)snprintf(host, sizeof(host), "?");
		(void)snprintf(port, sizeof(port), "?");
	}
	(void)snprintf(text, room, "%.60s port %.8s", host, port);
	(void)snprintf(where, DIAL_WHERE_BYTES,
	               a->address->sa_family == AF_INET6 ? "[%.50s]:%.8s" : "%.50s:%.8s", host,
	               port);
}

/* The next that is not taken: of another family than the last one if there is any. */
static size_t pick_next(const struct resolved *found, const bool taken[RESOLVE_MAX], int last)
{
	size_t first = 0;

	while (first + 1 < found->count && taken[first])
		first++;
	for (size_t i = first; i < found->count; i++) {
		if (!taken[i] && found->at[i].address.ss_family != last)
			return i;
	}
	return first;
}

/* In the resolver's order, but the families by turns (RFC 8305 section 4). */
static void line_up(struct race *r)
{
	bool taken[RESOLVE_MAX] = {false};
	int last = AF_UNSPEC;

	while (r->count < r->found.count) {
		size_t pick = pick_next(&r->found, taken, last);

		taken[pick] = true;
		last = r->found.at[pick].address.ss_family;
		r->attempts[r->count++] = (struct attempt){
			.address = (const struct sockaddr *)&r->found.at[pick].address,
			.len = r->found.at[pick].len,
			.fd = -1};
	}
}

static int bind_source(const struct race *r, int fd, int family)
{
	if (r->source.count == 0)
		return 0;
	for (size_t i = 0; i < r->source.count; i++) {
		const struct sockaddr *from = (const struct sockaddr *)&r->source.at[i].address;

		if (from->sa_family == family)
			return bind(fd, from, r->source.at[i].len) == 0 ? 0 : errno;
	}
	return EAFNOSUPPORT;
}

static void give_up(struct race *r, struct attempt *a, int error)
{
	if (a->fd >= 0) {
		(void)close(a->fd);
		r->running--;
	}
	a->fd = -1;
	a->error = error;
	a->end_ns = clock_now_ns();
}

/* Whether it is connected shows in poll(), even when it is at once. */
static void start_next(struct race *r)
{
	struct attempt *a = &r->attempts[r->started++];
	const int on = 1;
	int error;

	a->start_ns = clock_now_ns();
	r->next_ns = a->start_ns + DIAL_STAGGER_MS * CLOCK_NS_PER_MS;
	a->fd = socket(a->address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->fd < 0) {
		give_up(r, a, errno);
		return;
	}
	r->running++;
	error = bind_source(r, a->fd, a->address->sa_family);
	/* Without it each small request takes 40 ms more: Nagle waits for a delayed ACK. */
	if (error == 0 && setsockopt(a->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
		error = errno;
	if (error == 0 && connect(a->fd, a->address, a->len) != 0 && errno != EINPROGRESS)
		error = errno;
	if (error != 0)
		give_up(r, a, error);
}

/* Waits for one of them to end, or for the next to start; 0, ETIMEDOUT or ECANCELED. */
static int wait_for_any(const struct race *r, struct pollfd fds[RESOLVE_MAX + 1])
{
	uint64_t until_ns = r->limit->deadline_ns;

	if (clock_now_ns() >= until_ns)
		return ETIMEDOUT;
	if (r->started < r->count && r->next_ns < until_ns)
		until_ns = r->next_ns;
	for (size_t i = 0; i < r->started; i++)
		fds[i] = (struct pollfd){.fd = r->attempts[i].fd, .events = POLLOUT};
	fds[r->started] = (struct pollfd){.fd = r->limit->wake_fd, .events = POLLIN};
	if (poll(fds, (nfds_t)r->started + 1, wait_ms(until_ns)) < 0) {
		for (size_t i = 0; i <= r->started; i++)
			fds[i].revents = 0;
		return errno == EINTR ? 0 : errno;
	}
	return fds[r->started].revents != 0 ? ECANCELED : 0;
}

/* The one that is connected, or NULL; those that have failed make place for the next. */
static struct attempt *look(struct race *r, const struct pollfd fds[RESOLVE_MAX + 1])
{
	for (size_t i = 0; i < r->started; i++) {
		struct attempt *a = &r->attempts[i];
		int error = 0;
		socklen_t len = sizeof(error);

		if (a->fd < 0 || fds[i].revents == 0)
			continue;
		if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
			error = errno;
		if (error == 0)
			return a;
		give_up(r, a, error);
		r->next_ns = 0;
	}
	return NULL;
}

/* The winner, its socket no longer the race's; NULL: each attempt has its error, or *error
 * ends them all. */
static struct attempt *run(struct race *r, int *error)
{
	struct pollfd fds[RESOLVE_MAX + 1];
	struct attempt *winner = NULL;

	*error = 0;
	while (winner == NULL && *error == 0) {
		if (r->started < r->count && (r->running == 0 || clock_now_ns() >= r->next_ns)) {
			start_next(r);
			continue;
		}
		if (r->running == 0)
			break;
		*error = wait_for_any(r, fds);
		if (*error == 0)
			winner = look(r, fds);
	}
	for (size_t i = 0; i < r->started; i++) {
		if (&r->attempts[i] != winner && r->attempts[i].fd >= 0)
			give_up(r, &r->attempts[i], *error);
	}
	return winner;
}

/* The attempt that tells most: a host that refuses more than a family without a route. */
static const struct attempt *most_telling(const struct race *r)
{
	const struct attempt *best = &r->attempts[0];

	for (size_t i = 1; i < r->started; i++) {
		int error = r->attempts[i].error;

		if ((error != ENETUNREACH && error != EAFNOSUPPORT && error != EADDRNOTAVAIL) ||
		    best->error == error)
			best = &r->attempts[i];
	}
	return best;
}

static void explain(const struct race *r, int ended_by, struct err *err)
{
	const struct attempt *a = most_telling(r);
	const char *remedy = remedy_for(a->error);
	char others[40] = "";
	char target[96];
	char where[DIAL_WHERE_BYTES];

	describe(a, target, sizeof(target), where);
	if (r->started > 1)
		(void)snprintf(others, sizeof(others), " (and %zu more)", r->started - 1);
	if (ended_by == ECANCELED)
		(void)err_set(err, ERR_CANCELLED, "connect to %s: given up", target);
	else if (a->error == ETIMEDOUT)
		(void)err_set(err, ERR_TIMEOUT, "connect to %s%s: no answer in %.1f s: %s", target,
		              others, (double)(a->end_ns - a->start_ns) / (double)CLOCK_NS_PER_S,
		              remedy);
	else
		(void)err_set(err, ERR_REMOTE, "connect to %s%s: %s%s%s", target, others,
		              strerror(a->error), remedy == NULL ? "" : ": ",
		              remedy == NULL ? "" : remedy);
	err->sys_errno = ended_by == ECANCELED ? ECANCELED : a->error;
}

bool dial(const struct dial_to *to, const struct wait_limit *limit, int *fd,
          char where[DIAL_WHERE_BYTES], struct err *err)
{
	struct race r = {.limit = limit};
	struct attempt *winner;
	char target[96];
	int error;

	if (!resolve(to->address, to->port, to->family, limit, &r.found, err))
		return false;
	if (to->bind_address != NULL &&
	    !resolve(to->bind_address, 0, to->family, limit, &r.source, err))
		return err_prefix(err, "BindAddress");
	line_up(&r);
	winner = run(&r, &error);
	if (winner == NULL) {
		explain(&r, error, err);
		return false;
	}
	describe(winner, target, sizeof(target), where);
	*fd = winner->fd;
	return true;
}
