/* SPDX-License-Identifier: MIT */
#include "config/node.h"

#include <stdio.h>
#include <string.h>

const struct node *node_get(const struct node *map, const char *key)
{
	return map == NULL ? NULL : name_index_get(&map->index, key);
}

struct node_items node_items(const struct node *const *node)
{
	if ((*node)->kind == NODE_LIST)
		return (struct node_items){(*node)->items, (*node)->count};
	return (struct node_items){node, 1};
}

struct src_pos node_pos(const struct node *map, const char *key)
{
	const struct node *value = node_get(map, key);

	return value != NULL ? value->pos : map->pos;
}

bool node_is_nothing(const struct node *node)
{
	return node->kind == NODE_TEXT && node->is_plain &&
	       (*node->text == '\0' || strcmp(node->text, "~") == 0 ||
	        strcmp(node->text, "null") == 0);
}

const char *node_show(const struct node *node, char out[NODE_SHOWN_BYTES])
{
	static const char *const kinds[] = {"", "a list", "a mapping", "something else"};
	size_t at = 0;
	const char *s = node->text;

	if (node->kind != NODE_TEXT)
		return kinds[node->kind];
	if (node_is_nothing(node))
		return "nothing";
	out[at++] = '`';
	/* Room for "...`" and NUL; no cut inside a UTF-8 character. */
	while (*s != '\0' && (at < NODE_SHOWN_BYTES - 9 || (*s & 0xc0) == 0x80)) {
		unsigned char c = (unsigned char)*s++;

		out[at++] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
	}
	(void)snprintf(out + at, NODE_SHOWN_BYTES - at, "%s`", *s != '\0' ? "..." : "");
	return out;
}
