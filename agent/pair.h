/* SPDX-License-Identifier: MIT */
/*
 * pair.h - the tests that an agent takes part in: one, or two beside each other.
 *
 * Two at a time make a test in both directions. The second comes only when its
 * prepare names the first (beside), which must not be over; whatever else comes
 * meanwhile is refused and disturbs neither. Each has a session, and so sockets,
 * threads and answers of its own, and neither cares how the other fares.
 */
#ifndef AGENT_PAIR_H
#define AGENT_PAIR_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/output.h"
#include "agent/session.h"
#include "common/attr.h"
#include "common/wire/msg.h"
#include "measure/failure.h"

#define PAIR_TESTS    2
#define PAIR_POLL_MAX (PAIR_TESTS * SESSION_POLL_MAX)

struct pair {
	struct output *out;
	struct session *session[PAIR_TESTS]; /* the second: NULL until it is needed */
};

/* `out` must outlive it. After a failure pair_done() may be called. */
bool pair_init(struct pair *p, struct output *out, struct failure *f) NODISCARD;

/* Ends the tests that are open, without an answer. */
void pair_done(struct pair *p);

void pair_prepare(struct pair *p, uint32_t id, const struct msg_prepare *m);
void pair_go(struct pair *p, uint32_t id, const struct msg_go *m);
void pair_stop(struct pair *p, uint32_t id, const struct msg_stop *m);

/* True while one is between go and done: nothing else may disturb. */
bool pair_is_measuring(const struct pair *p);

size_t pair_poll(const struct pair *p, struct pollfd *fds); /* at most PAIR_POLL_MAX */
uint64_t pair_due_ns(const struct pair *p) NODISCARD;       /* UINT64_MAX: nothing */
void pair_step(struct pair *p, uint64_t now_ns);

#endif
