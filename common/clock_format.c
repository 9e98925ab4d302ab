/* SPDX-License-Identifier: MIT */
/* Apart from clock.c, so that a fake clock need not bring it. */
#include "common/clock.h"

#include <stdio.h>
#include <time.h>

/* What the four digits of a year can carry: 0000-01-01 to 9999-12-31. */
#define WALL_MS_MIN INT64_C(-62167219200000)
#define WALL_MS_MAX INT64_C(253402300799999)

void clock_format_utc(int64_t wall_ms, char out[CLOCK_UTC_BYTES])
{
	struct tm tm;
	time_t seconds;
	int ms;
	size_t len;

	if (wall_ms < WALL_MS_MIN)
		wall_ms = WALL_MS_MIN;
	if (wall_ms > WALL_MS_MAX)
		wall_ms = WALL_MS_MAX;
	ms = (int)(wall_ms % 1000);
	if (ms < 0)
		ms += 1000;
	seconds = (time_t)((wall_ms - ms) / 1000);
	(void)gmtime_r(&seconds, &tm);
	/* Not strftime's %Y: how it pads years below 1000 differs between C libraries. */
	(void)snprintf(out, CLOCK_UTC_BYTES, "%04d", (tm.tm_year + 1900) % 10000);
	len = strftime(out + 4, CLOCK_UTC_BYTES - 4, "-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out + 4 + len, CLOCK_UTC_BYTES - 4 - len, ".%03dZ", ms);
}
