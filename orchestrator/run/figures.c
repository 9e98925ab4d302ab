/* SPDX-License-Identifier: MIT */
#include "run/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ceiling/ceiling.h"

#define GIB      1073741824.0
#define NS_PER_S 1e9

static int64_t known64(uint64_t v)
{
	return v == WIRE_UNKNOWN_U64 || v > INT64_MAX ? RESULT_UNKNOWN : (int64_t)v;
}

static int64_t known32(uint32_t v)
{
	return v == WIRE_UNKNOWN_U32 ? RESULT_UNKNOWN : (int64_t)v;
}

static double real32(uint32_t v, double scale)
{
	return v == WIRE_UNKNOWN_U32 ? (double)NAN : (double)v * scale;
}

static double rate_bps(uint64_t bytes, uint64_t ns)
{
	return ns == 0 ? (double)NAN : (double)bytes * 8.0 * NS_PER_S / (double)ns;
}

static void from_connection(const struct measure *m, int64_t mtu_bytes, struct test_result *r)
{
	const struct measure_end *src = &m->ends[MEASURE_SRC];
	const struct measure_end *dst = &m->ends[MEASURE_DST];
	const struct measure_end *opener = &m->ends[measure_connector(m->cell)];
	const char *name = NULL;

	if (m->cell->config.window_bytes != 0)
		r->window_requested_bytes = known64(m->cell->config.window_bytes);
	if (opener->is_connected)
		r->rtt_base_us = real32(opener->connected.rtt_base_us, 1.0);
	if (dst->is_connected)
		r->rcvbuf_actual_bytes = known64(dst->connected.rcvbuf_bytes);
	if (!src->is_connected)
		return;
	r->sndbuf_actual_bytes = known64(src->connected.sndbuf_bytes);
	r->mss_bytes = known32(src->connected.mss_bytes);
	r->path_mtu_bytes = known32(src->connected.path_mtu_bytes);
	r->line_rate_bps = ceiling_line_rate(m->cell, r->mss_bytes, mtu_bytes, &name);
}

int64_t figures_counter(const struct measure_end *e, const char *name)
{
	for (size_t i = 0; i < e->counter_count; i++) {
		if (strcmp(e->counters[i].name, name) == 0)
			return known64(e->counters[i].delta);
	}
	return RESULT_UNKNOWN;
}

static void from_cpu(const struct measure_end *e, double *cpu_pct, double *core_pct,
                     double *us_per_gib)
{
	const struct msg_result *s = &e->result;

	if (s->cpu_us != WIRE_UNKNOWN_U64 && s->measured_ns > 0) {
		*cpu_pct = (double)s->cpu_us * 1e5 / (double)s->measured_ns;
		if (s->measured_bytes > 0)
			*us_per_gib = (double)s->cpu_us * GIB / (double)s->measured_bytes;
	}
	*core_pct = real32(s->core_max_permille, 0.1);
}

static void from_sender(const struct measure_end *src, struct test_result *r)
{
	double rtt_sum = 0;
	unsigned rtts = 0;

	r->sender_bps = rate_bps(src->result.measured_bytes, src->result.measured_ns);
	r->retransmits = known64(src->result.retransmits);
	if (r->retransmits != RESULT_UNKNOWN && src->result.measured_bytes > 0) {
		double bytes = (double)src->result.measured_bytes;

		r->retransmits_per_gib = (double)r->retransmits * GIB / bytes;
		/* RFC 6349 section 4.1: bytes that were not sent again, of all bytes sent. */
		if (r->mss_bytes > 0) {
			double again = (double)r->retransmits * (double)r->mss_bytes;

			r->tcp_efficiency_pct =
				again < bytes ? 100.0 * (bytes - again) / bytes : 0.0;
		}
	}
	for (size_t i = 0; i < src->stream_count; i++) {
		const struct msg_stream *s = &src->streams[i];

		if (s->rtt_us != WIRE_UNKNOWN_U64) {
			rtt_sum += (double)s->rtt_us;
			rtts++;
		}
		if (known64(s->cwnd_max_bytes) != RESULT_UNKNOWN &&
		    (r->cwnd_max_bytes == RESULT_UNKNOWN ||
		     known64(s->cwnd_max_bytes) > r->cwnd_max_bytes))
			r->cwnd_max_bytes = known64(s->cwnd_max_bytes);
	}
	if (rtts == 0)
		return;
	r->rtt_loaded_us = rtt_sum / rtts;
	if (r->rtt_base_us > 0) /* RFC 6349 section 4.2 */
		r->buffer_delay_pct = 100.0 * (r->rtt_loaded_us - r->rtt_base_us) / r->rtt_base_us;
}

