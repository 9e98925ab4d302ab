/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "topology/cores.h"
#include "topology/topology_internal.h"

enum { LEVELS_MAX = 256 };

static const char offload_name[] = "offload";

/* ---- factors ---- */

static bool settings_are_equal(const struct setting *a, const struct setting *b)
{
	if (a->given != b->given)
		return false;
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((a->given >> f & 1) != 0 && !setting_same(a, b, (enum factor)f))
			return false;
	}
	return true;
}

/* The factor of that name; FACTOR_COUNT when there is none. */
static enum factor find_factor(const char *name)
{
	unsigned f = 0;

	while (f < FACTOR_COUNT && strcmp(setting_fields[f].key, name) != 0)
		f++;
	return (enum factor)f;
}

uint32_t setting_factor_bit(const char *name)
{
	enum factor factor = find_factor(name);

	return factor == FACTOR_COUNT ? 0 : 1u << factor;
}

static const struct node *level_in(const struct node *node, enum factor factor)
{
	const struct node *found = node_get(node, setting_fields[factor].key);

	for (size_t i = 0; found == NULL && i < node->count && node->kind == NODE_MAP; i++)
		found = level_in(node->entries[i].value, factor);
	return found;
}

struct src_pos setting_pos(const struct node *level, enum factor factor)
{
	const struct node *found = level->kind == NODE_MAP ? level_in(level, factor) : NULL;

	if (found == NULL && level->kind == NODE_MAP)
		found = node_get(level, offload_name);
	return found != NULL ? found->pos : level->pos;
}

/* One text for what is the same. */
static void make_canonical(const struct load *l, struct setting *s)
{
	s->driver = topology_driver_family(s->driver);
	s->affinity = cores_canonical(&l->topo->arena, s->affinity);
}

/* One level of a factor: `9000`, `default`, `on`. */
static bool load_level(struct load *l, enum factor factor, const struct node *node,
                       struct setting *out)
{
	const struct field *row = &setting_fields[factor];

	out->given |= 1u << factor;
	if (!field_load_value(&l->fields, row, node, out))
		return false;
	make_canonical(l, out);
	return true;
}

/* `offload: off` is short for both offloads. */
static bool load_offload_word(struct load *l, const struct node *node, struct setting *out)
{
	struct field row = setting_fields[FACTOR_LRO];

	row.key = offload_name;
	out->given |= 1u << FACTOR_LRO | 1u << FACTOR_TSO;
	if (!field_load_value(&l->fields, &row, node, out))
		return false;
	out->tso = out->lro;
	return true;
}

/* ---- bundles ---- */

/* The axis of that name whose levels are mappings, of the grid at hand or of `axes`. */
static const struct axis *find_axis(const struct load *l, const char *name)
{
	for (size_t i = 0; i < l->grid_count; i++) {
		if (strcmp(l->grid[i].name, name) == 0)
			return &l->grid[i];
	}
	return name_index_get(&l->axes.index, name);
}

struct bundle_context {
	struct load *l;
	struct setting taken; /* what bundles gave */
	uint32_t unread;      /* factors that bundles would have given */
};

/* Returns the factors that could not be read. */
static uint32_t load_bundle(struct load *l, const char *name, const struct node *value,
                            struct setting *out)
{
	const struct axis *axis = find_axis(l, name);
	char shown[NODE_SHOWN_BYTES];

	if (value->kind == NODE_MAP)
		return load_setting(l, value, NULL, out);
	if (strcmp(name, offload_name) == 0)
		return load_offload_word(l, value, out) ? 0 : out->given;
	if (value->kind != NODE_BAD)
		diag_error(l->diags, value->pos,
		           "`%s` is a bundle: write its factors as a mapping, not %s", name,
		           node_show(value, shown));
	return axis != NULL && axis->level_count > 0 ? axis->levels[0].given : 0;
}

