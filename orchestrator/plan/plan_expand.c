/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plan/plan_build.h"

enum { IPV4_BYTES = 20, IPV6_BYTES = 40, UDP_BYTES = 8 };

/* One profile on its way into cells. */
struct expansion {
	struct plan *plan;
	struct plan_cells *cells;
	const struct plan_reach *reach;
	const struct profile *profile;
	struct setting base;
	uint32_t repeats;
	struct plan_class_pairs by_class;
	struct src_pos at; /* what an error is about */
	/* what the notes tell */
	size_t member_count; /* cells that belong to the profile */
	size_t completed;    /* of them: added by `complete` */
	size_t above_mtu;    /* of them: MTU above a segment's max_mtu */
	const struct nic *above_nic;
	uint32_t above_bytes;
	size_t fragmented; /* of them: datagrams that do not fit their MTU */
	uint64_t fragmented_bytes;
	uint32_t fragmented_mtu, fragmented_fit;
};

static bool where_fits(const struct setting *where, const struct setting *setting,
                       const struct plan_ends *ends)
{
	struct setting known = *setting;

	/* no driver factor: what the NICs are, where both are the same */
	if (known.driver == NULL && ends->a->driver != NULL && ends->b->driver != NULL) {
		struct setting a = {.driver = ends->a->driver};
		struct setting b = {.driver = ends->b->driver};

		if (setting_same(&a, &b, FACTOR_DRIVER))
			known.driver = ends->a->driver;
	}
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((where->given & (1u << f)) != 0 && !setting_same(where, &known, (enum factor)f))
			return false;
	}
	return true;
}

/* A listed cell's own figure, else the first of `published` that fits. */
static struct plan_membership membership(const struct profile *profile,
                                         const struct plan_ends *ends,
                                         const struct setting *setting,
                                         const struct listed_cell *listed)
{
	struct plan_membership none = {profile, (double)NAN, -1};

	if (listed != NULL && (!isnan(listed->published_bps) || listed->published_retransmits >= 0))
		return (struct plan_membership){profile, listed->published_bps,
		                                listed->published_retransmits};
	for (size_t i = 0; i < profile->published_count; i++) {
		const struct published *p = &profile->published[i];

		if (where_fits(&p->where, setting, ends))
			return (struct plan_membership){profile, p->bps, p->retransmits};
	}
	return none;
}

static void watch_mtu(struct expansion *x, const struct plan_ends *ends, uint32_t mtu_bytes)
{
	const struct nic *const nics[] = {ends->a, ends->b};

	for (size_t i = 0; i < COUNT_OF(nics); i++) {
		const struct segment *segment = nics[i]->segment;

		if (segment == NULL || segment->max_mtu == 0 || mtu_bytes <= segment->max_mtu)
			continue;
		if (x->above_mtu++ == 0) {
			x->above_nic = nics[i];
			x->above_bytes = mtu_bytes;
		}
		return;
	}
}

/* `vnm check` has refused those that no packet holds; these are cut by the sender's IP. */
static void watch_datagram(struct expansion *x, const struct plan_ends *ends,
                           const struct setting *s)
{
	const char *address = topology_nic_address(ends->a, s->ip_version);
	bool is_v6 = address != NULL && strchr(address, ':') != NULL;
	uint32_t headers = (is_v6 ? IPV6_BYTES : IPV4_BYTES) + UDP_BYTES;

	if (s->protocol != PROTOCOL_UDP || s->mtu_bytes == 0 ||
	    s->buffer_bytes + headers <= s->mtu_bytes)
		return;
	if (x->fragmented++ > 0)
		return;
	x->fragmented_bytes = s->buffer_bytes;
	x->fragmented_mtu = s->mtu_bytes;
	x->fragmented_fit = s->mtu_bytes - headers;
}

/* False when there are too many cells now. */
static bool add(struct expansion *x, struct plan_ends ends, const struct setting *setting,
                const struct listed_cell *listed, struct err *err)
{
	struct plan_candidate candidate = {
		.ends = ends,
		.setting = setting,
		.engine = x->plan->topology->engine,
		.repeats = x->repeats,
		.membership = membership(x->profile, &ends, setting, listed),
	};

	if (plan_cells_add(x->cells, &candidate)) {
		x->member_count++;
		watch_mtu(x, &ends, setting->mtu_bytes);
		watch_datagram(x, &ends, setting);
	}
	if (x->cells->count > PLAN_CELLS_MAX)
		return err_set(err, ERR_INPUT, "more than %u cells; name fewer profiles at once",
		               PLAN_CELLS_MAX);
	return true;
}

