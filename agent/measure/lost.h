/* SPDX-License-Identifier: MIT */
/*
 * lost.h - streams that did not connect or that died.
 */
#ifndef AGENT_MEASURE_LOST_H
#define AGENT_MEASURE_LOST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"
#include "measure/streams.h"

/* What befell each stream; NULL: nothing. The texts live as long as the program, or as their
 * owner says. {0}: all are well. */
struct lost {
	const char *why[REQUEST_STREAMS_MAX];
	bool has_error; /* of the system, among them */
};

/*
 * Finds the streams that have ended and should not have: by an error, or, unless may_end, at
 * all. A receiver's that has got its share of the bytes asked for may always end, and so may a
 * sender's that has a limit. True when there is one.
 */
bool lost_find(const struct streams *t, bool may_end, struct lost *out) NODISCARD;

/* "3,7-9"; "" when all are well. */
void lost_format(const struct lost *l, char *out, size_t out_bytes);

/* "streams 3,7: Connection reset by peer; stream 5: the sender ended it too early", as far as
 * it fits; of kind system when an error was among them, else truncated. Returns false. */
bool lost_fail(const struct lost *l, struct failure *f);

#endif
