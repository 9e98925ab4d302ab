/* SPDX-License-Identifier: MIT */
/*
 * The order of the tests. A block is one pass over all cells that still need a
 * repeat. Inside a block:
 *
 *	split-plot  a whole plot (all cells of one mtu, lro, tso) after the
 *	            other, so that settings change seldom; the plots in a Gray
 *	            code, mtu slowest, each factor's levels in a fresh random
 *	            order; a plot's rounds in random order
 *	random      the rounds of all plots in random order
 *	serial      the order of the cells, one test at a time
 *
 * Tests of one round share no resource and need the same mtu, lro and tso:
 * such settings may belong to a whole host.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

enum { PACK_TRIES = 8, PACK_OFTEN_MAX_TESTS = 4096 };

enum whole_plot_factor { PLOT_MTU, PLOT_LRO, PLOT_TSO, PLOT_FACTORS };

struct plot {
	uint32_t levels[PLOT_FACTORS]; /* numbers of the levels, from 0 */
	size_t first, count;           /* its cells: schedule.by_plot[first...] */
};

struct schedule {
	struct plan *plan;
	struct plan_random random;
	struct plan_rounds *rounds;
	uint32_t *by_plot; /* all cells, plot by plot */
	struct plot *plots;
	size_t plot_count;
	uint32_t level_count[PLOT_FACTORS];
	/* of the block at hand */
	uint32_t *members, *round_of;
	size_t member_count;
	uint32_t *best, *trial_round_of; /* working lists of pack() */
	uint32_t *starts, *turns;        /* by round: working lists of emit() */
};

/* ---- whole plots ---- */

struct cell_levels {
	uint32_t levels[PLOT_FACTORS];
	uint32_t cell;
};

static int compare_levels(const void *a, const void *b)
{
	const struct cell_levels *x = a;
	const struct cell_levels *y = b;

	for (size_t f = 0; f < PLOT_FACTORS; f++) {
		if (x->levels[f] != y->levels[f])
			return x->levels[f] < y->levels[f] ? -1 : 1;
	}
	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Replaces a factor's values by the numbers of their levels, and counts these. */
static uint32_t number_levels(struct cell_levels *cells, size_t count, size_t factor,
                              uint32_t *scratch)
{
	uint32_t levels = 0;

	for (size_t i = 0; i < count; i++)
		scratch[i] = cells[i].levels[factor];
	qsort(scratch, count, sizeof(*scratch), plan_compare_u32);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || scratch[i] != scratch[levels - 1])
			scratch[levels++] = scratch[i];
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t *at = bsearch(&cells[i].levels[factor], scratch, levels,
		                             sizeof(*scratch), plan_compare_u32);

		cells[i].levels[factor] = (uint32_t)(at - scratch);
	}
	return levels;
}

static void find_plots(struct schedule *s, struct arena *scratch)
{
	const struct plan *plan = s->plan;
	size_t count = plan->cell_count;
	struct cell_levels *cells = arena_alloc(scratch, count, sizeof(*cells));

	for (size_t i = 0; i < count; i++) {
		const struct plan_config *c = &plan->cells[i].config;

		cells[i] = (struct cell_levels){{c->mtu_bytes, c->lro, c->tso}, (uint32_t)i};
	}
	s->by_plot = arena_alloc(scratch, count, sizeof(*s->by_plot));
	for (size_t f = 0; f < PLOT_FACTORS; f++)
		s->level_count[f] = number_levels(cells, count, f, s->by_plot);
	qsort(cells, count, sizeof(*cells), compare_levels);
	s->plots = arena_alloc(scratch, count, sizeof(*s->plots));
	for (size_t i = 0; i < count; i++) {
		const uint32_t *levels = cells[i].levels;
		struct plot *plot = &s->plots[s->plot_count];

		s->by_plot[i] = cells[i].cell;
		if (i == 0 || levels[PLOT_MTU] != plot[-1].levels[PLOT_MTU] ||
		    levels[PLOT_LRO] != plot[-1].levels[PLOT_LRO] ||
		    levels[PLOT_TSO] != plot[-1].levels[PLOT_TSO]) {
			*plot++ = (struct plot){{levels[0], levels[1], levels[2]}, i, 0};
			s->plot_count++;
		}
		plot[-1].count++;
	}
}

