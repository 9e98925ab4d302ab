/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <yaml.h>

#include "config/node.h"

enum { MERGES_MAX = 16 };

struct anchor {
	const char *name;
	const struct node *node;
	size_t weight; /* nodes that it stands for */
	bool is_open;  /* its node is still being read */
};

struct reader {
	yaml_parser_t parser;
	const char *text; /* what the parser reads: without a byte order mark */
	size_t len;
	struct arena *arena;
	struct diag_list *diags;
	struct name_index anchors;
	size_t nodes;
};

static struct src_pos pos_of(yaml_mark_t mark)
{
	return (struct src_pos){(unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* libyaml gives the place of a bad byte as an offset only. */
static struct src_pos pos_of_offset(const struct reader *r, size_t offset)
{
	struct src_pos pos = {1, 1};

	for (size_t i = 0; i < offset && i < r->len; i++) {
		if (r->text[i] == '\n') {
			pos.line++;
			pos.column = 1;
		} else if ((r->text[i] & 0xc0) != 0x80) {
			pos.column++;
		}
	}
	return pos;
}

static bool fail_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem != NULL ? p->problem : "this is not YAML";

	if (p->error == YAML_READER_ERROR) {
		struct src_pos pos = pos_of_offset(r, p->problem_offset);

		if (p->problem_value < 0)
			diag_error(r->diags, pos, "%s: the file must be UTF-8 text", problem);
		else
			diag_error(r->diags, pos, "%s (0x%02x): the file must be UTF-8 text",
			           problem, (unsigned)p->problem_value);
	} else if (p->context != NULL && p->context_mark.line != p->problem_mark.line) {
		diag_error(r->diags, pos_of(p->problem_mark), "%s (%s that starts at line %u)",
		           problem, p->context, pos_of(p->context_mark).line);
	} else {
		diag_error(r->diags, pos_of(p->problem_mark), "%s", problem);
	}
	return false;
}

static bool next(struct reader *r, yaml_event_t *event)
{
	return yaml_parser_parse(&r->parser, event) != 0 || fail_syntax(r);
}

static bool count_nodes(struct reader *r, size_t more, struct src_pos pos)
{
	if (more > NODE_COUNT_MAX - r->nodes) {
		diag_error(r->diags, pos, "more than %d values with aliases counted",
		           NODE_COUNT_MAX);
		return false;
	}
	r->nodes += more;
	return true;
}

static struct node *new_node(struct reader *r, enum node_kind kind, struct src_pos pos)
{
	struct node *node = arena_alloc(r->arena, 1, sizeof(*node));

	node->kind = kind;
	node->pos = pos;
	return node;
}

/* Room for one more element behind the count there are; doubles at powers of two. */
static void *with_room(struct reader *r, void *array, size_t count, size_t size)
{
	void *bigger;

	if ((count & (count - 1)) != 0)
		return array;
	bigger = arena_alloc(r->arena, count == 0 ? 1 : count * 2, size);
	if (count != 0)
		memcpy(bigger, array, count * size);
	return bigger;
}

static void add_entry(struct reader *r, struct node *map, const struct node *key,
                      const struct node *value)
{
	map->entries = with_room(r, map->entries, map->count, sizeof(*map->entries));
	map->entries[map->count++] = (struct node_entry){key, value};
	name_index_put(&map->index, r->arena, key->text, value);
}

static const struct node *resolve_alias(struct reader *r, const char *name, struct src_pos pos)
{
	const struct anchor *anchor = name_index_get(&r->anchors, name);

	if (anchor == NULL) {
		diag_error(r->diags, pos, "alias `*%.40s` has no anchor above it", name);
		return new_node(r, NODE_BAD, pos);
	}
	if (anchor->is_open) {
		diag_error(r->diags, pos, "alias `*%.40s` is inside its own anchor (line %u)", name,
		           anchor->node->pos.line);
		return new_node(r, NODE_BAD, pos);
	}
	return count_nodes(r, anchor->weight, pos) ? anchor->node : NULL;
}

static const struct node *build(struct reader *r, yaml_event_t *event, unsigned depth);

/* The next node, or *at_end when the list or map ends. NULL: cannot go on. */
static const struct node *build_next(struct reader *r, unsigned depth, bool *at_end)
{
	yaml_event_t event;

	*at_end = false;
	if (!next(r, &event))
		return NULL;
	if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
		yaml_event_delete(&event);
		*at_end = true;
		return NULL;
	}
	return build(r, &event, depth);
}

static bool fill_list(struct reader *r, struct node *list, unsigned depth)
{
	for (;;) {
		bool at_end;
		const struct node *item = build_next(r, depth, &at_end);

		if (item == NULL)
			return at_end;
		list->items = with_room(r, list->items, list->count, sizeof(*list->items));
		list->items[list->count++] = item;
	}
}

/* The mappings behind a `<<`: own keys win over merged ones, earlier merges over later ones. */
static void merge(struct reader *r, struct node *map, const struct node *key,
                  const struct node *value)
{
	const struct node *const *sources = &value;
	size_t source_count = 1;

	if (value->kind == NODE_LIST) {
		sources = value->items;
		source_count = value->count;
	}
	for (size_t i = 0; i < source_count; i++) {
		const struct node *source = sources[i];

		if (source->kind != NODE_MAP && source->kind != NODE_BAD)
			diag_error(r->diags, key->pos,
			           "`<<` takes a mapping or a list of mappings");
		for (size_t j = 0; source->kind == NODE_MAP && j < source->count; j++) {
			const struct node_entry *e = &source->entries[j];

			if (name_index_get(&map->index, e->key->text) == NULL)
				add_entry(r, map, e->key, e->value);
		}
	}
}

static void report_twice(struct reader *r, const struct node *key, const struct node *first)
{
	char shown[NODE_SHOWN_BYTES];

	diag_error(r->diags, key->pos, "key %s is given twice (first at line %u)",
	           node_show(key, shown), first->pos.line);
}

/* True when the map has no such key yet. Searching for the first one is for the message only. */
static bool is_new_key(struct reader *r, const struct node *map, const struct node *key)
{
	if (name_index_get(&map->index, key->text) == NULL)
		return true;
	for (size_t i = 0; i < map->count && r->diags->errors < DIAG_MAX; i++) {
		if (strcmp(map->entries[i].key->text, key->text) == 0) {
			report_twice(r, key, map->entries[i].key);
			break;
		}
	}
	return false;
}

static bool fill_map(struct reader *r, struct node *map, unsigned depth)
{
	struct node_entry merged = {0};

	for (;;) {
		char shown[NODE_SHOWN_BYTES];
		bool at_end;
		const struct node *key = build_next(r, depth, &at_end);
		const struct node *value;

		if (at_end)
			break;
		value = key == NULL ? NULL : build_next(r, depth, &at_end);
		if (value == NULL)
			return false;
		if (key->kind != NODE_TEXT) {
			diag_error(r->diags, key->pos, "a key must be a word, not %s",
			           node_show(key, shown));
		} else if (!key->is_plain || strcmp(key->text, "<<") != 0) {
			if (is_new_key(r, map, key))
				add_entry(r, map, key, value);
		} else if (merged.key != NULL) {
			report_twice(r, key, merged.key);
		} else {
			merged = (struct node_entry){key, value};
		}
	}
	if (merged.key != NULL)
		merge(r, map, merged.key, merged.value);
	return true;
}

static bool fill(struct reader *r, struct node *node, unsigned depth)
{
	switch (node->kind) {
	case NODE_LIST:
		return fill_list(r, node, depth);
	case NODE_MAP:
		return fill_map(r, node, depth);
	case NODE_TEXT:
	case NODE_BAD:
		break;
	}
	return true;
}

/* A node without its content, and the anchor and tag that stand before it. */
static struct node *begin_node(struct reader *r, const yaml_event_t *event, const char **anchor,
                               const char **tag)
{
	struct src_pos pos = pos_of(event->start_mark);
	struct node *node;

	if (event->type == YAML_SEQUENCE_START_EVENT) {
		*anchor = (const char *)event->data.sequence_start.anchor;
		*tag = (const char *)event->data.sequence_start.tag;
		return new_node(r, NODE_LIST, pos);
	}
	if (event->type == YAML_MAPPING_START_EVENT) {
		*anchor = (const char *)event->data.mapping_start.anchor;
		*tag = (const char *)event->data.mapping_start.tag;
		return new_node(r, NODE_MAP, pos);
	}
	*anchor = (const char *)event->data.scalar.anchor;
	*tag = (const char *)event->data.scalar.tag;
	node = new_node(r, NODE_TEXT, pos);
	node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->text = arena_strndup(r->arena, (const char *)event->data.scalar.value,
	                           event->data.scalar.length);
	if (strlen(node->text) != event->data.scalar.length) {
		diag_error(r->diags, pos, "a NUL character inside a text");
		node->kind = NODE_BAD;
	}
	return node;
}

static struct anchor *open_anchor(struct reader *r, const struct node *node, const char *name)
{
	struct anchor *anchor = arena_alloc(r->arena, 1, sizeof(*anchor));

