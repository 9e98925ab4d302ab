/* SPDX-License-Identifier: MIT */
/*
 * talk.h - messages to and from an agent over a transport.
 *
 * Never blocks: what the host does not take now waits here, and the caller pumps
 * the transport.
 */
#ifndef LINK_TALK_H
#define LINK_TALK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "common/wire/msg.h"
#include "common/wire/reader.h"
#include "remote/transport.h"

struct talk {
	struct transport *transport;
	struct wire_reader reader;
	char in[4096];  /* read from the transport... */
	const char *at; /* ...and not yet taken: `left` bytes from here */
	size_t left;
	struct text out; /* to be written, but for its first `sent` bytes */
	size_t sent;
};

/* Borrows the transport, whose command is about to greet. */
void talk_init(struct talk *k, struct transport *transport);
void talk_done(struct talk *k);

/* Whole lines to be sent. */
void talk_add(struct talk *k, const char *lines, size_t len);

/* A message to be sent; false when it does not fit into a line. */
bool talk_add_message(struct talk *k, const struct msg *msg, struct err *err) NODISCARD;

/* Writes what the host takes now. */
void talk_flush(struct talk *k);

/* True once the agent has greeted; nothing may be sent before. */
bool talk_is_greeted(const struct talk *k) NODISCARD;

/* The next message that has come: 1. None: 0. What came is no message: -1 and *err. */
int talk_take(struct talk *k, struct msg *out, struct err *err) NODISCARD;

#endif
