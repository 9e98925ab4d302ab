/* SPDX-License-Identifier: MIT */
/*
 * First fit: each test goes into the first round in which all that it holds is
 * free, tests of the busiest resources first. Two tests that share a resource
 * are two edges at a vertex, so this is edge colouring of a multigraph (NP-hard);
 * first fit in this order came within 8 % of the load of the busiest resource
 * in all labs tried.
 */
#include <stdlib.h>
#include <string.h>

#include "common/oom.h"
#include "plan/plan_build.h"

#define WORD_BITS 64

/* One resource over the rounds. */
struct occupancy {
	uint64_t *full;      /* bit per round: no slot left; rounds beyond are free */
	uint32_t *taken;     /* slots taken per round, only where there is more than one */
	size_t words, first; /* words before `first` are all ones */
	uint32_t load;       /* tests that hold it */
};

struct plan_rounds {
	const struct plan *plan;
	struct occupancy *at; /* by plan->resources */
	uint64_t *order;      /* tests by falling urgency */
	size_t order_room;
	uint32_t least; /* rounds that the busiest resource of the last packing takes */
};

struct plan_rounds *plan_rounds_new(const struct plan *plan)
{
	struct plan_rounds *rounds = calloc(1, sizeof(*rounds));

	if (rounds == NULL)
		oom_end();
	rounds->plan = plan;
	rounds->at = calloc(plan->resource_count, sizeof(*rounds->at));
	if (rounds->at == NULL)
		oom_end();
	return rounds;
}

void plan_rounds_free(struct plan_rounds *rounds)
{
	if (rounds == NULL)
		return;
	for (size_t i = 0; i < rounds->plan->resource_count; i++) {
		free(rounds->at[i].full);
		free(rounds->at[i].taken);
	}
	free(rounds->at);
	free(rounds->order);
	free(rounds);
}

static void *resize(void *at, size_t count, size_t size)
{
	void *moved = realloc(at, count * size);

	if (moved == NULL)
		oom_end();
	return moved;
}

static void clear(struct plan_rounds *rounds)
{
	for (size_t i = 0; i < rounds->plan->resource_count; i++) {
		struct occupancy *o = &rounds->at[i];

		if (o->words > 0)
			memset(o->full, 0, o->words * sizeof(*o->full));
		if (o->taken != NULL)
			memset(o->taken, 0, o->words * WORD_BITS * sizeof(*o->taken));
		o->first = 0;
		o->load = 0;
	}
}

static void count_load(struct plan_rounds *rounds, const uint32_t *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct plan_cell *cell = &rounds->plan->cells[cells[i]];

		for (size_t k = 0; k < cell->resource_count; k++)
			rounds->at[cell->resources[k]].load++;
	}
}

/* Rounds that the cell's busiest resource takes at least. */
static uint32_t urgency(const struct plan_rounds *rounds, const struct plan_cell *cell)
{
	uint32_t most = 0;

	for (size_t k = 0; k < cell->resource_count; k++) {
		uint32_t slots = rounds->plan->resources[cell->resources[k]].slots;
		uint32_t load = rounds->at[cell->resources[k]].load;
		uint32_t least = load / slots + (load % slots != 0);

		if (least > most)
			most = least;
	}
	return most;
}

/* Urgency falling above, position below: no two are equal, so every qsort agrees. */
static void put_in_order(struct plan_rounds *rounds, const uint32_t *cells, size_t count)
{
	if (rounds->order_room < count) {
		rounds->order = resize(rounds->order, count, sizeof(*rounds->order));
		rounds->order_room = count;
	}
	rounds->least = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t u = urgency(rounds, &rounds->plan->cells[cells[i]]);

		if (u > rounds->least)
			rounds->least = u;
		rounds->order[i] = (uint64_t)(UINT32_MAX - u) << 32 | i;
	}
	qsort(rounds->order, count, sizeof(*rounds->order), plan_compare_u64);
}

static uint32_t first_free(const struct plan_rounds *rounds, const struct plan_cell *cell)
{
	size_t word = 0;
	uint64_t full = UINT64_MAX;
	uint32_t bit = 0;

	for (size_t k = 0; k < cell->resource_count; k++) {
		if (rounds->at[cell->resources[k]].first > word)
			word = rounds->at[cell->resources[k]].first;
	}
	for (;; word++) {
		full = 0;
		for (size_t k = 0; k < cell->resource_count; k++) {
			const struct occupancy *o = &rounds->at[cell->resources[k]];

			full |= word < o->words ? o->full[word] : 0;
		}
		if (full != UINT64_MAX)
			break;
	}
	while ((full >> bit & 1) != 0)
		bit++;
	return (uint32_t)word * WORD_BITS + bit;
}

static void take(struct occupancy *o, uint32_t slots, uint32_t round)
{
	size_t word = round / WORD_BITS;

	if (word >= o->words) {
		size_t words = word < 2 ? 4 : 2 * word;

		o->full = resize(o->full, words, sizeof(*o->full));
		memset(o->full + o->words, 0, (words - o->words) * sizeof(*o->full));
		if (slots > 1) {
			o->taken = resize(o->taken, words * WORD_BITS, sizeof(*o->taken));
			memset(o->taken + o->words * WORD_BITS, 0,
			       (words - o->words) * WORD_BITS * sizeof(*o->taken));
		}
		o->words = words;
	}
	if (slots > 1 && ++o->taken[round] < slots)
		return;
	o->full[word] |= UINT64_C(1) << round % WORD_BITS;
	while (o->first < o->words && o->full[o->first] == UINT64_MAX)
		o->first++;
}

uint32_t plan_rounds_pack(struct plan_rounds *rounds, const uint32_t *cells, size_t count,
                          uint32_t *round_of)
{
	const struct plan *plan = rounds->plan;
	uint32_t last = 0;

	clear(rounds);
	count_load(rounds, cells, count);
	put_in_order(rounds, cells, count);
	for (size_t i = 0; i < count; i++) {
		size_t position = (size_t)(rounds->order[i] & UINT32_MAX);
		const struct plan_cell *cell = &plan->cells[cells[position]];
		uint32_t round = first_free(rounds, cell);

		for (size_t k = 0; k < cell->resource_count; k++)
			take(&rounds->at[cell->resources[k]],
			     plan->resources[cell->resources[k]].slots, round);
		round_of[position] = round;
		if (round >= last)
			last = round + 1;
	}
	return last;
}

uint32_t plan_rounds_least(const struct plan_rounds *rounds)
{
	return rounds->least;
}
