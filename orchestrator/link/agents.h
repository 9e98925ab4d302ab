/* SPDX-License-Identifier: MIT */
/* agents.h - the agents that can be sent to hosts, read from their files. */
#ifndef LINK_AGENTS_H
#define LINK_AGENTS_H

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "link/deploy.h"

/*
 * Reads the agent at `path` and those at `more` (up to NULL; NULL: none): programs, each for
 * the machine that its header names, and the source, known by its name's end in .c. All lies
 * in the arena. ERR_INPUT for a program that fits no machine that vnm knows.
 */
bool agents_load(struct deploy_agents *out, struct arena *arena, const char *path,
                 const char *const *more, struct err *err) NODISCARD;

#endif
