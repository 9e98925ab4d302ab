/* SPDX-License-Identifier: MIT */
/* What the cells of a profile ask of the NICs of its pairs. */
#include "topology/topology_check.h"

void demand_add(struct demand *d, const struct setting *s, const struct node *node)
{
	if ((s->given >> FACTOR_DRIVER & 1) != 0) {
		d->driver = s->driver;
		d->driver_pos = setting_pos(node, FACTOR_DRIVER);
	}
	if ((s->given >> FACTOR_MTU & 1) != 0) {
		d->mtu_bytes = s->mtu_bytes;
		d->mtu_pos = setting_pos(node, FACTOR_MTU);
	}
}

struct demand demand_of_fixed(const struct check *c)
{
	struct demand d = {.hides_driver = (c->source->unread >> FACTOR_DRIVER & 1) != 0};

	if (c->source->fixed != NULL)
		demand_add(&d, &c->profile->fixed, c->source->fixed);
	return d;
}

/* The axis that gives the factor; axis_count when none does. */
static size_t axis_of(const struct check *c, enum factor factor)
{
	size_t i = 0;

	while (i < c->profile->axis_count &&
	       (c->profile->grid[i].level_count == 0 ||
	        (c->profile->grid[i].levels[0].given >> factor & 1) == 0))
		i++;
	return i;
}

static size_t level_count(const struct check *c, size_t axis)
{
	return axis < c->profile->axis_count ? c->profile->grid[axis].level_count : 1;
}

static void demand_add_level(const struct check *c, struct demand *d, size_t axis, size_t level)
{
	if (axis < c->profile->axis_count)
		demand_add(d, &c->profile->grid[axis].levels[level],
		           c->source->axes[axis].levels[level]);
}

/* The combinations of driver and MTU of a grid. */
static struct demands grid(const struct check *c)
{
	size_t driver = axis_of(c, FACTOR_DRIVER), mtu = axis_of(c, FACTOR_MTU);
	/* A bundle may give both: then its levels are all there is. */
	size_t mtu_count = mtu == driver ? 1 : level_count(c, mtu);
	size_t count = level_count(c, driver) * mtu_count;
	struct demands out = {arena_alloc(&c->l->topo->arena, count, sizeof(*out.at)), count};

	for (size_t i = 0; i < count; i++) {
		out.at[i] = demand_of_fixed(c);
		demand_add_level(c, &out.at[i], driver, i / mtu_count);
		if (mtu != driver)
			demand_add_level(c, &out.at[i], mtu, i % mtu_count);
	}
	return out;
}

void demand_add_cell(const struct check *c, struct demand *d, size_t cell)
{
	const struct source_cell *source = &c->source->cell_list[cell];

	demand_add(d, &c->profile->cells[cell].setting, source->node);
	if ((source->unread >> FACTOR_DRIVER & 1) != 0)
		d->hides_driver = true;
}

/* Of the listed cells that are measured on the profile's pairs. */
static struct demands cells(const struct check *c)
{
	const struct profile *p = c->profile;
	struct demands out = {arena_alloc(&c->l->topo->arena, p->cell_count, sizeof(*out.at)), 0};

	for (size_t i = 0; i < p->cell_count; i++) {
		if (c->source->cell_list[i].pair.node != NULL)
			continue;
		out.at[out.count] = demand_of_fixed(c);
		demand_add_cell(c, &out.at[out.count++], i);
	}
	return out;
}

struct demands demands_of(const struct check *c)
{
	return c->profile->cell_count > 0 ? cells(c) : grid(c);
}
