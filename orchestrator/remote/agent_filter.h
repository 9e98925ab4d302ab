/* SPDX-License-Identifier: MIT */
/*
 * agent_filter.h - shows libssh one key of ssh-agent at a time.
 *
 * libssh offers a server every key that its agent lists, and servers end the session
 * after a few. So libssh gets one end of a socket pair as its "agent"; a thread
 * answers its request for the list with the one key that was offered last, passes
 * its requests to sign on to the real agent, and refuses all else. It also ends the
 * wait for an agent that does not answer (a security key waits for a touch).
 * Protocol: draft-miller-ssh-agent.
 */
#ifndef REMOTE_AGENT_FILTER_H
#define REMOTE_AGENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/key_blob.h"
#include "remote/wait.h"

#define AGENT_KEYS_MAX      64
#define AGENT_COMMENT_BYTES 80

struct agent_key {
	const unsigned char *blob;
	size_t len;
	char comment[AGENT_COMMENT_BYTES]; /* printable */
};

struct agent_filter;

/*
 * Connects to the agent at the socket `path`, asks for its keys and starts the thread,
 * which gives up at the limit. NULL when there is no agent or its answer makes no sense.
 */
struct agent_filter *agent_filter_open(const char *path, const struct wait_limit *limit,
                                       struct err *err) NODISCARD;

size_t agent_filter_count(const struct agent_filter *f);
const struct agent_key *agent_filter_key(const struct agent_filter *f,
                                         size_t index); /* the filter's */

/*
 * A security key (FIDO) signs when somebody touches it. All are called by the filter's thread;
 * what passes between the first and the last is not counted against the limit.
 */
struct agent_filter_touch {
	void *ctx;
	bool (*begin)(void *ctx);                      /* false: it shall not sign */
	void (*waits)(void *ctx, const char *comment); /* it has not signed at once */
	void (*end)(void *ctx);
};

/* Before agent_filter_socket(); copied. */
void agent_filter_watch(struct agent_filter *f, const struct agent_filter_touch *touch);

/* From now on the list is this key alone. */
void agent_filter_offer(struct agent_filter *f, size_t index);

/* From now on the list is this certificate alone, for which that key signs. The certificate
 * is the caller's and outlives the filter. */
void agent_filter_offer_as(struct agent_filter *f, size_t index,
                           const struct key_blob *certificate);

/* The end for ssh_set_agent_socket(), which closes it; to be taken once. */
int agent_filter_socket(struct agent_filter *f);

/* Ends the thread. Accepts NULL. */
void agent_filter_close(struct agent_filter *f);

/* Pure: the keys in the answer to a request for the list; `count` is the number kept, at
 * most AGENT_KEYS_MAX. The blobs point into data. False when the answer is damaged. */
bool agent_filter_parse(const unsigned char *data, size_t len,
                        struct agent_key keys[AGENT_KEYS_MAX], size_t *count,
                        struct err *err) NODISCARD;

#endif
