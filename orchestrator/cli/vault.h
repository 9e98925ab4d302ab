/* SPDX-License-Identifier: MIT */
/* vault.h - the secrets of a command that reaches hosts, and who is asked for them. */
#ifndef CLI_VAULT_H
#define CLI_VAULT_H

#include "cli/command.h"
#include "cli/prompt.h"
#include "remote/secrets.h"
#include "topology/topology.h"

struct vault {
	struct prompt prompt;
	struct secrets *secrets;
};

/* Takes the variables of the topology's `password_env` out of our environment, so that no
 * child gets them: before the first thread and child of the command. */
bool vault_open(struct vault *v, const struct command_context *ctx, const struct topology *topo,
                struct err *err) NODISCARD;

/* After the last session's end; also after a failed vault_open(). */
void vault_close(struct vault *v);

#endif
