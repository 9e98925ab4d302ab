/* SPDX-License-Identifier: MIT */
/* jump_chain.h - reads what ProxyJump says: [user@]host[:port],... (ssh_config(5)). */
#ifndef REMOTE_JUMP_CHAIN_H
#define REMOTE_JUMP_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"

#define JUMP_CHAIN_MAX 8

struct jump_hop {
	const char *name; /* as it was written, for messages */
	const char *user; /* NULL: not said */
	const char *host; /* alias, name or number, without brackets */
	uint32_t port;    /* 0: not said */
};

struct jump_chain {
	size_t count; /* 1 to JUMP_CHAIN_MAX, the first to connect to first */
	struct jump_hop at[JUMP_CHAIN_MAX];
};

/* A hop may also be ssh://[user@]host[:port]. All in the arena. False with ERR_INPUT; whether a
 * name may be used is ssh_config_resolve()'s to say. */
bool jump_chain_parse(struct arena *arena, const char *text, struct jump_chain *out,
                      struct err *err) NODISCARD;

#endif
