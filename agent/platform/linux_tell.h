/* SPDX-License-Identifier: MIT */
/* linux_tell.h - facts into a sink; what is empty is not known and not told. */
#ifndef AGENT_PLATFORM_LINUX_TELL_H
#define AGENT_PLATFORM_LINUX_TELL_H

#include <stdint.h>

#include "platform/platform.h"

void linux_tell(const struct platform_sink *sink, const char *key, const char *value,
                const char *source);
void linux_tell_number(const struct platform_sink *sink, const char *key, uint64_t value,
                       const char *source);

#endif
