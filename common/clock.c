/* SPDX-License-Identifier: MIT */
#include "common/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* What the four digits of a year can carry: 0000-01-01 to 9999-12-31. */
#define WALL_MS_MIN INT64_C(-62167219200000)
#define WALL_MS_MAX INT64_C(253402300799999)

uint64_t clock_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: POSIX has this clock */
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

int64_t clock_wall_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clock_sleep_until(uint64_t at_ns)
{
	struct timespec at = {
		.tv_sec = (time_t)(at_ns / CLOCK_NS_PER_S),
		.tv_nsec = (long)(at_ns % CLOCK_NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

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
