/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "common/sha256.h"
#include "topology/topology_internal.h"

enum { REPEATS_PRESET = 6 };

const char *load_name(struct load *l, const struct node *key, enum text_rule rule, const char *what)
{
	const char *problem = text_rule_problem(rule, key->text);
	char room[NODE_SHOWN_BYTES];
	const char *shown;

	if (problem == NULL)
		return key->text;
	shown = node_show(key, room);
	diag_error(l->diags, key->pos, "%s %s %s: write %s", what, shown, problem,
	           text_rule_wanted(rule));
	if (shown != room)
		return shown; /* "nothing" */
	/* without its quotation marks */
	return arena_strndup(&l->topo->arena, shown + 1, strlen(shown) - 2);
}

uint64_t load_fields(struct load *l, const struct field *rows, const struct node *map, void *out)
{
	struct field_part part = {.rows = rows, .out = out};

	(void)field_load(&l->fields, map, &part, 1);
	return part.given | part.meant;
}

bool load_said(const struct field *rows, uint64_t said, const char *key)
{
	return (said >> (field_find(rows, key) - rows) & 1) != 0;
}

bool load_want(struct load *l, const struct field *rows, const char *key, const struct node *node,
               enum node_kind kind)
{
	return field_want(&l->fields, node, kind, key, field_find(rows, key)->example);
}

const void *load_find(struct load *l, const struct named *named, const char *name,
                      struct src_pos pos)
{
	const struct name_index *index = &named->index;
	const void *found = name_index_get(index, name);
	const struct node written = {.kind = NODE_TEXT, .text = name};
	char shown[NODE_SHOWN_BYTES], meant[SUGGEST_TEXT_BYTES];
	struct suggestion names = suggest_for(name);

	if (found != NULL)
		return found;
	if (named->is_broken) {
		diag_known(l->diags);
		return NULL;
	}
	for (size_t i = 0; i < index->room && l->diags->errors < DIAG_MAX; i++) {
		if (index->slots[i].name != NULL)
			suggest_try(&names, index->slots[i].name);
	}
	if (names.best != NULL)
		diag_error(l->diags, pos, "unknown %s %s%s", named->what,
		           node_show(&written, shown), suggest_text(&names, meant));
	else
		diag_error(l->diags, pos, "unknown %s %s: add it to `%s`, or correct the name",
		           named->what, node_show(&written, shown), named->section);
	return NULL;
}

void load_repeats(struct load *l, const struct node *node, struct repeats *out)
{
	struct repeats r = *out;
	size_t before = l->diags->wrong;
	bool has_min, has_max;

	if (!load_want(l, design_fields, "repeats", node, NODE_MAP))
		return;
	(void)load_fields(l, repeats_fields, node, &r);
	if (l->diags->wrong != before)
		return; /* the limits that are known say nothing about each other */
	has_min = node_get(node, "min") != NULL;
	has_max = node_get(node, "max") != NULL;
	if (r.max < r.min && has_max && has_min)
		diag_error(l->diags, node_pos(node, "max"), "`max` %u is less than `min` %u", r.max,
		           r.min);
	else if (r.max < r.min && has_max)
		r.min = r.max;
	else if (r.max < r.min)
		r.max = r.min;
	*out = r;
	if (r.max > r.min && (has_max || node_get(node, "precision") != NULL))
		diag_note(l->diags, node_pos(node, has_max ? "max" : "precision"),
		          "`max` and `precision` of `repeats` are not yet supported: each cell is "
		          "measured `min` = %u times",
		          r.min);
}

