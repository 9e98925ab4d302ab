/* SPDX-License-Identifier: MIT */
#include "plan/plan_build.h"

static bool has_level(const struct plan_table *table, const struct setting *setting, enum factor f)
{
	for (size_t i = 0; i < table->level_count[f]; i++) {
		if (setting_same(&table->levels[f][i], setting, f))
			return true;
	}
	return false;
}

void plan_table_init(struct plan_table *table, const struct profile *profile,
                     const struct setting *base, struct arena *arena)
{
	size_t room[FACTOR_COUNT] = {0};

	*table = (struct plan_table){.base = *base, .count = 1};
	for (size_t i = 0; i < profile->cell_count; i++) {
		struct setting setting = *base;

		setting_overlay(&setting, &profile->cells[i].setting);
		for (unsigned f = 0; f < FACTOR_COUNT; f++) {
			if (has_level(table, &setting, (enum factor)f))
				continue;
			table->levels[f] = plan_grow(arena, table->levels[f], table->level_count[f],
			                             &room[f], sizeof(setting));
			table->levels[f][table->level_count[f]++] = setting;
		}
	}
	for (unsigned f = 0; f < FACTOR_COUNT; f++)
		table->count = plan_product(table->count, table->level_count[f]);
}

struct setting plan_table_at(const struct plan_table *table, uint64_t k)
{
	struct setting setting = table->base;

	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		setting_take(&setting, &table->levels[f][k % table->level_count[f]],
		             (enum factor)f);
		k /= table->level_count[f];
	}
	return setting;
}