/* Keys of a setting that are no factors: names of bundles. */
static bool take_bundle(void *arg, const struct node_entry *entry, struct suggestion *names)
{
	struct bundle_context *c = arg;
	struct load *l = c->l;
	const char *name = entry->key->text;
	struct setting level = {0};

	if (strcmp(name, offload_name) != 0 && find_axis(l, name) == NULL) {
		if (l->axes.is_broken) { /* it may be in there */
			diag_known(l->diags);
			return true;
		}
		suggest_try(names, offload_name);
		for (size_t i = 0; i < l->grid_count; i++)
			suggest_try(names, l->grid[i].name);
		for (size_t i = 0; i < l->axis_count; i++)
			suggest_try(names, l->axis_list[i].name);
		return false;
	}
	c->unread |= load_bundle(l, name, entry->value, &level);
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((c->taken.given & level.given & 1u << f) != 0)
			diag_error(l->diags, entry->key->pos,
			           "`%s` gives `%s`, which another bundle gives too", name,
			           setting_fields[f].key);
	}
	setting_overlay(&c->taken, &level);
	return true;
}

uint32_t load_setting(struct load *l, const struct node *map, struct field_part *extra,
                      struct setting *out)
{
	struct bundle_context bundles = {.l = l};
	struct field_loader fields = l->fields;
	struct field_part parts[2] = {{.rows = setting_fields, .out = out}};
	const uint32_t all = (1u << FACTOR_COUNT) - 1;
	uint32_t factors;

	if (extra != NULL)
		parts[1] = *extra;
	fields.other_key = take_bundle;
	fields.other_keys = "`offload` and the bundles in `axes`";
	fields.arg = &bundles;
	(void)field_load(&fields, map, parts, extra != NULL ? 2 : 1);
	if (extra != NULL)
		*extra = parts[1];
	factors = (uint32_t)(parts[0].given & all);
	make_canonical(l, out);
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((factors & bundles.taken.given & 1u << f) != 0)
			diag_error(l->diags, node_pos(map, setting_fields[f].key),
			           "`%s` is given twice: on its own and by a bundle",
			           setting_fields[f].key);
	}
	out->given |= factors;
	setting_overlay(out, &bundles.taken);
	/* A bad value elsewhere is as good as any other; a driver decides what can be checked. */
	if ((out->given >> FACTOR_DRIVER & 1) != 0 && out->driver == NULL)
		bundles.unread |= 1u << FACTOR_DRIVER;
	return bundles.unread | (uint32_t)(parts[0].meant & all);
}

/* ---- axes ---- */

/* *unread gets the factors of a level that could not be read. */
static bool load_axis_level(struct load *l, const struct axis *axis, const struct node *node,
                            struct setting *out, uint32_t *unread)
{
	enum factor factor = find_factor(axis->name);
	size_t before = l->diags->wrong;
	char shown[NODE_SHOWN_BYTES];

	if (factor != FACTOR_COUNT) {
		if (load_level(l, factor, node, out))
			return true;
		*unread |= out->given;
		return false;
	}
	if (node->kind == NODE_MAP || strcmp(axis->name, offload_name) == 0) {
		*unread |= load_bundle(l, axis->name, node, out);
		if (l->diags->wrong == before && out->given == 0)
			diag_error(l->diags, node->pos, "this level of `%s` sets nothing",
			           axis->name);
		return l->diags->wrong == before;
	}
	if (node->kind != NODE_BAD)
		diag_error(l->diags, node->pos,
		           "`%s` is no factor, so its levels are mappings such as "
		           "{ streams: 4, window: 4M }, not %s",
		           axis->name, node_show(node, shown));
	return false;
}

static void list_factors(uint32_t given, char *out, size_t room)
{
	out[0] = '\0';
	for (unsigned f = 0; f < FACTOR_COUNT; f++) {
		if ((given >> f & 1) == 0)
			continue;
		if (out[0] != '\0')
			strncat(out, ", ", room - strlen(out) - 1);
		strncat(out, setting_fields[f].key, room - strlen(out) - 1);
	}
}

/* Levels of one axis set the same factors, each to something else. */
static bool check_level(struct load *l, const struct axis *axis, const struct setting *level,
                        struct src_pos pos)
{
	char first[128], this[128];