/* "5201-5299" or "5201". */
static void load_ports(struct load *l, const struct node *node)
{
	char shown[NODE_SHOWN_BYTES], text[16] = "";
	uint64_t min = 0, max = 0;
	char *dash;
	bool ok;

	if (node->kind == NODE_TEXT)
		(void)snprintf(text, sizeof(text), "%s", node->text);
	dash = strchr(text, '-');
	if (dash != NULL)
		*dash = '\0';
	ok = units_parse(UNIT_COUNT, text, &min) &&
	     units_parse(UNIT_COUNT, dash != NULL ? dash + 1 : text, &max);
	if (!ok || min < 1 || max > UINT16_MAX) {
		if (node->kind != NODE_BAD)
			diag_error(l->diags, node->pos,
			           "`ports` must be a port or a range such as 5201-5299 within 1 "
			           "to 65535, not %s",
			           node_show(node, shown));
	} else if (min > max) {
		diag_error(l->diags, node->pos, "`ports`: the range %s ends before it begins",
		           node_show(node, shown));
	} else {
		l->topo->port_min = (uint16_t)min;
		l->topo->port_max = (uint16_t)max;
	}
}

static void load_defaults(struct load *l, const struct node *section)
{
	struct source_defaults d = {.engine = ENGINE_AUTO};

	if (!load_want(l, root_fields, "defaults", section, NODE_MAP))
		return;
	(void)load_fields(l, defaults_fields, section, &d);
	l->ssh = d.ssh;
	l->topo->engine = (enum engine)d.engine;
	if (d.ports != NULL)
		load_ports(l, d.ports);
}

static void load_design(struct load *l, const struct node *section)
{
	struct source_design d = {0};

	d.design.repeats = (struct repeats){.min = REPEATS_PRESET, .max = REPEATS_PRESET};
	if (!load_want(l, root_fields, "design", section, NODE_MAP)) {
		l->topo->design = d.design;
		return;
	}
	(void)load_fields(l, design_fields, section, &d);
	d.design.has_seed = node_get(section, "seed") != NULL;
	if (d.repeats != NULL)
		load_repeats(l, d.repeats, &d.design.repeats);
	if (d.sentinel != NULL && load_want(l, design_fields, "sentinel", d.sentinel, NODE_MAP)) {
		struct source_pair_entry sentinel = {0};
		struct pair pair;

		(void)load_fields(l, sentinel_fields, d.sentinel, &sentinel);
		if (sentinel.pair != NULL)
			(void)load_pair(l, sentinel.pair, &pair);
	}
	l->topo->design = d.design;
}

static void load_expect(struct load *l, const struct node *section)
{
	if (!load_want(l, root_fields, "expect", section, NODE_LIST))
		return;
	for (size_t i = 0; i < section->count; i++) {
		struct source_pair_entry entry = {0};
		struct pair pair;

		(void)load_fields(l, expect_fields, section->items[i], &entry);
		if (entry.pair != NULL)
			(void)load_pair(l, entry.pair, &pair);
	}
}

/* Keys that begin with x- are a place for anchors. */
static bool is_extension(void *arg, const struct node_entry *entry, struct suggestion *names)
{
	(void)arg;
	(void)names;
	return strncmp(entry->key->text, "x-", 2) == 0;
}

struct section {
	void (*load)(struct load *l, const struct node *section);
	size_t offset; /* in struct source_root */
	bool when_absent;
};

static void load_sections(struct load *l, const struct source_root *root, const struct node *empty,
                          const struct section *sections, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)root + sections[i].offset;
		const struct node *section = *(const struct node *const *)(const void *)at;

		if (section != NULL || sections[i].when_absent)
			sections[i].load(l, section != NULL ? section : empty);
	}
}

/* In the order in which sections refer to each other, not in that of the file. */
#define SECTION(name, when_absent)                                           \
	{                                                                    \
		load_##name, offsetof(struct source_root, name), when_absent \
	}
static const struct section lab_sections[] = {
	SECTION(defaults, true), SECTION(resources, false), SECTION(segments, false),
	SECTION(hosts, false),   SECTION(routes, false),    SECTION(groups, false),
};
static const struct section work_sections[] = {
	SECTION(design, true),
	SECTION(axes, false),
	SECTION(profiles, false),
	SECTION(expect, false),
};
#undef SECTION

