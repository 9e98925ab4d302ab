/* SPDX-License-Identifier: MIT */
/*
 * linux_link.h - network interfaces, by netlink.
 *
 * Not by /sys/class/net: which network namespace that shows depends on who
 * mounted it; a socket always belongs to the namespace of its process.
 */
#ifndef AGENT_PLATFORM_LINUX_LINK_H
#define AGENT_PLATFORM_LINUX_LINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"

struct sockaddr;

#define LINUX_LINK_BUFFER_BYTES \
	((size_t)32 * 1024) /* with many virtual functions a link is large */

struct linux_counter {
	const char *name; /* as `counter` has it */
	size_t offset;    /* in struct rtnl_link_stats64 */
};
extern const struct linux_counter linux_link_counters[];
#define LINUX_LINK_COUNTERS 11u

/* 0 and "" stand for what the kernel did not tell. */
struct linux_link {
	bool has_counters;
	uint64_t counters[LINUX_LINK_COUNTERS]; /* by linux_link_counters[] */
	uint32_t mtu_max;
	uint32_t rx_queues;
	uint32_t tx_queues;
	char kind[IFNAMSIZ]; /* of a virtual one: "veth", "bridge" */
};

/* The name of the interface that has the address, of several the one called
 * `wanted` (NULL: any); any of 127.0.0.0/8 is the loopback's. False when none
 * has it. */
bool linux_link_name(const struct sockaddr *address, const char *wanted,
                     char name[IFNAMSIZ]) NODISCARD;

/* A descriptor for linux_link_read(); -1 when there is no netlink. */
int linux_link_open(void);

/* Asks the kernel; waits for a second at most. `buffer` has
 * LINUX_LINK_BUFFER_BYTES. fd may be -1. */
bool linux_link_read(int fd, unsigned index, void *buffer, struct linux_link *out) NODISCARD;

#endif
