/* SPDX-License-Identifier: MIT */
#include "agent/report.h"

#include <stdio.h>
#include <sys/socket.h>

#include "measure/address.h"
#include "measure/sockopt.h"

/* A number for an OPT u32 field: unknown when it is not known or does not fit. */
static uint32_t to_u32(uint64_t value)
{
	return value < WIRE_UNKNOWN_U32 ? (uint32_t)value : WIRE_UNKNOWN_U32;
}

void report_connected(struct output *o, uint32_t id, const struct request *r, const int *fds,
                      const struct report_connection *c)
{
	struct sockopt_granted granted;
	struct platform_tcp_info info;
	uint64_t window;
	struct msg msg;
	struct msg_connected *m = &msg.u.connected;

	sockopt_read(fds, r->streams, &granted);
	platform_tcp_info(fds[0], &info);
	window = r->side == REQUEST_SEND ? granted.sndbuf_bytes : granted.rcvbuf_bytes;

	msg_init(&msg, MSG_CONNECTED, id);
	m->streams = r->streams;
	m->sndbuf_bytes = granted.sndbuf_bytes;
	m->rcvbuf_bytes = granted.rcvbuf_bytes;
	if (r->window_bytes > 0 && window != SOCKOPT_UNKNOWN)
		m->window_granted_bytes = window / granted.doubling;
	m->mss_bytes = to_u32(granted.mss_bytes);
	m->path_mtu_bytes = to_u32(r->protocol == REQUEST_UDP ? platform_udp_path_mtu(fds[0])
	                                                      : info.path_mtu_bytes);
	m->no_delay = to_u32(granted.no_delay);
	m->dscp = to_u32(granted.dscp);
	(void)snprintf(m->congestion, sizeof(m->congestion), "%s", granted.congestion);
	number_set_format(&r->cores, m->affinity, sizeof(m->affinity));
	m->rtt_base_us = to_u32(c->rtt_base_us);
	m->strangers = to_u32(c->strangers);
	(void)snprintf(m->method, sizeof(m->method), "%s", c->method);
	(void)output_send(o, &msg);
}

static void send_sample(struct output *o, uint32_t id, const struct tally_interval *interval,
                        uint32_t stream, const struct platform_load *load)
{
	const struct tally_flow *flow = stream == 0 ? &interval->all : &interval->flow[stream - 1];
	uint64_t length_ns = interval->cut.end_ns - interval->cut.start_ns;
	struct msg msg;
	struct msg_sample *m = &msg.u.sample;

	msg_init(&msg, MSG_SAMPLE, id);
	m->stream = stream;
	m->start_ns = interval->cut.start_ns;
	m->end_ns = interval->cut.end_ns;
	m->omitted = interval->cut.is_omitted;
	m->bytes = flow->bytes;
	m->units = flow->units;
	m->lost = flow->lost;
	m->retransmits = flow->tcp.retransmits;
	m->cwnd_bytes = flow->tcp.cwnd_bytes;
	m->rtt_us = flow->tcp.rtt_us;
	m->rttvar_us = flow->tcp.rttvar_us;
	m->mss_bytes = to_u32(flow->tcp.mss_bytes);
	m->path_mtu_bytes = to_u32(flow->tcp.path_mtu_bytes);
	m->busy_us = flow->tcp.busy_us;
	m->rwnd_limited_us = flow->tcp.rwnd_limited_us;
	m->sndbuf_limited_us = flow->tcp.sndbuf_limited_us;
	if (stream == 0) {
		if (interval->cpu_us != PLATFORM_UNKNOWN && length_ns > 0)
			m->cpu_permille = to_u32(interval->cpu_us * 1000000 / length_ns);
		m->core_max_permille = to_u32(load->core_max_permille);
		m->steal_permille = to_u32(load->steal_permille);
	}
	(void)output_send(o, &msg);
}

