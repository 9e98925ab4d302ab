/* SPDX-License-Identifier: MIT */
#include "plan/plan_random.h"

#include "common/attr.h"

/* Sebastiano Vigna, splitmix64.c. */
static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return (x << bits) | (x >> (64 - bits));
}

void plan_random_init(struct plan_random *random, uint64_t seed)
{
	for (size_t i = 0; i < COUNT_OF(random->state); i++)
		random->state[i] = splitmix64(&seed);
}

/* David Blackman and Sebastiano Vigna, xoshiro256starstar.c. */
uint64_t plan_random_next(struct plan_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t plan_random_below(struct plan_random *random, uint64_t bound)
{
	/* 2^64 modulo bound: what is left below it after whole multiples of bound */
	uint64_t surplus = (UINT64_MAX - bound + 1) % bound;
	uint64_t x = plan_random_next(random);

	while (x < surplus)
		x = plan_random_next(random);
	return x % bound;
}

void plan_random_shuffle(struct plan_random *random, uint32_t *at, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)plan_random_below(random, i);
		uint32_t kept = at[i - 1];

		at[i - 1] = at[j];
		at[j] = kept;
	}
}
