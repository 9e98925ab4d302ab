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
};

struct attempt {
	const struct sockaddr *address;
	socklen_t len;
	struct wait_limit limit;
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

/* 0, or the errno of the connection; ECANCELED when woken. */
static int wait_connected(int fd, const struct attempt *a)
{
	int error = 0;
	socklen_t len = sizeof(error);

	switch (wait_for(fd, POLLOUT, &a->limit)) {
	case WAIT_READY:
		return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 ? error : errno;
	case WAIT_TIMEOUT:
		return ETIMEDOUT;
	case WAIT_WOKEN:
		return ECANCELED;
	case WAIT_FAILED:
		break;
	}
	return errno;
}

/* 0 and *fd, or an errno. */
static int try_address(const struct attempt *a, int *fd)
{
	const int on = 1;
	int s = socket(a->address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;

	if (s < 0)
		return errno;
	if (connect(s, a->address, a->len) != 0)
		error = errno == EINPROGRESS ? wait_connected(s, a) : errno;
	/* Without it each small request takes 40 ms more: Nagle waits for a delayed ACK. */
	if (error == 0 && setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
		error = errno;
	if (error != 0) {
		(void)close(s);
		return error;
	}
	*fd = s;
	return 0;
}

static void explain(int error, const char *target, uint64_t waited_ns, struct err *err)
{
	const char *remedy = remedy_for(error);

	if (error == ECANCELED)
		(void)err_set(err, ERR_CANCELLED, "connect to %s: given up", target);
	else if (error == ETIMEDOUT)
		(void)err_set(err, ERR_TIMEOUT, "connect to %s: no answer in %.1f s: %s", target,
		              (double)waited_ns / (double)CLOCK_NS_PER_S, remedy);
	else
		(void)err_set(err, ERR_REMOTE, "connect to %s: %s%s%s", target, strerror(error),
		              remedy == NULL ? "" : ": ", remedy == NULL ? "" : remedy);
	err->sys_errno = error;
}

bool dial(const char *address, uint32_t port, const struct wait_limit *limit, int *fd,
          char where[DIAL_WHERE_BYTES], struct err *err)
{
	struct resolved found;

	if (!resolve(address, port, limit, &found, err))
		return false;
	for (size_t i = 0; i < found.count; i++) {
		struct attempt a = {(const struct sockaddr *)&found.at[i].address, found.at[i].len,
		                    *limit};
		uint64_t start_ns = clock_now_ns();
		char target[96];
		char answered[DIAL_WHERE_BYTES];
		int error;

		if (start_ns < limit->deadline_ns)
			a.limit.deadline_ns =
				start_ns + (limit->deadline_ns - start_ns) / (found.count - i);
		describe(&a, target, sizeof(target), answered);
		error = try_address(&a, fd);
		if (error == 0) {
			memcpy(where, answered, sizeof(answered));
			return true;
		}
		explain(error, target, clock_now_ns() - start_ns, err);
		if (error == ECANCELED)
			return false;
	}
	return false;
}
