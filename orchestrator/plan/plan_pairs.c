/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_build.h"

/* ---- which segments reach each other ---- */

static uint64_t route_key(const struct topology *topo, const struct segment *a,
                          const struct segment *b)
{
	uint64_t i = (uint64_t)(a - topo->segments);
	uint64_t j = (uint64_t)(b - topo->segments);

	return i < j ? i << 32 | j : j << 32 | i;
}

void plan_reach_init(struct plan_reach *reach, const struct topology *topo, struct arena *arena)
{
	*reach = (struct plan_reach){.topo = topo, .count = topo->route_count};
	reach->routes = arena_alloc(arena, topo->route_count, sizeof(*reach->routes));
	for (size_t i = 0; i < topo->route_count; i++)
		reach->routes[i] = route_key(topo, topo->routes[i].a, topo->routes[i].b);
	qsort(reach->routes, reach->count, sizeof(*reach->routes), plan_compare_u64);
}

bool plan_reaches(const struct plan_reach *reach, const struct nic *a, const struct nic *b)
{
	uint64_t key;

	if (a->segment == b->segment || a->segment == NULL || b->segment == NULL)
		return true;
	key = route_key(reach->topo, a->segment, b->segment);
	return bsearch(&key, reach->routes, reach->count, sizeof(key), plan_compare_u64) != NULL;
}

/* ---- ends that are given as hosts ---- */

static const struct nic *end_nic(const struct endpoint *end, const char *driver, struct err *err)
{
	const struct nic *nic = end->nic;

	if (nic != NULL)
		return nic;
	if (driver != NULL)
		nic = topology_driver_nic(end->host, driver);
	if (driver == NULL)
		(void)err_set(err, ERR_INPUT, "no driver chooses the NIC of %s; name it as %s.NIC",
		              end->host->name, end->host->name);
	else if (nic == NULL)
		(void)err_set(err, ERR_INPUT, "%s has not exactly one test NIC with driver %s",
		              end->host->name, driver);
	return nic;
}

/* A driver that chooses neither NIC must at least be theirs. */
static bool check_driver(const struct pair *pair, const char *driver, struct err *err)
{
	const struct nic *a = pair->a.nic;
	const struct nic *b = pair->b.nic;

	if (driver == NULL || a == NULL || b == NULL)
		return true;
	if (a->driver != NULL && b->driver != NULL && strcmp(a->driver, driver) == 0 &&
	    strcmp(b->driver, driver) == 0)
		return true;
	return err_set(err, ERR_INPUT,
	               "driver %s chooses nothing: the pair names %s.%s and %s.%s; name a host "
	               "where the driver is to choose the NIC",
	               driver, a->host->name, a->name, b->host->name, b->name);
}

bool plan_pair_ends(const struct plan_reach *reach, const struct pair *pair, const char *driver,
                    struct plan_ends *out, struct err *err)
{
	struct plan_ends ends;

	if (pair->a.host == pair->b.host)
		return err_set(err, ERR_INPUT, "both ends of a pair are on %s", pair->a.host->name);
	if (!check_driver(pair, driver, err))
		return false;
	ends.a = end_nic(&pair->a, driver, err);
	if (ends.a == NULL)
		return false;
	ends.b = end_nic(&pair->b, driver, err);
	if (ends.b == NULL)
		return false;
	if (!plan_reaches(reach, ends.a, ends.b))
		return err_set(err, ERR_INPUT,
		               "no route joins the segments of %s.%s (%s) and %s.%s (%s)",
		               ends.a->host->name, ends.a->name, ends.a->segment->name,
		               ends.b->host->name, ends.b->name, ends.b->segment->name);
	*out = ends;
	return true;
}

/* ---- ends that are combined by class ---- */

struct nic_list {
	const struct nic **at;
	size_t count;
};

/* The NICs that the profile names, or all test NICs with an address. */
static struct nic_list class_nics(const struct topology *topo, const struct profile *profile,
                                  struct arena *arena)
{
	struct nic_list list = {profile->between, profile->between_count};
	size_t total = 0;

	if (list.count > 0)
		return list;
	for (size_t i = 0; i < topo->host_count; i++)
		total += topo->hosts[i].nic_count;
	list.at = arena_alloc(arena, total, sizeof(const struct nic *));
	for (size_t i = 0; i < topo->host_count; i++) {
		const struct host *host = &topo->hosts[i];

		for (size_t j = 0; j < host->nic_count; j++) {
			if (host->nics[j].role == NIC_TEST &&
			    topology_nic_address(&host->nics[j], 0) != NULL)
				list.at[list.count++] = &host->nics[j];
		}
	}
	return list;
}

bool plan_pairs_by_class(const struct plan_reach *reach, const struct profile *profile,
                         struct arena *arena, struct plan_class_pairs *out, struct err *err)
{
	struct nic_list nics = class_nics(reach->topo, profile, arena);
	struct plan_class_pairs pairs = {0};
	size_t room = 0;

	for (size_t k = 0; k < nics.count * nics.count; k++) {
		struct plan_ends ends = {nics.at[k / nics.count], nics.at[k % nics.count]};

		if (ends.a->host == ends.b->host ||
		    (profile->classes & (1u << topology_path_class(ends.a, ends.b))) == 0)
			continue;
		if (!plan_reaches(reach, ends.a, ends.b)) {
			if (pairs.unreachable++ == 0)
				pairs.one_of_them = ends;
			continue;
		}
		if (pairs.count == PLAN_CELLS_MAX)
			return err_set(err, ERR_INPUT,
			               "more than %u pairs; name fewer ends in between",
			               PLAN_CELLS_MAX);
		pairs.at = plan_grow(arena, pairs.at, pairs.count, &room, sizeof(*pairs.at));
		pairs.at[pairs.count++] = ends;
	}
	*out = pairs;
	return true;
}
