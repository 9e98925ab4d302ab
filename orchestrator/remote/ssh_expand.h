/* SPDX-License-Identifier: MIT */
/*
 * ssh_expand.h - `~`, %-tokens and ${VARIABLES} in values of ssh_config(5), section TOKENS.
 *
 * Those tokens that need a connection or a hash of OpenSSH's own (%C, %j, %H...) are refused
 * with the way out.
 */
#ifndef REMOTE_SSH_EXPAND_H
#define REMOTE_SSH_EXPAND_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"

/* What the tokens stand for. */
struct ssh_tokens {
	/* Of this machine and user: ssh_place.h. */
	const char *home;       /* %d */
	const char *local_user; /* %u */
	const char *uid;        /* %i */
	const char *local_host; /* %l, and %L up to its first dot */
	/* Of the host. */
	const char *hostname;  /* %h */
	const char *alias;     /* %n */
	const char *port;      /* %p */
	const char *user;      /* %r */
	const char *key_alias; /* %k: HostKeyAlias, else as %n */
	/* The value of an environment variable; NULL: not set. */
	const char *(*variable)(const char *name);
};

/* A file's name; `what` begins the message of ERR_INPUT. NULL: failed. In the arena. */
const char *ssh_expand_file(struct arena *arena, const char *what, const char *value,
                            const struct ssh_tokens *tokens, struct err *err) NODISCARD;

/* `~` alone, as in GlobalKnownHostsFile. */
const char *ssh_expand_home(struct arena *arena, const char *what, const char *value,
                            const struct ssh_tokens *tokens, struct err *err) NODISCARD;

/* A line for a shell: tokens only; each value that is put in has to be one harmless word. */
const char *ssh_expand_command(struct arena *arena, const char *what, const char *value,
                               const struct ssh_tokens *tokens, struct err *err) NODISCARD;

#endif
