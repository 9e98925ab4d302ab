/* SPDX-License-Identifier: MIT */
#include "config/field.h"

#include <string.h>

#include "common/text.h"
#include "config/field_range.h"

const struct field *field_find(const struct field *rows, const char *key)
{
	for (; rows->key != NULL; rows++) {
		if (strcmp(rows->key, key) == 0)
			return rows;
	}
	return NULL;
}

bool field_want(const struct field_loader *l, const struct node *node, enum node_kind kind,
                const char *what, const char *example)
{
	static const char *const kinds[] = {[NODE_TEXT] = "text",
	                                    [NODE_LIST] = "a list",
	                                    [NODE_MAP] = "a mapping",
	                                    [NODE_BAD] = ""};
	char shown[NODE_SHOWN_BYTES];

	if (node->kind == kind)
		return true;
	if (node->kind != NODE_BAD)
		diag_error(l->diags, node->pos, "`%s` must be %s%s%s%s, not %s", what, kinds[kind],
		           example != NULL ? " such as `" : "", example != NULL ? example : "",
		           example != NULL ? "`" : "", node_show(node, shown));
	return false;
}

/* `{ affinity: 0-3,6 }`: YAML takes the rest of the value for a key of its own. */
static bool is_rest_of_list(const struct node_entry *entry)
{
	return node_is_nothing(entry->value) && entry->key->text[0] != '\0' &&
	       strspn(entry->key->text, "0123456789-") == strlen(entry->key->text);
}

/* What would have been right: the nearest key, or all. */
static void report_unknown(const struct field_loader *l, const struct node_entry *entry,
                           const struct field_part *parts, size_t part_count,
                           struct suggestion *names)
{
	const struct node *key = entry->key;
	char shown[NODE_SHOWN_BYTES], meant[SUGGEST_TEXT_BYTES];
	struct text known = {0};

	if (l->diags->errors >= DIAG_MAX) { /* counted, but not kept: no need for a good text */
		diag_error(l->diags, key->pos, "unknown key");
		return;
	}
	if (is_rest_of_list(entry)) {
		diag_error(l->diags, key->pos,
		           "unknown key %s: a value with a comma stands in quotes between braces, "
		           "such as \"0-3,6\"",
		           node_show(key, shown));
		return;
	}
	for (size_t i = 0; i < part_count; i++) {
		for (const struct field *row = parts[i].rows; row->key != NULL; row++) {
			suggest_try(names, row->key);
			text_printf(&known, "%s%s", known.len > 0 ? ", " : "", row->key);
		}
	}
	if (names->best != NULL)
		diag_error(l->diags, key->pos, "unknown key %s%s", node_show(key, shown),
		           suggest_text(names, meant));
	else
		diag_error(l->diags, key->pos, "unknown key %s: the keys here are %s%s%s",
		           node_show(key, shown), text_str(&known),
		           l->other_keys != NULL ? " and " : "",
		           l->other_keys != NULL ? l->other_keys : "");
	text_done(&known);
}

/* All rows that are near, for the nearest may be another one. */
static void note_meant(struct field_part *parts, size_t part_count, const char *key)
{
	for (size_t i = 0; i < part_count; i++) {
		for (size_t row = 0; parts[i].rows[row].key != NULL; row++) {
			struct suggestion one = suggest_for(key);

			suggest_try(&one, parts[i].rows[row].key);
			if (one.best != NULL)
				parts[i].meant |= UINT64_C(1) << row;
		}
	}
}

static void load_entry(const struct field_loader *l, const struct node_entry *entry,
                       struct field_part *parts, size_t part_count)
{
	struct suggestion names = suggest_for(entry->key->text);

	for (size_t i = 0; i < part_count; i++) {
		const struct field *row = field_find(parts[i].rows, entry->key->text);

		if (row != NULL) {
			parts[i].given |= UINT64_C(1) << (row - parts[i].rows);
			(void)field_load_value(l, row, entry->value, parts[i].out);
			return;
		}
	}
	if (l->other_key == NULL || !l->other_key(l->arg, entry, &names)) {
		report_unknown(l, entry, parts, part_count, &names);
		note_meant(parts, part_count, entry->key->text);
	}
}

static void load_absent(const struct field_loader *l, const struct node *map,
                        const struct field *row, bool is_meant, void *out)
{
	char wanted[FIELD_RANGE_BYTES];
	struct node *made;

	if (row->required && !is_meant)
		diag_error(l->diags, map->pos, "`%s` is missing: it must be %s", row->key,
		           field_wanted(row, wanted));
	if (l->skips_presets || row->offset == FIELD_NOWHERE)
		return;
	if (row->kind != FIELD_MAP && row->preset == NULL)
		return;
	made = arena_alloc(l->arena, 1, sizeof(*made));
	*made = (struct node){.pos = map->pos, .is_plain = true, .text = row->preset};
	if (row->kind == FIELD_MAP) {
		struct field_part part = {.rows = row->rows, .out = (char *)out + row->offset};

		made->kind = NODE_MAP;
		(void)field_load(l, made, &part, 1);
	} else {
		(void)field_load_value(l, row, made, out);
	}
}

bool field_load(const struct field_loader *l, const struct node *map, struct field_part *parts,
                size_t part_count)
{
	if (map->kind != NODE_MAP) {
		char shown[NODE_SHOWN_BYTES];

		if (map->kind != NODE_BAD)
			diag_error(l->diags, map->pos, "expected a mapping (`key: value`), not %s",
			           node_show(map, shown));
		return false;
	}
	for (size_t i = 0; i < map->count; i++)
		load_entry(l, &map->entries[i], parts, part_count);
	for (size_t i = 0; i < part_count; i++) {
		for (size_t row = 0; parts[i].rows[row].key != NULL; row++) {
			if ((parts[i].given >> row & 1) == 0)
				load_absent(l, map, &parts[i].rows[row],
				            (parts[i].meant >> row & 1) != 0, parts[i].out);
		}
	}
	return true;
}
