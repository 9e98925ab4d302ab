/* SPDX-License-Identifier: MIT */
/*
 * transport_ops.h - what a kind of transport must do. For those who make one.
 *
 * A kind embeds struct transport as its first member, sets `ops`, and reports
 * through the transport_came_*() functions, which keep what came until it is read.
 */
#ifndef REMOTE_TRANSPORT_OPS_H
#define REMOTE_TRANSPORT_OPS_H

#include "common/text.h"
#include "remote/transport.h"

/* Each as the function of the same name in transport.h. */
struct transport_ops {
	bool (*exec)(struct transport *t, const char *command, uint64_t deadline_ns,
	             struct err *err);
	bool (*pump)(struct transport *t, uint64_t until_ns, struct err *err);
	size_t (*write)(struct transport *t, const void *data, size_t len);
	void (*end_input)(struct transport *t);
	void (*hangup)(struct transport *t);
	void (*blame)(struct transport *t, struct err *err); /* NULL: it is reached directly */
	void (*close)(struct transport *t); /* frees what the kind owns, and t itself */
};

struct transport {
	const struct transport_ops *ops;
	struct text out; /* standard output that was not read yet... */
	size_t out_read; /* ...but for its first out_read bytes */
	struct text said;
	struct transport_said_all said_all;
	bool has_first;    /* said_all.first is whole */
	bool said_newline; /* one has come and is shown when more does */
	bool is_eof;       /* of standard output */
	bool is_told;      /* status or signal */
	bool is_closed;
	struct transport_end end;
	uint64_t taken; /* bytes of what was written that the command's host took off the wire */
};

void transport_came_output(struct transport *t, const void *data, size_t len);
void transport_came_stderr(struct transport *t, const void *data, size_t len);
void transport_came_eof(struct transport *t); /* end of standard output */
void transport_came_status(struct transport *t, int status);
void transport_came_signal(struct transport *t, const char *signal);
void transport_came_close(struct transport *t); /* no more will come from the command */

/* Forgets the last command: for ops->exec. */
void transport_reset(struct transport *t);

#endif
