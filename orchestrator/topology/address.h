/* SPDX-License-Identifier: MIT */
/* address.h - IPv4 and IPv6 literals and subnets of the topology file. No names, no sockets. */
#ifndef TOPOLOGY_ADDRESS_H
#define TOPOLOGY_ADDRESS_H

#include <stdbool.h>

#include "common/attr.h"

enum address_family { ADDRESS_NONE, ADDRESS_IPV4, ADDRESS_IPV6 };

struct address {
	enum address_family family;
	unsigned char bytes[16]; /* 4 of them for IPv4; network order */
};

struct subnet {
	struct address base; /* family ADDRESS_NONE: not said */
	unsigned prefix;
};

#define ADDRESS_TEXT_BYTES 64

/* False when text is no literal address. */
bool address_parse(const char *text, struct address *out) NODISCARD;

/* NULL when a NIC can have it in a measurement, otherwise why not: "is a multicast address". */
const char *address_problem(const struct address *a);

/* The one way to write it, so that equal addresses have equal texts. */
const char *address_format(const struct address *a, char out[ADDRESS_TEXT_BYTES]);

/* NULL when text is a subnet such as 10.1.0.0/24, otherwise what is wrong with it. */
const char *subnet_parse(const char *text, struct subnet *out) NODISCARD;

/* True when the address lies in the subnet; families that differ do not match. */
bool subnet_holds(const struct subnet *net, const struct address *a);

#endif
