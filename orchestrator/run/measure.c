/* SPDX-License-Identifier: MIT */
#include "run/measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/clock.h"
#include "common/hex.h"

enum measure_end_index measure_connector(const struct plan_cell *cell)
{
	return cell->dst_initiates ? MEASURE_DST : MEASURE_SRC;
}

static enum measure_end_index other(enum measure_end_index end)
{
	return end == MEASURE_SRC ? MEASURE_DST : MEASURE_SRC;
}

uint32_t measure_interval_ms(uint32_t duration_ms)
{
	return duration_ms < 3000 ? 100 : 1000;
}

static bool token_make(char out[33], struct err *err)
{
	unsigned char raw[16];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_set(err, ERR_SYSTEM,
		               "the system has no random numbers for a test's token");
	hex_format(raw, sizeof(raw), out);
	return true;
}

static void set_deadline(struct measure *m, uint64_t now_ns, uint64_t ms)
{
	m->deadline_ns = now_ns + ms * CLOCK_NS_PER_MS;
}

static void send_stop(const struct measure *m, struct hosts *hosts, const struct measure_end *e)
{
	struct msg msg;

	(void)m;
	msg_init(&msg, MSG_STOP, hosts_id(hosts));
	msg.u.stop.test = e->id;
	link_send(hosts->links, e->host, &msg);
}

static bool both_over(const struct measure *m)
{
	return m->ends[MEASURE_SRC].is_over && m->ends[MEASURE_DST].is_over;
}

/* The first reason counts; what follows from it does not. */
static void fail(struct measure *m, struct hosts *hosts, uint64_t now_ns, const char *kind,
                 const char *fmt, ...) PRINTF_LIKE(5, 6);
static void fail(struct measure *m, struct hosts *hosts, uint64_t now_ns, const char *kind,
                 const char *fmt, ...)
{
	va_list ap;

	if (m->kind[0] == '\0' && !m->is_cancelled) {
		(void)snprintf(m->kind, sizeof(m->kind), "%s", kind);
		va_start(ap, fmt);
		(void)vsnprintf(m->reason, sizeof(m->reason), fmt, ap);
		va_end(ap);
	}
	for (int i = 0; i < MEASURE_ENDS; i++) {
		struct measure_end *e = &m->ends[i];

		if (e->id == 0)
			e->is_over = true;
		else if (!e->is_over && m->state != MEASURE_STOPPING)
			send_stop(m, hosts, e);
	}
	if (m->state != MEASURE_STOPPING)
		set_deadline(m, now_ns, MEASURE_STOP_MS);
	m->state = both_over(m) ? MEASURE_OVER : MEASURE_STOPPING;
}

static void send_prepare(struct measure *m, struct hosts *hosts, enum measure_end_index end,
                         uint32_t port)
{
	const struct plan_config *c = &m->cell->config;
	struct measure_end *e = &m->ends[end];
	bool connects = end == measure_connector(m->cell);
	struct msg msg;
	struct msg_prepare *p = &msg.u.prepare;

	e->id = hosts_id(hosts);
	msg_init(&msg, MSG_PREPARE, e->id);
	(void)snprintf(p->token, sizeof(p->token), "%s", m->token);
	(void)snprintf(p->role, sizeof(p->role), "%s", connects ? "connect" : "listen");
	(void)snprintf(p->side, sizeof(p->side), "%s", end == MEASURE_SRC ? "send" : "recv");
	(void)snprintf(p->address, sizeof(p->address), "%s", e->nic->ip);
	if (connects) {
		(void)snprintf(p->peer, sizeof(p->peer), "%s", m->ends[other(end)].nic->ip);
		p->port = port;
	} else {
		p->port_min = m->port_min;
		p->port_max = m->port_max;
	}
	p->streams = c->streams;
	if (c->window_bytes != 0)
		p->window_bytes = c->window_bytes;
	if (c->buffer_bytes != 0)
		p->buffer_bytes = c->buffer_bytes;
	p->omit_ms = c->omit_ms;
	p->duration_ms = c->duration_ms;
	p->interval_ms = m->interval_ms;
	p->rtt_probes = MEASURE_RTT_PROBES;
	link_send(hosts->links, e->host, &msg);
}