	anchor->name = arena_strndup(r->arena, name, strlen(name));
	anchor->node = node;
	anchor->is_open = true;
	name_index_put(&r->anchors, r->arena, anchor->name, anchor);
	return anchor;
}

/* The node that begins with the event; the event is released. NULL: cannot go on. */
static const struct node *build(struct reader *r, yaml_event_t *event, unsigned depth)
{
	struct src_pos pos = pos_of(event->start_mark);
	struct anchor *anchor = NULL;
	const struct node *aliased;
	struct node *node = NULL;
	size_t before = r->nodes;
	const char *name, *tag;

	if (depth >= NODE_DEPTH_MAX &&
	    (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)) {
		diag_error(r->diags, pos, "nested deeper than %d levels", NODE_DEPTH_MAX);
	} else if (event->type == YAML_ALIAS_EVENT) {
		aliased = resolve_alias(r, (const char *)event->data.alias.anchor, pos);
		yaml_event_delete(event);
		return aliased;
	} else if (count_nodes(r, 1, pos)) {
		node = begin_node(r, event, &name, &tag);
		if (tag != NULL)
			diag_error(r->diags, pos, "tags such as %.40s are not used here", tag);
		if (name != NULL)
			anchor = open_anchor(r, node, name);
	}
	yaml_event_delete(event);
	if (node == NULL || !fill(r, node, depth + 1))
		return NULL;
	if (anchor != NULL) {
		anchor->is_open = false;
		anchor->weight = r->nodes - before;
	}
	return node;
}

/* The whole stream: one document. */
static const struct node *build_stream(struct reader *r)
{
	const struct node *root = NULL;
	yaml_event_type_t type;
	yaml_event_t event;

	do {
		if (!next(r, &event))
			return NULL;
		type = event.type;
		if (root != NULL && type == YAML_DOCUMENT_START_EVENT) {
			diag_error(r->diags, pos_of(event.start_mark),
			           "a second document begins here: only one is read");
			yaml_event_delete(&event);
			return root;
		}
		if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
		    type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT) {
			root = build(r, &event, 0);
			if (root == NULL)
				return NULL;
		} else {
			yaml_event_delete(&event);
		}
	} while (type != YAML_STREAM_END_EVENT);
	if (root == NULL)
		diag_error(r->diags, (struct src_pos){1, 1}, "the file is empty");
	return root;
}

const struct node *node_read(const char *text, size_t len, struct arena *arena,
                             struct diag_list *diags)
{
	static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark: Windows editors */
	struct reader r = {.text = text, .len = len, .arena = arena, .diags = diags};
	const struct node *root;

	if (len > NODE_FILE_BYTES_MAX) {
		diag_error(diags, (struct src_pos){1, 1}, "more than %zu bytes",
		           NODE_FILE_BYTES_MAX);
		return NULL;
	}
	if (len >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0) {
		r.text += sizeof(mark) - 1;
		r.len -= sizeof(mark) - 1;
	}
	if (yaml_parser_initialize(&r.parser) == 0) {
		diag_error(diags, (struct src_pos){1, 1}, "out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.len);
	root = build_stream(&r);
	yaml_parser_delete(&r.parser);
	return root;
}