static bool add_pair(struct expansion *x, const struct pair *pair, const struct setting *setting,
                     const struct listed_cell *listed, struct err *err)
{
	struct plan_ends ends;

	if (!plan_pair_ends(x->reach, pair, setting->driver, &ends, err)) {
		x->at = pair->a.pos;
		return false;
	}
	return add(x, ends, setting, listed, err);
}

static bool check_named_by_class(const struct expansion *x, const char *driver, struct err *err)
{
	if (driver == NULL || x->by_class.count == 0)
		return true;
	return err_set(err, ERR_INPUT,
	               "driver %s chooses nothing: classes combine NICs; name hosts in pairs",
	               driver);
}

/* One setting on all pairs of the profile. */
static bool add_to_all(struct expansion *x, const struct setting *setting,
                       const struct listed_cell *listed, struct err *err)
{
	if (!check_named_by_class(x, setting->driver, err))
		return false;
	for (size_t i = 0; i < x->profile->pair_count; i++) {
		if (!add_pair(x, &x->profile->pairs[i], setting, listed, err))
			return false;
	}
	for (size_t i = 0; i < x->by_class.count; i++) {
		if (!add(x, x->by_class.at[i], setting, listed, err))
			return false;
	}
	return true;
}

static bool check_count(uint64_t pairs, uint64_t settings, struct err *err)
{
	uint64_t count = plan_product(pairs, settings);

	if (count <= PLAN_CELLS_MAX)
		return true;
	return err_set(err, ERR_INPUT,
	               "pairs (%" PRIu64 ") by settings (%" PRIu64 ") are more than %u cells",
	               pairs, settings, PLAN_CELLS_MAX);
}

/* The k-th combination of the grid's levels; the last axis is the fastest. */
static struct setting grid_at(const struct expansion *x, uint64_t k)
{
	struct setting setting = x->base;

	for (size_t i = x->profile->axis_count; i-- > 0;) {
		const struct axis *axis = &x->profile->grid[i];

		setting_overlay(&setting, &axis->levels[k % axis->level_count]);
		k /= axis->level_count;
	}
	return setting;
}

static bool expand_grid(struct expansion *x, struct err *err)
{
	uint64_t settings = 1;

	for (size_t i = 0; i < x->profile->axis_count; i++)
		settings = plan_product(settings, x->profile->grid[i].level_count);
	if (!check_count(x->profile->pair_count + x->by_class.count, settings, err))
		return false;
	for (uint64_t k = 0; k < settings; k++) {
		struct setting setting = grid_at(x, k);

		if (!add_to_all(x, &setting, NULL, err))
			return false;
	}
	return true;
}

static bool expand_listed(struct expansion *x, struct err *err)
{
	if (!check_count(x->profile->pair_count + x->by_class.count, x->profile->cell_count, err))
		return false;
	for (size_t i = 0; i < x->profile->cell_count; i++) {
		const struct listed_cell *listed = &x->profile->cells[i];
		struct setting setting = x->base;
		bool ok;

		setting_overlay(&setting, &listed->setting);
		ok = listed->has_pair ? add_pair(x, &listed->pair, &setting, listed, err)
		                      : add_to_all(x, &setting, listed, err);
		if (!ok)
			return false;
	}
	return true;
}

/* Pairs that listed cells bring along, each once. */
static size_t own_pairs(const struct profile *profile, const struct pair **out)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct pair *pair = &profile->cells[i].pair;
		size_t j = 0;

		if (!profile->cells[i].has_pair)
			continue;
		while (j < count &&
		       (out[j]->a.host != pair->a.host || out[j]->b.host != pair->b.host ||
		        out[j]->a.nic != pair->a.nic || out[j]->b.nic != pair->b.nic))
			j++;
		if (j == count)
			out[count++] = pair;
	}
	return count;
}

/*
 * All of the table that the listed cells span, on all their pairs; what is
 * listed is there already.
 */
