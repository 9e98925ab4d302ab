/* SPDX-License-Identifier: MIT */
/*
 * plan_build.h - what the files of this folder share while plan_make() works.
 *
 * Not for other folders. In the order of the work: settings, ends, cells,
 * expansion, selection, resources, order. Lists that only grow while a plan is
 * made lie in a scratch arena, the result in the plan's own.
 */
#ifndef PLAN_PLAN_BUILD_H
#define PLAN_PLAN_BUILD_H

#include "common/text.h"
#include "plan/plan.h"
#include "plan/plan_key.h"
#include "plan/plan_random.h"
#include "topology/setting.h"

/* ---- plan_build.c ---- */

/*
 * Room for one more behind the `count` objects of `size` bytes at `at`; *room
 * is how many fit. Returns the list, moved when it had to grow.
 */
void *plan_grow(struct arena *arena, void *at, size_t count, size_t *room, size_t size);

/* For qsort and bsearch: ascending. */
int plan_compare_u32(const void *a, const void *b);
int plan_compare_u64(const void *a, const void *b);

/* "" for one, "s" otherwise. */
const char *plan_plural(size_t count);

/* Adds a line to plan->notes and clears it. */
void plan_note_add(struct plan *plan, struct text *note);

/* Product of two counts; UINT64_MAX when it is larger. */
uint64_t plan_product(uint64_t a, uint64_t b);

/* Adds a name, once, to a list for a message; the list stays short enough for struct err. */
void plan_choice_add(struct text *list, const char *name);

/* Names of the levels of enum toggle, direction, ..., and of bool; NULL beyond the last. */
const char *plan_toggle_name(unsigned level);
const char *plan_direction_name(unsigned level);
const char *plan_protocol_name(unsigned level);
const char *plan_mode_name(unsigned level);
const char *plan_zero_copy_name(unsigned level);
const char *plan_switch_name(unsigned level);

/* ---- plan_setting.c ---- */

/*
 * What a profile's cells have in common: built-in defaults, design, fixed.
 * Every factor but the driver is given.
 */
struct setting plan_setting_base(const struct design *design, const struct setting *fixed);

/* ---- plan_pairs.c ---- */

/* Which segments a route joins. */
struct plan_reach {
	const struct topology *topo;
	uint64_t *routes; /* both segments' indices, the lower one above; ascending */
	size_t count;
};

/* Forward: a opens the connection and sends to b. */
struct plan_ends {
	const struct nic *a, *b;
};

void plan_reach_init(struct plan_reach *reach, const struct topology *topo, struct arena *arena);

/* True in one segment, where a route joins the two, and where a segment is not said. */
bool plan_reaches(const struct plan_reach *reach, const struct nic *a, const struct nic *b);

/*
 * The NICs of a pair; an end given as a host gets the one that the driver
 * chooses. ERR_INPUT: it chooses none, contradicts a pair that names both NICs,
 * or no route joins the two.
 */
bool plan_pair_ends(const struct plan_reach *reach, const struct pair *pair, const char *driver,
                    struct plan_ends *out, struct err *err) NODISCARD;

/* The ordered pairs of a profile's classes: `at` in the order of its NICs. */
struct plan_class_pairs {
	struct plan_ends *at;
	size_t count;
	size_t unreachable; /* left out: no route joins their segments */
	struct plan_ends one_of_them;
};

/* ERR_INPUT when there are more than PLAN_CELLS_MAX. */
bool plan_pairs_by_class(const struct plan_reach *reach, const struct profile *profile,
                         struct arena *arena, struct plan_class_pairs *out,
                         struct err *err) NODISCARD;

/* ---- plan_cells.c ---- */

/* Cells while they are collected: no fingerprint occurs twice. */
struct plan_cells {
	struct arena *kept;    /* for what the cells point to */
	struct arena *scratch; /* for the lists themselves */
	struct plan_cell *at;
	size_t count, room;
	uint32_t *table;            /* hash of fingerprints: index + 1, 0 is empty */
	size_t table_room;          /* a power of two, at least twice count */
	struct plan_key_maker keys; /* owned: plan_cells_done */
};

/* What may become a cell. */
struct plan_candidate {
	struct plan_ends ends;
	const struct setting *setting; /* every factor but the driver is given */
	enum engine engine;
	uint32_t repeats;
	struct plan_membership membership;
};

/*
 * Adds the cell, or the profile to the cell that is there already; false when
 * the profile had it. Profiles must come one after another: all candidates of
 * one, then the next.
 */
bool plan_cells_add(struct plan_cells *cells, const struct plan_candidate *candidate);
void plan_cells_done(struct plan_cells *cells);

/* ---- plan_expand.c, plan_table.c ---- */

/* plan->profiles into cells, and plan->notes. */
bool plan_expand(struct plan *plan, struct plan_cells *cells, struct err *err) NODISCARD;

/*
 * The table that a profile's listed cells span: every level of every factor,
 * in the order in which they first occur. `base` as of plan_setting_base.
 */
struct plan_table {
	struct setting base;
	struct setting *levels[FACTOR_COUNT];
	size_t level_count[FACTOR_COUNT];
	uint64_t count; /* cells of the table for one pair; UINT64_MAX: more than can be counted */
};

void plan_table_init(struct plan_table *table, const struct profile *profile,
                     const struct setting *base, struct arena *arena);
struct setting plan_table_at(const struct plan_table *table, uint64_t k);

/* ---- plan_resource.c ---- */

/* Fills plan->resources, and each cell's resources and links. */
void plan_resources(struct plan *plan);

/* ---- plan_schedule.c, plan_rounds.c ---- */

/* Fills plan->slots, blocks and rounds. ERR_INPUT: too many tests. */
bool plan_schedule(struct plan *plan, struct err *err) NODISCARD;

struct plan_rounds; /* which resource is taken in which round */

struct plan_rounds *plan_rounds_new(const struct plan *plan);
void plan_rounds_free(struct plan_rounds *rounds);

/*
 * Gives each of the cells a round, from 0, so that no resource is taken more
 * often in a round than it has slots; round_of[i] belongs to cells[i]. Returns
 * the number of rounds. The cells' order decides between equals.
 */
uint32_t plan_rounds_pack(struct plan_rounds *rounds, const uint32_t *cells, size_t count,
                          uint32_t *round_of);

/* Rounds that the cells of the last packing take at least: the load of their busiest resource. */
uint32_t plan_rounds_least(const struct plan_rounds *rounds);

#endif
