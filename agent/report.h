/* SPDX-License-Identifier: MIT */
/*
 * report.h - a test's figures as messages. Numbers that are not known are left
 * out. `id` is that of the request which the message answers.
 */
#ifndef AGENT_REPORT_H
#define AGENT_REPORT_H

#include <stdint.h>

#include "agent/output.h"
#include "measure/histogram.h"
#include "measure/lost.h"
#include "measure/request.h"
#include "measure/tally.h"
#include "measure/udp_marks.h"
#include "platform/platform.h"

/* What is known when all streams are connected, beside what the sockets tell. */
struct report_connection {
	uint64_t rtt_base_us; /* connector; PLATFORM_UNKNOWN */
	uint64_t strangers;   /* listener; PLATFORM_UNKNOWN */
	const char *method;   /* of moving bytes */
};

/* `connected`, with what the kernel gave these sockets. */
void report_connected(struct output *o, uint32_t id, const struct request *r, const int *fds,
                      const struct report_connection *c);

/* `sample` of all, then of each stream. load: of the machine in the interval. */
void report_interval(struct output *o, uint32_t id, const struct tally_interval *interval,
                     uint32_t streams, const struct platform_load *load);

/* `trouble` of each stream that is lost. */
void report_troubles(struct output *o, uint32_t id, const struct lost *lost);

/* The ports of a connected socket; to be read while it is connected: a stream
 * that has ended no longer knows them. */
struct report_ports {
	uint32_t local;
	uint32_t peer;
};
void report_read_ports(int fd, struct report_ports *out);

void report_streams(struct output *o, uint32_t id, const struct tally *tally,
                    const struct report_ports *ports);

/* `datagrams` of all, then of each stream; a counter when the system had no room for some. */
void report_datagrams(struct output *o, uint32_t id, const struct tally *tally,
                      const struct udp_marks *marks);

/* `latency`; nothing when there was no round trip. */
void report_latency(struct output *o, uint32_t id, const char *kind, const struct histogram *h);

/* Ends what platform_watch_counters_start() began. */
void report_counters(struct output *o, uint32_t id, struct platform_watch *watch);

void report_result(struct output *o, uint32_t id, const struct tally *tally,
                   const struct platform_load *load);

#endif
