/* SPDX-License-Identifier: MIT */
#include "platform/linux_tell.h"

#include <inttypes.h>
#include <stdio.h>

void linux_tell(const struct platform_sink *sink, const char *key, const char *value,
                const char *source)
{
	if (value[0] != '\0')
		sink->tell(sink->ctx, key, value, source);
}

void linux_tell_number(const struct platform_sink *sink, const char *key, uint64_t value,
                       const char *source)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	linux_tell(sink, key, text, source);
}
