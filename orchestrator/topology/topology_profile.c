/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/topology_internal.h"

/* ---- pairs ---- */

/* [a, b], or { pair: [a, b], class: c }. */
static bool load_pair_entry(struct load *l, const struct node *node, struct pair *out,
                            struct source_pair *source)
{
	struct source_pair_entry entry = {.pair = node, .expected_class = -1};

	if (node->kind == NODE_MAP) {
		entry.pair = NULL;
		(void)load_fields(l, pair_fields, node, &entry);
	}
	if (entry.pair == NULL || !load_pair(l, entry.pair, out))
		return false;
	source->node = entry.pair;
	source->expected_class = entry.expected_class;
	source->class_node = node_get(node, "class");
	return true;
}

static void load_pairs(struct load *l, struct profile *p, struct source_profile *source)
{
	if (!load_want(l, profile_fields, "pairs", source->pairs, NODE_LIST))
		return;
	p->pairs = arena_alloc(&l->topo->arena, source->pairs->count, sizeof(*p->pairs));
	source->pair_list =
		arena_alloc(&l->topo->arena, source->pairs->count, sizeof(*source->pair_list));
	for (size_t i = 0; i < source->pairs->count; i++) {
		if (load_pair_entry(l, source->pairs->items[i], &p->pairs[p->pair_count],
		                    &source->pair_list[p->pair_count]))
			p->pair_count++;
	}
}

/* ---- between ---- */

static size_t count_between(struct load *l, struct node_items items)
{
	size_t count = 0;

	for (size_t i = 0; i < items.count; i++) {
		const struct group *g =
			items.at[i]->kind == NODE_TEXT
				? name_index_get(&l->groups.index, items.at[i]->text)
				: NULL;

		count += g != NULL ? g->nic_count : 1;
	}
	return count;
}

/* Groups may overlap: every NIC is taken once. */
static void add_between(struct load *l, struct profile *p, struct name_index *taken,
                        const struct nic *nic)
{
	char key[2 * 64 + 2]; /* TEXT_NAME and TEXT_DEVICE are at most 64 bytes */

	(void)snprintf(key, sizeof(key), "%s.%s", nic->host->name, nic->name);
	if (name_index_get(taken, key) != NULL)
		return;
	name_index_put(taken, &l->topo->arena, arena_strndup(&l->topo->arena, key, strlen(key)),
	               nic);
	p->between[p->between_count++] = nic;
}

static void load_between(struct load *l, struct profile *p, const struct node *const *node)
{
	struct node_items items = node_items(node);
	struct name_index taken = {0};

	p->between = arena_alloc(&l->topo->arena, count_between(l, items), sizeof(*p->between));
	for (size_t i = 0; i < items.count; i++) {
		const struct node *item = items.at[i];
		const struct group *g = NULL;
		struct endpoint end;

		if (!field_want(&l->fields, item, NODE_TEXT, "between", NULL))
			continue;
		if (strpbrk(item->text, ".@:") == NULL)
			g = load_find(l, &l->groups, item->text, item->pos);
		else if (load_endpoint(l, item, &end) && end.nic != NULL)
			add_between(l, p, &taken, end.nic);
		for (size_t j = 0; g != NULL && j < g->nic_count; j++)
			add_between(l, p, &taken, g->nics[j]);
	}
}

/* ---- grid ---- */

/* `all`: the levels that `axes` gives. */
static bool take_all(struct load *l, const struct node_entry *entry, struct axis *out,
                     struct source_axis *source)
{
	const struct axis *axis = load_find(l, &l->axes, entry->key->text, entry->key->pos);

	if (axis == NULL) {
		source->unread = setting_factor_bit(entry->key->text);
		return false;
	}
	*out = *axis;
	out->pos = entry->key->pos;
	source->unread = l->source_axes[axis - l->axis_list].unread;
	source->levels = arena_alloc(&l->topo->arena, axis->level_count, sizeof(*source->levels));
	for (size_t i = 0; i < axis->level_count; i++)
		source->levels[i] = entry->value;
	return axis->level_count > 0;
}

static bool is_all(const struct node *value)
{
	return value->kind == NODE_TEXT && strcmp(value->text, "all") == 0;
}

static void load_grid(struct load *l, struct profile *p, struct source_profile *source)
{
	const struct node *grid = source->grid;

	if (!load_want(l, profile_fields, "grid", grid, NODE_MAP))
		return;
	if (grid->count == 0)
		diag_error(l->diags, grid->pos,
		           "`grid` is empty: name at least one axis, or remove it");
	p->grid = arena_alloc(&l->topo->arena, grid->count, sizeof(*p->grid));
	source->axes = arena_alloc(&l->topo->arena, grid->count, sizeof(*source->axes));
	for (size_t i = 0; i < grid->count; i++) {
		const struct node_entry *entry = &grid->entries[i];
		struct axis *axis = &p->grid[p->axis_count];
		struct source_axis places = {0};
		bool ok = is_all(entry->value) ? take_all(l, entry, axis, &places)
		                               : load_axis(l, entry, axis, &places);

		source->axes[p->axis_count] = places;
		source->unread |= places.unread;
		source->is_broken = source->is_broken || !ok;
		/* One with bad levels keeps its place: the next one must find an empty one. */
		if (axis->name != NULL)
			p->axis_count++;
	}
}

