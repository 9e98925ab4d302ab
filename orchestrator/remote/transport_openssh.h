/* SPDX-License-Identifier: MIT */
/*
 * transport_openssh.h - a transport over SSH, by the system's ssh program.
 *
 * For what libssh cannot do: host certificates, GSSAPI, PKCS#11, whatever else works with
 * `ssh HOST`. One ssh holds the connection and offers it on a socket in a private folder
 * (ControlMaster); each command is an ssh of its own over that socket, so nobody logs in
 * twice. No ControlMaster of the user is used or disturbed. A shell guards the first ssh: it
 * ends it and removes the folder when we are gone, however we went. ssh never asks for
 * anything (BatchMode).
 */
#ifndef REMOTE_TRANSPORT_OPENSSH_H
#define REMOTE_TRANSPORT_OPENSSH_H

#include "common/attr.h"
#include "common/err.h"
#include "remote/ssh_config.h"
#include "remote/transport.h"
#include "remote/wait.h"

struct openssh_target {
	const struct ssh_wish *wish;
	const char *const *hidden; /* environment variables that ssh must not see; may be NULL */
};

/* As ssh_transport_open() of ssh.h. What ssh does not tell stays unknown. */
struct transport *openssh_transport_open(const struct openssh_target *target,
                                         const struct wait_limit *limit,
                                         struct transport_info *info, struct err *err) NODISCARD;

#endif