static void from_receiver(const struct measure_end *dst, struct test_result *r)
{
	int64_t nic_bytes = figures_counter(dst, "nic.rx_bytes");

	r->throughput_bps = rate_bps(dst->result.measured_bytes, dst->result.measured_ns);
	r->duration_s = (double)dst->result.measured_ns / NS_PER_S;
	r->bytes = known64(dst->result.bytes);
	r->rx_drops = figures_counter(dst, "nic.rx_dropped");
	if (nic_bytes != RESULT_UNKNOWN && r->bytes > 0)
		r->nic_byte_match_pct = 100.0 * (double)nic_bytes / (double)r->bytes;
}

static const struct msg_stream *stream_of(const struct measure_end *e, uint32_t stream)
{
	for (size_t i = 0; i < e->stream_count; i++) {
		if (e->streams[i].stream == stream)
			return &e->streams[i];
	}
	return NULL;
}

static void list_streams(const struct measure *m, struct arena *arena, struct test_result *r)
{
	const struct measure_end *dst = &m->ends[MEASURE_DST];
	struct result_stream *list = arena_alloc(arena, dst->stream_count, sizeof(*list));

	for (size_t i = 0; i < dst->stream_count; i++) {
		const struct msg_stream *d = &dst->streams[i];
		const struct msg_stream *s = stream_of(&m->ends[MEASURE_SRC], d->stream);
		struct result_stream *o = &list[i];

		result_stream_unknown(o);
		o->stream = d->stream;
		o->src_port = d->peer_port;
		o->dst_port = d->local_port;
		o->throughput_bps = rate_bps(d->measured_bytes, dst->result.measured_ns);
		o->cpu = known32(d->cpu);
		if (s == NULL)
			continue;
		o->retransmits = known64(s->retransmits);
		o->cwnd_max_bytes = known64(s->cwnd_max_bytes);
		o->rtt_us = known64(s->rtt_us);
	}
	r->streams = list;
	r->stream_count = dst->stream_count;
}

/* The sender's samples by stream. Both ends cut their time alike, so the k-th sample of a stream
 * at one end belongs to the k-th at the other. */
#define STREAMS_MAX 128u

struct by_stream {
	const struct msg_sample **at[STREAMS_MAX + 1];
	size_t count[STREAMS_MAX + 1];
};

static void sort_by_stream(const struct measure_end *e, struct arena *arena, struct by_stream *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < e->sample_count; i++) {
		if (e->samples[i].stream <= STREAMS_MAX)
			out->count[e->samples[i].stream]++;
	}
	for (uint32_t k = 0; k <= STREAMS_MAX; k++) {
		if (out->count[k] > 0)
			out->at[k] = arena_alloc(arena, out->count[k], sizeof(*out->at[k]));
		out->count[k] = 0;
	}
	for (size_t i = 0; i < e->sample_count; i++) {
		uint32_t k = e->samples[i].stream;

		if (k <= STREAMS_MAX)
			out->at[k][out->count[k]++] = &e->samples[i];
	}
}

static const struct msg_sample *twin_of(const struct by_stream *src, uint32_t stream, size_t nth)
{
	return stream <= STREAMS_MAX && nth < src->count[stream] ? src->at[stream][nth] : NULL;
}

/* Stream 0 carries no connection figures of its own: retransmits and window are sums, the round trip a mean. */
static void sum_of_streams(const struct by_stream *src, size_t nth, uint32_t streams,
                           struct result_interval *out)
{
	int64_t retransmits = 0;
	int64_t cwnd = 0;
	int64_t rtt = 0;

