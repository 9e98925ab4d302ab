/* SPDX-License-Identifier: MIT */
#include "measure/tally.h"

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

static struct platform_tcp_info read_info(const struct streams *streams, uint32_t index)
{
	struct platform_tcp_info info = {PLATFORM_UNKNOWN, PLATFORM_UNKNOWN, PLATFORM_UNKNOWN,
	                                 PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};

	if (streams->side == REQUEST_SEND) /* only the sender's say something about this traffic */
		platform_tcp_info(streams->stream[index].fd, &info);
	return info;
}

void tally_start(struct tally *t, const struct request *r, struct streams *streams, uint64_t t0_ns)
{
	t->streams = streams;
	t->t0_ns = t0_ns;
	sampler_init(&t->sampler, r->omit_ns, r->duration_ns, r->interval_ns);
	t->last_cpu_us = cpu_now_us();
	t->opened_cpu_us = t->last_cpu_us;
	t->measured_cpu_us = PLATFORM_UNKNOWN;
	for (uint32_t i = 0; i < streams->count; i++) {
		uint64_t retransmits = read_info(streams, i).retransmits;

		t->stream[i] = (struct tally_stream){
			.last_retransmits = retransmits,
			.opened_retransmits = retransmits,
			.measured_retransmits = PLATFORM_UNKNOWN,
			.measured_units = PLATFORM_UNKNOWN,
			.cwnd_max_bytes = PLATFORM_UNKNOWN,
		};
	}
}

uint64_t tally_due_ns(const struct tally *t)
{
	uint64_t due = sampler_due_ns(&t->sampler);

	return due == SAMPLER_NEVER ? due : t->t0_ns + due;
}

static void read_flow(struct tally *t, uint32_t index, const struct sampler_cut *cut,
                      struct tally_flow *flow)
{
	struct tally_stream *s = &t->stream[index];
	struct platform_tcp_info info = read_info(t->streams, index);
	uint64_t total = s->last_bytes + flow->bytes;
	uint64_t units = flow->units; /* the total so far */

	flow->retransmits = since(info.retransmits, s->last_retransmits);
	flow->cwnd_bytes = info.cwnd_bytes;
	flow->rtt_us = info.rtt_us;
	flow->units = since(units, s->last_units);
	s->last_bytes = total;
	s->last_units = units;
	s->last_retransmits = info.retransmits;
	if (cut->opens) {
		s->opened_bytes = total;
		s->opened_units = units;
		s->opened_retransmits = info.retransmits;
	}
	if (info.cwnd_bytes != PLATFORM_UNKNOWN &&
	    (s->cwnd_max_bytes == PLATFORM_UNKNOWN || info.cwnd_bytes > s->cwnd_max_bytes))
		s->cwnd_max_bytes = info.cwnd_bytes;
	if (cut->is_omitted)
		return;
	s->measured_bytes = total - s->opened_bytes;
	s->measured_units = since(units, s->opened_units);
	s->measured_retransmits = since(info.retransmits, s->opened_retransmits);
	if (info.rtt_us != PLATFORM_UNKNOWN) {
		s->rtt_sum_us += info.rtt_us;
		s->rtt_count++;
	}
}

static void add_known(uint64_t *sum, uint64_t value)
{
	if (*sum != PLATFORM_UNKNOWN)
		*sum = value == PLATFORM_UNKNOWN ? value : *sum + value;
}

static void sum_flows(struct tally_interval *out, uint32_t streams)
{
	struct tally_flow *all = &out->all;

	*all = (struct tally_flow){0};
	for (uint32_t i = 0; i < streams; i++) {
		all->bytes += out->flow[i].bytes;
		add_known(&all->units, out->flow[i].units);
		add_known(&all->retransmits, out->flow[i].retransmits);
		add_known(&all->cwnd_bytes, out->flow[i].cwnd_bytes);
		add_known(&all->rtt_us, out->flow[i].rtt_us);
	}
	if (streams > 0 && all->rtt_us != PLATFORM_UNKNOWN)
		all->rtt_us /= streams;
}

void tally_read(struct tally *t, struct tally_interval *out)
{
	uint64_t now = clock_now_ns();
	uint64_t cpu_us;

	/* The counters at once after the clock, all that takes a system call later. */
	out->cut = sampler_cut(&t->sampler, now > t->t0_ns ? now - t->t0_ns : 0);
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
