/* SPDX-License-Identifier: MIT */
/*
 * netstat.h - counters of the whole host: `netstat -s -p tcp` and `netstat -m` of FreeBSD, of an
 * `ethtool -S` those that mean lost packets. Unknown is NETSTAT_UNKNOWN, never 0.
 */
#ifndef HOSTOPS_NETSTAT_H
#define HOSTOPS_NETSTAT_H

#include <stdint.h>

#include "common/attr.h"

#define NETSTAT_UNKNOWN (-1)

struct netstat_tcp {
	int64_t packets_sent, data_packets, data_bytes;
	int64_t retransmitted_packets, retransmitted_bytes;
	int64_t received_packets, out_of_order_packets, timeouts;
};

void netstat_read_tcp(const char *text, struct netstat_tcp *out);

/* Requests of memory buffers that were denied; jumbo clusters: what an MTU of 9000 needs. */
struct netstat_mbufs {
	int64_t denied_mbufs, denied_clusters;
	int64_t denied_4k, denied_9k, denied_16k;
};

void netstat_read_mbufs(const char *text, struct netstat_mbufs *out);

/* The sum of all lines of this name of `ethtool -S`, since drivers repeat them for each queue;
 * the name is that of the whole line, "ring full". */
int64_t netstat_sum_of(const char *text, const char *name) NODISCARD;

#endif
