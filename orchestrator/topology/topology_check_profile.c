/* SPDX-License-Identifier: MIT */
/*
 * The rules within one profile: one function a rule. What its pairs are is
 * checked in topology_check_pairs.c.
 */
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "topology/topology_check.h"

/* ---- shape ---- */

bool check_said(const struct check *c, const char *key)
{
	return load_said(profile_fields, c->source->said, key);
}

static void check_shape(const struct check *c)
{
	const struct source_profile *s = c->source;
	const struct node *classes = node_get(s->node, "classes");
	struct diag_list *diags = c->l->diags;

	if (s->node->kind != NODE_MAP)
		return;
	if (!check_said(c, "pairs") && !check_said(c, "classes") && !check_said(c, "cells"))
		diag_error(diags, c->profile->pos,
		           "profile `%s` measures nothing: give it `pairs`, `classes` or `cells`",
		           c->profile->name);
	if (s->pairs != NULL && classes != NULL)
		diag_error(diags, classes->pos,
		           "`classes` and `pairs` (line %u) exclude each other",
		           s->pairs->pos.line);
	if (s->between != NULL && !check_said(c, "classes"))
		diag_error(
			diags, s->between->pos,
			"`between` needs `classes`: say which paths to measure, or `classes: all`");
	if (s->grid != NULL && s->cells != NULL)
		diag_error(diags, s->cells->pos,
		           "`cells` and `grid` (line %u) exclude each other: make two profiles",
		           s->grid->pos.line);
	if (c->profile->complete && !check_said(c, "cells"))
		diag_error(
			diags, node_pos(s->node, "complete"),
			"`complete` completes `cells`, and there are none: a `grid` is complete");
	if (s->expected_class >= 0 && classes != NULL)
		diag_error(diags, node_pos(s->node, "class"),
		           "`class` is for listed pairs: `classes` chooses pairs by their class");
}

static void check_lists(const struct check *c)
{
	const struct source_profile *s = c->source;
	const struct node *const lists[] = {s->pairs, s->cells, s->published};
	static const char *const names[] = {"pairs", "cells", "published"};

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		if (lists[i] != NULL && lists[i]->kind == NODE_LIST && lists[i]->count == 0)
			diag_error(c->l->diags, lists[i]->pos, "`%s` is empty", names[i]);
	}
	for (size_t i = 0; i < c->profile->cell_count; i++) {
		const struct source_pair *pair = &s->cell_list[i].pair;
		struct src_pos pos = c->profile->cells[i].pos;

		if (load_said(cell_fields, s->cell_list[i].said, "pair") ||
		    s->cell_list[i].node->kind != NODE_MAP)
			continue;
		if (!check_said(c, "pairs") && !check_said(c, "classes"))
			diag_error(c->l->diags, pos,
			           "this cell has no `pair`, and the profile has no `pairs`");
		if (pair->class_node != NULL)
			diag_error(c->l->diags, pair->class_node->pos,
			           "`class` of a cell is that of its own `pair`, and it has none");
	}
}

/* ---- a factor has one place ---- */

static void report_factor(const struct check *c, struct src_pos pos, unsigned factor,
                          const char *other, struct src_pos first)
{
	diag_error(c->l->diags, pos, "`%s` is set here and in %s (line %u): a factor has one place",
	           setting_fields[factor].key, other, first.line);
}

static void check_fixed(const struct check *c, const struct setting *setting,
                        const struct node *node)
{
	const struct profile *p = c->profile;

	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((setting->given & p->fixed.given & 1u << f) != 0)
			report_factor(c, setting_pos(node, (enum factor)f), f, "`fixed`",
			              setting_pos(c->source->fixed, (enum factor)f));
	}
}

static void check_factors(const struct check *c)
{
	const struct profile *p = c->profile;

	for (size_t i = 0; i < p->axis_count; i++) {
		if (p->grid[i].level_count == 0)
			continue;
		check_fixed(c, &p->grid[i].levels[0], c->source->axes[i].levels[0]);
		for (size_t j = 0; j < i; j++) {
			uint32_t both = p->grid[i].levels[0].given;

			if (p->grid[j].level_count == 0)
				continue;
			both &= p->grid[j].levels[0].given;
			for (unsigned f = 0; f < FACTOR_COUNT; f++) {
				if ((both >> f & 1) != 0)
					report_factor(c, p->grid[i].pos, f, "another axis",
					              p->grid[j].pos);
			}
		}
	}
	for (size_t i = 0; i < p->cell_count; i++)
		check_fixed(c, &p->cells[i].setting, c->source->cell_list[i].node);
}

/* ---- doubles ---- */

static void add_end(struct text *key, const struct endpoint *end)
{
	text_printf(key, "%s.%s ", end->host->name, end->nic != NULL ? end->nic->name : "");
}

static void add_setting(struct text *key, const struct setting *s)
{
	text_printf(key, "%x %u %llu %u %llu %d %s %d %d %u %u", s->given, s->mtu_bytes,
	            (unsigned long long)s->window_bytes, s->streams,
	            (unsigned long long)s->buffer_bytes, (int)s->direction,
	            s->driver != NULL ? s->driver : "", (int)s->lro, (int)s->tso, s->duration_ms,
	            s->omit_ms);
	text_printf(key, " %llu %d %d %d %llu %u %d %u %s %u %s %d %u",
	            (unsigned long long)s->bytes, (int)s->protocol, (int)s->mode, (int)s->zero_copy,
	            (unsigned long long)s->rate_bps, s->mss_bytes, s->no_delay, s->dscp,
	            s->congestion != NULL ? s->congestion : "", s->ip_version,
	            s->affinity != NULL ? s->affinity : "", s->bind_device, s->source_port);
}

