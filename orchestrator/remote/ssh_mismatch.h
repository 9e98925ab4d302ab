/* SPDX-License-Identifier: MIT */
/*
 * ssh_mismatch.h - what libssh says when both sides have no algorithm in common, for people.
 *
 * Pure. libssh 0.9 to 0.11 say "kex error : no match for method server host key algo: server
 * [ssh-rsa], client [ssh-ed25519,...]".
 */
#ifndef REMOTE_SSH_MISMATCH_H
#define REMOTE_SSH_MISMATCH_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/err.h"

/* False when the text is about something else. */
bool ssh_mismatch_explain(const char *said, struct err *err) NODISCARD;

#endif
