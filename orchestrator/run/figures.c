/* SPDX-License-Identifier: MIT */
#include "run/figures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ceiling/ceiling.h"
#include "run/figures_parts.h"

#define GIB       1073741824.0
#define US_PER_NS 1e-3
#define PERCENT   0.1 /* of thousandths */

int64_t figures_known64(uint64_t v)
{
	return v == WIRE_UNKNOWN_U64 || v > INT64_MAX ? RESULT_UNKNOWN : (int64_t)v;
}

int64_t figures_known32(uint32_t v)
{
	return v == WIRE_UNKNOWN_U32 ? RESULT_UNKNOWN : (int64_t)v;
}

double figures_real32(uint32_t v, double scale)
{
	return v == WIRE_UNKNOWN_U32 ? (double)NAN : (double)v * scale;
}

double figures_real64(uint64_t v, double scale)
{
	return v == WIRE_UNKNOWN_U64 ? (double)NAN : (double)v * scale;
}

double figures_rate_bps(uint64_t bytes, uint64_t ns)
{
	return ns == 0 ? (double)NAN : (double)bytes * 8.0 * FIGURES_NS_PER_S / (double)ns;
}

int64_t figures_counter(const struct measure_end *e, const char *name)
{
	for (size_t i = 0; i < e->counter_count; i++) {
		if (strcmp(e->counters[i].name, name) == 0)
			return figures_known64(e->counters[i].delta);
	}
	return RESULT_UNKNOWN;
}

const struct msg_datagrams *figures_datagrams(const struct measure_end *e, uint32_t stream)
{
	for (size_t i = 0; i < e->datagram_count; i++) {
		if (e->datagrams[i].stream == stream)
			return &e->datagrams[i];
	}
	return NULL;
}

const char *figures_method(const struct measure_end *e)
{
	if (e->has_result && e->result.method[0] != '\0')
		return e->result.method;
	return e->is_connected ? e->connected.method : "";
}

static const char *word(const char *told)
{
	return told[0] != '\0' ? told : NULL;
}

/* ---- what the connections are like ---- */

static void from_connection(const struct measure *m, int64_t mtu_bytes, struct test_result *r)
{
	const struct measure_end *ends = m->flows[MEASURE_FORTH].ends;
	const struct msg_connected *src = &ends[MEASURE_SRC].connected;
	const struct msg_connected *dst = &ends[MEASURE_DST].connected;
	const struct measure_end *opener = &ends[measure_connector(m->cell, MEASURE_FORTH)];
	const char *name = NULL;

	if (m->cell->config.window_bytes != 0)
		r->window_requested_bytes = figures_known64(m->cell->config.window_bytes);
	if (opener->is_connected)
		r->rtt_base_us = figures_real32(opener->connected.rtt_base_us, 1.0);
	if (ends[MEASURE_DST].is_connected) {
		r->rcvbuf_actual_bytes = figures_known64(dst->rcvbuf_bytes);
		r->dst_method = word(figures_method(&ends[MEASURE_DST]));
		r->dst_affinity = word(dst->affinity);
	}
	if (!ends[MEASURE_SRC].is_connected)
		return;
	r->sndbuf_actual_bytes = figures_known64(src->sndbuf_bytes);
	r->path_mtu_bytes = figures_known32(src->path_mtu_bytes);
	r->src_method = word(figures_method(&ends[MEASURE_SRC]));
	r->src_affinity = word(src->affinity);
	r->dscp_actual = figures_known32(src->dscp);
	/* With UDP these are of the connection that only tells where the stream ends. */
	if (m->cell->config.protocol == PROTOCOL_TCP) {
		r->mss_bytes = figures_known32(src->mss_bytes);
		r->tcp_cc_actual = word(src->congestion);
		r->no_delay_actual = figures_known32(src->no_delay);
	}
	r->line_rate_bps = ceiling_line_rate(m->cell, r->mss_bytes, mtu_bytes, &name);
}

/* ---- what the machines did ---- */

