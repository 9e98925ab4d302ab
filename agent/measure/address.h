/* SPDX-License-Identifier: MIT */
/*
 * address.h - IPv4 and IPv6 addresses as literals; no names, no resolver.
 */
#ifndef AGENT_MEASURE_ADDRESS_H
#define AGENT_MEASURE_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/attr.h"
#include "measure/failure.h"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at;
	socklen_t len;
};

#define ADDRESS_TEXT_BYTES 64

/* "192.0.2.7", "2001:db8::7", "fe80::1%eth0"; port 0. False on anything else and
 * on what is no machine's own address: 0.0.0.0, ::, multicast, broadcast. */
bool address_parse(const char *literal, struct address *out) NODISCARD;

void address_set_port(struct address *a, uint16_t port);
uint16_t address_port(const struct address *a);

/* Without the port and without the zone. */
void address_format(const struct address *a, char out[ADDRESS_TEXT_BYTES]);

/* True when a socket of this machine can be bound to it; else a failure of kind
 * usage that says so. */
bool address_check_own(const struct address *a, struct failure *f) NODISCARD;

#endif
