/* SPDX-License-Identifier: MIT */
#include "tests/fakes/clock_fake.h"

#include "common/clock.h"

static uint64_t now;
static uint64_t wall_ns;

void clock_fake_set(uint64_t now_ns, int64_t wall_ms)
{
	now = now_ns;
	wall_ns = (uint64_t)wall_ms * CLOCK_NS_PER_MS;
}

void clock_fake_advance(uint64_t by_ns)
{
	now += by_ns;
	wall_ns += by_ns;
}

uint64_t clock_now_ns(void)
{
	return now;
}

int64_t clock_wall_ms(void)
{
	return (int64_t)(wall_ns / CLOCK_NS_PER_MS);
}

void clock_sleep_until(uint64_t at_ns)
{
	if (at_ns > now)
		clock_fake_advance(at_ns - now);
}
