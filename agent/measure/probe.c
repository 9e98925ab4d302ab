/* SPDX-License-Identifier: MIT */
#include "measure/probe.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/sockopt.h"

#define STACK_BYTES ((size_t)64 * 1024)
#define ECHO_BYTES  64

void probe_init(struct probe *p)
{
	*p = (struct probe){.fd = -1};
}

bool probe_open(struct probe *p, const struct request *r, struct failure *f)
{
	probe_init(p);
	p->every_ns = r->probe_ns;
	p->is_timing = r->probe_ns > 0 && !r->is_listener;
	if (!p->is_timing)
		return true;
	p->histogram = malloc(sizeof(*p->histogram));
	if (p->histogram == NULL)
		return failure_set(f, FAILURE_SYSTEM, "out of memory");
	histogram_init(p->histogram);
	return true;
}

static void echo(struct probe *p)
{
	char bytes[ECHO_BYTES];

	for (;;) {
		ssize_t n = recv(p->fd, bytes, sizeof(bytes), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || send(p->fd, bytes, (size_t)n, MSG_NOSIGNAL) != n)
			return;
	}
}

/* A byte under way. Numbered, so that one of the probes before the load that came
 * too late is not taken for it: those are 0. */
struct flight {
	uint64_t sent_ns; /* 0: none is under way */
	unsigned char number;
};

static bool launch(const struct probe *p, struct flight *flight)
{
	flight->number = (unsigned char)(flight->number % UINT8_MAX + 1);
	flight->sent_ns = clock_now_ns();
	return send(p->fd, &flight->number, 1, MSG_NOSIGNAL) == 1;
}

/* Takes what came. False when the connection has ended. */
static bool land(struct probe *p, struct flight *flight)
{
	unsigned char byte = 0;
	ssize_t n = recv(p->fd, &byte, 1, MSG_DONTWAIT);
	uint64_t now = clock_now_ns();

	if (n < 0 && sockopt_is_passing(errno))
		return true;
	if (n <= 0)
		return false;
	if (flight->sent_ns == 0 || byte != flight->number)
		return true;
	if (atomic_load(&p->time) == PROBE_MEASURED)
		histogram_add(p->histogram, now - flight->sent_ns);
	flight->sent_ns = 0;
	return true;
}

/* Rounded up: waking just before the time would spin. */
static int wait_ms(uint64_t until_ns, uint64_t now_ns)
{
	return until_ns <= now_ns
	               ? 0
	               : (int)((until_ns - now_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
}

static void take_times(struct probe *p)
{
	struct pollfd fd = {.fd = p->fd, .events = POLLIN};
	struct flight flight = {0};
	uint64_t due = clock_now_ns() + p->every_ns;

	for (;;) {
		uint64_t now = clock_now_ns();

		if (flight.sent_ns == 0 && now >= due) {
			if (!launch(p, &flight))
				return;
			due += ((now - due) / p->every_ns + 1) * p->every_ns;
		}
		fd.revents = 0;
		if (poll(&fd, 1, flight.sent_ns != 0 ? -1 : wait_ms(due, now)) < 0 &&
		    errno != EINTR)
			return;
		if (fd.revents != 0 && !land(p, &flight))
			return;
	}
}

static void *run(void *arg)
{
	struct probe *p = arg;

	if (p->is_timing)
		take_times(p);
	else
		echo(p);
	if (atomic_load(&p->time) != PROBE_AFTER)
		atomic_store(&p->is_broken, true);
	return NULL;
}

bool probe_start(struct probe *p, int fd, struct failure *f)
{
	pthread_attr_t attr;
	int bad;

	p->fd = fd;
	if (fd < 0) {
		atomic_store(&p->is_broken, true);
		return true;
	}
	sockopt_set_nodelay(fd);
	if (!sockopt_set_blocking(fd, true, f))
		return false;
	bad = pthread_attr_init(&attr);
	if (bad == 0) {
		(void)pthread_attr_setstacksize(&attr, STACK_BYTES); /* else more, not worse */
		bad = pthread_create(&p->thread, &attr, run, p);
		(void)pthread_attr_destroy(&attr);
	}
	p->has_thread = bad == 0;
	return bad == 0 || failure_set_errno(f, bad, "thread for the probe");
}

void probe_set_time(struct probe *p, enum probe_time time)
{
	atomic_store(&p->time, (int)time);
}

void probe_end(struct probe *p)
{
	if (p->fd >= 0)
		(void)shutdown(p->fd, SHUT_RDWR);
	if (p->has_thread)
		(void)pthread_join(p->thread, NULL);
	p->has_thread = false;
	if (p->fd >= 0)
		(void)close(p->fd);
	p->fd = -1;
}

const struct histogram *probe_latency(const struct probe *p)
{
	return atomic_load(&p->is_broken) ? NULL : p->histogram;
}

void probe_close(struct probe *p)
{
	probe_end(p);
	free(p->histogram);
	p->histogram = NULL;
}
