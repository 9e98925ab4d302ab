/* SPDX-License-Identifier: MIT */
/*
 * dial.h - a TCP connection to the first address of a host that answers.
 *
 * All addresses of the name are tried as RFC 8305 describes: IPv6 and IPv4 by turns, the
 * next one when one has failed or has not answered for a quarter of a second, while the
 * earlier ones go on. So a dead address costs little.
 */
#ifndef REMOTE_DIAL_H
#define REMOTE_DIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/wait.h"

#define DIAL_WHERE_BYTES 64
#define DIAL_STAGGER_MS  250u /* RFC 8305 section 5: Connection Attempt Delay */

struct dial_to {
	const char *address; /* name or number */
	uint32_t port;
	int family;               /* AF_UNSPEC, AF_INET, AF_INET6 */
	const char *bind_address; /* of this machine, name or number; NULL: any */
};

/*
 * The socket is non-blocking, close-on-exec and without Nagle's delay; *where is the
 * address that answered, with port. The caller closes *fd. False with the reason of one
 * of the addresses and what to look at; ERR_CANCELLED when woken.
 */
bool dial(const struct dial_to *to, const struct wait_limit *limit, int *fd,
          char where[DIAL_WHERE_BYTES], struct err *err) NODISCARD;

#endif
