/* SPDX-License-Identifier: MIT */
#include "agent/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/report.h"
#include "common/clock.h"
#include "measure/files.h"
#include "measure/mover.h"
#include "measure/options.h"
#include "measure/request.h"
#include "measure/sockopt.h"
#include "measure/udp.h"
#include "platform/platform.h"

/* Descriptors beside those of the streams: strangers, files, pipes. */
#define SPARE_FILES (LISTENER_PENDING_MAX + 32)

enum session_state { SESSION_FREE, SESSION_CONNECTING, SESSION_CONNECTED, SESSION_MEASURING };

struct session {
	struct streams streams; /* first: it must be aligned */
	struct output *out;
	struct platform_watch *watch; /* NULL: nothing to watch */
	enum session_state state;
	uint32_t test; /* id of prepare */
	uint32_t open; /* id of the request to answer */
	uint64_t until_ns;
	bool is_broken; /* connected, but a stream is no more */
	struct request request;
	int fds[REQUEST_STREAMS_MAX];
	int data_fds[REQUEST_STREAMS_MAX]; /* udp; else -1 */
	struct listener listener;
	struct connector connector;
	struct probe probe;
	struct measurement measurement;
};

struct session *session_new(struct output *out, struct failure *f)
{
	/* aligned_alloc() wants a multiple of the alignment. */
	size_t len = (sizeof(struct session) + STREAMS_CACHE_LINE_BYTES - 1) /
	             STREAMS_CACHE_LINE_BYTES * STREAMS_CACHE_LINE_BYTES;
	struct session *s = aligned_alloc(STREAMS_CACHE_LINE_BYTES, len);

	if (s == NULL) {
		(void)failure_set(f, FAILURE_SYSTEM, "out of memory");
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	if (!streams_init(&s->streams, f)) {
		free(s);
		return NULL;
	}
	s->out = out;
	s->watch = platform_watch_new();
	listener_init(&s->listener);
	connector_init(&s->connector);
	probe_init(&s->probe);
	return s;
}

/* Threads first: they use the sockets. */
static void clean(struct session *s)
{
	if (s->state == SESSION_FREE)
		return;
	streams_close(&s->streams);
	probe_close(&s->probe);
	for (uint32_t i = 0; i < s->request.streams; i++) {
		if (s->fds[i] >= 0)
			(void)close(s->fds[i]);
		if (s->data_fds[i] >= 0)
			(void)close(s->data_fds[i]);
		s->fds[i] = s->data_fds[i] = -1;
	}
	listener_close(&s->listener);
	connector_close(&s->connector);
	s->state = SESSION_FREE;
}

bool session_is_open(const struct session *s)
{
	return s->state != SESSION_FREE;
}

uint32_t session_test(const struct session *s)
{
	return s->test;
}

void session_free(struct session *s)
{
	if (s == NULL)
		return;
	clean(s);
	streams_done(&s->streams);
	platform_watch_free(s->watch);
	free(s);
}

/* Which streams are not connected, where that is why. */
static void tell_missing(const struct session *s, const struct failure *f)
{
	struct lost lost = {0};

	if (!s->request.is_listener)
		connector_missing(&s->connector, f, &lost);
	else if (f->kind == FAILURE_TIMEOUT)
		listener_missing(&s->listener, &lost);
	report_troubles(s->out, s->open, &lost);
}

static void fail(struct session *s, const struct failure *f)
{
	if (s->state == SESSION_CONNECTING)
		tell_missing(s, f);
	clean(s);
	output_failed(s->out, s->open, f);
}

uint32_t session_files(const struct session *s)
{
	return s->request.streams * (s->request.protocol == REQUEST_UDP ? 2 : 1) + SPARE_FILES;
}

/* Checks everything, then allocates, then opens the port or begins to connect. */
static bool prepare(struct session *s, const struct msg_prepare *m, uint32_t other_files,
                    struct failure *f)
{
	const struct request *r = &s->request;
	const struct mover *mover;
	uint64_t now = clock_now_ns();