bool measure_start(struct measure *m, struct hosts *hosts, const struct plan_cell *cell,
                   uint64_t now_ns, struct err *err)
{
	if (!token_make(m->token, err))
		return false;
	m->cell = cell;
	m->interval_ms = measure_interval_ms(cell->config.duration_ms);
	m->port_min = hosts->topology->port_min;
	m->port_max = hosts->topology->port_max;
	m->started_wall_ms = clock_wall_ms();
	m->ends[MEASURE_SRC].nic = cell->src;
	m->ends[MEASURE_DST].nic = cell->dst;
	for (int i = 0; i < MEASURE_ENDS; i++)
		m->ends[i].host = hosts_index(hosts, m->ends[i].nic->host);
	m->state = MEASURE_LISTENING;
	set_deadline(m, now_ns, MEASURE_PREPARE_MS);
	send_prepare(m, hosts, other(measure_connector(cell)), 0);
	return true;
}

static void send_go(struct measure *m, struct hosts *hosts, enum measure_end_index end)
{
	struct msg msg;

	/* The answers to go repeat its id: that of prepare, so that all lines of a
	 * test carry one id. */
	msg_init(&msg, MSG_GO, m->ends[end].id);
	msg.u.go.test = m->ends[end].id;
	link_send(hosts->links, m->ends[end].host, &msg);
}

static void connected(struct measure *m, struct hosts *hosts, struct measure_end *e,
                      const struct msg_connected *msg, uint64_t now_ns)
{
	const struct plan_config *c = &m->cell->config;

	e->connected = *msg;
	e->is_connected = true;
	if (!m->ends[MEASURE_SRC].is_connected || !m->ends[MEASURE_DST].is_connected)
		return;
	if (m->probe_only) {
		measure_cancel(m, hosts, now_ns);
		return;
	}
	m->state = MEASURE_RUNNING;
	set_deadline(m, now_ns, (uint64_t)c->omit_ms + c->duration_ms + MEASURE_END_MS);
	send_go(m, hosts, MEASURE_DST);
	send_go(m, hosts, MEASURE_SRC);
}

/* Room for one more entry of `size` bytes in a list of the end. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
	void *grown = list;

	if (count == *room) {
		*room = *room == 0 ? 32 : *room * 2;
		grown = realloc(list, *room * size);
		if (grown == NULL)
			abort();
	}
	return grown;
}

/* More than this an honest agent cannot have to say: 128 streams for an hour of seconds. */
#define LIST_MAX 600000u

static bool keep(struct measure_end *e, const struct msg *msg)
{
	if (e->sample_count + e->stream_count + e->counter_count > LIST_MAX)
		return false;
	if (msg->type == MSG_SAMPLE) {
		e->samples =
			grow(e->samples, e->sample_count, &e->sample_room, sizeof(*e->samples));
		e->samples[e->sample_count++] = msg->u.sample;
	} else if (msg->type == MSG_STREAM) {
		e->streams =
			grow(e->streams, e->stream_count, &e->stream_room, sizeof(*e->streams));
		e->streams[e->stream_count++] = msg->u.stream;
	} else if (msg->type == MSG_COUNTER) {
		e->counters =
			grow(e->counters, e->counter_count, &e->counter_room, sizeof(*e->counters));
		e->counters[e->counter_count++] = msg->u.counter;
	} else {
		return false;
	}
	return true;
}

static void end_failed(struct measure *m, struct hosts *hosts, struct measure_end *e,
                       const struct msg_failed *msg, uint64_t now_ns)
{
	e->is_over = true;
	(void)snprintf(e->failed_kind, sizeof(e->failed_kind), "%.15s", msg->kind);
	(void)snprintf(e->failed_reason, sizeof(e->failed_reason), "%.191s", msg->reason);
	fail(m, hosts, now_ns, e->failed_kind, "%s: %s", e->nic->host->name, e->failed_reason);
}

static void end_done(struct measure *m, struct hosts *hosts, struct measure_end *e, uint64_t now_ns)
{
	e->is_over = true;
	if (m->state == MEASURE_STOPPING || !e->has_result)
		fail(m, hosts, now_ns, "system", "%s: the agent ended the test without a result",
		     e->nic->host->name);
	else if (both_over(m))
		m->state = MEASURE_OVER;
}

static void listener_prepared(struct measure *m, struct hosts *hosts, uint32_t port,
                              uint64_t now_ns)
{
	m->state = MEASURE_CONNECTING;
	set_deadline(m, now_ns, MEASURE_CONNECT_MS);
	send_prepare(m, hosts, measure_connector(m->cell), port);
}

