/* SPDX-License-Identifier: MIT */
/*
 * ssh_jump_parts.h - what ssh_jump.c, a jump host's session, ssh_jump_request.c, those who want
 * a connection through it, and ssh_jumps.c, the register, share. Not for others.
 */
#ifndef REMOTE_SSH_JUMP_PARTS_H
#define REMOTE_SSH_JUMP_PARTS_H

#include <pthread.h>

#include "common/arena.h"
#include "remote/ssh_forward.h"
#include "remote/ssh_jump.h"

struct ssh_jump_request;

struct ssh_jump {
	/* The register's, unchanged while the threads run. */
	struct ssh_jump *next;
	const struct ssh_jumps_options *options;
	struct ssh_jump *parent; /* it is reached through this one; NULL: directly */
	const char *key;         /* chain so far, user, host and port, as resolved */
	const char *name;        /* as written, for messages */
	struct ssh_config config;
	struct arena arena; /* of the three above */
	int stop_fd;        /* eventfd: it is to end */
	int work_fd;        /* eventfd: there are requests */

	pthread_mutex_t lock;
	pthread_t thread;
	bool has_thread; /* to be joined */
	bool is_running; /* the thread takes requests */
	bool is_up;      /* logged in */
	bool was_up;     /* once: its credentials are good */
	bool is_stopping;
	uint64_t life;        /* counts the times that it was up */
	uint64_t sign_ns;     /* the last sign of life */
	uint64_t deadline_ns; /* of opening */
	uint64_t asked_ns;    /* of the last opening: waited for a person */
	struct err failure;   /* why it could not be opened, or was lost; ERR_NONE: neither yet */
	uint64_t failed_ns;   /* when it could not be opened; 0: it could */
	bool is_refused;      /* it will not be tried again: its credentials were refused */
	struct ssh_jump_request *first, **last; /* not yet taken by the thread */
};

/* A connection that is wanted, in the list of its jump host's session. Whoever comes last, the
 * session's thread with its answer or the one that waits for it, frees it. */
struct ssh_jump_request {
	struct ssh_jump_request *next;
	struct ssh_jump *jump;
	struct ssh_forward_request forward; /* its fd is closed by whoever frees it, unless -1 */
	int answer_fd;                      /* eventfd */
	uint64_t deadline_ns;
	/* Under the jump's lock: */
	bool is_answered, is_abandoned;
	bool is_lost;   /* answered so: the session ended meanwhile */
	struct err why; /* ERR_NONE: it is open */
};

/* ssh_jump_request.c: the thread's last word on it, NULL: it is open. Under the lock. */
void ssh_jump_answer(struct ssh_jump_request *r, const struct err *why);

/* ssh_jump.c: the session is there or being opened, or *err says why not. Under the lock. */
bool ssh_jump_want(struct ssh_jump *j, const struct wait_limit *limit, struct err *err) NODISCARD;

/* Fills what is the session's own. False: nothing has to be undone. */
bool ssh_jump_init(struct ssh_jump *j, struct err *err) NODISCARD;

/* Tells it to end; waits for that; releases what ssh_jump_init() made. Each for all before the
 * next: a session uses the one that it is carried by until it has ended. */
void ssh_jump_stop(struct ssh_jump *j);
void ssh_jump_join(struct ssh_jump *j);
void ssh_jump_done(struct ssh_jump *j);

/* A connection to host:port, as seen from the jump host, into target. See ssh_jumps_reach(). */
bool ssh_jump_forward(struct ssh_jump *j, const char *host, uint32_t port,
                      struct ssh_target *target, struct ssh_patience *patience,
                      struct err *err) NODISCARD;

#endif