	if (!request_check(m, &s->request, f) || !address_check_own(&r->own, f) ||
	    !files_reserve(r, session_files(s) + other_files, f) || !options_check(&s->request, f))
		return false;
	for (uint32_t i = 0; i < r->streams; i++)
		s->fds[i] = s->data_fds[i] = -1;
	mover = mover_choose(r, f);
	if (mover == NULL || !probe_open(&s->probe, r, f))
		return false;
	listener_init(&s->listener);
	if (!streams_open(&s->streams, mover, r, f) ||
	    (r->is_listener && !listener_open(&s->listener, r, s->fds, s->data_fds, f))) {
		streams_close(&s->streams);
		probe_close(&s->probe);
		return false;
	}
	connector_start(&s->connector, r, s->fds, s->data_fds, now);
	s->until_ns = now + SESSION_LISTEN_MS * CLOCK_NS_PER_MS;
	return true;
}

void session_prepare(struct session *s, uint32_t id, const struct msg_prepare *m,
                     uint32_t other_files)
{
	struct failure f;
	struct msg msg;

	if (!prepare(s, m, other_files, &f)) {
		output_failed(s->out, id, &f);
		return;
	}
	s->state = SESSION_CONNECTING;
	s->test = id;
	s->open = id;
	msg_init(&msg, MSG_PREPARED, id);
	if (s->request.is_listener)
		msg.u.prepared.port = s->listener.port;
	(void)output_send(s->out, &msg);
}

static bool has_all(const struct session *s)
{
	return s->request.is_listener ? listener_is_complete(&s->listener)
	                              : connector_is_complete(&s->connector);
}

static bool connected(struct session *s, uint64_t now_ns, struct failure *f)
{
	bool is_udp = s->request.protocol == REQUEST_UDP;
	struct report_connection c = {PLATFORM_UNKNOWN, PLATFORM_UNKNOWN, NULL};

	if (s->request.probe_ns > 0 &&
	    !probe_start(&s->probe,
	                 s->request.is_listener ? listener_take_probe(&s->listener)
	                                        : connector_take_probe(&s->connector),
	                 f))
		return false;
	listener_close(&s->listener);
	connector_close(&s->connector);
	for (uint32_t i = 0; i < s->request.streams; i++) {
		if (!sockopt_set_blocking(s->fds[i], true, f) ||
		    !sockopt_renew(s->fds[i], &s->request, f))
			return false;
	}
	if (s->request.is_listener)
		c.strangers = s->listener.strangers;
	else if (s->connector.rtt_least_ns != UINT64_MAX)
		c.rtt_base_us = s->connector.rtt_least_ns / 1000;
	if (is_udp && !udp_settle(&s->streams, s->fds, s->data_fds, f))
		return false;
	c.method = s->streams.mover->method;
	platform_watch_counters_start(s->watch, &s->request.own.at.any);
	report_connected(s->out, s->test, &s->request, is_udp ? s->data_fds : s->fds, &c);
	s->state = SESSION_CONNECTED;
	s->is_broken = false;
	s->until_ns = now_ns + SESSION_GO_MS * CLOCK_NS_PER_MS;
	return true;
}

static bool fail_absent(const struct session *s, struct failure *f)
{
	const struct listener *l = &s->listener;
	struct lost missing;
	char which[64];

	listener_missing(l, &missing);
	lost_format(&missing, which, sizeof(which));
	return failure_set(f, FAILURE_TIMEOUT,
	                   "port %u: %u of %u streams came in %u s%s%s, %u strangers: a firewall?",
	                   l->port, l->connected, s->request.streams, SESSION_LISTEN_MS / 1000,
	                   l->connected > 0 ? ", not " : "", l->connected > 0 ? which : "",
	                   l->strangers);
}

static bool step_connecting(struct session *s, uint64_t now_ns, struct failure *f)
{
	if (s->request.is_listener ? !listener_step(&s->listener, now_ns, f)
	                           : !connector_step(&s->connector, now_ns, f))
		return false;
	if (has_all(s))
		return connected(s, now_ns, f);
	if (s->request.is_listener && now_ns >= s->until_ns)
		return fail_absent(s, f);
	return true;
}

/* Before go nothing moves, but the other end may go away. A receiver cannot tell
 * that from the sender's first bytes without reading; it finds out at go. */
static size_t poll_streams(const struct session *s, struct pollfd *fds)
{
	short events = s->request.side == REQUEST_SEND ? POLLIN : 0;

	for (uint32_t i = 0; i < s->request.streams; i++)
		fds[i] = (struct pollfd){.fd = s->fds[i], .events = events};
	return s->request.streams;
}

static bool step_connected(struct session *s, uint64_t now_ns, struct failure *f)
{
	struct pollfd fds[REQUEST_STREAMS_MAX];
	size_t count = poll_streams(s, fds);
	struct lost lost = {0};
	bool is_broken = false;

	if (poll(fds, (nfds_t)count, 0) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (fds[i].revents == 0)
			continue;
		lost.why[i] = "the other end closed it before go";
		is_broken = true;
	}
	if (is_broken && !s->is_broken) /* the others get a moment to follow */
		s->until_ns = now_ns + MEASUREMENT_LOST_MS * CLOCK_NS_PER_MS;
	s->is_broken = is_broken;
	if (is_broken && now_ns >= s->until_ns) {
		report_troubles(s->out, s->open, &lost);
		return lost_fail(&lost, f);
	}
	if (now_ns >= s->until_ns)
		return failure_set(f, FAILURE_TIMEOUT, "no go within %u s", SESSION_GO_MS / 1000);
	return true;
}

static bool step_measuring(struct session *s, uint64_t now_ns, struct failure *f)
{
	if (!measurement_step(&s->measurement, now_ns, f))
		return false;
	if (s->measurement.phase == MEASUREMENT_OVER) {
		probe_end(&s->probe);
		measurement_report(&s->measurement);
		clean(s);
	}
	return true;
}

void session_go(struct session *s, uint32_t id, const struct msg_go *m)
{
	struct measurement_parts parts = {&s->request,
	                                  s->fds,
	                                  &s->streams,
	                                  s->watch,
	                                  &s->probe,
	                                  s->out,
	                                  s->request.protocol == REQUEST_UDP ? s->data_fds : NULL};
	struct failure f;

	if (s->state != SESSION_CONNECTED || m->test != s->test) {
		(void)failure_set(&f, FAILURE_USAGE, "test %u is not connected", m->test);
		output_failed(s->out, id, &f);
		return;
	}
	s->open = id;
	if (parts.data_fds != NULL && s->request.side == REQUEST_SEND &&
	    !udp_settle(&s->streams, s->fds, s->data_fds, &f)) {
		fail(s, &f);
		return;
	}
	s->state = SESSION_MEASURING;
	measurement_start(&s->measurement, &parts, id);
}

void session_stop(struct session *s, uint32_t id, const struct msg_stop *m)
{
	struct failure f;

	if (s->state == SESSION_FREE || m->test != s->test) {
		(void)failure_set(&f, FAILURE_USAGE, "test %u is not open", m->test);
		output_failed(s->out, id, &f);
		return;
	}
	(void)failure_set(&f, FAILURE_CANCELLED, "stopped");
	fail(s, &f);
}

bool session_is_measuring(const struct session *s)
{
	return s->state == SESSION_MEASURING;
}

size_t session_poll(const struct session *s, struct pollfd *fds)
{
	switch (s->state) {
	case SESSION_FREE:
		return 0;
	case SESSION_CONNECTING:
		return s->request.is_listener ? listener_poll(&s->listener, fds)
		                              : connector_poll(&s->connector, fds);
	case SESSION_CONNECTED:
		return s->is_broken ? 0 : poll_streams(s, fds);
	case SESSION_MEASURING:
		return measurement_poll(&s->measurement, fds);
	}
	return 0;
}

uint64_t session_due_ns(const struct session *s)
{
	uint64_t due;

	switch (s->state) {
	case SESSION_FREE:
		return UINT64_MAX;
	case SESSION_CONNECTING:
		due = s->request.is_listener ? listener_due_ns(&s->listener)
		                             : connector_due_ns(&s->connector);
		return due < s->until_ns ? due : s->until_ns;
	case SESSION_CONNECTED:
		return s->until_ns;
	case SESSION_MEASURING:
		return measurement_due_ns(&s->measurement);
	}
	return UINT64_MAX;
}

void session_step(struct session *s, uint64_t now_ns)
{
	struct failure f;
	bool ok = true;

	switch (s->state) {
	case SESSION_FREE:
		break;
	case SESSION_CONNECTING:
		ok = step_connecting(s, now_ns, &f);
		break;
	case SESSION_CONNECTED:
		ok = step_connected(s, now_ns, &f);
		break;
	case SESSION_MEASURING:
		ok = step_measuring(s, now_ns, &f);
		break;
	}
	if (!ok)
		fail(s, &f);
}