	for (uint32_t k = 1; k <= streams; k++) {
		const struct msg_sample *s = twin_of(src, k, nth);

		if (s == NULL || s->retransmits == WIRE_UNKNOWN_U64 ||
		    s->cwnd_bytes == WIRE_UNKNOWN_U64 || s->rtt_us == WIRE_UNKNOWN_U64)
			return;
		retransmits += known64(s->retransmits);
		cwnd += known64(s->cwnd_bytes);
		rtt += known64(s->rtt_us);
	}
	out->retransmits = retransmits;
	out->cwnd_bytes = cwnd;
	out->rtt_us = streams > 0 ? rtt / streams : RESULT_UNKNOWN;
}

static void from_twin(const struct by_stream *src, const struct msg_sample *d, size_t nth,
                      uint32_t streams, struct result_interval *o)
{
	const struct msg_sample *s = twin_of(src, d->stream, nth);

	if (d->stream == 0) {
		sum_of_streams(src, nth, streams, o);
	} else if (s != NULL) {
		o->retransmits = known64(s->retransmits);
		o->cwnd_bytes = known64(s->cwnd_bytes);
		o->rtt_us = known64(s->rtt_us);
	}
}

static void list_intervals(const struct measure *m, struct arena *arena, struct test_result *r)
{
	const struct measure_end *dst = &m->ends[MEASURE_DST];
	struct result_interval *list = arena_alloc(arena, dst->sample_count, sizeof(*list));
	size_t nth[STREAMS_MAX + 1] = {0};
	struct by_stream src;
	size_t count = 0;

	sort_by_stream(&m->ends[MEASURE_SRC], arena, &src);
	for (size_t i = 0; i < dst->sample_count; i++) {
		const struct msg_sample *d = &dst->samples[i];
		struct result_interval *o;

		/* With one stream the sum says it all. */
		if (d->stream > STREAMS_MAX || (d->stream != 0 && m->cell->config.streams == 1))
			continue;
		o = &list[count];
		result_interval_unknown(o);
		o->stream = d->stream;
		o->start_s = (double)d->start_ns / NS_PER_S;
		o->end_s = (double)d->end_ns / NS_PER_S;
		o->omitted = d->omitted != 0;
		if (d->end_ns > d->start_ns)
			o->throughput_bps = rate_bps(d->bytes, d->end_ns - d->start_ns);
		o->cpu_pct = real32(d->cpu_permille, 0.1);
		from_twin(&src, d, nth[d->stream]++, m->cell->config.streams, o);
		count++;
	}
	r->intervals = list;
	r->interval_count = count;
}

static void list_counters(const struct measure *m, struct arena *arena, struct test_result *r)
{
	size_t room = m->ends[MEASURE_SRC].counter_count + m->ends[MEASURE_DST].counter_count;
	struct result_counter *list = arena_alloc(arena, room, sizeof(*list));

	for (int e = 0; e < MEASURE_ENDS; e++) {
		for (size_t i = 0; i < m->ends[e].counter_count; i++) {
			const struct msg_counter *c = &m->ends[e].counters[i];

			list[r->counter_count++] =
				(struct result_counter){.is_dst = e == MEASURE_DST,
			                                .name = c->name,
			                                .delta = known64(c->delta)};
		}
	}
	r->counters = list;
}

void figures_take(const struct measure *m, int64_t mtu_bytes, struct arena *arena,
                  struct test_result *out)
{
	result_test_unknown(out);
	out->cell = m->cell->index;
	out->started_wall_ms = m->started_wall_ms;
	from_connection(m, mtu_bytes, out);
	if (m->ends[MEASURE_SRC].has_result) {
		from_sender(&m->ends[MEASURE_SRC], out);
		from_cpu(&m->ends[MEASURE_SRC], &out->src_cpu_pct, &out->src_core_max_pct,
		         &out->src_cpu_us_per_gib);
	}
	if (m->ends[MEASURE_DST].has_result) {
		from_receiver(&m->ends[MEASURE_DST], out);
		from_cpu(&m->ends[MEASURE_DST], &out->dst_cpu_pct, &out->dst_core_max_pct,
		         &out->dst_cpu_us_per_gib);
		list_streams(m, arena, out);
	}
	list_intervals(m, arena, out);
	list_counters(m, arena, out);
}
