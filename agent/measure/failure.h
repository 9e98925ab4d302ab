/* SPDX-License-Identifier: MIT */
/*
 * failure.h - why a request was not carried out, as `failed` tells it.
 *
 * The agent's counterpart of common/err.h: the protocol's kinds say more than
 * those of struct err, and the reason is cut to what one message carries.
 */
#ifndef AGENT_MEASURE_FAILURE_H
#define AGENT_MEASURE_FAILURE_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/wire/msg.h"

enum failure_kind {
	FAILURE_USAGE,     /* the request itself is wrong */
	FAILURE_PORT,      /* no port could be opened */
	FAILURE_REFUSED,   /* the other end said no */
	FAILURE_TIMEOUT,   /* the other end said nothing */
	FAILURE_STALLED,   /* no byte moved any more */
	FAILURE_TRUNCATED, /* the bytes of the two ends cannot agree */
	FAILURE_CANCELLED, /* stop, or the end of the agent */
	FAILURE_SYSTEM     /* this machine refused */
};
extern const char *const failure_kind_names[]; /* by enum failure_kind, as in protocol.def */

struct failure {
	enum failure_kind kind;
	char reason[WIRE_STR_BYTES]; /* one line, as struct err's msg */
};

/* Fills *f and returns false, as err_set() does. */
bool failure_set(struct failure *f, enum failure_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Same with FAILURE_SYSTEM; appends ": " and the text of errnum. */
bool failure_set_errno(struct failure *f, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
