/* SPDX-License-Identifier: MIT */
/*
 * ssh_jump.h - the way to hosts that are reached through others: the sessions to jump hosts,
 * one a jump host and chain, shared by all that is behind it; or a ProxyCommand.
 *
 * A session is opened when the first connection needs it and again when it was lost and is
 * needed again; each has a thread of its own. Its host is resolved, verified and logged in to
 * as any other: one attempt a credential, however many wait for it. One that could not be
 * opened tells all that wait, and those that come soon after, without trying again.
 */
#ifndef REMOTE_SSH_JUMP_H
#define REMOTE_SSH_JUMP_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/ssh.h"

struct ssh_jumps;

/* All borrowed. */
struct ssh_jumps_options {
	const char *auth_sock;         /* as for ssh_config_resolve() */
	struct secrets *secrets;       /* as in struct ssh_target */
	const char *const *hidden_env; /* as in struct ssh_wish, for ProxyCommand */
};

/* Starts nothing yet. Thread-safe from here on. */
struct ssh_jumps *ssh_jumps_new(const struct ssh_jumps_options *options, struct err *err) NODISCARD;

/* How long to wait. */
struct ssh_patience {
	struct wait_limit limit; /* its deadline grows by... */
	uint64_t asked_ns;       /* ...the time that a person took to answer for a jump host */
};

/* After all connections through it are closed. Takes at most 0.5 s. Accepts NULL. */
void ssh_jumps_free(struct ssh_jumps *jumps);

/*
 * Makes the connection that target->config asks for by proxy_jump or proxy_command and puts
 * it into target; does nothing when it asks for neither. The wish is the target's: config,
 * key, known_hosts and accept_new hold for its jump hosts, too. False with the failing hop
 * and stage, ERR_CANCELLED when woken.
 */
bool ssh_jumps_reach(struct ssh_jumps *jumps, const struct ssh_wish *wish,
                     struct ssh_target *target, struct ssh_patience *patience,
                     struct err *err) NODISCARD;

#endif