/* ---- one block ---- */

/* Adds the plot's cells that need a repeat in this block to the members. */
static void take_members(struct schedule *s, const struct plot *plot, uint32_t block)
{
	for (size_t i = plot->first; i < plot->first + plot->count; i++) {
		if (s->plan->cells[s->by_plot[i]].repeats >= block)
			s->members[s->member_count++] = s->by_plot[i];
	}
}

/*
 * Packs the members from `from` on into rounds after the `rounds` there are. A
 * few orders are tried, since in a small lab first fit can miss the best by a
 * tenth; in a large one it does not, and time would be lost.
 */
static uint32_t pack(struct schedule *s, size_t from, uint32_t rounds)
{
	uint32_t *members = s->members + from;
	size_t count = s->member_count - from;
	unsigned tries = count <= PACK_OFTEN_MAX_TESTS ? PACK_TRIES : 1;
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < tries; i++) {
		uint32_t found;

		plan_random_shuffle(&s->random, members, count);
		found = plan_rounds_pack(s->rounds, members, count, s->trial_round_of);
		if (found < least) {
			least = found;
			memcpy(s->best, members, count * sizeof(*members));
			memcpy(s->round_of + from, s->trial_round_of, count * sizeof(*members));
		}
		if (least <= plan_rounds_least(s->rounds))
			break;
	}
	memcpy(members, s->best, count * sizeof(*members));
	for (size_t i = from; i < s->member_count; i++)
		s->round_of[i] += rounds;
	return rounds + least;
}

static void add_slot(struct plan *plan, uint32_t cell, uint32_t block, uint32_t round)
{
	uint32_t seq = (uint32_t)plan->slot_count + 1;

	plan->slots[plan->slot_count++] = (struct plan_slot){
		.cell = cell, .replicate = block, .block = block, .round = round, .seq = seq};
}

/* Appends the members, round by round, the rounds in random order. */
static void emit(struct schedule *s, uint32_t block, uint32_t rounds)
{
	uint32_t *by_round = s->turns + rounds;

	for (uint32_t r = 0; r <= rounds; r++)
		s->starts[r] = 0;
	for (size_t i = 0; i < s->member_count; i++)
		s->starts[s->round_of[i] + 1]++;
	for (uint32_t r = 0; r < rounds; r++) {
		s->starts[r + 1] += s->starts[r];
		s->turns[r] = r;
	}
	for (size_t i = 0; i < s->member_count; i++)
		by_round[s->starts[s->round_of[i]]++] = s->members[i];
	/* each start has moved to the end of its round, the start of the next */
	plan_random_shuffle(&s->random, s->turns, rounds);
	for (uint32_t t = 0; t < rounds; t++) {
		uint32_t r = s->turns[t];
		uint32_t first = r == 0 ? 0 : s->starts[r - 1];

		s->plan->rounds++;
		for (uint32_t i = first; i < s->starts[r]; i++)
			add_slot(s->plan, by_round[i], block, s->plan->rounds);
	}
	s->member_count = 0;
}

/* ---- the order of plots ---- */

struct turn {
	uint64_t rank;
	const struct plot *plot;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a;
	const struct turn *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* A random number for each level of a factor, each once. */
static uint32_t *shuffled_levels(struct schedule *s, size_t factor, struct arena *scratch)
{
	uint32_t count = s->level_count[factor];
	uint32_t *at = arena_alloc(scratch, count, sizeof(*at));

	for (uint32_t i = 0; i < count; i++)
		at[i] = i;
	plan_random_shuffle(&s->random, at, count);
	return at;
}

/*
 * The plots in the order of a reflected mixed-radix Gray code (Knuth, TAOCP 4A,
 * 7.2.1.1): each digit runs up and down in turn as the number before it is even
 * or odd, so neighbours differ in one factor where the plots form a full grid.
 */
static struct turn *turns_of_plots(struct schedule *s, struct arena *scratch)
{
	struct turn *turns = arena_alloc(scratch, s->plot_count, sizeof(*turns));
	const uint32_t *number[PLOT_FACTORS];