void report_interval(struct output *o, uint32_t id, const struct tally_interval *interval,
                     uint32_t streams, const struct platform_load *load)
{
	for (uint32_t stream = 0; stream <= streams; stream++)
		send_sample(o, id, interval, stream, load);
}

void report_troubles(struct output *o, uint32_t id, const struct lost *lost)
{
	for (uint32_t i = 0; i < REQUEST_STREAMS_MAX; i++) {
		struct msg msg;

		if (lost->why[i] == NULL)
			continue;
		msg_init(&msg, MSG_TROUBLE, id);
		msg.u.trouble.stream = i + 1;
		(void)snprintf(msg.u.trouble.reason, sizeof(msg.u.trouble.reason), "%s",
		               lost->why[i]);
		(void)output_send(o, &msg);
	}
}

static uint32_t read_port(int fd, int (*ask)(int, struct sockaddr *, socklen_t *))
{
	struct address a = {0};
	socklen_t len = sizeof(a.at);

	return ask(fd, &a.at.any, &len) < 0 ? 0 : address_port(&a);
}

void report_read_ports(int fd, struct report_ports *out)
{
	out->local = read_port(fd, getsockname);
	out->peer = read_port(fd, getpeername);
}

static void send_stream(struct output *o, uint32_t id, const struct tally *tally, uint32_t index,
                        const struct report_ports *ports)
{
	const struct tally_stream *s = &tally->stream[index];
	struct msg msg;
	struct msg_stream *m = &msg.u.stream;

	msg_init(&msg, MSG_STREAM, id);
	m->stream = index + 1;
	m->bytes = streams_bytes(tally->streams, index);
	m->measured_bytes = s->measured_bytes;
	m->local_port = ports->local;
	m->peer_port = ports->peer;
	m->retransmits = s->measured.retransmits;
	m->min_rtt_us = s->measured.min_rtt_us;
	m->busy_us = s->measured.busy_us;
	m->rwnd_limited_us = s->measured.rwnd_limited_us;
	m->sndbuf_limited_us = s->measured.sndbuf_limited_us;
	m->cwnd_max_bytes = s->cwnd_max_bytes;
	if (s->rtt_count > 0)
		m->rtt_us = s->rtt_sum_us / s->rtt_count;
	m->cpu = to_u32(tally->streams->stream[index].cpu);
	(void)output_send(o, &msg);
}

void report_streams(struct output *o, uint32_t id, const struct tally *tally,
                    const struct report_ports *ports)
{
	for (uint32_t i = 0; i < tally->streams->count; i++)
		send_stream(o, id, tally, i, &ports[i]);
}

void report_latency(struct output *o, uint32_t id, const char *kind, const struct histogram *h)
{
	struct msg msg;
	struct msg_latency *m = &msg.u.latency;

	if (h->count == 0)
		return;
	msg_init(&msg, MSG_LATENCY, id);
	(void)snprintf(m->kind, sizeof(m->kind), "%s", kind);
	m->count = h->count;
	m->min_ns = h->min_ns;
	m->mean_ns = histogram_mean_ns(h);
	m->p50_ns = histogram_percentile_ns(h, 500);
	m->p90_ns = histogram_percentile_ns(h, 900);
	m->p99_ns = histogram_percentile_ns(h, 990);
	m->p999_ns = histogram_percentile_ns(h, 999);
	m->max_ns = h->max_ns;
	(void)output_send(o, &msg);
}

static void add_datagrams(struct msg_datagrams *m, const struct tally *tally, uint32_t index)
{
	struct udp_reading now;

	udp_read(tally->streams, index, &now);
	m->count += now.count;
	m->measured += tally->stream[index].measured_units; /* as the samples have them */
}

