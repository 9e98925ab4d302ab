/* SPDX-License-Identifier: MIT */
#include "measure/tally.h"

#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "platform/platform.h"

static uint64_t cpu_now_us(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) < 0)
		return PLATFORM_UNKNOWN;
	return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* after less before, when both are known. */
static uint64_t since(uint64_t after, uint64_t before)
{
	if (after == PLATFORM_UNKNOWN || before == PLATFORM_UNKNOWN)
		return PLATFORM_UNKNOWN;
	return after >= before ? after - before : 0;
}

static void read_info(const struct tally *t, uint32_t index, struct platform_tcp_info *out)
{
	if (t->has_tcp)
		platform_tcp_info(t->streams->stream[index].fd, out);
	else
		memset(out, 0xff, sizeof(*out)); /* PLATFORM_UNKNOWN, all of them */
}

/* Of what is counted since connect the part since another reading; the rest as it is now. */
static struct platform_tcp_info info_since(const struct platform_tcp_info *now,
                                           const struct platform_tcp_info *before)
{
	struct platform_tcp_info out = *now;

	out.retransmits = since(now->retransmits, before->retransmits);
	out.busy_us = since(now->busy_us, before->busy_us);
	out.rwnd_limited_us = since(now->rwnd_limited_us, before->rwnd_limited_us);
	out.sndbuf_limited_us = since(now->sndbuf_limited_us, before->sndbuf_limited_us);
	return out;
}

static uint64_t longest_ns(const struct request *r, const struct streams *streams)
{
	bool waits = r->bytes > 0 && streams->side == REQUEST_SEND;

	return r->duration_ns + (waits ? TALLY_PATIENCE_NS : 0);
}

void tally_start(struct tally *t, const struct request *r, struct streams *streams, uint64_t t0_ns)
{
	t->streams = streams;
	t->has_tcp = streams->side == REQUEST_SEND && r->protocol == REQUEST_TCP;
	t->has_lost = streams->side == REQUEST_RECV && r->protocol == REQUEST_UDP;
	t->t0_ns = t0_ns;
	sampler_init(&t->sampler, r->omit_ns, longest_ns(r, streams), r->interval_ns);
	t->last_cpu_us = cpu_now_us();
	t->opened_cpu_us = t->last_cpu_us;
	t->measured_cpu_us = PLATFORM_UNKNOWN;
	for (uint32_t i = 0; i < streams->count; i++) {
		struct tally_stream *s = &t->stream[i];

		*s = (struct tally_stream){
			.measured_units = PLATFORM_UNKNOWN,
			.cwnd_max_bytes = PLATFORM_UNKNOWN,
			.opened_cpu_us = streams_cpu_us(streams, i),
			.measured_cpu_us = PLATFORM_UNKNOWN,
		};
		read_info(t, i, &s->last);
		s->opened = s->last;
		memset(&s->measured, 0xff, sizeof(s->measured));
	}
}

uint64_t tally_due_ns(const struct tally *t)
{
	uint64_t due = sampler_due_ns(&t->sampler);

	return due == SAMPLER_NEVER ? due : t->t0_ns + due;
}

/* What is missing may become less again; then the next ones missing are not new. */
static void read_lost(struct tally *t, uint32_t index, struct tally_flow *flow)
{
	struct tally_stream *s = &t->stream[index];
	uint64_t lost = atomic_load_explicit(&t->streams->stream[index].lost, memory_order_relaxed);

	flow->lost = PLATFORM_UNKNOWN;
	if (!t->has_lost)
		return;
	flow->lost = since(lost, s->last_lost);
	if (lost > s->last_lost)
		s->last_lost = lost;
}

/* What the kernel tells, and the thread's CPU time. */
static void read_system(struct tally *t, uint32_t index, const struct sampler_cut *cut,
                        struct tally_flow *flow)
{
	struct tally_stream *s = &t->stream[index];
	struct platform_tcp_info now;

	read_info(t, index, &now);
	flow->tcp = info_since(&now, &s->last);
	s->last = now;
	if (cut->opens) {
		s->opened = now;
		s->opened_cpu_us = streams_cpu_us(t->streams, index);
	}
	if (cut->closes)
		s->measured_cpu_us = since(streams_cpu_us(t->streams, index), s->opened_cpu_us);
	if (now.cwnd_bytes != PLATFORM_UNKNOWN &&
	    (s->cwnd_max_bytes == PLATFORM_UNKNOWN || now.cwnd_bytes > s->cwnd_max_bytes))
		s->cwnd_max_bytes = now.cwnd_bytes;
	if (cut->is_omitted)
		return;
	s->measured = info_since(&now, &s->opened);
	if (now.rtt_us != PLATFORM_UNKNOWN) {
		s->rtt_sum_us += now.rtt_us;
		s->rtt_count++;
	}
}

