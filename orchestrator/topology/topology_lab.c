/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "topology/topology_internal.h"

void load_resources(struct load *l, const struct node *section)
{
	struct topology *topo = l->topo;

	if (!load_want(l, root_fields, "resources", section, NODE_MAP))
		return;
	topo->resources = arena_alloc(&topo->arena, section->count, sizeof(*topo->resources));
	l->source_resources =
		arena_alloc(&topo->arena, section->count, sizeof(*l->source_resources));
	for (size_t i = 0; i < section->count; i++) {
		const struct node_entry *entry = &section->entries[i];
		struct resource *r = &topo->resources[topo->resource_count++];
		struct source_resource_fields fields = {.kind = -1};

		(void)load_fields(l, resource_fields, entry->value, &fields);
		*r = fields.resource;
		r->kind = fields.kind < 0 ? RESOURCE_LINK : (enum resource_kind)fields.kind;
		r->pos = entry->key->pos;
		r->name = load_name(l, entry->key, TEXT_NAME, "resource");
		l->source_resources[i] = (struct source_resource){entry->value, fields.kind >= 0};
		name_index_put(&l->resources.index, &topo->arena, entry->key->text, r);
	}
}

void load_segments(struct load *l, const struct node *section)
{
	struct topology *topo = l->topo;

	if (!load_want(l, root_fields, "segments", section, NODE_MAP))
		return;
	topo->segments = arena_alloc(&topo->arena, section->count, sizeof(*topo->segments));
	l->source_segments = arena_alloc(&topo->arena, section->count, sizeof(*l->source_segments));
	for (size_t i = 0; i < section->count; i++) {
		const struct node_entry *entry = &section->entries[i];
		struct segment *s = &topo->segments[topo->segment_count++];
		char shown[NODE_SHOWN_BYTES];
		const char *problem = NULL;

		s->pos = entry->key->pos;
		s->name = load_name(l, entry->key, TEXT_NAME, "segment");
		l->source_segments[i].node = entry->value;
		(void)load_fields(l, segment_fields, entry->value, s);
		if (s->subnet != NULL)
			problem = subnet_parse(s->subnet, &l->source_segments[i].subnet);
		if (problem != NULL)
			diag_error(l->diags, node_pos(entry->value, "subnet"), "`subnet`: %s %s",
			           node_show(node_get(entry->value, "subnet"), shown), problem);
		name_index_put(&l->segments.index, &topo->arena, entry->key->text, s);
	}
}

static bool is_listed(const struct resource *const *list, size_t count, const struct resource *r)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == r)
			return true;
	}
	return false;
}

const struct resource **load_uses(struct load *l, const struct text_list *names, size_t *count)
{
	const struct resource **list = arena_alloc(&l->topo->arena, names->count, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct src_pos pos = names->nodes[i]->pos;
		const struct resource *r = load_find(l, &l->resources, names->at[i], pos);

		if (r == NULL)
			continue;
		if (is_listed(list, n, r))
			diag_error(l->diags, pos, "resource `%s` is listed twice", r->name);
		else
			list[n++] = r;
	}
	*count = n;
	return list;
}

static const struct segment *route_end(struct load *l, const struct node *node)
{
	if (!field_want(&l->fields, node, NODE_TEXT, "between", NULL))
		return NULL;
	return load_find(l, &l->segments, node->text, node->pos);
}

static void load_route(struct load *l, const struct node *node)
{
	struct topology *topo = l->topo;
	struct source_route source = {.route.pos = node->pos};
	struct route *r = &source.route;

	(void)load_fields(l, route_fields, node, &source);
	if (source.between == NULL ||
	    !load_want(l, route_fields, "between", source.between, NODE_LIST))
		return;
	if (source.between->count != 2) {
		diag_error(l->diags, source.between->pos,
		           "`between` of a route takes two segments, not %zu: write a route for "
		           "each pair of segments",
		           source.between->count);
		return;
	}
	r->a = route_end(l, source.between->items[0]);
	r->b = route_end(l, source.between->items[1]);
	if (r->a == NULL || r->b == NULL)
		return;
	if (r->a == r->b) {
		diag_error(l->diags, source.between->pos,
		           "a route from `%s` to itself: NICs of one segment need none",
		           r->a->name);
		return;
	}
	for (size_t i = 0; i < topo->route_count; i++) {
		const struct route *other = &topo->routes[i];

		if ((other->a == r->a && other->b == r->b) ||
		    (other->a == r->b && other->b == r->a)) {
			diag_error(l->diags, source.between->pos,
			           "a second route between `%s` and `%s` (first at line %u)",
			           r->a->name, r->b->name, other->pos.line);
			return;
		}
	}
	topo->routes[topo->route_count++] = *r;
}

void load_routes(struct load *l, const struct node *section)
{
	size_t before = l->diags->wrong;

	if (!load_want(l, root_fields, "routes", section, NODE_LIST))
		return;
	l->topo->routes = arena_alloc(&l->topo->arena, section->count, sizeof(*l->topo->routes));
	for (size_t i = 0; i < section->count; i++)
		load_route(l, section->items[i]);
	l->routes_are_broken = l->diags->wrong != before;
}

static void load_group(struct load *l, const struct node *members, struct group *g)
{
	struct node_items items = node_items(&members);

	g->nics = arena_alloc(&l->topo->arena, items.count, sizeof(*g->nics));
	for (size_t i = 0; i < items.count; i++) {
		struct endpoint end;

		if (!load_endpoint(l, items.at[i], &end))
			continue;
		if (end.nic == NULL)
			diag_error(l->diags, items.at[i]->pos,
			           "`%s` names no NIC: a group takes HOST.NIC", end.host->name);
		else
			g->nics[g->nic_count++] = end.nic;
	}
}

void load_groups(struct load *l, const struct node *section)
{
	if (!load_want(l, root_fields, "groups", section, NODE_MAP))
		return;
	l->group_list = arena_alloc(&l->topo->arena, section->count, sizeof(*l->group_list));
	for (size_t i = 0; i < section->count; i++) {
		const struct node_entry *entry = &section->entries[i];
		struct group *g = &l->group_list[l->group_count++];

		g->name = load_name(l, entry->key, TEXT_NAME, "group");
		load_group(l, entry->value, g);
		name_index_put(&l->groups.index, &l->topo->arena, entry->key->text, g);
	}
}