static void send_datagrams(struct output *o, uint32_t id, const struct tally *tally,
                           const struct udp_marks *marks, uint32_t stream)
{
	uint32_t streams = tally->streams->count;
	struct udp_reading measured;
	struct msg msg;
	struct msg_datagrams *m = &msg.u.datagrams;

	udp_marks_measured(marks, tally->streams, stream == 0 ? streams : stream - 1, &measured);
	msg_init(&msg, MSG_DATAGRAMS, id);
	m->stream = stream;
	m->count = 0;
	m->measured = 0;
	for (uint32_t i = 0; i < streams; i++) {
		if (stream == 0 || stream == i + 1)
			add_datagrams(m, tally, i);
	}
	m->lost = measured.lost;
	m->reordered = measured.reordered;
	m->duplicates = measured.duplicates;
	m->jitter_ns = measured.jitter_ns;
	(void)output_send(o, &msg);
}

struct counter_context {
	struct output *out;
	uint32_t id;
};

static void send_counter(void *ctx, const char *name, uint64_t delta)
{
	const struct counter_context *c = ctx;
	struct msg msg;

	msg_init(&msg, MSG_COUNTER, c->id);
	(void)snprintf(msg.u.counter.name, sizeof(msg.u.counter.name), "%s", name);
	msg.u.counter.delta = delta;
	(void)output_send(c->out, &msg);
}

void report_datagrams(struct output *o, uint32_t id, const struct tally *tally,
                      const struct udp_marks *marks)
{
	struct counter_context ctx = {o, id};
	struct udp_reading all;

	for (uint32_t stream = 0; stream <= tally->streams->count; stream++)
		send_datagrams(o, id, tally, marks, stream);
	udp_marks_measured(marks, tally->streams, tally->streams->count, &all);
	if (all.no_room != PLATFORM_UNKNOWN && all.no_room > 0)
		send_counter(&ctx, "udp.no_room", all.no_room);
}

void report_counters(struct output *o, uint32_t id, struct platform_watch *watch)
{
	struct counter_context ctx = {o, id};

	platform_watch_counters_end(watch, send_counter, &ctx);
}

/* First byte of the last stream after that of the first. */
static uint64_t skew_ns(const struct streams *streams)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	for (uint32_t i = 0; i < streams->count; i++) {
		uint64_t at = atomic_load(&streams->stream[i].first_ns);

		if (at == 0)
			return PLATFORM_UNKNOWN; /* the sender does not know; or a stream without bytes */
		if (at < first)
			first = at;
		if (at > last)
			last = at;
	}
	return last - first;
}

void report_result(struct output *o, uint32_t id, const struct tally *tally,
                   const struct platform_load *load)
{
	struct msg msg;
	struct msg_result *m = &msg.u.result;
	uint64_t thread_us = tally_thread_max_us(tally);
	bool is_rr = tally->streams->request->mode == REQUEST_RR;
	uint64_t retransmits = 0;

	msg_init(&msg, MSG_RESULT, id);
	m->bytes = streams_bytes_all(tally->streams);
	m->measured_bytes = 0;
	m->units = is_rr ? 0 : PLATFORM_UNKNOWN;
	for (uint32_t i = 0; i < tally->streams->count; i++) {
		const struct tally_stream *s = &tally->stream[i];

		m->measured_bytes += s->measured_bytes;
		if (is_rr)
			m->units += s->measured_units;
		if (s->measured.retransmits == PLATFORM_UNKNOWN)
			retransmits = PLATFORM_UNKNOWN;
		if (retransmits != PLATFORM_UNKNOWN)
			retransmits += s->measured.retransmits;
	}
	m->measured_ns = tally->sampler.closed_ns - tally->sampler.opened_ns;
	m->skew_ns = skew_ns(tally->streams);
	m->retransmits = retransmits;
	m->cpu_us = tally->measured_cpu_us;
	m->core_max_permille = to_u32(load->core_max_permille);
	m->steal_permille = to_u32(load->steal_permille);
	if (thread_us != PLATFORM_UNKNOWN && m->measured_ns > 0)
		m->thread_max_permille = to_u32(thread_us * 1000000 / m->measured_ns);
	streams_tell_method(tally->streams, m->method, sizeof(m->method));
	(void)output_send(o, &msg);
}
