/* SPDX-License-Identifier: MIT */
/*
 * ssh.h - a transport over SSH, by libssh.
 *
 * Connects by itself (dial.h), checks the host key by itself (known_hosts.h), logs
 * in with the named key file, then with ssh-agent's keys: one attempt a credential
 * and few in all, since servers count them. The user's ~/.ssh/config is not read.
 */
#ifndef REMOTE_SSH_H
#define REMOTE_SSH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/transport.h"
#include "remote/wait.h"

struct ssh_target {
	const char *address; /* name or number */
	uint32_t port;
	const char *user;
	const char *key;         /* private key file; NULL: ssh-agent only */
	const char *known_hosts; /* need not exist */
	bool accept_new;         /* a key that is not known is added to known_hosts */
	const char *auth_sock;   /* ssh-agent's socket; NULL: none */
};

/*
 * Connects, verifies and logs in within the limit. What is learnt on the way is put into
 * *info, also when it fails; NULL then, with the reason and a remedy. limit->wake_fd is an
 * eventfd that outlives the transport: when it becomes readable, opening is given up
 * (ERR_CANCELLED); later it ends transport_pump(), which resets it.
 */
struct transport *ssh_transport_open(const struct ssh_target *target,
                                     const struct wait_limit *limit, struct transport_info *info,
                                     struct err *err) NODISCARD;

#endif
