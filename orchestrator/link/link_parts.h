/* SPDX-License-Identifier: MIT */
/*
 * link_parts.h - what link.c and session.c share, and how tests put another
 * transport below. Not for others.
 *
 * Main thread and session threads meet in two places: a host's `lock` (commands
 * and state) and the set's event queue. Everything else of a session is its thread's.
 */
#ifndef LINK_LINK_PARTS_H
#define LINK_LINK_PARTS_H

#include <pthread.h>

#include "common/arena.h"
#include "common/text.h"
#include "link/deploy.h"
#include "link/job.h"
#include "link/link.h"
#include "remote/ssh_jump.h"
#include "remote/transport.h"
#include "remote/wait.h"

#define LINK_CONNECT_MS 10000u

/* Opens the transport to a host: link_open() in the program. */
struct link_host;
typedef struct transport *link_opener(const struct link_host *host, const struct wait_limit *limit,
                                      struct transport_info *info, struct err *err);

struct link_queued {
	struct link_queued *next;
	struct link_event event;
};

struct link_host {
	struct link_set *set;
	size_t index;
	struct link_target target;
	int wake_fd; /* eventfd: something changed below */
	pthread_t thread;
	bool has_thread; /* to be joined; the main thread's */

	pthread_mutex_t lock;
	bool is_running;      /* the thread is at work: it ends only with this taken back */
	bool is_up;           /* messages are taken */
	bool is_down;         /* LINK_DOWN was told, the thread is cleaning up */
	bool is_wanted_again; /* link_connect() came meanwhile */
	bool is_stopping;
	struct text outbox;         /* lines for the agent, or a command */
	struct shell_marker marker; /* of that command */
	struct job_wish job;        /* a text to be run */
	struct err refused;         /* kind is set: a message that cannot be sent */
};

struct link_set {
	struct arena arena;
	struct link_host *hosts;
	size_t count;
	struct link_options options;
	link_opener *opener;
	struct ssh_jumps *jumps;
	struct deploy_agents agents; /* none with is_errand */

	pthread_mutex_t slots_lock;
	pthread_cond_t slots_changed;
	size_t slots; /* handshakes that may begin */

	pthread_mutex_t events_lock;
	struct link_queued *first, **last;
	int events_fd; /* eventfd: an event was queued */
};

/* link_set_new() over transports of the caller's making. */
struct link_set *link_set_new_over(link_opener *opener, const struct link_target *targets,
                                   size_t count, const struct link_options *options,
                                   struct err *err) NODISCARD;

/* open.c: by the transport that the target asks for. */
link_opener link_open;

/* link.c, for the session */
void link_post(struct link_set *set, const struct link_event *event);
/* Waits for a slot; false when the host is to stop. */
bool link_take_slot(struct link_host *host);
void link_give_slot(struct link_set *set);
bool link_is_stopping(struct link_host *host);
/* Ready for a new life; under the lock. */
void link_reset(struct link_host *host);

/* errand.c: runs commands until the host is to stop or is lost; *err says which. */
void link_errand(struct link_host *host, struct transport *t, struct err *err);

/* survey.c: what cannot be learnt is not known. */
void link_survey(struct link_host *host, struct transport *t, struct survey *out);

/* session.c: a thread's body; arg is a struct link_host. */
void *link_session(void *arg);

#endif