static bool complete(struct expansion *x, struct err *err)
{
	struct arena *scratch = x->cells->scratch;
	const struct pair **own =
		arena_alloc(scratch, x->profile->cell_count, sizeof(const struct pair *));
	size_t own_count = own_pairs(x->profile, own);
	size_t listed = x->member_count;
	struct plan_table table;

	plan_table_init(&table, x->profile, &x->base, scratch);
	if (!check_count(own_count + x->profile->pair_count + x->by_class.count, table.count, err))
		return false;
	for (uint64_t k = 0; k < table.count; k++) {
		struct setting setting = plan_table_at(&table, k);

		if (!add_to_all(x, &setting, NULL, err))
			return false;
		for (size_t i = 0; i < own_count; i++) {
			struct err impossible; /* a driver of other pairs: no such cell */
			struct plan_ends ends;

			if (plan_pair_ends(x->reach, own[i], setting.driver, &ends, &impossible) &&
			    !add(x, ends, &setting, NULL, err))
				return false;
		}
	}
	x->completed = x->member_count - listed;
	return true;
}

/* ---- notes ---- */

static void keep_notes(const struct expansion *x)
{
	const struct plan_ends *left_out = &x->by_class.one_of_them;
	const char *name = x->profile->name;
	struct text note = {0};

	if (x->completed > 0) {
		text_printf(
			&note,
			"%s: %zu of %zu cells are added to complete the table of the listed ones",
			name, x->completed, x->member_count);
		plan_note_add(x->plan, &note);
	}
	if (x->by_class.unreachable > 0) {
		text_printf(&note,
		            "%s: %zu ordered pair%s left out, no route joins the segments: %s.%s "
		            "to %s.%s%s",
		            name, x->by_class.unreachable, plan_plural(x->by_class.unreachable),
		            left_out->a->host->name, left_out->a->name, left_out->b->host->name,
		            left_out->b->name, x->by_class.unreachable == 1 ? "" : " and others");
		plan_note_add(x->plan, &note);
	}
	if (x->above_mtu > 0) {
		text_printf(&note,
		            "%s: %zu cell%s above the max_mtu of a segment: MTU %" PRIu32
		            " on %s.%s in %s (%" PRIu32 ")%s",
		            name, x->above_mtu, plan_plural(x->above_mtu), x->above_bytes,
		            x->above_nic->host->name, x->above_nic->name,
		            x->above_nic->segment->name, x->above_nic->segment->max_mtu,
		            x->above_mtu == 1 ? "" : " and others");
		plan_note_add(x->plan, &note);
	}
	if (x->fragmented > 0) {
		text_printf(&note,
		            "%s: %zu cell%s with datagrams in fragments: %" PRIu64
		            " bytes at MTU %" PRIu32 ", where %" PRIu32 " fit%s",
		            name, x->fragmented, plan_plural(x->fragmented), x->fragmented_bytes,
		            x->fragmented_mtu, x->fragmented_fit,
		            x->fragmented == 1 ? "" : " and others");
		plan_note_add(x->plan, &note);
	}
	if (x->member_count == 0 && x->by_class.unreachable == 0) {
		text_printf(&note, "%s: no cells: nothing fits its classes and ends", name);
		plan_note_add(x->plan, &note);
	}
	text_done(&note);
}

/* ---- profiles ---- */

static bool expand_profile(struct expansion *x, struct err *err)
{
	const struct profile *profile = x->profile;
	const struct design *design = &x->plan->topology->design;

	x->base = plan_setting_base(design, &profile->fixed);
	x->repeats = profile->has_repeats ? profile->repeats.min : design->repeats.min;
	if (x->repeats == 0)
		x->repeats = 1;
	if (profile->classes != 0 &&
	    !plan_pairs_by_class(x->reach, profile, x->cells->scratch, &x->by_class, err))
		return false;
	if (profile->cell_count > 0 && !expand_listed(x, err))
		return false;
	if (profile->complete && !complete(x, err))
		return false;
	if (profile->cell_count == 0 || profile->axis_count > 0)
		return expand_grid(x, err);
	return true;
}

bool plan_expand(struct plan *plan, struct plan_cells *cells, struct err *err)
{
	struct plan_reach reach;

	plan_reach_init(&reach, plan->topology, cells->scratch);
	for (size_t i = 0; i < plan->profile_count; i++) {
		struct expansion x = {
			.plan = plan,
			.cells = cells,
			.reach = &reach,
			.profile = plan->profiles[i],
			.at = plan->profiles[i]->pos,
		};

		if (!expand_profile(&x, err)) {
			(void)err_prefix(err, "profile %s", x.profile->name);
			return x.at.line == 0 ? false
			                      : err_prefix(err, "%s:%u:%u", plan->topology->path,
			                                   x.at.line, x.at.column);
		}
		keep_notes(&x);
	}
	return true;
}
