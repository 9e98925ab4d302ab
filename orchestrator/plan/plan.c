/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plan/plan_build.h"
#include "plan/plan_only.h"

/* ---- profiles ---- */

static bool is_picked(const struct plan *plan, const struct profile *profile)
{
	for (size_t i = 0; i < plan->profile_count; i++) {
		if (plan->profiles[i] == profile)
			return true;
	}
	return false;
}

static bool unknown_profile(const struct topology *topo, const char *name, struct err *err)
{
	struct text list = {0};

	for (size_t i = 0; i < topo->profile_count; i++)
		plan_choice_add(&list, topo->profiles[i].name);
	(void)err_set(err, ERR_USAGE, "unknown profile `%.80s`; the file has: %s", name,
	              list.len == 0 ? "none" : text_str(&list));
	text_done(&list);
	return false;
}

static bool pick_named(const struct plan_request *request, struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < request->profile_count; i++) {
		const char *name = request->profiles[i];
		const struct profile *profile = topology_profile(plan->topology, name);

		if (profile == NULL)
			return unknown_profile(plan->topology, name, err);
		if (profile->is_search)
			return err_set(err, ERR_USAGE, "profile %s: search is not yet supported",
			               name);
		if (!is_picked(plan, profile))
			plan->profiles[plan->profile_count++] = profile;
	}
	return true;
}

static bool pick_profiles(const struct plan_request *request, struct plan *plan, struct err *err)
{
	const struct topology *topo = plan->topology;

	plan->profiles =
		arena_alloc(&plan->arena, topo->profile_count, sizeof(const struct profile *));
	if (request->profile_count > 0)
		return pick_named(request, plan, err);
	for (size_t i = 0; i < topo->profile_count; i++) {
		if (!topo->profiles[i].is_search)
			plan->profiles[plan->profile_count++] = &topo->profiles[i];
	}
	if (plan->profile_count == 0)
		return err_set(err, ERR_USAGE, "%s has no profile that can be run", topo->path);
	return true;
}

/* ---- the plan's own name ---- */

static void hash_text(struct sha256 *hash, struct text *text)
{
	sha256_add(hash, text_str(text), text->len);
	text_clear(text);
}

static void add_member_text(const struct plan_membership *member, struct text *text)
{
	text_printf(text, "member=%s", member->profile->name);
	if (!isnan(member->published_bps))
		text_printf(text, " bps=%.17g", member->published_bps);
	if (member->published_retransmits >= 0)
		text_printf(text, " retransmits=%" PRId64, member->published_retransmits);
	text_add(text, "\n");
}

static void add_cell_text(const struct plan_cell *cell, struct text *text)
{
	text_printf(text, "cell=%s %" PRIu32 " %s%s\n", cell->fingerprint, cell->repeats,
	            path_class_names[cell->path_class], cell->is_routed ? " routed" : "");
	for (size_t i = 0; i < cell->resource_count; i++)
		text_printf(text, "holds=%" PRIu32 "\n", cell->resources[i]);
	for (size_t i = 0; i < cell->link_count; i++)
		text_printf(text, "crosses=%s\n", cell->links[i]->name);
	for (size_t i = 0; i < cell->profile_count; i++)
		add_member_text(&cell->profiles[i], text);
}

/* The SHA-256 of a line a thing, in the order of struct plan. */
static void name_plan(struct plan *plan)
{
	struct sha256 hash;
	struct text text = {0};

	sha256_init(&hash);
	text_printf(&text, "vnm-plan 1\nseed=%" PRIu64 "\n", plan->seed);
	for (size_t i = 0; i < plan->profile_count; i++)
		text_printf(&text, "profile=%s\n", plan->profiles[i]->name);
	for (size_t i = 0; i < plan->resource_count; i++)
		text_printf(&text, "resource=%s %" PRIu32 "\n", plan->resources[i].name,
		            plan->resources[i].slots);
	for (size_t i = 0; i < plan->cell_count; i++) {
		add_cell_text(&plan->cells[i], &text);
		hash_text(&hash, &text);
	}
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_slot *s = &plan->slots[i];

		text_printf(&text,
		            "slot=%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
		            s->cell, s->replicate, s->block, s->round, s->seq);
		hash_text(&hash, &text);
	}
	sha256_hex(&hash, plan->sha256);
	text_done(&text);
}

/* ---- making it ---- */

