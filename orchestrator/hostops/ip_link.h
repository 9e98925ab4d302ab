/* SPDX-License-Identifier: MIT */
/*
 * ip_link.h - reads `ip -j -d -s link show dev X` (iproute2 4.18 and later; min_mtu and
 * max_mtu since 4.19, with -d alone).
 */
#ifndef HOSTOPS_IP_LINK_H
#define HOSTOPS_IP_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

#define IP_LINK_UNKNOWN    (-1)
#define IP_LINK_NAME_BYTES 32

struct ip_link {
	int64_t mtu, min_mtu, max_mtu; /* bytes; IP_LINK_UNKNOWN. A max_mtu of 0 is none: unknown */
	int64_t rx_queues, tx_queues;
	int64_t gso_max_bytes, gro_max_bytes;
	bool is_up, has_carrier;
	char name[IP_LINK_NAME_BYTES], address[IP_LINK_NAME_BYTES];
	char master[IP_LINK_NAME_BYTES]; /* bridge or bond that it is a port of; "" */
	char kind[IP_LINK_NAME_BYTES];   /* "veth", "vlan"; "" for hardware */
	char bus[IP_LINK_NAME_BYTES], device[IP_LINK_NAME_BYTES]; /* "pci", "0000:0b:00.0"; "" */
	int64_t rx_bytes, tx_bytes, rx_dropped, tx_dropped, rx_errors, tx_errors;
};

/* Reads the first link of the list; false when there is none. */
bool ip_link_read(struct ip_link *out, const char *json) NODISCARD;

#endif
