/* SPDX-License-Identifier: MIT */
/*
 * What a test holds, by design.isolation:
 *
 *	host     both machines, both NICs, the CPU of each hypervisor concerned,
 *	         every link and port crossed, both directions of it
 *	duplex   the same, but a link's two directions apart, and at least two
 *	         tests at once on a hypervisor
 *	machine  both machines and both NICs
 *
 * A test in both directions at once holds both of each link.
 *
 * The CPU of a hypervisor is what the topology lists as host-cpu among its uses,
 * with those slots; where it lists none, an implied resource with one slot.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

#define NO_RESOURCE      UINT32_MAX
#define DUPLEX_CPU_SLOTS 2u

/* Where the resources of each thing of the topology are in plan->resources. */
struct map {
	const struct plan *plan;
	enum isolation isolation;
	uint32_t *machine;    /* by host */
	uint32_t *hypervisor; /* by host: its implied CPU, or NO_RESOURCE */
	uint32_t *first_nic;  /* by host: its NICs follow each other */
	uint32_t *tx, *rx;    /* by topology->resources: NO_RESOURCE where they are not held */
};

/* What one cell holds and crosses, collected with doubles. */
struct holding {
	struct arena *scratch;
	uint32_t *at;
	size_t count, room;
	const struct resource **links;
	size_t link_count, link_room;
};

/* ---- the list of resources ---- */

static uint32_t declare(struct plan *plan, uint32_t slots, struct text *name)
{
	struct plan_resource *r = &plan->resources[plan->resource_count];

	r->name = arena_strndup(&plan->arena, text_str(name), name->len);
	r->slots = slots;
	text_clear(name);
	return (uint32_t)plan->resource_count++;
}

static uint32_t cpu_slots(const struct map *map, uint32_t asked)
{
	uint32_t least = map->isolation == ISOLATION_DUPLEX ? DUPLEX_CPU_SLOTS : 1;

	return asked < least ? least : asked;
}

static size_t host_index(const struct map *map, const struct host *host)
{
	return (size_t)(host - map->plan->topology->hosts);
}

/* The machine whose hypervisor carries the host's traffic: itself, but for a VM. */
static const struct host *carrier_of(const struct host *host)
{
	return host->runs_on == NULL ? host : host->runs_on;
}

static bool has_cpu(const struct host *host)
{
	for (size_t i = 0; i < host->use_count; i++) {
		if (host->uses[i]->kind == RESOURCE_CPU)
			return true;
	}
	return false;
}

/* Which hosts carry the traffic of others, and have said nothing of their CPU. */
static void mark_hypervisors(const struct map *map, bool *needs_cpu)
{
	const struct topology *topo = map->plan->topology;

	if (map->isolation == ISOLATION_MACHINE)
		return;
	for (size_t i = 0; i < topo->host_count; i++) {
		const struct host *carrier = carrier_of(&topo->hosts[i]);

		if ((topo->hosts[i].kind == HOST_ESXI || carrier != &topo->hosts[i]) &&
		    !has_cpu(carrier))
			needs_cpu[host_index(map, carrier)] = true;
	}
}

static void declare_hosts(struct plan *plan, struct map *map, const bool *needs_cpu,
                          struct text *name)
{
	const struct topology *topo = plan->topology;

	for (size_t i = 0; i < topo->host_count; i++) {
		const struct host *host = &topo->hosts[i];

		text_add(name, host->name);
		map->machine[i] = declare(plan, 1, name);
		map->hypervisor[i] = NO_RESOURCE;
		if (needs_cpu[i]) {
			text_printf(name, "%s (hypervisor)", host->name);
			map->hypervisor[i] = declare(plan, cpu_slots(map, 1), name);
		}
		map->first_nic[i] = (uint32_t)plan->resource_count;
		for (size_t j = 0; j < host->nic_count; j++) {
			text_printf(name, "%s.%s", host->name, host->nics[j].name);
			(void)declare(plan, 1, name);
		}
	}
}

