/* SPDX-License-Identifier: MIT */
/* jump_words.h - what is said of a host behind a jump host. */
#ifndef REMOTE_JUMP_WORDS_H
#define REMOTE_JUMP_WORDS_H

#include <stdint.h>

#include "common/err.h"

#define JUMP_WORDS_WHERE_BYTES 220

/* "10.1.2.3:22", "[fe80::1]:22" */
void jump_words_where(const char *host, uint32_t port, char where[JUMP_WORDS_WHERE_BYTES]);

/*
 * Why the jump host made no connection to `where`, and what to do: from libssh's words, which
 * hold those of the jump host: "Channel opening failure: channel 43 error (2) Connection
 * refused". Any other text is told as it is.
 */
void jump_words_refusal(const char *reason, const char *jump, const char *where, struct err *err);

#endif
