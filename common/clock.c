/* SPDX-License-Identifier: MIT */
#include "common/clock.h"

#include <errno.h>
#include <time.h>

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
