/* SPDX-License-Identifier: MIT */
/*
 * ifconfig.h - reads `ifconfig X` of FreeBSD; the MTU also of Linux' (net-tools, busybox).
 *
 * Which options are on is in the number, not in the names: releases name bits differently, and
 * some have no name (NOMAP of 13 is MEXTPG in 14; 0x800000 is never named).
 */
#ifndef HOSTOPS_IFCONFIG_H
#define HOSTOPS_IFCONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

/* Bits of "options=" and "capabilities=" (FreeBSD net/if.h, IFCAP_). */
#define IFCONFIG_RXCSUM      0x1u
#define IFCONFIG_TXCSUM      0x2u
#define IFCONFIG_JUMBO_MTU   0x20u
#define IFCONFIG_TSO4        0x100u
#define IFCONFIG_TSO6        0x200u
#define IFCONFIG_LRO         0x400u
#define IFCONFIG_RXCSUM_IPV6 0x200000u
#define IFCONFIG_TXCSUM_IPV6 0x400000u

#define IFCONFIG_UNKNOWN (-1)

struct ifconfig {
	int64_t mtu;          /* bytes; IFCONFIG_UNKNOWN */
	int64_t options;      /* what is on; IFCONFIG_UNKNOWN */
	int64_t capabilities; /* what can be on, of `ifconfig -m`; IFCONFIG_UNKNOWN */
	bool is_up, has_ipv6;
	bool is_active; /* "status: active"; false also where there is no such line */
};

void ifconfig_begin(struct ifconfig *i); /* nothing known */
void ifconfig_read(struct ifconfig *i, const char *line);

#endif
