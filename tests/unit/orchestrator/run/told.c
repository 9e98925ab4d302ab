/* SPDX-License-Identifier: MIT */
#include "tests/unit/orchestrator/run/told.h"

#include <stdio.h>
#include <string.h>

struct measure_end *told_end(struct told *t, size_t flow, enum measure_end_index end)
{
	return &t->measure.flows[flow].ends[end];
}

static void sample(struct measure_end *e, enum measure_end_index end, uint32_t stream, unsigned nth,
                   uint64_t bytes)
{
	struct msg msg;
	struct msg_sample *s = &msg.u.sample;

	msg_init(&msg, MSG_SAMPLE, 1);
	s->stream = stream;
	s->start_ns = nth * 500000000ull;
	s->end_ns = s->start_ns + 500000000ull;
	s->omitted = nth == 0;
	s->bytes = bytes;
	if (end == MEASURE_SRC && stream > 0) {
		s->retransmits = UINT64_C(10) * stream + nth;
		s->cwnd_bytes = UINT64_C(1000) * stream;
		s->rtt_us = UINT64_C(100) * stream;
	}
	if (stream == 0)
		s->cpu_permille = 250;
	e->samples[e->sample_count++] = *s;
}

static void stream(struct measure_end *e, enum measure_end_index end, uint32_t number)
{
	struct msg msg;
	struct msg_stream *s = &msg.u.stream;

	msg_init(&msg, MSG_STREAM, 1);
	s->stream = number;
	s->bytes = 20000000;
	s->measured_bytes = number * 5000000ull;
	s->local_port = end == MEASURE_SRC ? 40000 + number : 5201;
	s->peer_port = end == MEASURE_SRC ? 5201 : 40000 + number;
	if (end == MEASURE_SRC) {
		s->retransmits = number;
		s->cwnd_max_bytes = UINT64_C(7000) * number;
		s->rtt_us = UINT64_C(150) * number;
	}
	e->streams[e->stream_count++] = *s;
}

static void fill_end(struct told *t, size_t flow, enum measure_end_index end)
{
	struct measure_end *e = told_end(t, flow, end);
	struct told_lists *lists = &t->lists[flow][end];
	struct msg msg;

	e->nic = &t->lab.nics[(flow == MEASURE_FORTH) == (end == MEASURE_SRC) ? 0 : 1];
	e->samples = lists->samples;
	e->streams = lists->streams;
	e->counters = lists->counters;
	e->datagrams = lists->datagrams;
	e->latencies = lists->latencies;
	e->troubles = lists->troubles;
	msg_init(&msg, MSG_CONNECTED, 1);
	e->connected = msg.u.connected;
	e->connected.streams = 2;
	e->connected.mss_bytes = 1448;
	e->is_connected = true;
	msg_init(&msg, MSG_RESULT, 1);
	e->result = msg.u.result;
	e->result.bytes = 40000000;
	e->result.measured_bytes = 15000000;
	e->result.measured_ns = 1000000000;
	e->has_result = true;
	for (unsigned nth = 0; nth < 3; nth++) {
		for (uint32_t k = 0; k <= 2; k++)
			sample(e, end, k, nth, k == 0 ? 7500000 : k * 2500000ull);
	}
	stream(e, end, 1);
	stream(e, end, 2);
	if (end == MEASURE_SRC) {
		e->result.retransmits = 3;
		e->result.cpu_us = 500000;
	} else {
		e->result.core_max_permille = 985;
		(void)told_counter(e, "nic.rx_bytes", 42000000);
		(void)told_counter(e, "nic.rx_dropped", 5);
	}
}

void told_fill(struct told *t)
{
	memset(t, 0, sizeof(*t));
	lab_init(&t->lab);
	t->measure.cell = lab_cell(&t->lab, 0, 1);
	t->measure.flow_count = 1;
	t->measure.state = MEASURE_OVER;
	t->config = &t->lab.cells[0].config;
	t->config->streams = 2;
	fill_end(t, MEASURE_FORTH, MEASURE_SRC);
	fill_end(t, MEASURE_FORTH, MEASURE_DST);
	told_end(t, MEASURE_FORTH, MEASURE_SRC)->connected.rtt_base_us = 100;
}

void told_fill_both(struct told *t)
{
	told_fill(t);
	t->config->is_bidir = true;
	t->measure.flow_count = 2;
	fill_end(t, MEASURE_BACK, MEASURE_SRC);
	fill_end(t, MEASURE_BACK, MEASURE_DST);
}

struct msg_counter *told_counter(struct measure_end *e, const char *name, uint64_t delta)
{
	struct msg_counter *c = &e->counters[e->counter_count++];

	(void)snprintf(c->name, sizeof(c->name), "%s", name);
	c->delta = delta;
	return c;
}

struct msg_datagrams *told_datagrams(struct measure_end *e, uint32_t stream, uint64_t count)
{
	struct msg_datagrams *d = &e->datagrams[e->datagram_count++];
	struct msg msg;

	msg_init(&msg, MSG_DATAGRAMS, 1);
	*d = msg.u.datagrams;
	d->stream = stream;
	d->count = count;
	d->measured = count / 2;
	return d;
}

struct msg_latency *told_latency(struct measure_end *e, const char *kind, uint64_t count)
{
	struct msg_latency *l = &e->latencies[e->latency_count++];

	*l = (struct msg_latency){.count = count,
	                          .min_ns = 1000,
	                          .mean_ns = 2500,
	                          .p50_ns = 2000,
	                          .p90_ns = 3000,
	                          .p99_ns = 4000,
	                          .p999_ns = 5000,
	                          .max_ns = 6000};
	(void)snprintf(l->kind, sizeof(l->kind), "%s", kind);
	return l;
}

void told_trouble(struct measure_end *e, uint32_t stream, const char *reason)
{
	struct msg_trouble *t = &e->troubles[e->trouble_count++];

	t->stream = stream;
	(void)snprintf(t->reason, sizeof(t->reason), "%s", reason);
}

struct judge_verdict told_judge(struct told *t, struct arena *arena, struct test_result *out)
{
	struct judge_limits limits = {.wmem_max = {RESULT_UNKNOWN, RESULT_UNKNOWN},
	                              .rmem_max = {RESULT_UNKNOWN, RESULT_UNKNOWN},
	                              .mtu_bytes = 1500};
	struct judge_verdict verdict;

	judge_test(&t->measure, &limits, arena, out, &verdict);
	return verdict;
}

struct judge_verdict told_verdict(struct told *t, struct test_result *out)
{
	struct arena arena = {0};
	struct judge_verdict verdict = told_judge(t, &arena, out);

	out->intervals = NULL;
	out->streams = NULL;
	out->troubles = NULL;
	out->counters = NULL;
	arena_done(&arena);
	return verdict;
}
