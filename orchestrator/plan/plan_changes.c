/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

/* What a NIC was last asked to be; 0 and TOGGLE_UNCHANGED: nothing yet. */
struct asked {
	uint32_t mtu_bytes;
	enum toggle lro, tso;
};

static size_t ask(struct asked *nic, const struct plan_config *config)
{
	size_t changes = 0;

	if (config->mtu_bytes != 0 && config->mtu_bytes != nic->mtu_bytes) {
		nic->mtu_bytes = config->mtu_bytes;
		changes++;
	}
	if (config->lro != TOGGLE_UNCHANGED && config->lro != nic->lro) {
		nic->lro = config->lro;
		changes++;
	}
	if (config->tso != TOGGLE_UNCHANGED && config->tso != nic->tso) {
		nic->tso = config->tso;
		changes++;
	}
	return changes;
}

size_t plan_setting_changes(const struct plan *plan)
{
	const struct topology *topo = plan->topology;
	struct arena scratch = {0};
	struct asked **nics = arena_alloc(&scratch, topo->host_count, sizeof(*nics));
	size_t changes = 0;

	for (size_t i = 0; i < topo->host_count; i++)
		nics[i] = arena_alloc(&scratch, topo->hosts[i].nic_count, sizeof(**nics));
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_cell *cell = &plan->cells[plan->slots[i].cell];
		const struct nic *const ends[] = {cell->src, cell->dst};

		for (size_t k = 0; k < COUNT_OF(ends); k++) {
			struct asked *host = nics[ends[k]->host - topo->hosts];

			changes += ask(&host[ends[k] - ends[k]->host->nics], &cell->config);
		}
	}
	arena_done(&scratch);
	return changes;
}
