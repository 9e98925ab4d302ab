/* SPDX-License-Identifier: MIT */
/*
 * session.h - one test, from prepare to done.
 *
 *	prepare -> (connecting) -> connected -> go -> (measuring) -> done
 *
 * Owns the test's sockets and threads. Answers through the output; whatever goes
 * wrong is answered by one `failed` to the request that is open, and the session
 * is free again. Never blocks; the owner polls and calls session_step().
 */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/measurement.h"
#include "agent/output.h"
#include "common/attr.h"
#include "common/wire/msg.h"
#include "measure/connector.h"
#include "measure/failure.h"
#include "measure/listener.h"

#define SESSION_LISTEN_MS 10000u /* the listener waits so long for all its connections */
#define SESSION_GO_MS     30000u /* connected, but no go: given up */
#define SESSION_POLL_MAX  MEASUREMENT_POLL_MAX

_Static_assert(LISTENER_POLL_MAX <= SESSION_POLL_MAX && CONNECTOR_POLL_MAX <= SESSION_POLL_MAX,
               "measurement has the most descriptors");

struct session;

/* All memory that a test needs but its buffers. `out` must outlive it. */
struct session *session_new(struct output *out, struct failure *f);

/* Ends the test, if there is one, without an answer. Accepts NULL. */
void session_free(struct session *s);

/* The session must not be open. other_files: descriptors that the agent needs beside this
 * test. */
void session_prepare(struct session *s, uint32_t id, const struct msg_prepare *m,
                     uint32_t other_files);
void session_go(struct session *s, uint32_t id, const struct msg_go *m);
void session_stop(struct session *s, uint32_t id, const struct msg_stop *m);

/* From prepared to done or failed; whose id and descriptors these are. */
bool session_is_open(const struct session *s);
uint32_t session_test(const struct session *s);
uint32_t session_files(const struct session *s);

/* True from go to done: nothing else may disturb. */
bool session_is_measuring(const struct session *s);

size_t session_poll(const struct session *s, struct pollfd *fds); /* at most SESSION_POLL_MAX */
uint64_t session_due_ns(const struct session *s) NODISCARD;       /* UINT64_MAX: nothing */
void session_step(struct session *s, uint64_t now_ns);

#endif
