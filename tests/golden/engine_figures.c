/* SPDX-License-Identifier: MIT */
#include "tests/golden/engine_figures.h"

#include <math.h>

static void fill_cpu(struct test_result *t)
{
	t->src_core_max_pct = 71;
	t->dst_core_max_pct = 88;
	t->src_thread_max_pct = 64.5;
	t->dst_thread_max_pct = 83;
	t->src_steal_pct = 0;
	t->dst_steal_pct = 1.5;
	t->start_skew_us = 120;
}

static void fill_read_back(const struct plan_config *c, struct test_result *t)
{
	t->tcp_cc_actual = c->protocol == PROTOCOL_UDP ? NULL : "cubic";
	t->no_delay_actual = c->protocol == PROTOCOL_UDP ? RESULT_UNKNOWN : c->no_delay;
	t->dscp_actual = c->dscp;
	t->src_affinity = c->affinity == NULL ? NULL : "1-3";
	t->dst_affinity = c->affinity == NULL ? NULL : "2,3";
	t->src_method = c->protocol == PROTOCOL_UDP     ? "udp_segment"
	                : c->zero_copy == ZERO_COPY_OFF ? "writev"
	                                                : "splice";
	t->dst_method = c->protocol == PROTOCOL_UDP      ? "recvmmsg"
	                : c->zero_copy == ZERO_COPY_BOTH ? "msg_trunc"
	                                                 : "readv";
	if (c->mode == MODE_RR)
		t->src_method = t->dst_method = "send";
}

static void fill_limits(struct test_result *t)
{
	t->busy_us = (int64_t)(t->duration_s * 1e6);
	t->rwnd_limited_us = t->busy_us / 4;
	t->sndbuf_limited_us = t->busy_us / 50;
	t->rtt_min_us = 88;
	t->rtt_probe_count = 28;
	t->rtt_probe_p50_us = 410;
	t->rtt_probe_p99_us = 980.5;
	t->rtt_probe_max_us = 1204;
}

static void fill_udp(const struct plan_config *c, struct test_result *t)
{
	const int64_t payload_bytes = 1472;

	t->throughput_bps = (double)c->rate_bps * (1 - 0.001 * t->replicate);
	t->sender_bps = (double)c->rate_bps;
	t->bytes = (int64_t)(t->throughput_bps * t->duration_s / 8);
	t->datagrams_sent = (int64_t)(t->sender_bps * t->duration_s / 8) / payload_bytes;
	t->datagrams_received = t->bytes / payload_bytes;
	t->datagrams_lost = t->datagrams_sent - t->datagrams_received;
	t->loss_pct = 100.0 * (double)t->datagrams_lost / (double)t->datagrams_sent;
	t->datagrams_reordered = 2;
	t->datagrams_duplicate = 0;
	t->jitter_us = 3.5 * t->replicate;
	t->retransmits = t->cwnd_max_bytes = t->mss_bytes = RESULT_UNKNOWN;
	t->retransmits_per_gib = t->rtt_loaded_us = (double)NAN;
	t->buffer_delay_pct = t->tcp_efficiency_pct = (double)NAN;
}

static void fill_rr(struct test_result *t)
{
	t->transactions = 123000 + t->replicate;
	t->rr_per_s = (double)t->transactions / t->duration_s;
	t->throughput_bps = t->sender_bps = t->rr_per_s * 8;
	t->bytes = t->transactions;
	t->rr_min_us = 15.25;
	t->rr_mean_us = 24;
	t->rr_p50_us = 23 + 0.5 * t->replicate;
	t->rr_p90_us = 30;
	t->rr_p99_us = 61;
	t->rr_p999_us = 140;
	t->rr_max_us = 912;
	t->retransmits_per_gib = t->buffer_delay_pct = t->line_rate_bps = (double)NAN;
}

static void fill_back(const struct plan_config *c, struct test_result *t)
{
	t->reverse_bps = t->throughput_bps * 0.98;
	t->reverse_sender_bps = t->sender_bps * 0.98;
	t->reverse_bytes = (int64_t)(t->reverse_bps * t->duration_s / 8);
	if (c->protocol == PROTOCOL_UDP) {
		t->reverse_loss_pct = 2;
		t->reverse_jitter_us = 4.25;
	} else {
		t->reverse_retransmits = 5;
		t->reverse_rtt_loaded_us = 950;
	}
}

void engine_figures_test(const struct plan_cell *cell, struct test_result *t)
{
	const struct plan_config *c = &cell->config;

	fill_cpu(t);
	fill_read_back(c, t);
	if (c->protocol == PROTOCOL_UDP)
		fill_udp(c, t);
	else if (c->mode == MODE_RR)
		fill_rr(t);
	else
		fill_limits(t);
	if (c->is_bidir)
		fill_back(c, t);
}

void engine_figures_interval(const struct plan_config *c, struct result_interval *v)
{
	v->src_cpu_pct = 40;
	v->src_core_max_pct = 71;
	v->dst_core_max_pct = 88;
	v->src_steal_pct = 0;
	v->dst_steal_pct = 1.5;
	if (c->protocol == PROTOCOL_UDP) {
		v->retransmits = v->cwnd_bytes = v->rtt_us = RESULT_UNKNOWN;
		v->datagrams = 42000;
		v->datagrams_lost = v->start_s < 1 ? 42 : 0;
	} else if (c->mode == MODE_RR) {
		v->transactions = 41000;
	} else {
		v->rttvar_us = 20;
		v->mss_bytes = 1448;
		v->path_mtu_bytes = 1500;
		v->busy_us = 1000000;
		v->rwnd_limited_us = 250000;
		v->sndbuf_limited_us = 20000;
	}
}

size_t engine_figures_streams(const struct plan_config *c, const struct test_result *t,
                              struct result_stream *list)
{
	uint32_t count = c->streams * (c->is_bidir ? 2 : 1);

	for (uint32_t i = 0; i < count; i++) {
		struct result_stream *s = &list[i];

		result_stream_unknown(s);
		s->direction = i / c->streams;
		s->stream = i % c->streams + 1;
		s->src_port = 40000 + i;
		s->dst_port = 5201;
		s->throughput_bps =
			(s->direction == RESULT_BACK ? t->reverse_bps : t->throughput_bps) /
			c->streams;
		if (c->protocol == PROTOCOL_UDP) {
			s->datagrams = t->datagrams_received;
			s->datagrams_lost = t->datagrams_lost;
			s->jitter_us = t->jitter_us;
		} else {
			s->rtt_min_us = 88;
			s->retransmits = 1;
		}
	}
	return count;
}
