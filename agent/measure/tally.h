/* SPDX-License-Identifier: MIT */
/*
 * tally.h - what each stream moved, interval by interval and in all.
 *
 * Reads the counters of struct streams, the kernel's view of the sockets (TCP
 * sender) and the CPU time of the process and of the threads when the sampler
 * says so. Allocates nothing.
 * Numbers that are not known are PLATFORM_UNKNOWN.
 */
#ifndef AGENT_MEASURE_TALLY_H
#define AGENT_MEASURE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/request.h"
#include "measure/sampler.h"
#include "measure/streams.h"
#include "platform/platform.h"

/* One stream, or all, in one interval. */
struct tally_flow {
	uint64_t bytes;
	uint64_t units; /* datagrams or transactions */
	uint64_t lost;  /* udp receiver: datagrams missing; of one that comes late after
	                         all the next interval has one less */
	/* What is counted since connect is that of the interval here. Of all: sums, means of the
	 * round trips, the least segment size and path MTU. */
	struct platform_tcp_info tcp;
};

struct tally_interval {
	struct sampler_cut cut;
	uint64_t cpu_us; /* CPU time of the process */
	struct tally_flow all;
	struct tally_flow flow[REQUEST_STREAMS_MAX];
};

/* One stream since t0. */
struct tally_stream {
	uint64_t last_bytes;
	uint64_t opened_bytes;   /* at the start of the measured time */
	uint64_t measured_bytes; /* so far */
	uint64_t last_units;
	uint64_t opened_units;
	uint64_t measured_units;
	uint64_t last_lost;
	struct platform_tcp_info last; /* since connect; these two */
	struct platform_tcp_info opened;
	struct platform_tcp_info measured; /* what is counted: that of the measured time */
	uint64_t cwnd_max_bytes;
	uint64_t rtt_sum_us; /* of the readings in the measured time */
	uint64_t rtt_count;
	uint64_t opened_cpu_us; /* of the thread */
	uint64_t measured_cpu_us;
};

struct tally {
	struct streams *streams;
	struct sampler sampler;
	bool has_tcp;  /* the kernel's view of the sockets says something about this traffic */
	bool has_lost; /* the streams count what is missing */
	uint64_t t0_ns;
	uint64_t last_cpu_us;
	uint64_t opened_cpu_us;
	uint64_t measured_cpu_us;
	struct tally_stream stream[REQUEST_STREAMS_MAX];
};

/* With `bytes` the time is the longest there is: the receiver gives up first, for it knows
 * what came, the sender so much later. */
#define TALLY_PATIENCE_NS UINT64_C(1000000000)

/* t0_ns: where the test's time begins; not after now. streams must live as long. */
void tally_start(struct tally *t, const struct request *r, struct streams *streams, uint64_t t0_ns);

/* When tally_read() is due, on the clock; UINT64_MAX when the measured time is over. */
uint64_t tally_due_ns(const struct tally *t) NODISCARD;

/* Reads everything at this moment and ends an interval with it. */
void tally_read(struct tally *t, struct tally_interval *out);

/* All streams have ended, the last at at_ns on the clock, while the measured time ran: that
 * was its end. The interval that this ends may be empty. */
void tally_finish(struct tally *t, uint64_t at_ns, struct tally_interval *out);

/* CPU time of the busiest stream's thread in the measured time, us; PLATFORM_UNKNOWN. */
uint64_t tally_thread_max_us(const struct tally *t);

#endif