/* Sections that are there but cannot be read: what they would hold is missing everywhere. */
static void note_broken_sections(struct load *l, const struct node *root, uint64_t said)
{
	struct named *const named[] = {&l->resources, &l->segments, &l->hosts, &l->groups,
	                               &l->axes};
	const struct node *routes = node_get(root, "routes");

	for (size_t i = 0; i < COUNT_OF(named); i++) {
		const char *key = named[i]->section;
		const struct node *section = node_get(root, key);

		if (load_said(root_fields, said, key) || field_find(root_fields, key)->required)
			named[i]->is_broken = section == NULL || section->kind != NODE_MAP;
	}
	if (load_said(root_fields, said, "routes"))
		l->routes_are_broken = routes == NULL || routes->kind != NODE_LIST;
}

/*
 * What another version means is not known: its number is told first, and nothing
 * else. False then.
 */
static bool check_version(struct load *l, const struct node *root)
{
	const struct field *row = field_find(root_fields, "version");
	const struct node *version = node_get(root, row->key);
	struct source_root ignored = {0};
	uint64_t number;

	if (version == NULL)
		return true;
	if (version->kind != NODE_TEXT || !units_parse(UNIT_COUNT, version->text, &number))
		return field_load_value(&l->fields, row, version, &ignored);
	if (strcmp(version->text, row->words[0].word) == 0)
		return true;
	diag_error(l->diags, version->pos,
	           "version %" PRIu64 " is not known to this vnm, which reads %s", number,
	           row->words[0].word);
	return false;
}

static void load_root(struct load *l, const struct node *node)
{
	struct source_root root = {0};
	struct node empty = {.kind = NODE_MAP, .pos = node->pos};
	struct field_part parts[] = {
		{.rows = root_fields, .out = &root},
		{.rows = topology_fields, .out = l->topo},
	};
	struct field_loader fields = l->fields;

	if (node->kind == NODE_MAP && !check_version(l, node))
		return;
	fields.other_key = is_extension;
	fields.other_keys = "those that begin with `x-`";
	if (!field_load(&fields, node, parts, COUNT_OF(parts)))
		return;
	l->topo->safety = root.safety;
	note_broken_sections(l, node, parts[0].given | parts[0].meant);
	load_sections(l, &root, &empty, lab_sections, COUNT_OF(lab_sections));
	check_lab(l);
	l->lab_is_broken = l->diags->errors > 0;
	load_sections(l, &root, &empty, work_sections, COUNT_OF(work_sections));
	check_profiles(l);
}

/* NOLINTNEXTLINE(readability-function-size): a text, its name and its length are three */
bool topology_load_text(const char *path, const char *text, size_t len, const char *home,
                        struct topology *out, struct diag_list *diags, struct err *err)
{
	struct load l = {
		.topo = out,
		.diags = diags,
		.resources = {.what = "resource", .section = "resources"},
		.segments = {.what = "segment", .section = "segments"},
		.hosts = {.what = "host", .section = "hosts"},
		.groups = {.what = "group", .section = "groups"},
		.axes = {.what = "axis", .section = "axes"},
	};
	const struct node *root;

	*out = (struct topology){0};
	out->path = arena_strndup(&out->arena, path, strlen(path));
	out->source = arena_strndup(&out->arena, text, len);
	out->source_len = len;
	sha256_of(text, len, out->source_sha256);
	l.fields = (struct field_loader){.arena = &out->arena, .diags = diags, .home = home};
	root = node_read(text, len, &out->arena, diags);
	if (root != NULL)
		load_root(&l, root);
	diag_sort(diags);
	if (diags->errors == 0)
		return true;
	return err_set(err, ERR_INPUT, "%s: %zu error%s", path, diags->errors,
	               diags->errors == 1 ? "" : "s");
}

bool topology_load(const char *path, const char *home, struct topology *out,
                   struct diag_list *diags, struct err *err)
{
	char *text;
	size_t len;
	bool ok;

	*out = (struct topology){0};
	if (!io_read_file(path, NODE_FILE_BYTES_MAX, &text, &len, err))
		return false;
	ok = topology_load_text(path, text, len, home, out, diags, err);
	free(text);
	return ok;
}

void topology_done(struct topology *topo)
{
	if (topo == NULL)
		return;
	arena_done(&topo->arena);
	*topo = (struct topology){0};
}
