/* SPDX-License-Identifier: MIT */
#include "run/figures_parts.h"

#include <math.h>
#include <string.h>

#define PERCENT 0.1 /* of thousandths */

/* ---- streams ---- */

static const struct msg_stream *stream_of(const struct measure_end *e, uint32_t stream)
{
	for (size_t i = 0; i < e->stream_count; i++) {
		if (e->streams[i].stream == stream)
			return &e->streams[i];
	}
	return NULL;
}

static void stream_sent(const struct msg_stream *s, struct result_stream *out)
{
	out->retransmits = figures_known64(s->retransmits);
	out->cwnd_max_bytes = figures_known64(s->cwnd_max_bytes);
	out->rtt_us = figures_known64(s->rtt_us);
	out->rtt_min_us = figures_known64(s->min_rtt_us);
	out->busy_us = figures_known64(s->busy_us);
	out->rwnd_limited_us = figures_known64(s->rwnd_limited_us);
	out->sndbuf_limited_us = figures_known64(s->sndbuf_limited_us);
}

static void stream_datagrams(const struct msg_datagrams *g, struct result_stream *out)
{
	out->datagrams = figures_known64(g->measured);
	out->datagrams_lost = figures_known64(g->lost);
	out->datagrams_reordered = figures_known64(g->reordered);
	out->datagrams_duplicate = figures_known64(g->duplicates);
	out->jitter_us = figures_real64(g->jitter_ns, 1e-3);
}

void figures_list_streams(const struct measure *m, struct arena *arena, struct test_result *r)
{
	struct result_stream *list;
	size_t room = 0;

	for (size_t f = 0; f < m->flow_count; f++)
		room += m->flows[f].ends[MEASURE_DST].stream_count;
	list = arena_alloc(arena, room, sizeof(*list));
	r->streams = list;
	for (size_t f = 0; f < m->flow_count; f++) {
		const struct measure_end *src = &m->flows[f].ends[MEASURE_SRC];
		const struct measure_end *dst = &m->flows[f].ends[MEASURE_DST];

		for (size_t i = 0; dst->has_result && i < dst->stream_count; i++) {
			const struct msg_stream *d = &dst->streams[i];
			const struct msg_stream *s = stream_of(src, d->stream);
			const struct msg_datagrams *g = figures_datagrams(dst, d->stream);
			struct result_stream *out = &list[r->stream_count++];

			result_stream_unknown(out);
			out->direction = (uint32_t)f;
			out->stream = d->stream;
			out->src_port = d->peer_port;
			out->dst_port = d->local_port;
			out->throughput_bps =
				figures_rate_bps(d->measured_bytes, dst->result.measured_ns);
			out->cpu = figures_known32(d->cpu);
			if (s != NULL)
				stream_sent(s, out);
			if (g != NULL)
				stream_datagrams(g, out);
		}
	}
}

/* ---- intervals ---- */

/* The samples of an end by stream. Both ends cut their time alike, so the k-th sample of a stream
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

static const struct msg_sample *nth_of(const struct by_stream *list, uint32_t stream, size_t nth)
{
	return stream <= STREAMS_MAX && nth < list->count[stream] ? list->at[stream][nth] : NULL;
}

/*
 * One figure of a sample and where it goes. Stream 0 carries no figures of connections: they are
 * put together from those of the streams, and unknown when one of them is.
 */
enum together { SUM, MEAN, LEAST };

struct sampled {
	size_t from, to; /* in struct msg_sample, struct result_interval */
	bool is_u32;
	enum together together;
};

#define U64(name, out, how)                                                                      \
	{                                                                                        \
		offsetof(struct msg_sample, name), offsetof(struct result_interval, out), false, \
			how                                                                      \
	}
#define U32(name, out, how)                                                                     \
	{                                                                                       \
		offsetof(struct msg_sample, name), offsetof(struct result_interval, out), true, \
			how                                                                     \
	}

static const struct sampled from_sender[] = {
	U64(retransmits, retransmits, SUM),
	U64(cwnd_bytes, cwnd_bytes, SUM),
	U64(rtt_us, rtt_us, MEAN),
	U64(rttvar_us, rttvar_us, MEAN),
	U32(mss_bytes, mss_bytes, LEAST),
	U32(path_mtu_bytes, path_mtu_bytes, LEAST),
	U64(busy_us, busy_us, SUM),
	U64(rwnd_limited_us, rwnd_limited_us, SUM),
	U64(sndbuf_limited_us, sndbuf_limited_us, SUM),
};
static const struct sampled transactions = U64(units, transactions, SUM);
static const struct sampled datagrams = U64(units, datagrams, SUM);
static const struct sampled datagrams_lost = U64(lost, datagrams_lost, SUM);

static int64_t value_of(const struct msg_sample *s, const struct sampled *what)
{
	uint32_t small;
	uint64_t large;

	if (s == NULL)
		return RESULT_UNKNOWN;
	if (what->is_u32) {
		memcpy(&small, (const char *)s + what->from, sizeof(small));
		return figures_known32(small);
	}
	memcpy(&large, (const char *)s + what->from, sizeof(large));
	return figures_known64(large);
}

static int64_t all_together(const struct by_stream *list, size_t nth, uint32_t streams,
                            const struct sampled *what)
{
	int64_t all = value_of(nth_of(list, 1, nth), what);

	for (uint32_t k = 2; k <= streams && all != RESULT_UNKNOWN; k++) {
		int64_t v = value_of(nth_of(list, k, nth), what);

		if (v == RESULT_UNKNOWN)
			return RESULT_UNKNOWN;
		if (what->together != LEAST)
			all += v;
		else if (v < all)
			all = v;
	}
	return what->together == MEAN && all != RESULT_UNKNOWN ? all / streams : all;
}