static void handle(struct measure *m, struct hosts *hosts, enum measure_end_index end,
                   const struct msg *msg, uint64_t now_ns)
{
	struct measure_end *e = &m->ends[end];

	if (msg->type == MSG_PREPARED) {
		if (m->state == MEASURE_LISTENING && msg->u.prepared.port != WIRE_UNKNOWN_U32)
			listener_prepared(m, hosts, msg->u.prepared.port, now_ns);
	} else if (msg->type == MSG_CONNECTED) {
		if (m->state == MEASURE_CONNECTING && !e->is_connected)
			connected(m, hosts, e, &msg->u.connected, now_ns);
	} else if (msg->type == MSG_RESULT) {
		e->result = msg->u.result;
		e->has_result = true;
	} else if (msg->type == MSG_DONE) {
		end_done(m, hosts, e, now_ns);
	} else if (msg->type == MSG_FAILED) {
		end_failed(m, hosts, e, &msg->u.failed, now_ns);
	} else if (!keep(e, msg)) {
		fail(m, hosts, now_ns, "system", "%s: the agent said '%s' where it does not belong",
		     e->nic->host->name, wire_messages[msg->type].verb);
	}
}

bool measure_message(struct measure *m, struct hosts *hosts, const struct link_event *event,
                     uint64_t now_ns)
{
	for (int i = 0; i < MEASURE_ENDS; i++) {
		struct measure_end *e = &m->ends[i];

		if (e->id == 0 || e->id != event->msg.id || e->host != event->host)
			continue;
		if (m->state != MEASURE_OVER && !e->is_over)
			handle(m, hosts, (enum measure_end_index)i, &event->msg, now_ns);
		return true;
	}
	return false;
}

bool measure_uses(const struct measure *m, size_t host)
{
	return m->state != MEASURE_IDLE &&
	       (m->ends[MEASURE_SRC].host == host || m->ends[MEASURE_DST].host == host);
}

void measure_host_lost(struct measure *m, struct hosts *hosts, size_t host, const struct err *why,
                       uint64_t now_ns)
{
	if (!measure_uses(m, host) || m->state == MEASURE_OVER)
		return;
	for (int i = 0; i < MEASURE_ENDS; i++) {
		if (m->ends[i].host == host)
			m->ends[i].is_over = true;
	}
	fail(m, hosts, now_ns, "lost", "%.240s", why->msg);
}

void measure_cancel(struct measure *m, struct hosts *hosts, uint64_t now_ns)
{
	if (m->state == MEASURE_IDLE || m->state == MEASURE_OVER || m->state == MEASURE_STOPPING)
		return;
	m->is_cancelled = true;
	fail(m, hosts, now_ns, "cancelled", "stopped");
}

static void waited_for(const struct measure *m, char *out, size_t room)
{
	const struct measure_end *s = &m->ends[MEASURE_SRC];
	const struct measure_end *d = &m->ends[MEASURE_DST];
	const char *src = s->nic->host->name;
	const char *dst = d->nic->host->name;
	const struct measure_end *listener = &m->ends[other(measure_connector(m->cell))];

	if (m->state == MEASURE_LISTENING)
		(void)snprintf(out, room, "%s did not open its data port in %u s",
		               listener->nic->host->name, MEASURE_PREPARE_MS / 1000);
	else if (m->state == MEASURE_CONNECTING)
		(void)snprintf(out, room, "the streams did not connect in %u s",
		               MEASURE_CONNECT_MS / 1000);
	else
		(void)snprintf(out, room, "no end of the test from %s%s%s", s->is_over ? "" : src,
		               s->is_over || d->is_over ? "" : " and ", d->is_over ? "" : dst);
}

void measure_tick(struct measure *m, struct hosts *hosts, uint64_t now_ns)
{
	char text[160];

	if (m->state == MEASURE_IDLE || m->state == MEASURE_OVER || now_ns < m->deadline_ns)
		return;
	if (m->state == MEASURE_STOPPING) { /* an agent that does not confirm is not waited for */
		m->state = MEASURE_OVER;
		return;
	}
	waited_for(m, text, sizeof(text));
	fail(m, hosts, now_ns, "timeout", "%s", text);
}

void measure_done(struct measure *m)
{
	for (int i = 0; i < MEASURE_ENDS; i++) {
		free(m->ends[i].samples);
		free(m->ends[i].streams);
		free(m->ends[i].counters);
	}
	memset(m, 0, sizeof(*m));
}
