/* SPDX-License-Identifier: MIT */
/* plan_explain.c - what keeps two tests from running at the same time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/plan_view.h"

/* How many of the cells that a name means hold each resource. */
struct holders {
	const char *name;
	size_t cells;
	size_t *by_resource;
};

static bool is_end(const struct nic *nic, const char *name)
{
	struct text dotted = {0};
	bool same;

	plan_view_add_nic(&dotted, nic);
	same = strcmp(text_str(&dotted), name) == 0 || strcmp(nic->host->name, name) == 0;
	text_done(&dotted);
	return same;
}

static bool is_meant(const struct plan_cell *cell, const char *name)
{
	size_t len = strlen(name);

	if (len >= PLAN_VIEW_CELL_DIGITS && strncmp(cell->fingerprint, name, len) == 0)
		return true;
	return is_end(cell->src, name) || is_end(cell->dst, name);
}

static bool count_holders(const struct plan *plan, const char *name, struct arena *arena,
                          struct holders *out, struct err *err)
{
	*out = (struct holders){
		.name = name,
		.by_resource = arena_alloc(arena, plan->resource_count, sizeof(size_t)),
	};
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		if (!is_meant(cell, name))
			continue;
		out->cells++;
		for (size_t r = 0; r < cell->resource_count; r++)
			out->by_resource[cell->resources[r]]++;
	}
	if (out->cells == 0)
		return err_set(err, ERR_USAGE,
		               "--explain: no cell of this plan is meant by '%s': give a NIC as "
		               "host.nic, a host, or %d digits of a cell as --cells shows it",
		               name, PLAN_VIEW_CELL_DIGITS);
	return true;
}

/* Held by every test of both, and room for one: they can never run together. */
static bool always_apart(const struct plan *plan, const struct holders *a, const struct holders *b,
                         size_t r)
{
	return a->by_resource[r] == a->cells && b->by_resource[r] == b->cells &&
	       plan->resources[r].slots == 1;
}

static bool print_always(const struct plan *plan, const struct holders *a, const struct holders *b)
{
	bool any = false;

	for (size_t r = 0; r < plan->resource_count; r++) {
		if (!always_apart(plan, a, b, r))
			continue;
		if (!any)
			(void)printf(
				"tests of %s and %s never run at the same time; all of both hold\n",
				a->name, b->name);
		(void)printf("  %s\n", plan->resources[r].name);
		any = true;
	}
	return any;
}

static bool print_sometimes(const struct plan *plan, const struct holders *a,
                            const struct holders *b, bool had_always)
{
	bool any = false;

	for (size_t r = 0; r < plan->resource_count; r++) {
		if (a->by_resource[r] == 0 || b->by_resource[r] == 0 || always_apart(plan, a, b, r))
			continue;
		if (!any && had_always)
			(void)puts("they also share");
		else if (!any)
			(void)printf(
				"tests of %s and %s can run at the same time, except those that "
				"share\n",
				a->name, b->name);
		(void)printf("  %s: held by %zu of %zu cells of %s and %zu of %zu of %s",
		             plan->resources[r].name, a->by_resource[r], a->cells, a->name,
		             b->by_resource[r], b->cells, b->name);
		if (plan->resources[r].slots > 1)
			(void)printf(", room for %" PRIu32 " tests", plan->resources[r].slots);
		(void)fputc('\n', stdout);
		any = true;
	}
	return any;
}

bool plan_view_explain(const struct plan_view *view, const char *a, const char *b, struct err *err)
{
	struct arena arena = {0};
	struct holders first;
	struct holders second;
	bool ok = count_holders(view->plan, a, &arena, &first, err) &&
	          count_holders(view->plan, b, &arena, &second, err);

	if (ok) {
		bool always = print_always(view->plan, &first, &second);

		if (!print_sometimes(view->plan, &first, &second, always) && !always)
			(void)printf(
				"tests of %s and %s share nothing and can run at the same time\n",
				a, b);
	}
	arena_done(&arena);
	return ok;
}