static double greater(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

struct machine {
	double *cpu_pct, *us_per_gib, *core_max_pct, *thread_max_pct, *steal_pct;
};

/*
 * `host` 0 is the cell's src, 1 its dst. In a bidirectional cell one process has an end of both
 * flows: its CPU time is of all that it moved, and both ends tell it.
 */
static void from_machine(const struct measure *m, size_t host, const struct machine *to)
{
	const struct measure_end *own = &m->flows[MEASURE_FORTH].ends[host];
	const struct msg_result *s = &own->result;
	double bytes = (double)s->measured_bytes;

	if (!own->has_result)
		return;
	if (s->cpu_us != WIRE_UNKNOWN_U64 && s->measured_ns > 0)
		*to->cpu_pct = (double)s->cpu_us * 1e5 / (double)s->measured_ns;
	*to->core_max_pct = figures_real32(s->core_max_permille, PERCENT);
	*to->steal_pct = figures_real32(s->steal_permille, PERCENT);
	*to->thread_max_pct = figures_real32(s->thread_max_permille, PERCENT);
	if (m->flow_count == 2) {
		const struct measure_end *back = &m->flows[MEASURE_BACK].ends[1 - host];

		if (!back->has_result)
			return;
		bytes += (double)back->result.measured_bytes;
		*to->thread_max_pct =
			greater(*to->thread_max_pct,
		                figures_real32(back->result.thread_max_permille, PERCENT));
	}
	if (bytes > 0)
		*to->us_per_gib = figures_real64(s->cpu_us, GIB / bytes);
}

/* ---- what a flow moved ---- */

struct moved {
	double bps, sender_bps, rtt_loaded_us, rtt_min_us, loss_pct, jitter_us;
	int64_t bytes, retransmits;
};

/* Mean of the streams' means, and the least of what the sender's system saw. */
static void from_round_trips(const struct measure_end *src, struct moved *out)
{
	double sum = 0;
	unsigned count = 0;

	for (size_t i = 0; i < src->stream_count; i++) {
		const struct msg_stream *s = &src->streams[i];
		double least = figures_real64(s->min_rtt_us, 1.0);

		if (s->rtt_us != WIRE_UNKNOWN_U64) {
			sum += (double)s->rtt_us;
			count++;
		}
		if (isnan(out->rtt_min_us) || least < out->rtt_min_us)
			out->rtt_min_us = least;
	}
	if (count > 0)
		out->rtt_loaded_us = sum / count;
}

static void from_losses(const struct measure_end *dst, struct moved *out)
{
	const struct msg_datagrams *all = figures_datagrams(dst, 0);
	double lost = all != NULL ? figures_real64(all->lost, 1.0) : (double)NAN;

	if (all != NULL && (double)all->measured + lost > 0)
		out->loss_pct = 100.0 * lost / ((double)all->measured + lost);
	for (size_t i = 0; i < dst->datagram_count; i++)
		out->jitter_us = greater(out->jitter_us,
		                         figures_real64(dst->datagrams[i].jitter_ns, US_PER_NS));
}

static struct moved moved_by(const struct measure_flow *f)
{
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	const struct measure_end *dst = &f->ends[MEASURE_DST];
	struct moved out = {.bps = NAN,
	                    .sender_bps = NAN,
	                    .rtt_loaded_us = NAN,
	                    .rtt_min_us = NAN,
	                    .loss_pct = NAN,
	                    .jitter_us = NAN,
	                    .bytes = RESULT_UNKNOWN,
	                    .retransmits = RESULT_UNKNOWN};

	if (src->has_result) {
		out.sender_bps =
			figures_rate_bps(src->result.measured_bytes, src->result.measured_ns);
		out.retransmits = figures_known64(src->result.retransmits);
		from_round_trips(src, &out);
	}
	if (dst->has_result) {
		out.bps = figures_rate_bps(dst->result.measured_bytes, dst->result.measured_ns);
		out.bytes = figures_known64(dst->result.bytes);
		from_losses(dst, &out);
	}
	return out;
}

/* ---- of the first direction, what its sender and its receiver tell ---- */

/* Sum over the streams of one figure at `offset` of struct msg_stream, unknown when one is. */
static int64_t sum_of_streams(const struct measure_end *src, size_t offset)
{
	int64_t sum = src->stream_count > 0 ? 0 : RESULT_UNKNOWN;

	for (size_t i = 0; i < src->stream_count; i++) {
		uint64_t v;

		memcpy(&v, (const char *)&src->streams[i] + offset, sizeof(v));
		if (figures_known64(v) == RESULT_UNKNOWN)
			return RESULT_UNKNOWN;
		sum += figures_known64(v);
	}
	return sum;
}

static void from_retransmits(const struct measure_end *src, struct test_result *r)
{
	double bytes = (double)src->result.measured_bytes;

	if (r->retransmits == RESULT_UNKNOWN || src->result.measured_bytes == 0)
		return;
	r->retransmits_per_gib = (double)r->retransmits * GIB / bytes;
	/* RFC 6349 section 4.1: bytes that were not sent again, of all bytes sent. */
	if (r->mss_bytes > 0) {
		double again = (double)r->retransmits * (double)r->mss_bytes;

		r->tcp_efficiency_pct = again < bytes ? 100.0 * (bytes - again) / bytes : 0.0;
	}
}

static void from_sender(const struct measure_end *src, struct test_result *r)
{
	const struct msg_datagrams *all = figures_datagrams(src, 0);

	from_retransmits(src, r);
	for (size_t i = 0; i < src->stream_count; i++) {
		int64_t cwnd = figures_known64(src->streams[i].cwnd_max_bytes);

		if (cwnd > r->cwnd_max_bytes) /* the unknown is the least of all */
			r->cwnd_max_bytes = cwnd;
	}
	r->busy_us = sum_of_streams(src, offsetof(struct msg_stream, busy_us));
	r->rwnd_limited_us = sum_of_streams(src, offsetof(struct msg_stream, rwnd_limited_us));
	r->sndbuf_limited_us = sum_of_streams(src, offsetof(struct msg_stream, sndbuf_limited_us));
	if (all != NULL)
		r->datagrams_sent = figures_known64(all->measured);
	if (r->rtt_base_us > 0) /* RFC 6349 section 4.2 */
		r->buffer_delay_pct = 100.0 * (r->rtt_loaded_us - r->rtt_base_us) / r->rtt_base_us;
}

static void from_receiver(const struct measure_end *dst, struct test_result *r)
{
	const struct msg_datagrams *all = figures_datagrams(dst, 0);
	int64_t nic_bytes = figures_counter(dst, "nic.rx_bytes");

	r->duration_s = (double)dst->result.measured_ns / FIGURES_NS_PER_S;
	r->start_skew_us = figures_real64(dst->result.skew_ns, US_PER_NS);
	r->rx_drops = figures_counter(dst, "nic.rx_dropped");
	if (nic_bytes != RESULT_UNKNOWN && r->bytes > 0)
		r->nic_byte_match_pct = 100.0 * (double)nic_bytes / (double)r->bytes;
	if (all == NULL)
		return;
	r->datagrams_received = figures_known64(all->measured);
	r->datagrams_lost = figures_known64(all->lost);
	r->datagrams_reordered = figures_known64(all->reordered);
	r->datagrams_duplicate = figures_known64(all->duplicates);
}

/* ---- round trips that the agents timed themselves ---- */

static const struct msg_latency *latency_of(const struct measure_end *e, const char *kind)
{
	for (size_t i = 0; i < e->latency_count; i++) {
		if (strcmp(e->latencies[i].kind, kind) == 0 && e->latencies[i].count > 0)
			return &e->latencies[i];
	}
	return NULL;
}

static void from_probes(const struct measure *m, struct test_result *r)
{
	const struct measure_end *opener =
		&m->flows[MEASURE_FORTH].ends[measure_connector(m->cell, MEASURE_FORTH)];
	const struct msg_latency *l = latency_of(opener, "loaded");

	if (l == NULL)
		return;
	r->rtt_probe_count = figures_known64(l->count);
	r->rtt_probe_p50_us = (double)l->p50_ns * US_PER_NS;
	r->rtt_probe_p99_us = (double)l->p99_ns * US_PER_NS;
	r->rtt_probe_max_us = (double)l->max_ns * US_PER_NS;
}

static void from_transactions(const struct measure_end *src, struct test_result *r)
{
	const struct msg_latency *l = latency_of(src, "rr");

	r->transactions = figures_known64(src->result.units);
	if (r->transactions != RESULT_UNKNOWN && src->result.measured_ns > 0)
		r->rr_per_s = (double)r->transactions * FIGURES_NS_PER_S /
		              (double)src->result.measured_ns;
	if (l == NULL)
		return;
	r->rr_min_us = (double)l->min_ns * US_PER_NS;
	r->rr_mean_us = (double)l->mean_ns * US_PER_NS;
	r->rr_p50_us = (double)l->p50_ns * US_PER_NS;
	r->rr_p90_us = (double)l->p90_ns * US_PER_NS;
	r->rr_p99_us = (double)l->p99_ns * US_PER_NS;
	r->rr_p999_us = (double)l->p999_ns * US_PER_NS;
	r->rr_max_us = (double)l->max_ns * US_PER_NS;
}

/* ---- all of it ---- */

static void from_forth(const struct measure *m, struct test_result *r)
{
	const struct measure_flow *f = &m->flows[MEASURE_FORTH];
	struct moved moved = moved_by(f);

	r->throughput_bps = moved.bps;
	r->sender_bps = moved.sender_bps;
	r->bytes = moved.bytes;
	r->retransmits = moved.retransmits;
	r->rtt_loaded_us = moved.rtt_loaded_us;
	r->rtt_min_us = moved.rtt_min_us;
	r->loss_pct = moved.loss_pct;
	r->jitter_us = moved.jitter_us;
	if (f->ends[MEASURE_SRC].has_result) {
		from_sender(&f->ends[MEASURE_SRC], r);
		if (m->cell->config.mode == MODE_RR)
			from_transactions(&f->ends[MEASURE_SRC], r);
	}
	if (f->ends[MEASURE_DST].has_result)
		from_receiver(&f->ends[MEASURE_DST], r);
}

static void from_back(const struct measure *m, struct test_result *r)
{
	struct moved moved = moved_by(&m->flows[MEASURE_BACK]);

	r->reverse_bps = moved.bps;
	r->reverse_sender_bps = moved.sender_bps;
	r->reverse_bytes = moved.bytes;
	r->reverse_retransmits = moved.retransmits;
	r->reverse_rtt_loaded_us = moved.rtt_loaded_us;
	r->reverse_loss_pct = moved.loss_pct;
	r->reverse_jitter_us = moved.jitter_us;
}

void figures_take(const struct measure *m, int64_t mtu_bytes, struct arena *arena,
                  struct test_result *out)
{
	const struct machine machines[MEASURE_ENDS] = {
		{&out->src_cpu_pct, &out->src_cpu_us_per_gib, &out->src_core_max_pct,
	         &out->src_thread_max_pct, &out->src_steal_pct},
		{&out->dst_cpu_pct, &out->dst_cpu_us_per_gib, &out->dst_core_max_pct,
	         &out->dst_thread_max_pct, &out->dst_steal_pct},
	};

	result_test_unknown(out);
	out->cell = m->cell->index;
	out->started_wall_ms = m->started_wall_ms;
	out->status = TEST_OK;
	from_connection(m, mtu_bytes, out);
	from_forth(m, out);
	if (m->flow_count == 2)
		from_back(m, out);
	from_probes(m, out);
	for (size_t host = 0; host < MEASURE_ENDS; host++)
		from_machine(m, host, &machines[host]);
	figures_list_streams(m, arena, out);
	figures_list_intervals(m, arena, out);
	figures_list_troubles(m, arena, out);
	figures_list_counters(m, arena, out);
}
