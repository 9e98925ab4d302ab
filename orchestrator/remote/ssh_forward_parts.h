/* SPDX-License-Identifier: MIT */
/*
 * ssh_forward_parts.h - what ssh_forward.c, the connections of a session, and
 * ssh_forward_carry.c, the bytes of one, share. Not for others.
 */
#ifndef REMOTE_SSH_FORWARD_PARTS_H
#define REMOTE_SSH_FORWARD_PARTS_H

#include "remote/ssh_forward.h"

#define CHUNK_BYTES ((size_t)32 * 1024)

enum forward_state {
	FORWARD_ASKING,  /* the server is to answer */
	FORWARD_UNCLEAR, /* refused, together with others: whose reason was told? */
	FORWARD_OPEN,
	FORWARD_ENDED
};

struct forward {
	struct forward *next;
	enum forward_state state;
	bool is_again; /* asked once more, for the reason */
	struct ssh_forward_request request;
	struct ssh_channel_struct *channel;
	struct ssh_channel_callbacks_struct *callbacks;
	bool is_read;     /* it is in the set for reading with EPOLLIN: the window is open */
	bool wants_room;  /* bytes wait here or in libssh... */
	bool awaits_room; /* ...and it is in the other set */
	bool far_end;     /* no more will come from there */
	char *kept;       /* taken out of libssh... */
	size_t kept_len, kept_sent;
};

struct ssh_forwards {
	struct ssh_transport *t;
	const char *name;
	int work_fd;
	int read_set, room_set; /* epoll */
	bool is_reading;        /* read_set is waited for */
	bool was_full;          /* the session's socket, at the last turn */
	struct forward *first;
	char chunk[CHUNK_BYTES];
};

/* The callbacks of a channel; to be set before it is opened. */
void ssh_forward_set_callbacks(struct forward *w);

/* The socket can be written again: what waits goes there. */
void ssh_forward_give_room(struct forward *w);

/* The socket can be read, or has an error: what it has goes to the server. */
void ssh_forward_carry_out(struct ssh_forwards *f, struct forward *w);

/* Frees what waits. */
void ssh_forward_forget(struct forward *w);

#endif
