/* SPDX-License-Identifier: MIT */
/*
 * clock_jump.c - a wall clock that is set at every look: an hour on, an hour back. The
 * monotonic clock is as it is. For a program that is linked with
 * --wrap=clock_gettime,--wrap=gettimeofday,--wrap=time.
 */
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __real_gettimeofday(struct timeval *out, void *zone);
int __wrap_gettimeofday(struct timeval *out, void *zone);
time_t __real_time(time_t *out);
time_t __wrap_time(time_t *out);

static time_t jump(void)
{
	static atomic_uint looks;

	return atomic_fetch_add(&looks, 1) % 2 == 0 ? 3600 : -3600;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
	int result = __real_clock_gettime(clock, out);

	if (clock == CLOCK_REALTIME)
		out->tv_sec += jump();
	return result;
}

int __wrap_gettimeofday(struct timeval *out, void *zone)
{
	int result = __real_gettimeofday(out, zone);

	out->tv_sec += jump();
	return result;
}

time_t __wrap_time(time_t *out)
{
	time_t now = __real_time(NULL) + jump();

	if (out != NULL)
		*out = now;
	return now;
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
