/* SPDX-License-Identifier: MIT */
/*
 * ssh_forward.h - connections that an SSH server makes for us (direct-tcpip, RFC 4254
 * section 7.2), each joined to a socket.
 *
 * All of one session, in its thread. Memory is bounded both ways: what a slow reader leaves
 * is at most two windows of libssh, and nothing is read from a socket that the server, or
 * the way to it, takes no more of.
 */
#ifndef REMOTE_SSH_FORWARD_H
#define REMOTE_SSH_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/ssh_parts.h"

#define SSH_FORWARD_HOST_BYTES 256

struct ssh_forwards;

/* Called once: NULL when it is open, else why not (ERR_REMOTE). */
typedef void ssh_forward_answer(void *arg, const struct err *why);

struct ssh_forward_request {
	char host[SSH_FORWARD_HOST_BYTES]; /* as the server is to look it up */
	uint32_t port;
	int fd; /* a connected stream socket, non-blocking; the forwards' from now on */
	ssh_forward_answer *answer;
	void *arg;
};

/* On a session that is logged in; `name` is the server's, for messages. Both outlive it. It is
 * freed before the transport is closed. work_fd: an eventfd that ends a wait, reset here. */
struct ssh_forwards *ssh_forwards_new(struct ssh_transport *t, const char *name, int work_fd,
                                      struct err *err) NODISCARD;

void ssh_forwards_open(struct ssh_forwards *f, const struct ssh_forward_request *request);

/* After each ssh_transport_wait(): carries what there is to carry. */
void ssh_forwards_turn(struct ssh_forwards *f);

/* Closes all; those that were not answered are, with `why`. Accepts NULL. */
void ssh_forwards_free(struct ssh_forwards *f, const struct err *why);

#endif