/* Tells when the key was there before; `pos` lives as long as the profile. */
static void check_new(const struct check *c, struct name_index *seen, struct text *key,
                      const char *what, const struct src_pos *pos)
{
	const struct src_pos *first = name_index_get(seen, text_str(key));

	if (first != NULL)
		diag_error(c->l->diags, *pos, "this %s is there already (line %u)", what,
		           first->line);
	else
		name_index_put(seen, &c->l->topo->arena,
		               arena_strndup(&c->l->topo->arena, text_str(key), key->len), pos);
	text_clear(key);
}

static void check_doubles(const struct check *c)
{
	const struct profile *p = c->profile;
	struct name_index pairs = {0}, cells = {0}, figures = {0};
	struct text key = {0};

	for (size_t i = 0; i < p->pair_count; i++) {
		add_end(&key, &p->pairs[i].a);
		add_end(&key, &p->pairs[i].b);
		check_new(c, &pairs, &key, "pair", &p->pairs[i].pos);
	}
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct listed_cell *cell = &p->cells[i];

		if (c->source->cell_list[i].is_broken)
			continue;
		if (cell->has_pair) {
			add_end(&key, &cell->pair.a);
			add_end(&key, &cell->pair.b);
		}
		add_setting(&key, &cell->setting);
		check_new(c, &cells, &key, "cell", &cell->pos);
	}
	for (size_t i = 0; i < p->published_count; i++) {
		if (c->source->published_where[i].is_broken)
			continue;
		add_setting(&key, &p->published[i].where);
		check_new(c, &figures, &key, "`where`", &p->published[i].pos);
	}
	text_done(&key);
}

/* ---- published figures ---- */

/* What holds where a profile says nothing. */
static struct setting base_setting(const struct check *c)
{
	struct setting base = {
		.streams = 1,
		.duration_ms = c->l->topo->design.duration_ms,
		.omit_ms = c->l->topo->design.omit_ms,
	};

	setting_overlay(&base, &c->profile->fixed);
	return base;
}

static bool fits(const struct setting *where, const struct setting *setting, uint32_t factors)
{
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((where->given & factors & 1u << f) != 0 &&
		    !setting_same(where, setting, (enum factor)f))
			return false;
	}
	return true;
}

/* Axes vary independently: some level of each must fit, and the rest must fit what is fixed. */
static bool fits_grid(const struct check *c, const struct setting *where)
{
	const struct profile *p = c->profile;
	struct setting base = base_setting(c);
	uint32_t varied = 0;

	for (size_t i = 0; i < p->axis_count; i++) {
		bool found = p->grid[i].level_count == 0;

		for (size_t j = 0; j < p->grid[i].level_count && !found; j++)
			found = fits(where, &p->grid[i].levels[j], p->grid[i].levels[j].given);
		if (!found)
			return false;
		varied |= p->grid[i].level_count == 0 ? 0 : p->grid[i].levels[0].given;
	}
	return fits(where, &base, ~varied);
}

static bool fits_cells(const struct check *c, const struct setting *where)
{
	for (size_t i = 0; i < c->profile->cell_count; i++) {
		struct setting setting = base_setting(c);

		setting_overlay(&setting, &c->profile->cells[i].setting);
		if (fits(where, &setting, where->given))
			return true;
	}
	return c->profile->cell_count == 0;
}

/* The driver may be that of NICs which the pairs name, so that it is no factor of the profile. */
static bool fits_named_driver(const struct check *c, const char *driver)
{
	for (size_t i = 0; i < c->profile->pair_count; i++) {
		const struct nic *a = c->profile->pairs[i].a.nic, *b = c->profile->pairs[i].b.nic;

		if (a != NULL && b != NULL && a->driver != NULL && b->driver != NULL &&
		    strcmp(a->driver, driver) == 0 && strcmp(b->driver, driver) == 0)
			return true;
	}
	return false;
}

static bool fits_some_cell(const struct check *c, struct setting where)
{
	if ((where.given >> FACTOR_DRIVER & 1) != 0 && where.driver != NULL &&
	    fits_named_driver(c, where.driver))
		where.given &= ~(1u << FACTOR_DRIVER);
	return c->profile->cell_count > 0 ? fits_cells(c, &where) : fits_grid(c, &where);
}

static void check_published(const struct check *c)
{
	const struct profile *p = c->profile;

	for (size_t i = 0; i < p->published_count; i++) {
		const struct setting *where = &p->published[i].where;
		const struct node *node = c->source->published_where[i].node;
		bool told = false;

		if (c->source->is_broken || fits_some_cell(c, *where))
			continue;
		for (unsigned f = 0; f < FACTOR_COUNT; f++) {
			struct setting one = *where;

			one.given &= 1u << f;
			if (one.given == 0 || fits_some_cell(c, one))
				continue;
			told = true;
			diag_error(c->l->diags, setting_pos(node, (enum factor)f),
			           "`where` fits no cell: `%s` never has this level in `%s`",
			           setting_fields[f].key, p->name);
		}
		if (!told)
			diag_error(
				c->l->diags, node->pos,
				"`where` fits no cell: `%s` has no cell with all of these levels",
				p->name);
	}
}

void check_profiles(struct load *l)
{
	static void (*const rules[])(const struct check *c) = {
		check_shape,   check_lists, check_factors,   check_levels,
		check_doubles, check_pairs, check_published, check_classes,
	};

	if (l->topo->profile_count == 0)
		return;
	for (size_t i = 0; i < l->topo->profile_count; i++) {
		struct check c = {l, &l->topo->profiles[i], &l->source_profiles[i]};

		for (size_t j = 0; j < COUNT_OF(rules); j++)
			rules[j](&c);
	}
}
