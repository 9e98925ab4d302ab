/* SPDX-License-Identifier: MIT */
#include "run/measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/clock.h"
#include "common/hex.h"
#include "run/measure_parts.h"

enum measure_end_index measure_connector(const struct plan_cell *cell, size_t flow)
{
	return cell->dst_initiates == (flow == MEASURE_FORTH) ? MEASURE_DST : MEASURE_SRC;
}

enum measure_end_index measure_listener(const struct plan_cell *cell, size_t flow)
{
	return measure_connector(cell, flow) == MEASURE_SRC ? MEASURE_DST : MEASURE_SRC;
}

/* The i-th end of all flows, NULL behind the last. */
static struct measure_end *end_at(struct measure *m, size_t i)
{
	return i < m->flow_count * MEASURE_ENDS ? &m->flows[i / MEASURE_ENDS].ends[i % MEASURE_ENDS]
	                                        : NULL;
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

static void send_stop(struct hosts *hosts, const struct measure_end *e)
{
	struct msg msg;

	msg_init(&msg, MSG_STOP, hosts_id(hosts));
	msg.u.stop.test = e->id;
	link_send(hosts->links, e->host, &msg);
}

static bool all_over(struct measure *m)
{
	const struct measure_end *e;

	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++) {
		if (!e->is_over)
			return false;
	}
	return true;
}

/* The first reason counts; what follows from it does not. */
static void fail(struct measure *m, struct hosts *hosts, uint64_t now_ns, const char *kind,
                 const char *fmt, ...) PRINTF_LIKE(5, 6);
static void fail(struct measure *m, struct hosts *hosts, uint64_t now_ns, const char *kind,
                 const char *fmt, ...)
{
	struct measure_end *e;
	va_list ap;

	if (m->kind[0] == '\0' && !m->is_cancelled) {
		(void)snprintf(m->kind, sizeof(m->kind), "%s", kind);
		va_start(ap, fmt);
		(void)vsnprintf(m->reason, sizeof(m->reason), fmt, ap);
		va_end(ap);
	}
	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++) {
		if (e->id == 0)
			e->is_over = true;
		else if (!e->is_over && m->state != MEASURE_STOPPING)
			send_stop(hosts, e);
	}
	if (m->state != MEASURE_STOPPING)
		set_deadline(m, now_ns, MEASURE_STOP_MS);
	m->state = all_over(m) ? MEASURE_OVER : MEASURE_STOPPING;
}

static void send_prepare(struct measure *m, struct hosts *hosts, enum measure_end_index end,
                         uint32_t port)
{
	struct measure_end *e = &m->flows[m->opening].ends[end];
	struct msg msg;

	e->id = hosts_id(hosts);
	msg_init(&msg, MSG_PREPARE, e->id);
	measure_ask(m, hosts, m->opening, end, port, &msg.u.prepare);
	link_send(hosts->links, e->host, &msg);
}

static void open_flow(struct measure *m, struct hosts *hosts, size_t flow, uint64_t now_ns)
{
	m->opening = flow;
	m->state = MEASURE_LISTENING;
	set_deadline(m, now_ns, MEASURE_PREPARE_MS);
	send_prepare(m, hosts, measure_listener(m->cell, flow), 0);
}

bool measure_start(struct measure *m, struct hosts *hosts, const struct plan_cell *cell,
                   uint64_t now_ns, struct err *err)
{
	m->flow_count = cell->config.is_bidir ? 2 : 1;
	m->cell = cell;
	m->interval_ms = measure_interval_ms(&cell->config);
	m->port_min = hosts->topology->port_min;
	m->port_max = hosts->topology->port_max;
	m->started_wall_ms = clock_wall_ms();
	for (size_t f = 0; f < m->flow_count; f++) {
		struct measure_end *ends = m->flows[f].ends;

		if (!token_make(m->flows[f].token, err))
			return false;
		ends[MEASURE_SRC].nic = f == MEASURE_FORTH ? cell->src : cell->dst;
		ends[MEASURE_DST].nic = f == MEASURE_FORTH ? cell->dst : cell->src;
		for (int i = 0; i < MEASURE_ENDS; i++)
			ends[i].host = hosts_index(hosts, ends[i].nic->host);
	}
	open_flow(m, hosts, MEASURE_FORTH, now_ns);
	return true;
}

static void send_go(struct hosts *hosts, const struct measure_end *e)
{
	struct msg msg;

	/* The answers to go repeat its id: that of prepare, so that all lines of a
	 * test carry one id. */
	msg_init(&msg, MSG_GO, e->id);
	msg.u.go.test = e->id;
	link_send(hosts->links, e->host, &msg);
}

/* Receivers first, so that none misses the first bytes. */
static void start(struct measure *m, struct hosts *hosts, uint64_t now_ns)
{
	const struct plan_config *c = &m->cell->config;
	uint64_t longest_ms = c->bytes != 0 ? MEASURE_BYTES_MS_MAX : c->duration_ms;

	m->state = MEASURE_RUNNING;
	set_deadline(m, now_ns, c->omit_ms + longest_ms + MEASURE_END_MS);
	for (size_t f = 0; f < m->flow_count; f++)
		send_go(hosts, &m->flows[f].ends[MEASURE_DST]);
	for (size_t f = 0; f < m->flow_count; f++)
		send_go(hosts, &m->flows[f].ends[MEASURE_SRC]);
}

