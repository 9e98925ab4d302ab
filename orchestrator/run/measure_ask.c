/* SPDX-License-Identifier: MIT */
#include "run/measure_parts.h"

#include <stdio.h>

uint32_t measure_interval_ms(const struct plan_config *config)
{
	return config->bytes == 0 && config->duration_ms < 3000 ? 100 : 1000;
}

static void put_word(char out[WIRE_STR_BYTES], const char *word)
{
	(void)snprintf(out, WIRE_STR_BYTES, "%s", word);
}

static const char *address_of(const struct measure *m, const struct measure_end *e)
{
	return topology_nic_address(e->nic, m->cell->config.ip_version);
}

static void ask_amount(const struct plan_config *c, struct msg_prepare *p)
{
	p->omit_ms = c->omit_ms;
	p->duration_ms = c->duration_ms;
	if (c->bytes != 0) {
		p->bytes = c->bytes;
		p->duration_ms = MEASURE_BYTES_MS_MAX;
	}
	if (c->rate_bps != 0)
		p->rate_bps = c->rate_bps;
}

/* What is not at its level of before is said, the rest left out. */
static void ask_way(const struct plan_config *c, struct msg_prepare *p)
{
	if (c->protocol == PROTOCOL_UDP)
		put_word(p->protocol, "udp");
	if (c->mode == MODE_RR)
		put_word(p->mode, "rr");
	if (c->zero_copy != ZERO_COPY_OFF)
		put_word(p->zero_copy, c->zero_copy == ZERO_COPY_BOTH ? "both" : "sender");
	if (c->window_bytes != 0)
		p->window_bytes = c->window_bytes;
	if (c->buffer_bytes != 0)
		p->buffer_bytes = c->buffer_bytes;
	else if (c->mode == MODE_RR)
		p->buffer_bytes = 1;
	if (c->mss_bytes != 0)
		p->mss_bytes = c->mss_bytes;
	if (c->no_delay)
		p->no_delay = 1;
	if (c->dscp != 0)
		p->dscp = c->dscp;
	if (c->congestion != NULL)
		put_word(p->congestion, c->congestion);
	if (c->affinity != NULL)
		put_word(p->affinity, c->affinity);
}

static void ask_place(const struct measure *m, const struct hosts *hosts,
                      const struct measure_end *e, struct msg_prepare *p)
{
	const struct hosts_nic *n = hosts_nic(hosts, e->nic);

	put_word(p->address, address_of(m, e));
	if (m->cell->config.bind_device)
		put_word(p->device, n != NULL && n->name[0] != '\0' ? n->name : e->nic->name);
}

/* The round trips of one connection tell of both directions, so the second flow has none. */
static void ask_probes(const struct plan_config *c, size_t flow, struct msg_prepare *p)
{
	bool is_long = c->bytes != 0 || c->duration_ms >= MEASURE_PROBE_DURATION_MS;

	p->rtt_probes = flow == MEASURE_FORTH ? MEASURE_RTT_PROBES : 0;
	if (flow == MEASURE_FORTH && c->mode == MODE_BULK && is_long)
		p->probe_ms = MEASURE_PROBE_MS;
}

void measure_ask(const struct measure *m, const struct hosts *hosts, size_t flow,
                 enum measure_end_index end, uint32_t port, struct msg_prepare *out)
{
	const struct plan_config *c = &m->cell->config;
	const struct measure_flow *f = &m->flows[flow];
	const struct measure_end *e = &f->ends[end];

	put_word(out->token, f->token);
	put_word(out->side, end == MEASURE_SRC ? "send" : "recv");
	out->streams = c->streams;
	out->interval_ms = m->interval_ms;
	if (end == measure_connector(m->cell, flow)) {
		put_word(out->role, "connect");
		put_word(out->peer, address_of(m, &f->ends[measure_listener(m->cell, flow)]));
		out->port = port;
	} else {
		put_word(out->role, "listen");
		out->port_min = m->port_min;
		out->port_max = m->port_max;
	}
	if (c->source_port != 0) /* the listener, too: it leaves them free for the next test */
		out->source_port = c->source_port + (uint32_t)flow * c->streams;
	ask_amount(c, out);
	ask_way(c, out);
	ask_place(m, hosts, e, out);
	ask_probes(c, flow, out);
	for (int i = 0; flow == MEASURE_BACK && i < MEASURE_ENDS; i++) {
		const struct measure_end *first = &m->flows[MEASURE_FORTH].ends[i];

		if (first->host == e->host)
			out->beside = first->id;
	}
}