static uint64_t choose_seed(const struct topology *topo, const struct plan_request *request,
                            uint64_t seed)
{
	if (request->has_seed)
		return request->seed;
	return topo->design.has_seed ? topo->design.seed : seed;
}

/* `vnm check` counts each profile on its own; here a cell that two have counts once. */
static void note_shared(struct plan *plan)
{
	struct text note = {0};
	size_t shared = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		shared += plan->cells[i].profile_count > 1;
	if (shared == 0)
		return;
	text_printf(&note,
	            "%zu cell%s to more than one of these profiles: measured once for all of "
	            "them, with the largest of their repeats",
	            shared, shared == 1 ? " belongs" : "s belong");
	plan_note_add(plan, &note);
	text_done(&note);
}

static bool make_cells(struct plan *plan, const char *only, struct err *err)
{
	struct arena scratch = {0};
	struct plan_cells cells = {.kept = &plan->arena, .scratch = &scratch};
	bool ok = plan_expand(plan, &cells, err);

	plan->cells = cells.at;
	plan->cell_count = cells.count;
	if (ok && cells.count == 0) /* then the last profile has told why it has none */
		ok = err_set(err, ERR_USAGE, "%s", plan->notes[plan->note_count - 1]);
	if (ok && only != NULL)
		ok = plan_select(plan, only, err);
	if (ok) {
		plan->cells = arena_alloc(&plan->arena, plan->cell_count, sizeof(*plan->cells));
		memcpy(plan->cells, cells.at, plan->cell_count * sizeof(*plan->cells));
	}
	if (ok)
		note_shared(plan);
	plan_cells_done(&cells);
	arena_done(&scratch);
	return ok;
}

bool plan_make(const struct topology *topo, const struct plan_request *request, uint64_t seed,
               struct plan *out, struct err *err)
{
	struct plan plan = {.topology = topo, .seed = choose_seed(topo, request, seed)};

	if (!pick_profiles(request, &plan, err) || !make_cells(&plan, request->only, err))
		goto failed;
	plan_resources(&plan);
	if (!plan_schedule(&plan, err))
		goto failed;
	name_plan(&plan);
	*out = plan;
	return true;
failed:
	plan_done(&plan);
	return false;
}

void plan_done(struct plan *plan)
{
	if (plan == NULL)
		return;
	arena_done(&plan->arena);
	*plan = (struct plan){0};
}

/* ---- what it asks for ---- */

static void take_lower(uint64_t *least_bps, uint64_t bps)
{
	if (bps != 0 && (*least_bps == 0 || bps < *least_bps))
		*least_bps = bps;
}

/* Payload bit/s that the cell will hardly reach; 0: not known. */
static uint64_t speed_of(const struct plan_cell *cell)
{
	const struct nic *const ends[] = {cell->src, cell->dst};
	uint64_t least_bps = cell->config.rate_bps * cell->config.streams;

	for (size_t i = 0; i < cell->link_count; i++)
		take_lower(&least_bps, cell->links[i]->speed_bps);
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		if (ends[i]->host->kind != HOST_VM) /* there it is only a label */
			take_lower(&least_bps, ends[i]->speed_bps);
	}
	return least_bps;
}

uint64_t plan_test_ms(const struct plan *plan, const struct plan_cell *cell)
{
	const struct plan_config *c = &cell->config;
	uint64_t ms = c->duration_ms;

	if (c->bytes != 0) {
		uint64_t bps = speed_of(cell);

		ms = bps == 0 ? plan->topology->design.duration_ms
		              : (uint64_t)((double)c->bytes * 8000 / (double)bps);
	}
	return ms + c->omit_ms + PLAN_TEST_OVERHEAD_MS;
}

uint64_t plan_estimate_ms(const struct plan *plan, size_t first)
{
	uint64_t total_ms = 0;
	uint64_t longest_ms = 0;

	for (size_t i = first; i < plan->slot_count; i++) {
		uint64_t ms = plan_test_ms(plan, &plan->cells[plan->slots[i].cell]);

		if (i > first && plan->slots[i].round != plan->slots[i - 1].round) {
			total_ms += longest_ms;
			longest_ms = 0;
		}
		if (ms > longest_ms)
			longest_ms = ms;
	}
	return total_ms + longest_ms;
}

bool plan_needs_setting(const struct plan_config *config)
{
	return config->mtu_bytes != 0 || config->lro != TOGGLE_UNCHANGED ||
	       config->tso != TOGGLE_UNCHANGED;
}
