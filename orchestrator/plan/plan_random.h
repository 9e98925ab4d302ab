/* SPDX-License-Identifier: MIT */
/*
 * plan_random.h - random numbers that are the same everywhere.
 *
 * A plan is made again from its seed by `resume`, perhaps on another machine,
 * so the generator is part of the plan's definition: xoshiro256** 1.0
 * (Blackman and Vigna, prng.di.unimi.it), its state filled by splitmix64 from
 * the seed, bounded by rejection. For shuffling only; nothing secret.
 */
#ifndef PLAN_PLAN_RANDOM_H
#define PLAN_PLAN_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct plan_random {
	uint64_t state[4];
};

void plan_random_init(struct plan_random *random, uint64_t seed);

uint64_t plan_random_next(struct plan_random *random);

/* 0 to bound - 1, each as likely as any other; bound is at least 1. */
uint64_t plan_random_below(struct plan_random *random, uint64_t bound);

/* Fisher and Yates: every order of at[0..count) as likely as any other. */
void plan_random_shuffle(struct plan_random *random, uint32_t *at, size_t count);

#endif
