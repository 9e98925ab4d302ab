/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "tests/fakes/link_fake_parts.h"

#define MS             CLOCK_NS_PER_MS
#define BYTES_PER_MS   12500u /* 100 Mbit/s */
#define DATAGRAM_BYTES 1250u
#define US             1000u

static bool is(const char *word, const char *what)
{
	return strcmp(word, what) == 0;
}

static uint32_t known(uint32_t asked, uint32_t otherwise)
{
	return asked != WIRE_UNKNOWN_U32 ? asked : otherwise;
}

void link_fake_failed(size_t host, uint32_t id, const char *kind, const char *reason,
                      uint64_t after_ns)
{
	struct msg *m = link_fake_post(host, MSG_FAILED, id, after_ns);

	(void)snprintf(m->u.failed.kind, sizeof(m->u.failed.kind), "%s", kind);
	(void)snprintf(m->u.failed.reason, sizeof(m->u.failed.reason), "%s", reason);
}

static const char *method_of(const struct msg_prepare *p)
{
	if (is(p->protocol, "udp"))
		return is(p->side, "send") ? "sendmmsg" : "recvmmsg";
	if (is(p->side, "send"))
		return p->zero_copy[0] != '\0' ? "splice" : "writev";
	return is(p->zero_copy, "both") ? "msg_trunc" : "readv";
}

void link_fake_connected(size_t host, const struct link_fake_session *s)
{
	const struct msg_prepare *p = &s->prepare;
	struct msg *m = link_fake_post(host, MSG_CONNECTED, s->id, 2 * MS);
	struct msg_connected *c = &m->u.connected;
	uint64_t granted = link_fake(host)->window_granted;

	c->streams = p->streams;
	c->sndbuf_bytes = 87040;
	c->rcvbuf_bytes = 131072;
	c->mss_bytes = known(p->mss_bytes, 1448);
	c->path_mtu_bytes = 1500;
	c->window_granted_bytes = granted != 0 ? granted : p->window_bytes;
	if (is(p->role, "connect") && p->rtt_probes > 0)
		c->rtt_base_us = 100;
	c->no_delay = known(p->no_delay, 0);
	c->dscp = known(p->dscp, 0);
	(void)snprintf(c->congestion, sizeof(c->congestion), "%s",
	               p->congestion[0] != '\0' ? p->congestion : "cubic");
	(void)snprintf(c->method, sizeof(c->method), "%s", method_of(p));
	if (!is(p->affinity, "auto"))
		(void)snprintf(c->affinity, sizeof(c->affinity), "%s", p->affinity);
}

/* ---- after go ---- */

struct amount {
	uint64_t bytes, ns, end_ns;
};

static struct amount amount_of(const struct msg_prepare *p)
{
	struct amount a = {.bytes = (uint64_t)p->duration_ms * BYTES_PER_MS,
	                   .ns = p->duration_ms * MS};

	if (p->bytes != WIRE_UNKNOWN_U64)
		a = (struct amount){.bytes = p->bytes, .ns = p->bytes * MS / BYTES_PER_MS};
	a.end_ns = a.ns + p->omit_ms * MS;
	return a;
}

static void post_streams(size_t host, const struct link_fake_session *s, const struct amount *a)
{
	const struct msg_prepare *p = &s->prepare;
	bool connects = is(p->role, "connect");

	for (uint32_t k = 1; k <= p->streams; k++) {
		struct msg_stream *m =
			&link_fake_post(host, MSG_STREAM, s->id, a->end_ns)->u.stream;
		uint32_t first = known(p->source_port, 40000);

		m->stream = k;
		m->bytes = a->bytes / p->streams;
		m->measured_bytes = a->bytes / p->streams;
		m->local_port = connects ? first + k - 1 : 5201;
		m->peer_port = connects ? 5201 : first + k - 1;
		if (is(p->side, "send")) {
			m->retransmits = 0;
			m->rtt_us = 150;
		}
	}
}

static void post_datagrams(size_t host, const struct link_fake_session *s, const struct amount *a)
{
	struct msg_datagrams *m =
		&link_fake_post(host, MSG_DATAGRAMS, s->id, a->end_ns)->u.datagrams;
	uint64_t lost = link_fake(host)->datagrams_lost;

	m->stream = 0;
	m->count = 2 * a->bytes / DATAGRAM_BYTES;
	m->measured = a->bytes / DATAGRAM_BYTES;
	if (is(s->prepare.side, "send"))
		return;
	m->count -= lost;
	m->measured -= lost;
	m->lost = lost;
	m->reordered = 3;
	m->duplicates = 0;
	m->jitter_ns = 25 * US;
}

static void post_latency(size_t host, const struct link_fake_session *s, const char *kind,
                         const struct amount *a)
{
	struct msg_latency *m = &link_fake_post(host, MSG_LATENCY, s->id, a->end_ns)->u.latency;

	(void)snprintf(m->kind, sizeof(m->kind), "%s", kind);
	m->count = 100;
	m->min_ns = 40 * US;
	m->mean_ns = 52 * US;
	m->p50_ns = 50 * US;
	m->p90_ns = 60 * US;
	m->p99_ns = 90 * US;
	m->p999_ns = 200 * US;
	m->max_ns = 1500 * US;
}

static void post_result(size_t host, const struct link_fake_session *s, const struct amount *a)
{
	const struct msg_prepare *p = &s->prepare;
	struct msg_result *m = &link_fake_post(host, MSG_RESULT, s->id, a->end_ns)->u.result;
	bool sends = is(p->side, "send");

	m->bytes = a->bytes * 2 - (sends ? 0 : link_fake(host)->bytes_missing);
	m->measured_bytes = a->bytes;
	m->measured_ns = a->ns;
	if (!sends)
		m->skew_ns = 80 * US;
	else
		m->retransmits = 0;
	if (sends && is(p->mode, "rr"))
		m->units = a->bytes / p->buffer_bytes;
}

void link_fake_results(size_t host, const struct link_fake_session *s)
{
	const struct msg_prepare *p = &s->prepare;
	struct amount a = amount_of(p);
	struct msg_sample *sample = &link_fake_post(host, MSG_SAMPLE, s->id, a.end_ns)->u.sample;

	sample->stream = 0;
	sample->start_ns = p->omit_ms * MS;
	sample->end_ns = a.end_ns;
	sample->omitted = 0;
	sample->bytes = a.bytes;
	post_streams(host, s, &a);
	if (is(p->protocol, "udp"))
		post_datagrams(host, s, &a);
	if (is(p->mode, "rr") && is(p->side, "send"))
		post_latency(host, s, "rr", &a);
	if (is(p->role, "connect") && p->probe_ms != WIRE_UNKNOWN_U32)
		post_latency(host, s, "loaded", &a);
	post_result(host, s, &a);
	(void)link_fake_post(host, MSG_DONE, s->id, a.end_ns);
}

void link_fake_breaks(size_t host, const struct link_fake_session *s)
{
	struct amount a = amount_of(&s->prepare);

	for (uint32_t k = 1; k <= link_fake(host)->troubles; k++) {
		struct msg_trouble *m =
			&link_fake_post(host, MSG_TROUBLE, s->id, a.end_ns / 2)->u.trouble;

		m->stream = k;
		(void)snprintf(m->reason, sizeof(m->reason), "connection reset");
	}
	link_fake_failed(host, s->id, link_fake(host)->fail_go, "as scripted", a.end_ns / 2);
}
