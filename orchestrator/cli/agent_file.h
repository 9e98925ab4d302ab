/* SPDX-License-Identifier: MIT */
/* agent_file.h - where the agent's binary lies on this machine. */
#ifndef CLI_AGENT_FILE_H
#define CLI_AGENT_FILE_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "common/sha256.h"

/*
 * Looks beside the running program: where it was installed, and where it was
 * built. *path lies in the arena; `sha256` is that of the file. ERR_SYSTEM
 * names the places that were looked at.
 */
bool agent_file_find(struct arena *arena, const char **path, char sha256[SHA256_HEX_BYTES],
                     struct err *err) NODISCARD;

#endif
