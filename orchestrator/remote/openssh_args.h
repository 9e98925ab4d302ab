/* SPDX-License-Identifier: MIT */
/* openssh_args.h - the command lines of transport_openssh.c. */
#ifndef REMOTE_OPENSSH_ARGS_H
#define REMOTE_OPENSSH_ARGS_H

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "remote/ssh_config.h"

#define OPENSSH_ARGS_MAX 64

/* The guard's words, before the reason, when it cannot make the folder or write into it. */
#define OPENSSH_NO_FOLDER "vnm: no folder for ssh: "

/*
 * The configuration that the connection's ssh is given: what the wish says for it and, as the
 * topology promises, for its jump hosts, whose ssh reads it as well; then the user's own. False
 * when the wish names files that cannot be read or that ssh would read as something else.
 */
bool openssh_config_text(const struct ssh_wish *wish, struct text *out, struct err *err) NODISCARD;

/*
 * The ssh that holds the connection and its guard: a shell that makes the folder, which is not
 * there before, writes `config` (openssh_config_text()) into it, starts ssh, reads its standard
 * input to the end, then ends ssh, and removes what is in the folder, and the folder. Who made
 * it is there to remove it, whenever we are killed. argv ends with NULL.
 */
void openssh_master_args(struct arena *arena, const struct ssh_wish *wish, const char *folder,
                         const char *config, const char *argv[OPENSSH_ARGS_MAX]);

/* The ssh that runs `command` over the socket, and never any other way. */
void openssh_command_args(const char *socket, const char *command,
                          const char *argv[OPENSSH_ARGS_MAX]);

/* What is in the folder: the socket and the configuration. */
#define OPENSSH_SOCKET      "s"
#define OPENSSH_CONFIG_FILE "c"
const char *openssh_socket(struct arena *arena, const char *folder) NODISCARD;

#endif
