/* SPDX-License-Identifier: MIT */
/*
 * ssh_word.h - names of hosts and users that may travel to other programs.
 *
 * They may come from a file of somebody else's and end in an argument or a line for a shell,
 * so what a program could take for an option and what means something to a shell is refused.
 */
#ifndef REMOTE_SSH_WORD_H
#define REMOTE_SSH_WORD_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"

enum ssh_word {
	SSH_WORD_HOST, /* name, alias or number */
	SSH_WORD_USER,
	SSH_WORD_JUMP, /* [user@]host[:port],... as ProxyJump */
	SSH_WORD_SHELL /* anything that is put into a line for a shell */
};

/* False with ERR_INPUT; `what` begins the message. */
bool ssh_word_check(enum ssh_word kind, const char *what, const char *text,
                    struct err *err) NODISCARD;

#endif
