/* SPDX-License-Identifier: MIT */
/* ranges.h - what the numbers of `prepare` may be. */
#ifndef AGENT_MEASURE_RANGES_H
#define AGENT_MEASURE_RANGES_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/wire/msg.h"
#include "measure/failure.h"

/* The failure, of kind usage, names the field and its range. */
bool ranges_check(const struct msg_prepare *m, struct failure *f) NODISCARD;

#endif
