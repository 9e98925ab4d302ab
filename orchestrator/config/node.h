/* SPDX-License-Identifier: MIT */
/*
 * node.h - a YAML file as a tree, every node with its line and column.
 *
 * Nothing is interpreted: a scalar is text, and the kind of the key that it
 * belongs to decides what `on` or `64K` means. Anchors, aliases and `<<` merges
 * are resolved; an aliased node keeps the place where it is written. The tree
 * lies in the arena and is read-only once it is made.
 */
#ifndef CONFIG_NODE_H
#define CONFIG_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/attr.h"
#include "config/diag.h"
#include "config/name_index.h"

#define NODE_FILE_BYTES_MAX ((size_t)1 << 20)
#define NODE_DEPTH_MAX      32
#define NODE_COUNT_MAX      200000 /* an alias counts as what it stands for */

enum node_kind {
	NODE_TEXT,
	NODE_LIST,
	NODE_MAP,
	NODE_BAD /* has been reported; to be passed over in silence */
};

struct node;

struct node_entry {
	const struct node *key; /* NODE_TEXT */
	const struct node *value;
};

struct node {
	enum node_kind kind;
	struct src_pos pos;
	bool is_plain;              /* NODE_TEXT: written without quotes */
	const char *text;           /* NODE_TEXT: UTF-8 without NUL */
	const struct node **items;  /* NODE_LIST: count of them */
	struct node_entry *entries; /* NODE_MAP: count of them, no key twice; merged ones last */
	size_t count;
	struct name_index index; /* NODE_MAP: values by key */
};

/*
 * Reads one YAML document. NULL when there is no tree to work with. Problems
 * are in diags in both cases: bad syntax, bad UTF-8, more than the limits above
 * allow, a key given twice, tags, aliases without anchor.
 */
const struct node *node_read(const char *text, size_t len, struct arena *arena,
                             struct diag_list *diags) NODISCARD;

/* The items of a list, or the one item that stands without brackets. */
struct node_items {
	const struct node *const *at;
	size_t count;
};

/* `*node` must stay where it is while the items are used. */
struct node_items node_items(const struct node *const *node);

/* The value of a key of a map, NULL when it is not there (or map is NULL or no map). */
const struct node *node_get(const struct node *map, const char *key);

/* Where the value of a key stands; where the map stands when the key is not there. */
struct src_pos node_pos(const struct node *map, const char *key);

/* True for an empty scalar, `~` and `null` without quotes. */
bool node_is_nothing(const struct node *node);

#define NODE_SHOWN_BYTES 64

/* What stands there, for a message: "`64Q`", "a list", "nothing". Long texts are cut, characters
 * that could disturb a terminal are shown as `?`. */
const char *node_show(const struct node *node, char out[NODE_SHOWN_BYTES]);

#endif
