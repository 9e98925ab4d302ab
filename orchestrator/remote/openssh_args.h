/* SPDX-License-Identifier: MIT */
/* openssh_args.h - the command lines of transport_openssh.c. */
#ifndef REMOTE_OPENSSH_ARGS_H
#define REMOTE_OPENSSH_ARGS_H

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "remote/ssh_config.h"

#define OPENSSH_ARGS_MAX 64

/*
 * The ssh that holds the connection and its guard: a shell that reads its standard input to
 * the end, then ends ssh, and removes the socket and its folder. argv ends with NULL. False
 * when the wish holds a file name that ssh would read as something else.
 */
bool openssh_master_args(struct arena *arena, const struct ssh_wish *wish, const char *folder,
                         const char *argv[OPENSSH_ARGS_MAX], struct err *err) NODISCARD;

/* The ssh that runs `command` over the socket, and never any other way. */
void openssh_command_args(const char *socket, const char *command,
                          const char *argv[OPENSSH_ARGS_MAX]);

/* The socket in the folder. */
const char *openssh_socket(struct arena *arena, const char *folder) NODISCARD;

#endif
