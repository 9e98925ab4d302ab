/* SPDX-License-Identifier: MIT */
/*
 * ssh.h - a transport over SSH, by libssh.
 *
 * Connects by itself (dial.h), checks the host key by itself (known_hosts.h), logs
 * in as struct ssh_config says: one attempt a credential and few in all, since servers
 * count them.
 */
#ifndef REMOTE_SSH_H
#define REMOTE_SSH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/carrier.h"
#include "remote/secrets.h"
#include "remote/ssh_config.h"
#include "remote/transport.h"
#include "remote/wait.h"

struct ssh_target {
	const struct ssh_config *config;
	int fd; /* a connection that is there, through a jump host, say; the transport's from
	           now on, also on failure. -1: it connects by itself */
	const char *where;       /* with fd: what to call the other end; NULL: the carrier knows */
	struct carrier *carrier; /* with fd: what carries it, the transport's as fd is; or NULL */
	const char *name;        /* what a person calls it; NULL: the alias of the configuration */
	struct secrets *secrets; /* NULL: nobody can be asked */
	/* Where the password is (secrets.h); NULL: a person is asked. */
	const char *password_file, *password_env;
	bool is_jump; /* the password typed for it is for no other host */
};

/*
 * Connects, verifies and logs in within the limit. What is learnt on the way is put into
 * *info, also when it fails; NULL then, with the reason and a remedy. limit->wake_fd is an
 * eventfd that outlives the transport: when it becomes readable, opening is given up
 * (ERR_CANCELLED); later it ends transport_pump(), which resets it. The time that a person
 * takes to answer is not part of the limit: info->asked_ns.
 */
struct transport *ssh_transport_open(const struct ssh_target *target,
                                     const struct wait_limit *limit, struct transport_info *info,
                                     struct err *err) NODISCARD;

#endif
