/* SPDX-License-Identifier: MIT */
/*
 * carrier.h - what carries a connection that is no TCP connection of ours: a channel of a
 * jump host's session, a command.
 *
 * A carrier belongs to the transport over it, which asks it why the connection ended, and
 * closes it last.
 */
#ifndef REMOTE_CARRIER_H
#define REMOTE_CARRIER_H

#include <stdbool.h>

#define CARRIER_TOLD_BYTES  320
#define CARRIER_WHERE_BYTES 192

struct carrier;

struct carrier_ops {
	/* What it knows of the connection's end, or of its silence; one line, "": nothing. */
	void (*tell)(struct carrier *c, bool has_ended, char told[CARRIER_TOLD_BYTES]);
	/* Something came on watch_fd, which is taken in. False: nothing more will. */
	bool (*serve)(struct carrier *c);
	/* After the connection's descriptor was closed. Frees it; takes 0.3 s at most. */
	void (*close)(struct carrier *c);
};

struct carrier {
	const struct carrier_ops *ops;
	int watch_fd; /* to be served when it is readable, or -1; the carrier's */
	/* The other end and the way, for messages: "10.1.2.3:22 through jump1, jump2" */
	char where[CARRIER_WHERE_BYTES];
};

#endif
