/* SPDX-License-Identifier: MIT */
/* What the cells of a profile ask of the NICs of its pairs. */
#include "topology/topology_check.h"

static bool is_in(uint32_t factors, enum factor factor)
{
	return (factors >> factor & 1) != 0;
}

/* `unread`: factors that are there and could not be read. */
static struct demand demand_of(const struct combo *combo, uint32_t unread)
{
	const struct setting *s = &combo->setting;

	return (struct demand){
		.driver = s->driver,
		.hides_driver = is_in(unread, FACTOR_DRIVER),
		.driver_pos = combo_pos(combo, FACTOR_DRIVER),
		.mtu_bytes = s->mtu_bytes,
		.mtu_pos = combo_pos(combo, FACTOR_MTU),
		.ip_version = s->ip_version,
		.hides_ip_version = is_in(unread, FACTOR_IP_VERSION),
		.ip_version_pos = combo_pos(combo, FACTOR_IP_VERSION),
	};
}

static struct demands grid(const struct check *c)
{
	struct combos combos =
		combos_of_grid(c, 1u << FACTOR_DRIVER | 1u << FACTOR_MTU | 1u << FACTOR_IP_VERSION);
	size_t count = combos.count <= COMBOS_MAX ? (size_t)combos.count : 0;
	struct demands out = {arena_alloc(&c->l->topo->arena, count, sizeof(*out.at)), count};

	for (size_t i = 0; i < count; i++) {
		struct combo combo = combos_at(&combos, i);

		out.at[i] = demand_of(&combo, c->source->unread);
	}
	return out;
}

struct demand demand_of_cell(const struct check *c, size_t cell)
{
	const struct source_cell *source = &c->source->cell_list[cell];
	struct combo combo = combo_of_fixed(c);

	combo_add(&combo, &c->profile->cells[cell].setting, source->node);
	return demand_of(&combo, c->source->unread | source->unread);
}

/* Of the listed cells that are measured on the profile's pairs. */
static struct demands cells(const struct check *c)
{
	const struct profile *p = c->profile;
	struct demands out = {arena_alloc(&c->l->topo->arena, p->cell_count, sizeof(*out.at)), 0};

	for (size_t i = 0; i < p->cell_count; i++) {
		if (c->source->cell_list[i].pair.node == NULL)
			out.at[out.count++] = demand_of_cell(c, i);
	}
	return out;
}

struct demands demands_of(const struct check *c)
{
	return c->profile->cell_count > 0 ? cells(c) : grid(c);
}