static void declare_uses(struct plan *plan, struct map *map, struct text *name)
{
	const struct topology *topo = plan->topology;

	for (size_t i = 0; i < topo->resource_count; i++) {
		const struct resource *r = &topo->resources[i];
		bool is_split = map->isolation == ISOLATION_DUPLEX && r->kind != RESOURCE_CPU;

		map->tx[i] = map->rx[i] = NO_RESOURCE;
		if (map->isolation == ISOLATION_MACHINE)
			continue;
		text_printf(name, "%s%s", r->name, is_split ? " tx" : "");
		map->tx[i] =
			declare(plan, r->kind == RESOURCE_CPU ? cpu_slots(map, r->slots) : 1, name);
		map->rx[i] = map->tx[i];
		if (is_split) {
			text_printf(name, "%s rx", r->name);
			map->rx[i] = declare(plan, 1, name);
		}
	}
}

static void declare_all(struct plan *plan, struct map *map, struct arena *scratch)
{
	const struct topology *topo = plan->topology;
	size_t room = 2 * topo->host_count + 2 * topo->resource_count;
	bool *needs_cpu = arena_alloc(scratch, topo->host_count, sizeof(*needs_cpu));
	struct text name = {0};

	for (size_t i = 0; i < topo->host_count; i++)
		room += topo->hosts[i].nic_count;
	plan->resources = arena_alloc(&plan->arena, room, sizeof(*plan->resources));
	map->machine = arena_alloc(scratch, topo->host_count, sizeof(*map->machine));
	map->hypervisor = arena_alloc(scratch, topo->host_count, sizeof(*map->hypervisor));
	map->first_nic = arena_alloc(scratch, topo->host_count, sizeof(*map->first_nic));
	map->tx = arena_alloc(scratch, topo->resource_count, sizeof(*map->tx));
	map->rx = arena_alloc(scratch, topo->resource_count, sizeof(*map->rx));
	mark_hypervisors(map, needs_cpu);
	declare_hosts(plan, map, needs_cpu, &name);
	declare_uses(plan, map, &name);
	text_done(&name);
}

/* ---- what a path takes ---- */

static void hold(struct holding *h, uint32_t resource)
{
	if (resource == NO_RESOURCE)
		return;
	h->at = plan_grow(h->scratch, h->at, h->count, &h->room, sizeof(*h->at));
	h->at[h->count++] = resource;
}

/*
 * True when the traffic never leaves the hypervisor: one vSwitch carries it. An
 * unknown vSwitch counts as the same.
 */
static bool stays_inside(const struct nic *a, const struct nic *b)
{
	if (carrier_of(a->host) != carrier_of(b->host) || topology_is_routed(a, b))
		return false;
	return a->vswitch == NULL || b->vswitch == NULL || strcmp(a->vswitch, b->vswitch) == 0;
}

static void cross(const struct map *map, struct holding *h, const struct resource *link, bool is_tx,
                  bool is_rx)
{
	size_t i = (size_t)(link - map->plan->topology->resources);

	if (is_tx)
		hold(h, map->tx[i]);
	if (is_rx)
		hold(h, map->rx[i]);
	for (size_t k = 0; k < h->link_count; k++) {
		if (h->links[k] == link)
			return;
	}
	h->links = plan_grow(h->scratch, h->links, h->link_count, &h->link_room,
	                     sizeof(const struct resource *));
	h->links[h->link_count++] = link;
}

/* The uses of one end's NIC or of its host. */
static void take_uses(const struct map *map, struct holding *h, const struct plan_cell *cell,
                      bool is_src, const struct resource *const *uses, size_t count)
{
	bool leaves = !stays_inside(cell->src, cell->dst);
	/* a router may send it back over the same wires */
	bool is_both = cell->is_routed || cell->config.is_bidir;
	bool is_tx = is_src || is_both;
	bool is_rx = !is_src || is_both;
	bool is_bidir = cell->config.is_bidir;

	for (size_t i = 0; i < count; i++) {
		if (uses[i]->kind == RESOURCE_CPU)
			hold(h, map->tx[uses[i] - map->plan->topology->resources]);
		else if (uses[i]->kind == RESOURCE_PORT)
			cross(map, h, uses[i], is_src || is_bidir, !is_src || is_bidir);
		else if (leaves)
			cross(map, h, uses[i], is_tx, is_rx);
	}
}