/* ---- cells and figures ---- */

static void load_cell(struct load *l, const struct node *node, struct listed_cell *out,
                      struct source_cell *source)
{
	struct source_listed_cell fields = {
		.cell = {.pos = node->pos,
	                 .published_bps = (double)NAN,
	                 .published_retransmits = -1},
		.expected_class = -1,
	};
	struct field_part extra = {.rows = cell_fields, .out = &fields};

	size_t before = l->diags->wrong;

	source->unread = load_setting(l, node, &extra, &fields.cell.setting);
	source->node = node;
	source->said = extra.given | extra.meant;
	if (fields.pair != NULL && load_pair(l, fields.pair, &fields.cell.pair))
		fields.cell.has_pair = true;
	source->pair = (struct source_pair){.node = fields.pair,
	                                    .expected_class = fields.expected_class,
	                                    .class_node = node_get(node, "class")};
	source->is_broken = l->diags->wrong != before;
	*out = fields.cell;
}

static void load_cells(struct load *l, struct profile *p, struct source_profile *source)
{
	if (!load_want(l, profile_fields, "cells", source->cells, NODE_LIST))
		return;
	p->cells = arena_alloc(&l->topo->arena, source->cells->count, sizeof(*p->cells));
	source->cell_list =
		arena_alloc(&l->topo->arena, source->cells->count, sizeof(*source->cell_list));
	for (size_t i = 0; i < source->cells->count; i++)
		load_cell(l, source->cells->items[i], &p->cells[p->cell_count++],
		          &source->cell_list[i]);
}

static void load_published(struct load *l, struct profile *p, struct source_profile *source)
{
	const struct node *list = source->published;

	if (!load_want(l, profile_fields, "published", list, NODE_LIST))
		return;
	p->published = arena_alloc(&l->topo->arena, list->count, sizeof(*p->published));
	source->published_where =
		arena_alloc(&l->topo->arena, list->count, sizeof(*source->published_where));
	for (size_t i = 0; i < list->count; i++) {
		struct source_figure fields = {.figure = {.pos = list->items[i]->pos,
		                                          .bps = (double)NAN,
		                                          .retransmits = -1}};

		size_t before = l->diags->wrong;
		uint64_t said = load_fields(l, figure_fields, list->items[i], &fields);

		if (fields.where == NULL ||
		    !load_want(l, figure_fields, "where", fields.where, NODE_MAP))
			continue;
		(void)load_setting(l, fields.where, NULL, &fields.figure.where);
		if (!load_said(figure_fields, said, "gbps") &&
		    !load_said(figure_fields, said, "retransmits"))
			diag_error(l->diags, list->items[i]->pos,
			           "this entry of `published` has no figure: give `gbps` or "
			           "`retransmits`");
		source->published_where[p->published_count] =
			(struct source_where){fields.where, l->diags->wrong != before};
		p->published[p->published_count++] = fields.figure;
	}
}

/* ---- profiles ---- */

static void load_profile(struct load *l, const struct node_entry *entry, struct profile *p,
                         struct source_profile *source)
{
	struct source_profile_fields fields = {.source.expected_class = -1};
	size_t before = l->diags->wrong;
	uint64_t said = load_fields(l, profile_fields, entry->value, &fields);

	*source = fields.source;
	source->said = said;
	source->node = entry->value;
	p->pos = entry->key->pos;
	p->name = load_name(l, entry->key, TEXT_NAME, "profile");
	p->classes = fields.classes;
	p->complete = fields.complete;
	p->is_search = node_get(entry->value, "search") != NULL;
	if (source->pairs != NULL)
		load_pairs(l, p, source);
	if (source->between != NULL)
		load_between(l, p, &source->between);
	if (source->grid != NULL)
		load_grid(l, p, source);
	l->grid = p->grid;
	l->grid_count = p->axis_count;
	if (source->fixed != NULL && load_want(l, profile_fields, "fixed", source->fixed, NODE_MAP))
		source->unread |= load_setting(l, source->fixed, NULL, &p->fixed);
	if (source->cells != NULL)
		load_cells(l, p, source);
	if (source->published != NULL)
		load_published(l, p, source);
	l->grid_count = 0;
	p->has_repeats = source->repeats != NULL;
	p->repeats = l->topo->design.repeats;
	if (source->repeats != NULL)
		load_repeats(l, source->repeats, &p->repeats);
	source->is_broken = source->is_broken || l->diags->wrong != before;
}

void load_profiles(struct load *l, const struct node *section)
{
	struct topology *topo = l->topo;

	if (!load_want(l, root_fields, "profiles", section, NODE_MAP))
		return;
	if (section->count == 0)
		diag_error(l->diags, section->pos, "`profiles` is empty");
	topo->profiles = arena_alloc(&topo->arena, section->count, sizeof(*topo->profiles));
	l->source_profiles = arena_alloc(&topo->arena, section->count, sizeof(*l->source_profiles));
	for (size_t i = 0; i < section->count; i++)
		load_profile(l, &section->entries[i], &topo->profiles[topo->profile_count++],
		             &l->source_profiles[i]);
}
