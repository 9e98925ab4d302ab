/* SPDX-License-Identifier: MIT */
/* Apart from clock.c, so that a fake clock need not bring it. */
#include "common/clock.h"

#include <time.h>

uint64_t clock_cpu_us(clockid_t clock)
{
	struct timespec used;

	if (clock_gettime(clock, &used) < 0)
		return CLOCK_CPU_UNKNOWN;
	return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}