	if (axis->level_count > 0 && axis->levels[0].given != level->given) {
		list_factors(axis->levels[0].given, first, sizeof(first));
		list_factors(level->given, this, sizeof(this));
		diag_error(
			l->diags, pos,
			"levels of `%s` must set the same factors: this one sets %s, the first one "
			"%s",
			axis->name, this, first);
		return false;
	}
	for (size_t i = 0; i < axis->level_count; i++) {
		if (!settings_are_equal(&axis->levels[i], level))
			continue;
		diag_error(l->diags, pos, "`%s` has this level already", axis->name);
		return false;
	}
	return true;
}

static bool load_levels(struct load *l, const struct node *value, struct axis *axis,
                        struct source_axis *source)
{
	struct node_items items = node_items(&value);
	size_t count = items.count;
	bool ok = true;

	if (count == 0 || count > LEVELS_MAX) {
		diag_error(l->diags, value->pos, "`%s` has %zu levels: 1 to %d are possible",
		           axis->name, count, LEVELS_MAX);
		return false;
	}
	axis->levels = arena_alloc(&l->topo->arena, count, sizeof(*axis->levels));
	source->levels = arena_alloc(&l->topo->arena, count, sizeof(*source->levels));
	for (size_t i = 0; i < count; i++) {
		struct setting level = {0};

		if (!load_axis_level(l, axis, items.at[i], &level, &source->unread) ||
		    !check_level(l, axis, &level, items.at[i]->pos)) {
			ok = false;
			continue;
		}
		source->levels[axis->level_count] = items.at[i];
		axis->levels[axis->level_count++] = level;
	}
	return ok;
}

/* Is a name fit for an axis? Bundles may have any name; a plain axis is a factor. */
static bool check_axis_name(struct load *l, const struct node_entry *entry,
                            struct source_axis *source)
{
	const struct node *value = entry->value;
	const struct node *first =
		value->kind == NODE_LIST && value->count > 0 ? value->items[0] : value;
	const char *name = entry->key->text;
	char shown[NODE_SHOWN_BYTES], meant[SUGGEST_TEXT_BYTES];
	struct suggestion names = suggest_for(name);

	if (find_factor(name) != FACTOR_COUNT || strcmp(name, offload_name) == 0)
		return true;
	if (first->kind == NODE_MAP || first->kind == NODE_BAD)
		return true;
	suggest_try(&names, offload_name);
	for (unsigned f = 0; f < FACTOR_COUNT; f++)
		suggest_try(&names, setting_fields[f].key);
	source->meant = names.best;
	source->unread = names.best != NULL ? setting_factor_bit(names.best) : 0;
	diag_error(l->diags, entry->key->pos, "unknown axis %s%s", node_show(entry->key, shown),
	           names.best != NULL
	                   ? suggest_text(&names, meant)
	                   : ": it is no factor, and its levels are no mappings of factors");
	return false;
}

bool load_axis(struct load *l, const struct node_entry *entry, struct axis *out,
               struct source_axis *source)
{
	if (!check_axis_name(l, entry, source))
		return false;
	out->pos = entry->key->pos;
	out->name = load_name(l, entry->key, TEXT_NAME, "axis");
	return load_levels(l, entry->value, out, source);
}

void load_axes(struct load *l, const struct node *section)
{
	struct topology *topo = l->topo;

	if (!load_want(l, root_fields, "axes", section, NODE_MAP))
		return;
	l->axis_list = arena_alloc(&topo->arena, section->count, sizeof(*l->axis_list));
	l->source_axes = arena_alloc(&topo->arena, section->count, sizeof(*l->source_axes));
	for (size_t i = 0; i < section->count; i++) {
		const struct node_entry *entry = &section->entries[i];
		struct axis *axis = &l->axis_list[l->axis_count];
		struct source_axis *source = &l->source_axes[l->axis_count];

		*source = (struct source_axis){0};
		(void)load_axis(l, entry, axis, source);
		/* One with bad levels, or with the name misspelled, is known all the same. */
		if (axis->name == NULL && source->meant != NULL &&
		    name_index_get(&l->axes.index, source->meant) == NULL &&
		    node_get(section, source->meant) == NULL)
			axis->name = source->meant;
		if (axis->name == NULL)
			continue;
		l->axis_count++;
		name_index_put(&l->axes.index, &topo->arena,
		               source->meant != NULL ? source->meant : entry->key->text, axis);
	}
}
