/* SPDX-License-Identifier: MIT */
/*
 * measure_parts.h - the parts of measure.c that are no states: what is asked of
 * an end, and the lists of what it says. Only for measure*.c.
 */
#ifndef RUN_MEASURE_PARTS_H
#define RUN_MEASURE_PARTS_H

#include "run/measure.h"

/* What `prepare` asks of the end: the cell's treatment in the agents' words. `port` is the
 * listener's, for the end that connects. The ends before it of the same host have their ids. */
void measure_ask(const struct measure *m, const struct hosts *hosts, size_t flow,
                 enum measure_end_index end, uint32_t port, struct msg_prepare *out);

/* Adds one line of a list. False when it does not belong to any, or the end has said too much. */
bool measure_keep(struct measure_end *e, const struct msg *msg);
void measure_forget(struct measure_end *e); /* releases the lists */

/*
 * Why the end failed, for the user: what befell its streams, each by itself as far as there is
 * room ("stream 3: connection reset; and 5 more"), else `reason`.
 */
void measure_tell_troubles(const struct measure_end *e, const char *reason, char *out, size_t room);

#endif
