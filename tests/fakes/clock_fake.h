/* SPDX-License-Identifier: MIT */
/*
 * clock_fake.h - a clock that goes only when it is told to.
 *
 * A program that links clock_fake has no other clock. Sleeping moves the time to
 * its end at once. Not for tests with several threads.
 */
#ifndef TESTS_FAKES_CLOCK_FAKE_H
#define TESTS_FAKES_CLOCK_FAKE_H

#include <stdint.h>

void clock_fake_set(uint64_t now_ns, int64_t wall_ms);
void clock_fake_advance(uint64_t by_ns); /* both clocks */

#endif