/* What a VM takes of its hypervisor; a port there is for the hypervisor's own NICs. */
static void take_carrier(const struct map *map, struct holding *h, const struct plan_cell *cell,
                         bool is_src, const struct host *carrier)
{
	for (size_t i = 0; i < carrier->use_count; i++) {
		if (carrier->uses[i]->kind != RESOURCE_PORT)
			take_uses(map, h, cell, is_src, &carrier->uses[i], 1);
	}
}

static void take_end(const struct map *map, struct holding *h, const struct plan_cell *cell,
                     bool is_src)
{
	const struct nic *nic = is_src ? cell->src : cell->dst;
	const struct host *carrier = carrier_of(nic->host);
	size_t host = host_index(map, nic->host);

	hold(h, map->machine[host]);
	hold(h, map->first_nic[host] + (uint32_t)(nic - nic->host->nics));
	hold(h, map->hypervisor[host_index(map, carrier)]);
	take_uses(map, h, cell, is_src, nic->uses, nic->use_count);
	take_uses(map, h, cell, is_src, nic->host->uses, nic->host->use_count);
	if (carrier != nic->host)
		take_carrier(map, h, cell, is_src, carrier);
}

static void take_path(const struct map *map, struct holding *h, struct plan *plan,
                      struct plan_cell *cell)
{
	size_t kept = 0;

	h->count = 0;
	h->link_count = 0;
	take_end(map, h, cell, true);
	take_end(map, h, cell, false);
	qsort(h->at, h->count, sizeof(*h->at), plan_compare_u32);
	for (size_t i = 0; i < h->count; i++) {
		if (i == 0 || h->at[i] != h->at[i - 1])
			h->at[kept++] = h->at[i];
	}
	cell->resources = arena_alloc(&plan->arena, kept, sizeof(*cell->resources));
	memcpy(cell->resources, h->at, kept * sizeof(*cell->resources));
	cell->resource_count = kept;
	cell->links = arena_alloc(&plan->arena, h->link_count, sizeof(const struct resource *));
	if (h->link_count > 0)
		memcpy(cell->links, h->links, h->link_count * sizeof(const struct resource *));
	cell->link_count = h->link_count;
}

/* ---- cells of one path share their lists ---- */

struct path {
	uint64_t key; /* NIC of the sender above, of the receiver below */
	bool is_bidir;
	uint32_t cell;
};

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a;
	const struct path *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->is_bidir != y->is_bidir)
		return y->is_bidir ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

static uint64_t path_key(const struct map *map, const struct plan_cell *cell)
{
	const struct nic *const ends[] = {cell->src, cell->dst};
	uint64_t key = 0;

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		key = key << 32 | (map->first_nic[host_index(map, ends[i]->host)] +
		                   (uint32_t)(ends[i] - ends[i]->host->nics));
	return key;
}

void plan_resources(struct plan *plan)
{
	struct arena scratch = {0};
	struct map map = {.plan = plan, .isolation = plan->topology->design.isolation};
	struct holding holding = {.scratch = &scratch};
	struct path *paths = arena_alloc(&scratch, plan->cell_count, sizeof(*paths));

	declare_all(plan, &map, &scratch);
	for (size_t i = 0; i < plan->cell_count; i++)
		paths[i] = (struct path){path_key(&map, &plan->cells[i]),
		                         plan->cells[i].config.is_bidir, (uint32_t)i};
	qsort(paths, plan->cell_count, sizeof(*paths), compare_paths);
	for (size_t i = 0; i < plan->cell_count; i++) {
		struct plan_cell *cell = &plan->cells[paths[i].cell];

		if (i > 0 && paths[i].key == paths[i - 1].key &&
		    paths[i].is_bidir == paths[i - 1].is_bidir) {
			const struct plan_cell *same = &plan->cells[paths[i - 1].cell];

			cell->resources = same->resources;
			cell->resource_count = same->resource_count;
			cell->links = same->links;
			cell->link_count = same->link_count;
		} else {
			take_path(&map, &holding, plan, cell);
		}
	}
	arena_done(&scratch);
}
