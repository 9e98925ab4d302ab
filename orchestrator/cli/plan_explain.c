/* SPDX-License-Identifier: MIT */
/* plan_explain.c - what keeps two tests from running at the same time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan_view.h"

enum { SHARED_SHOWN = 6 };

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

/* A resource that a part of the tests share. */
struct shared {
	const struct plan_resource *resource;
	double pct; /* of the pairs of one test of each */
};

static int by_pct(const void *a, const void *b)
{
	const struct shared *x = a;
	const struct shared *y = b;

	if (x->pct != y->pct)
		return x->pct > y->pct ? -1 : 1;
	return strcmp(x->resource->name, y->resource->name);
}

static size_t find_shared(const struct plan *plan, const struct holders *a, const struct holders *b,
                          struct shared *out)
{
	size_t count = 0;

	for (size_t r = 0; r < plan->resource_count; r++) {
		if (a->by_resource[r] == 0 || b->by_resource[r] == 0 || always_apart(plan, a, b, r))
			continue;
		out[count++] = (struct shared){
			.resource = &plan->resources[r],
			.pct = 100.0 * (double)a->by_resource[r] / (double)a->cells *
		               (double)b->by_resource[r] / (double)b->cells,
		};
	}
	if (count > 0)
		qsort(out, count, sizeof(*out), by_pct);
	return count;
}

static void print_shared(const struct shared *list, size_t count)
{
	size_t shown = count < SHARED_SHOWN ? count : SHARED_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		(void)printf("  %s, by %.0f %% of the pairs", list[i].resource->name, list[i].pct);
		if (list[i].resource->slots > 1)
			(void)printf("; it has room for %" PRIu32 " tests",
			             list[i].resource->slots);
		(void)fputc('\n', stdout);
	}
	if (shown < count)
		(void)printf("  and %zu more\n", count - shown);
}

static void explain(const struct plan *plan, const struct holders *a, const struct holders *b,
                    struct arena *arena)
{
	struct shared *shared = arena_alloc(arena, plan->resource_count, sizeof(*shared));
	size_t count = find_shared(plan, a, b, shared);

	if (print_always(plan, a, b))
		return;
	if (count == 0) {
		(void)printf("tests of %s and %s share nothing and can run at the same time\n",
		             a->name, b->name);
		return;
	}
	(void)printf("some tests of %s and %s can run at the same time, others share\n", a->name,
	             b->name);
	print_shared(shared, count);
}

bool plan_view_explain(const struct plan_view *view, const char *a, const char *b, struct err *err)
{
	struct arena arena = {0};
	struct holders first;
	struct holders second;
	bool ok = count_holders(view->plan, a, &arena, &first, err) &&
	          count_holders(view->plan, b, &arena, &second, err);

	if (ok)
		explain(view->plan, &first, &second, &arena);
	arena_done(&arena);
	return ok;
}
