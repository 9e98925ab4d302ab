/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the only place that asks the system for the time.
 *
 * A test that wants another time links the library clock_fake, which defines
 * all these functions but the last two (tests/fakes/clock_fake.h).
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_MS UINT64_C(1000000)
#define CLOCK_NS_PER_S  UINT64_C(1000000000)
#define CLOCK_UTC_BYTES 25 /* "2026-11-30T21:14:05.123Z" and NUL */

/* Monotonic, ns; does not jump when the wall clock is set. */
uint64_t clock_now_ns(void);

/* Wall clock, ms since 1970-01-01T00:00:00Z. For labels only, never for lengths. */
int64_t clock_wall_ms(void);

/* Sleeps until clock_now_ns() >= at_ns; goes on after signals. */
void clock_sleep_until(uint64_t at_ns);

/* CPU time by such a clock (CLOCK_THREAD_CPUTIME_ID, or that of another thread, from
 * pthread_getcpuclockid()), us; CLOCK_CPU_UNKNOWN when there is no such clock. */
#define CLOCK_CPU_UNKNOWN UINT64_MAX
uint64_t clock_cpu_us(clockid_t clock);

/* ISO 8601 text in UTC with milliseconds; sorts as time does. */
void clock_format_utc(int64_t wall_ms, char out[CLOCK_UTC_BYTES]);

#endif