static void connected(struct measure *m, struct hosts *hosts, struct measure_end *e,
                      const struct msg_connected *msg, uint64_t now_ns)
{
	const struct measure_end *ends = m->flows[m->opening].ends;

	e->connected = *msg;
	e->is_connected = true;
	if (!ends[MEASURE_SRC].is_connected || !ends[MEASURE_DST].is_connected)
		return;
	if (m->probe_only)
		measure_cancel(m, hosts, now_ns);
	else if (m->opening + 1 < m->flow_count)
		open_flow(m, hosts, m->opening + 1, now_ns);
	else
		start(m, hosts, now_ns);
}

static void end_failed(struct measure *m, struct hosts *hosts, struct measure_end *e,
                       const struct msg_failed *msg, uint64_t now_ns)
{
	char why[sizeof(m->reason)];

	e->is_over = true;
	(void)snprintf(e->failed_kind, sizeof(e->failed_kind), "%.15s", msg->kind);
	(void)snprintf(e->failed_reason, sizeof(e->failed_reason), "%.191s", msg->reason);
	measure_tell_troubles(e, e->failed_reason, why,
	                      sizeof(m->reason) - strlen(e->nic->host->name) - 2);
	fail(m, hosts, now_ns, e->failed_kind, "%s: %s", e->nic->host->name, why);
}

static void end_done(struct measure *m, struct hosts *hosts, struct measure_end *e, uint64_t now_ns)
{
	e->is_over = true;
	if (m->state == MEASURE_STOPPING || !e->has_result)
		fail(m, hosts, now_ns, "system", "%s: the agent ended the test without a result",
		     e->nic->host->name);
	else if (all_over(m))
		m->state = MEASURE_OVER;
}

static void listener_prepared(struct measure *m, struct hosts *hosts, uint32_t port,
                              uint64_t now_ns)
{
	m->state = MEASURE_CONNECTING;
	set_deadline(m, now_ns, MEASURE_CONNECT_MS);
	send_prepare(m, hosts, measure_connector(m->cell, m->opening), port);
}

static void handle(struct measure *m, struct hosts *hosts, struct measure_end *e,
                   const struct msg *msg, uint64_t now_ns)
{
	const struct measure_end *ends = m->flows[m->opening].ends;
	const struct measure_end *listener = &ends[measure_listener(m->cell, m->opening)];
	bool is_opening = e == &ends[MEASURE_SRC] || e == &ends[MEASURE_DST];

	if (msg->type == MSG_PREPARED) {
		if (m->state == MEASURE_LISTENING && e == listener &&
		    msg->u.prepared.port != WIRE_UNKNOWN_U32)
			listener_prepared(m, hosts, msg->u.prepared.port, now_ns);
	} else if (msg->type == MSG_CONNECTED) {
		if (m->state == MEASURE_CONNECTING && is_opening && !e->is_connected)
			connected(m, hosts, e, &msg->u.connected, now_ns);
	} else if (msg->type == MSG_RESULT) {
		e->result = msg->u.result;
		e->has_result = true;
	} else if (msg->type == MSG_DONE) {
		end_done(m, hosts, e, now_ns);
	} else if (msg->type == MSG_FAILED) {
		end_failed(m, hosts, e, &msg->u.failed, now_ns);
	} else if (!measure_keep(e, msg)) {
		fail(m, hosts, now_ns, "system", "%s: the agent said '%s' where it does not belong",
		     e->nic->host->name, wire_messages[msg->type].verb);
	}
}

bool measure_message(struct measure *m, struct hosts *hosts, const struct link_event *event,
                     uint64_t now_ns)
{
	struct measure_end *e;

	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++) {
		if (e->id == 0 || e->id != event->msg.id || e->host != event->host)
			continue;
		if (m->state != MEASURE_OVER && !e->is_over)
			handle(m, hosts, e, &event->msg, now_ns);
		return true;
	}
	return false;
}

bool measure_uses(const struct measure *m, size_t host)
{
	const struct measure_end *ends =
		m->flows[MEASURE_FORTH].ends; /* the second's are the same */

	return m->state != MEASURE_IDLE &&
	       (ends[MEASURE_SRC].host == host || ends[MEASURE_DST].host == host);
}

void measure_host_lost(struct measure *m, struct hosts *hosts, size_t host, const struct err *why,
                       uint64_t now_ns)
{
	struct measure_end *e;

	if (!measure_uses(m, host) || m->state == MEASURE_OVER)
		return;
	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++) {
		if (e->host == host)
			e->is_over = true;
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

/* True when an end of this host has not ended. */
static bool is_missing(struct measure *m, const struct nic *nic)
{
	const struct measure_end *e;

	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++) {
		if (e->nic == nic && !e->is_over)
			return true;
	}
	return false;
}

static void waited_for(struct measure *m, char *out, size_t room)
{
	const struct plan_cell *c = m->cell;
	const struct measure_end *listener =
		&m->flows[m->opening].ends[measure_listener(c, m->opening)];
	bool src = is_missing(m, c->src);
	bool dst = is_missing(m, c->dst);

	if (m->state == MEASURE_LISTENING)
		(void)snprintf(out, room, "%s did not open its data port in %u s",
		               listener->nic->host->name, MEASURE_PREPARE_MS / 1000);
	else if (m->state == MEASURE_CONNECTING)
		(void)snprintf(out, room, "the streams did not connect in %u s",
		               MEASURE_CONNECT_MS / 1000);
	else
		(void)snprintf(out, room, "no end of the test from %s%s%s",
		               src ? c->src->host->name : "", src && dst ? " and " : "",
		               dst ? c->dst->host->name : "");
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
	struct measure_end *e;

	for (size_t i = 0; (e = end_at(m, i)) != NULL; i++)
		measure_forget(e);
	memset(m, 0, sizeof(*m));
}
