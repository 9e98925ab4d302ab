/* SPDX-License-Identifier: MIT */
/* agent_file.h - where the agents for the hosts lie on this machine. */
#ifndef CLI_AGENT_FILE_H
#define CLI_AGENT_FILE_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "common/sha256.h"

/*
 * Looks beside the running program: where it was installed, and where it was built. *path is
 * the agent for machines like this one, and `sha256` that of its file. *more, up to NULL, are
 * those for others that lie beside it, and its source: none of them has to be there. All lies
 * in the arena. ERR_SYSTEM names the places that were looked at.
 */
bool agent_file_find(struct arena *arena, const char **path, const char *const **more,
                     char sha256[SHA256_HEX_BYTES], struct err *err) NODISCARD;

#endif
