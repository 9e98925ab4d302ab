/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "plan/plan.h"

/* What a setting of a NIC was last asked to be; 0: nothing yet. */
struct asked {
	struct plan_change change; /* without its levels until there is one */
	uint32_t last;
	size_t level_room;
};

/* The level that the cell asks for; 0: none. */
static uint32_t level_of(const struct plan_config *config, enum plan_setting setting)
{
	switch (setting) {
	case PLAN_MTU:
		return config->mtu_bytes;
	case PLAN_LRO:
		return (uint32_t)config->lro;
	case PLAN_TSO:
		return (uint32_t)config->tso;
	case PLAN_SETTING_COUNT:
		break;
	}
	return 0;
}

/* Keeps the levels ascending, each once. */
static void add_level(struct arena *arena, struct asked *a, uint32_t level)
{
	struct plan_change *c = &a->change;
	size_t at = 0;

	while (at < c->level_count && c->levels[at] < level)
		at++;
	if (at < c->level_count && c->levels[at] == level)
		return;
	if (c->level_count == a->level_room) {
		uint32_t *more;

		a->level_room = a->level_room == 0 ? 4 : 2 * a->level_room;
		more = arena_alloc(arena, a->level_room, sizeof(*more));
		if (c->level_count > 0)
			memcpy(more, c->levels, c->level_count * sizeof(*more));
		c->levels = more;
	}
	memmove(&c->levels[at + 1], &c->levels[at], (c->level_count - at) * sizeof(*c->levels));
	c->levels[at] = level;
	c->level_count++;
}

static void ask(struct arena *arena, struct asked *nic, const struct plan_config *config)
{
	for (unsigned s = 0; s < PLAN_SETTING_COUNT; s++) {
		uint32_t level = level_of(config, (enum plan_setting)s);

		if (level == 0 || level == nic[s].last)
			continue;
		nic[s].last = level;
		nic[s].change.changes++;
		add_level(arena, &nic[s], level);
	}
}

static struct asked **make_table(struct arena *arena, const struct topology *topo, size_t *count)
{
	struct asked **hosts = arena_alloc(arena, topo->host_count, sizeof(*hosts));

	*count = 0;
	for (size_t h = 0; h < topo->host_count; h++) {
		size_t nics = topo->hosts[h].nic_count;

		hosts[h] = arena_alloc(arena, nics * PLAN_SETTING_COUNT, sizeof(**hosts));
		*count += nics * PLAN_SETTING_COUNT;
		for (size_t i = 0; i < nics * PLAN_SETTING_COUNT; i++) {
			hosts[h][i].change.nic = &topo->hosts[h].nics[i / PLAN_SETTING_COUNT];
			hosts[h][i].change.setting = (enum plan_setting)(i % PLAN_SETTING_COUNT);
		}
	}
	return hosts;
}

struct plan_changes plan_list_changes(const struct plan *plan, struct arena *arena)
{
	const struct topology *topo = plan->topology;
	struct plan_changes out = {0};
	size_t room;
	struct asked **hosts = make_table(arena, topo, &room);

	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_cell *cell = &plan->cells[plan->slots[i].cell];
		const struct nic *const ends[] = {cell->src, cell->dst};

		for (size_t k = 0; k < COUNT_OF(ends); k++) {
			struct asked *host = hosts[ends[k]->host - topo->hosts];
			size_t nic = (size_t)(ends[k] - ends[k]->host->nics);

			ask(arena, &host[nic * PLAN_SETTING_COUNT], &cell->config);
		}
	}
	out.at = arena_alloc(arena, room, sizeof(*out.at));
	for (size_t h = 0; h < topo->host_count; h++) {
		for (size_t i = 0; i < topo->hosts[h].nic_count * PLAN_SETTING_COUNT; i++) {
			if (hosts[h][i].change.changes > 0)
				out.at[out.count++] = hosts[h][i].change;
		}
	}
	return out;
}

size_t plan_setting_changes(const struct plan *plan)
{
	struct arena arena = {0};
	struct plan_changes list = plan_list_changes(plan, &arena);
	size_t changes = 0;

	for (size_t i = 0; i < list.count; i++)
		changes += list.at[i].changes;
	arena_done(&arena);
	return changes;
}
