/* SPDX-License-Identifier: MIT */
/* Which levels of some factors meet in cells of a profile. */
#include "topology/topology_check.h"

/* An axis of the grid, or one that the listed cells span for one factor. */
struct combo_axis {
	const struct setting *levels;
	const struct node *const *nodes;
	size_t count;
};

static struct combos none(const struct check *c)
{
	return (struct combos){.c = c, .count = 1};
}

static void add_axis(struct combos *combos, struct combo_axis axis)
{
	struct arena *arena = &combos->c->l->topo->arena;

	if (combos->axes == NULL)
		combos->axes = arena_alloc(arena, FACTOR_COUNT, sizeof(*combos->axes));
	combos->axes[combos->axis_count++] = axis;
	combos->count *= axis.count;
}

struct combos combos_of_grid(const struct check *c, uint32_t factors)
{
	struct combos combos = none(c);

	for (size_t i = 0; i < c->profile->axis_count; i++) {
		const struct axis *axis = &c->profile->grid[i];

		if (axis->level_count > 0 && (axis->levels[0].given & factors) != 0)
			add_axis(&combos,
			         (struct combo_axis){axis->levels, c->source->axes[i].levels,
			                             axis->level_count});
	}
	return combos;
}

/* The levels that listed cells give a factor, each once, and none for cells that leave it out. */
static struct combo_axis listed_levels(const struct check *c, enum factor factor)
{
	struct arena *arena = &c->l->topo->arena;
	size_t room = c->profile->cell_count, count = 0;
	struct setting *levels = arena_alloc(arena, room, sizeof(*levels));
	const struct node **nodes = arena_alloc(arena, room, sizeof(*nodes));

	for (size_t i = 0; i < room; i++) {
		struct setting level = {0};
		size_t k = 0;

		setting_take(&level, &c->profile->cells[i].setting, factor);
		while (k < count && (levels[k].given != level.given ||
		                     !setting_same(&levels[k], &level, factor)))
			k++;
		if (k < count)
			continue;
		nodes[count] = c->source->cell_list[i].node;
		levels[count++] = level;
	}
	return (struct combo_axis){levels, nodes, count};
}

struct combos combos_of_table(const struct check *c, uint32_t factors)
{
	struct combos combos = none(c);

	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((factors >> f & 1) != 0)
			add_axis(&combos, listed_levels(c, (enum factor)f));
	}
	return combos;
}

void combo_add(struct combo *combo, const struct setting *level, const struct node *node)
{
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((level->given >> f & 1) != 0)
			combo->node[f] = node;
	}
	setting_overlay(&combo->setting, level);
}

struct combo combo_of_fixed(const struct check *c)
{
	struct combo combo = {.setting = {.streams = 1}};

	if (c->source->fixed != NULL)
		combo_add(&combo, &c->profile->fixed, c->source->fixed);
	return combo;
}

struct combo combos_at(const struct combos *combos, uint64_t k)
{
	struct combo combo = combo_of_fixed(combos->c);

	for (size_t i = combos->axis_count; i-- > 0;) {
		const struct combo_axis *axis = &combos->axes[i];

		combo_add(&combo, &axis->levels[k % axis->count], axis->nodes[k % axis->count]);
		k /= axis->count;
	}
	return combo;
}

struct src_pos combo_pos(const struct combo *combo, enum factor factor)
{
	const struct node *node = combo->node[factor];
	struct src_pos nowhere = {0};

	return node == NULL ? nowhere : setting_pos(node, factor);
}