static void read_flow(struct tally *t, uint32_t index, const struct sampler_cut *cut,
                      struct tally_flow *flow)
{
	struct tally_stream *s = &t->stream[index];
	uint64_t total = s->last_bytes + flow->bytes;
	uint64_t units = flow->units; /* the total so far */

	flow->units = since(units, s->last_units);
	s->last_bytes = total;
	s->last_units = units;
	if (cut->opens) {
		s->opened_bytes = total;
		s->opened_units = units;
	}
	if (!cut->is_omitted) {
		s->measured_bytes = total - s->opened_bytes;
		s->measured_units = since(units, s->opened_units);
	}
	read_lost(t, index, flow);
	read_system(t, index, cut, flow);
}

static void add_known(uint64_t *sum, uint64_t value)
{
	if (*sum != PLATFORM_UNKNOWN)
		*sum = value == PLATFORM_UNKNOWN ? value : *sum + value;
}

/* PLATFORM_UNKNOWN is the greatest of all. */
static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void sum_info(struct platform_tcp_info *all, const struct platform_tcp_info *one)
{
	add_known(&all->retransmits, one->retransmits);
	add_known(&all->cwnd_bytes, one->cwnd_bytes);
	add_known(&all->rtt_us, one->rtt_us);
	add_known(&all->rttvar_us, one->rttvar_us);
	add_known(&all->busy_us, one->busy_us);
	add_known(&all->rwnd_limited_us, one->rwnd_limited_us);
	add_known(&all->sndbuf_limited_us, one->sndbuf_limited_us);
	all->mss_bytes = least(all->mss_bytes, one->mss_bytes);
	all->path_mtu_bytes = least(all->path_mtu_bytes, one->path_mtu_bytes);
}

static void sum_flows(struct tally_interval *out, uint32_t streams)
{
	struct tally_flow *all = &out->all;

	*all = (struct tally_flow){.tcp = {.mss_bytes = PLATFORM_UNKNOWN,
	                                   .path_mtu_bytes = PLATFORM_UNKNOWN,
	                                   .min_rtt_us = PLATFORM_UNKNOWN,
	                                   .acked_bytes = PLATFORM_UNKNOWN}};
	for (uint32_t i = 0; i < streams; i++) {
		all->bytes += out->flow[i].bytes;
		add_known(&all->units, out->flow[i].units);
		add_known(&all->lost, out->flow[i].lost);
		sum_info(&all->tcp, &out->flow[i].tcp);
	}
	if (streams > 0 && all->tcp.rtt_us != PLATFORM_UNKNOWN)
		all->tcp.rtt_us /= streams;
	if (streams > 0 && all->tcp.rttvar_us != PLATFORM_UNKNOWN)
		all->tcp.rttvar_us /= streams;
}

/* Everything at this moment, for the interval of out->cut. The counters first: what takes a
 * system call would be late for them. */
static void read_all(struct tally *t, struct tally_interval *out)
{
	uint64_t cpu_us;

	for (uint32_t i = 0; i < t->streams->count; i++) {
		struct streams_reading r;

		streams_read(t->streams, i, out->cut.opens || out->cut.closes, &r);
		out->flow[i].bytes = r.bytes - t->stream[i].last_bytes;
		out->flow[i].units = r.units;
	}
	cpu_us = cpu_now_us();
	out->cpu_us = since(cpu_us, t->last_cpu_us);
	t->last_cpu_us = cpu_us;
	if (out->cut.opens)
		t->opened_cpu_us = cpu_us;
	if (!out->cut.is_omitted)
		t->measured_cpu_us = since(cpu_us, t->opened_cpu_us);
	for (uint32_t i = 0; i < t->streams->count; i++)
		read_flow(t, i, &out->cut, &out->flow[i]);
	sum_flows(out, t->streams->count);
}

static uint64_t after_t0(const struct tally *t, uint64_t at_ns)
{
	return at_ns > t->t0_ns ? at_ns - t->t0_ns : 0;
}

void tally_read(struct tally *t, struct tally_interval *out)
{
	out->cut = sampler_cut(&t->sampler, after_t0(t, clock_now_ns()));
	read_all(t, out);
}

void tally_finish(struct tally *t, uint64_t at_ns, struct tally_interval *out)
{
	out->cut = sampler_finish(&t->sampler, after_t0(t, at_ns));
	read_all(t, out);
}

uint64_t tally_thread_max_us(const struct tally *t)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < t->streams->count; i++) {
		uint64_t us = t->stream[i].measured_cpu_us;

		if (us == PLATFORM_UNKNOWN)
			return us;
		if (us > most)
			most = us;
	}
	return most;
}