/* The figure of the nth interval of a stream, as this end tells it. */
static void take(const struct by_stream *list, uint32_t stream, size_t nth, uint32_t streams,
                 const struct sampled *what, struct result_interval *out)
{
	int64_t v = value_of(nth_of(list, stream, nth), what);

	if (stream == 0 && v == RESULT_UNKNOWN)
		v = all_together(list, nth, streams, what);
	memcpy((char *)out + what->to, &v, sizeof(v));
}

static void take_machines(const struct msg_sample *s, const struct msg_sample *d,
                          struct result_interval *out)
{
	out->cpu_pct = figures_real32(d->cpu_permille, PERCENT);
	out->dst_core_max_pct = figures_real32(d->core_max_permille, PERCENT);
	out->dst_steal_pct = figures_real32(d->steal_permille, PERCENT);
	if (s == NULL)
		return;
	out->src_cpu_pct = figures_real32(s->cpu_permille, PERCENT);
	out->src_core_max_pct = figures_real32(s->core_max_permille, PERCENT);
	out->src_steal_pct = figures_real32(s->steal_permille, PERCENT);
}

static void join(const struct by_stream ends[MEASURE_ENDS], uint32_t stream, size_t nth,
                 const struct plan_config *c, struct result_interval *out)
{
	const struct by_stream *src = &ends[MEASURE_SRC];
	const struct by_stream *dst = &ends[MEASURE_DST];
	const struct msg_sample *d = nth_of(dst, stream, nth);

	result_interval_unknown(out);
	out->stream = stream;
	out->start_s = (double)d->start_ns / FIGURES_NS_PER_S;
	out->end_s = (double)d->end_ns / FIGURES_NS_PER_S;
	out->omitted = d->omitted != 0;
	if (d->end_ns > d->start_ns)
		out->throughput_bps = figures_rate_bps(d->bytes, d->end_ns - d->start_ns);
	for (size_t i = 0; i < COUNT_OF(from_sender); i++)
		take(src, stream, nth, c->streams, &from_sender[i], out);
	if (c->mode == MODE_RR) {
		take(src, stream, nth, c->streams, &transactions, out);
	} else if (c->protocol == PROTOCOL_UDP) {
		take(dst, stream, nth, c->streams, &datagrams, out);
		take(dst, stream, nth, c->streams, &datagrams_lost, out);
	}
	if (stream == 0)
		take_machines(nth_of(src, stream, nth), d, out);
}

void figures_list_intervals(const struct measure *m, struct arena *arena, struct test_result *r)
{
	const struct plan_config *c = &m->cell->config;
	struct result_interval *list;
	size_t room = 0;

	for (size_t f = 0; f < m->flow_count; f++)
		room += m->flows[f].ends[MEASURE_DST].sample_count;
	list = arena_alloc(arena, room, sizeof(*list));
	r->intervals = list;
	for (size_t f = 0; f < m->flow_count; f++) {
		const struct measure_end *dst = &m->flows[f].ends[MEASURE_DST];
		struct by_stream ends[MEASURE_ENDS];
		size_t nth[STREAMS_MAX + 1] = {0};

		for (int i = 0; i < MEASURE_ENDS; i++)
			sort_by_stream(&m->flows[f].ends[i], arena, &ends[i]);
		for (size_t i = 0; i < dst->sample_count; i++) {
			uint32_t stream = dst->samples[i].stream;

			/* With one stream the sum says it all. */
			if (stream > STREAMS_MAX || (stream != 0 && c->streams == 1))
				continue;
			join(ends, stream, nth[stream]++, c, &list[r->interval_count]);
			list[r->interval_count++].direction = (uint32_t)f;
		}
	}
}

/* ---- troubles and counters ---- */

void figures_list_troubles(const struct measure *m, struct arena *arena, struct test_result *r)
{
	struct result_trouble *list;
	size_t room = 0;

	for (size_t f = 0; f < m->flow_count; f++) {
		for (int end = 0; end < MEASURE_ENDS; end++)
			room += m->flows[f].ends[end].trouble_count;
	}
	list = arena_alloc(arena, room, sizeof(*list));
	r->troubles = list;
	for (size_t f = 0; f < m->flow_count; f++) {
		for (int end = 0; end < MEASURE_ENDS; end++) {
			const struct measure_end *e = &m->flows[f].ends[end];
			bool is_listed[STREAMS_MAX + 1] = {false};

			for (size_t i = 0; i < e->trouble_count; i++) {
				uint32_t stream = e->troubles[i].stream;

				if (stream > STREAMS_MAX || is_listed[stream])
					continue; /* what befell it first is the cause */
				is_listed[stream] = true;
				list[r->trouble_count++] = (struct result_trouble){
					.direction = (uint32_t)f,
					.stream = stream,
					.is_dst = (end == MEASURE_DST) == (f == MEASURE_FORTH),
					.reason = e->troubles[i].reason};
			}
		}
	}
}

/* Of the machines: the second flow's ends tell the same ones once more. */
void figures_list_counters(const struct measure *m, struct arena *arena, struct test_result *r)
{
	const struct measure_end *ends = m->flows[MEASURE_FORTH].ends;
	size_t room = ends[MEASURE_SRC].counter_count + ends[MEASURE_DST].counter_count;
	struct result_counter *list = arena_alloc(arena, room, sizeof(*list));

	for (int e = 0; e < MEASURE_ENDS; e++) {
		for (size_t i = 0; i < ends[e].counter_count; i++) {
			const struct msg_counter *c = &ends[e].counters[i];

			list[r->counter_count++] =
				(struct result_counter){.is_dst = e == MEASURE_DST,
			                                .name = c->name,
			                                .delta = figures_known64(c->delta)};
		}
	}
	r->counters = list;
}
