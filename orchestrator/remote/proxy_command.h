/* SPDX-License-Identifier: MIT */
/* proxy_command.h - a connection through a command of the user's (ProxyCommand, ssh_config(5)). */
#ifndef REMOTE_PROXY_COMMAND_H
#define REMOTE_PROXY_COMMAND_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/ssh.h"

/*
 * Starts config->proxy_command by /bin/sh, without the environment variables of `hidden` (up
 * to NULL; may be NULL), and puts the connection into target. What the command writes to
 * standard error tells why the connection ended; its process group is ended with the carrier.
 */
bool proxy_command_open(const struct ssh_config *config, const char *const *hidden,
                        struct ssh_target *target, struct err *err) NODISCARD;

#endif
