/* SPDX-License-Identifier: MIT */
/* dial.h - a TCP connection to the first address of a host that answers. */
#ifndef REMOTE_DIAL_H
#define REMOTE_DIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/wait.h"

#define DIAL_WHERE_BYTES 64

/*
 * Tries every address of `address` in turn, each for its share of the time that is
 * left. The socket is non-blocking, close-on-exec and without Nagle's delay; *where
 * is the address that answered, with port. The caller closes *fd. False with the last
 * address's reason and what to look at; ERR_CANCELLED when woken.
 */
bool dial(const char *address, uint32_t port, const struct wait_limit *limit, int *fd,
          char where[DIAL_WHERE_BYTES], struct err *err) NODISCARD;

#endif
