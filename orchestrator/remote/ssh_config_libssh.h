/* SPDX-License-Identifier: MIT */
/*
 * ssh_config_libssh.h - libssh's own reading of ssh_config(5), for machines without an ssh
 * program.
 *
 * libssh 0.9 and 0.10 give back no more than host name, port, user, one identity file, proxy
 * command and one known_hosts of each kind. What else the files say for the host is told, or
 * refused where going on without it would reach another host or trust a wrong one.
 */
#ifndef REMOTE_SSH_CONFIG_LIBSSH_H
#define REMOTE_SSH_CONFIG_LIBSSH_H

#include "remote/ssh_config.h"
#include "remote/ssh_dump.h"
#include "remote/ssh_expand.h"

/* *said comes with the presets, and goes with what libssh has read in front of them. *unheeded:
 * what it has left out, or NULL. All in the arena. */
bool ssh_config_ask_libssh(struct arena *arena, const struct ssh_wish *wish,
                           const struct ssh_tokens *place, struct ssh_dump *said,
                           const char **unheeded, struct err *err) NODISCARD;

#endif
