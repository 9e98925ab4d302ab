/* SPDX-License-Identifier: MIT */
/*
 * udp_socket.h - the socket of a stream's datagrams.
 *
 * It has the addresses and ports of the stream's TCP connection, so firewalls and paths
 * with several links meet the same five-tuple but for the protocol. Each end opens its
 * own before it says so on the connection: the connector before the preamble, the
 * listener before the yes. So no datagram finds a door closed.
 */
#ifndef AGENT_MEASURE_UDP_SOCKET_H
#define AGENT_MEASURE_UDP_SOCKET_H

#include <stdbool.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"

/* Another connection's port may be free; so often it is tried. */
#define UDP_SOCKET_TRIES 8u

/* Connected, blocking, close-on-exec. Returns 0, or EADDRINUSE when a program of this
 * machine has the port for UDP; both without touching *f. Else -1 with *f set. */
int udp_socket_open(const struct request *r, int tcp_fd, int *out, struct failure *f) NODISCARD;

/* The failure for EADDRINUSE. */
bool udp_socket_fail_taken(int tcp_fd, struct failure *f);

/* Listener: whether the port of its own address can be had for UDP. 0 or the errno. */
int udp_socket_try_port(const struct address *own) NODISCARD;

#endif