	for (size_t f = 0; f < PLOT_FACTORS; f++)
		number[f] = shuffled_levels(s, f, scratch);
	for (size_t i = 0; i < s->plot_count; i++) {
		uint64_t rank = 0;

		for (size_t f = 0; f < PLOT_FACTORS; f++) {
			uint32_t digit = number[f][s->plots[i].levels[f]];
			bool is_downwards = rank % 2 == 1;

			rank = rank * s->level_count[f] +
			       (is_downwards ? s->level_count[f] - 1 - digit : digit);
		}
		turns[i] = (struct turn){rank, &s->plots[i]};
	}
	qsort(turns, s->plot_count, sizeof(*turns), compare_turns);
	return turns;
}

/* ---- blocks by order ---- */

static void block_split_plot(struct schedule *s, uint32_t block)
{
	struct arena scratch = {0};
	const struct turn *turns = turns_of_plots(s, &scratch);

	for (size_t i = 0; i < s->plot_count; i++) {
		take_members(s, turns[i].plot, block);
		emit(s, block, pack(s, 0, 0));
	}
	arena_done(&scratch);
}

static void block_random(struct schedule *s, uint32_t block)
{
	uint32_t rounds = 0;

	for (size_t i = 0; i < s->plot_count; i++) {
		size_t from = s->member_count;

		take_members(s, &s->plots[i], block);
		rounds = pack(s, from, rounds);
	}
	emit(s, block, rounds);
}

static void block_serial(struct schedule *s, uint32_t block)
{
	for (uint32_t i = 0; i < s->plan->cell_count; i++) {
		if (s->plan->cells[i].repeats >= block)
			add_slot(s->plan, i, block, ++s->plan->rounds);
	}
}

static void order_block(struct schedule *s, uint32_t block)
{
	switch (s->plan->topology->design.order) {
	case ORDER_SPLIT_PLOT:
		block_split_plot(s, block);
		break;
	case ORDER_RANDOM:
		block_random(s, block);
		break;
	case ORDER_SERIAL:
		block_serial(s, block);
		break;
	}
}

bool plan_schedule(struct plan *plan, struct err *err)
{
	struct schedule s = {.plan = plan};
	struct arena scratch = {0};
	size_t count = plan->cell_count;
	uint64_t tests = 0;

	for (size_t i = 0; i < count; i++) {
		tests += plan->cells[i].repeats;
		if (plan->cells[i].repeats > plan->blocks)
			plan->blocks = plan->cells[i].repeats;
	}
	if (tests > PLAN_TESTS_MAX)
		return err_set(err, ERR_INPUT,
		               "%zu cells and their repeats are more than %u tests; lower repeats "
		               "or name fewer profiles",
		               count, PLAN_TESTS_MAX);
	plan->slots = arena_alloc(&plan->arena, (size_t)tests, sizeof(*plan->slots));
	s.members = arena_alloc(&scratch, count, sizeof(*s.members));
	s.round_of = arena_alloc(&scratch, count, sizeof(*s.round_of));
	s.best = arena_alloc(&scratch, count, sizeof(*s.best));
	s.trial_round_of = arena_alloc(&scratch, count, sizeof(*s.trial_round_of));
	s.starts = arena_alloc(&scratch, count + 1, sizeof(*s.starts));
	s.turns = arena_alloc(&scratch, 2 * count, sizeof(*s.turns));
	s.rounds = plan_rounds_new(plan);
	plan_random_init(&s.random, plan->seed);
	find_plots(&s, &scratch);
	for (uint32_t block = 1; block <= plan->blocks; block++)
		order_block(&s, block);
	plan_rounds_free(s.rounds);
	arena_done(&scratch);
	return true;
}
