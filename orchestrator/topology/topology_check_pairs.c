/* SPDX-License-Identifier: MIT */
/* The rules about what the pairs of a profile are. */
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "topology/topology_check.h"

/* ---- one pair ---- */

static struct nic stand_in(const struct endpoint *end)
{
	return (struct nic){.name = "", .host = end->host};
}

static void describe_end(const struct endpoint *end, char *out, size_t room)
{
	if (end->nic != NULL)
		(void)snprintf(out, room, "%s.%s", end->host->name, end->nic->name);
	else
		(void)snprintf(out, room, "%s", end->host->name);
}

static const struct source_host *source_of(const struct load *l, const struct host *h)
{
	return &l->source_hosts[h - l->topo->hosts];
}

/* Is it known what the host is, and of a machine where it runs? Otherwise it was told. */
static bool is_placed(const struct load *l, const struct host *h)
{
	if (!source_of(l, h)->has_kind)
		return false;
	return h->kind != HOST_VM || (h->runs_on != NULL && h->runs_on->kind == HOST_ESXI);
}

static bool has_address(const struct nic *nic)
{
	return topology_nic_address(nic, 0) != NULL;
}

/* The NIC has no address at all, and that was not told yet. */
static bool lacks_ip(const struct load *l, const struct nic *nic)
{
	const struct source_nic *source = &source_of(l, nic->host)->nics[nic - nic->host->nics];

	return !has_address(nic) && source->node->kind == NODE_MAP &&
	       !load_said(nic_fields, source->said, "ip") &&
	       !load_said(nic_fields, source->said, "ip6");
}

static bool hides_nics(const struct load *l, const struct host *h)
{
	const struct source_host *source = source_of(l, h);
	bool hides = source->hides_nics;

	for (size_t i = 0; i < h->nic_count; i++)
		hides = hides || source->nics[i].is_broken;
	return hides;
}

/* The class is known from the hosts alone. */
static void check_expected(const struct check *c, const struct pair *pair, int expected,
                           const struct node *class_node)
{
	struct nic a = stand_in(&pair->a), b = stand_in(&pair->b);
	char a_name[132], b_name[132];
	enum path_class actual;

	if (expected < 0 || !is_placed(c->l, pair->a.host) || !is_placed(c->l, pair->b.host))
		return;
	actual = topology_path_class(&a, &b);
	if ((int)actual == expected)
		return;
	describe_end(&pair->a, a_name, sizeof(a_name));
	describe_end(&pair->b, b_name, sizeof(b_name));
	diag_error(c->l->diags, class_node->pos,
	           "`class` says %s, but %s (%s) to %s (%s) is %s (line %u)",
	           path_class_names[expected], a_name, host_kind_names[pair->a.host->kind], b_name,
	           host_kind_names[pair->b.host->kind], path_class_names[actual], pair->pos.line);
}

static void report_no_driver_nic(const struct check *c, const struct host *host,
                                 const struct demand *d)
{
	struct text list = {0};
	size_t count = 0, same = 0;

	for (size_t i = 0; i < host->nic_count; i++) {
		const struct nic *nic = &host->nics[i];

		if (nic->role != NIC_TEST || nic->driver == NULL)
			continue;
		same += strcmp(nic->driver, d->driver) == 0;
		text_printf(&list, "%s%s (%s)", count++ > 0 ? ", " : "", nic->driver, nic->name);
	}
	if (same > 1)
		diag_error(c->l->diags, d->driver_pos,
		           "`%s` has more than one test NIC with driver %s: name it as HOST.NIC",
		           host->name, d->driver);
	else
		diag_error(c->l->diags, d->driver_pos,
		           "`%s` has no test NIC with driver %s: it has %s", host->name, d->driver,
		           count > 0 ? text_str(&list) : "none that says its driver");
	text_done(&list);
}

/* The NIC of an end; NULL after telling why there is none. */
static const struct nic *end_nic(const struct check *c, const struct endpoint *end,
                                 const struct demand *d)
{
	const struct nic *nic = end->nic;

	if (nic == NULL && d->driver == NULL) {
		if (!d->hides_driver)
			diag_error(c->l->diags, end->pos,
			           "`%s` names no NIC: write `%s.NIC`, or let a `driver` choose it",
			           end->host->name, end->host->name);
		return NULL;
	}
	if (nic == NULL) {
		nic = topology_driver_nic(end->host, d->driver);
		if (nic == NULL && !hides_nics(c->l, end->host))
			report_no_driver_nic(c, end->host, d);
	}
	if (nic != NULL && !has_address(nic)) {
		if (lacks_ip(c->l, nic))
			diag_error(c->l->diags, end->pos,
			           "%s.%s (line %u) has no `ip`: a NIC that is measured needs one",
			           end->host->name, nic->name, nic->pos.line);
		return NULL;
	}
	return nic;
}

/* A driver that chooses neither NIC must at least be theirs. */
static void check_named_driver(const struct check *c, const struct pair *pair,
                               const struct demand *d)
{
	const struct nic *const nics[] = {pair->a.nic, pair->b.nic};

	if (d->driver == NULL || nics[0] == NULL || nics[1] == NULL)
		return;
	for (size_t i = 0; i < COUNT_OF(nics); i++) {
		const struct host *h = nics[i]->host;

		if (nics[i]->driver != NULL && strcmp(nics[i]->driver, d->driver) == 0)
			continue;
		if (source_of(c->l, h)->nics[nics[i] - h->nics].is_broken)
			continue;
		diag_error(c->l->diags, d->driver_pos,
		           "driver %s has nothing to choose: the pair at line %u names both NICs, "
		           "and %s.%s is not %s; name a host where the driver is to choose",
		           d->driver, pair->pos.line, nics[i]->host->name, nics[i]->name,
		           d->driver);
		return;
	}
}

static bool reaches(const struct load *l, const struct nic *a, const struct nic *b)
{
	const struct topology *topo = l->topo;

	if (!topology_is_routed(a, b) || l->routes_are_broken)
		return true;
	for (size_t i = 0; i < topo->route_count; i++) {
		const struct route *r = &topo->routes[i];

		if ((r->a == a->segment && r->b == b->segment) ||
		    (r->a == b->segment && r->b == a->segment))
			return true;
	}
	return false;
}

static bool is_ipv6(const struct nic *nic)
{
	return strchr(topology_nic_address(nic, 0), ':') != NULL;
}

static const char *family_of(const struct nic *nic)
{
	return is_ipv6(nic) ? "IPv6" : "IPv4";
}

/* False after telling that the NIC has no address of the version that is asked for. */
static bool has_version(const struct check *c, const struct nic *nic, const struct demand *d,
                        const char *or_else)
{
	const struct source_nic *source = &source_of(c->l, nic->host)->nics[nic - nic->host->nics];

	if (d->ip_version == 0 || topology_nic_address(nic, d->ip_version) != NULL)
		return true;
	if (load_said(nic_fields, source->said, d->ip_version == 6 ? "ip6" : "ip") &&
	    source->is_broken)
		return false;
	diag_error(c->l->diags, d->ip_version_pos,
	           "`ip_version: %u`, but %s.%s (line %u) has no IPv%u address: %s%s",
	           d->ip_version, nic->host->name, nic->name, nic->pos.line, d->ip_version,
	           d->ip_version == 6 ? "give the NIC `ip6`"
	                              : "write one as `ip`, and the IPv6 address as `ip6`",
	           or_else);
	return false;
}

/* Where two NICs have addresses of different versions: what would help. */
static void describe_way_out(const struct nic *a, const struct nic *b, char *out, size_t room)
{
	const struct nic *v4 = is_ipv6(a) ? b : a;

	for (uint32_t version = 6; version >= 4; version -= 2) {
		if (topology_nic_address(a, version) == NULL ||
		    topology_nic_address(b, version) == NULL)
			continue;
		(void)snprintf(out, room, "`ip_version: %u` takes addresses that both have",
		               version);
		return;
	}
	(void)snprintf(out, room, "give %s.%s an `ip6`, and the cells `ip_version: 6`",
	               v4->host->name, v4->name);
}

/* False after telling that the two have no addresses that can talk; or_else: a further way out. */
static bool check_family(const struct check *c, struct src_pos pos, const struct demand *d,
                         const struct nic *a, const struct nic *b, const char *or_else)
{
	char way_out[256];

	if (!has_version(c, a, d, or_else) || !has_version(c, b, d, or_else))
		return false;
	if (d->ip_version != 0 || d->hides_ip_version || is_ipv6(a) == is_ipv6(b))
		return true;
	describe_way_out(a, b, way_out, sizeof(way_out));
	diag_error(c->l->diags, pos,
	           "%s.%s has an %s address and %s.%s an %s one: they cannot talk; %s%s",
	           a->host->name, a->name, family_of(a), b->host->name, b->name, family_of(b),
	           way_out, or_else);
	return false;
}

static void check_reach(const struct check *c, const struct pair *pair, const struct demand *d,
                        const struct nic *a, const struct nic *b)
{
	if (check_family(c, pair->pos, d, a, b, "") && !reaches(c->l, a, b))
		diag_error(
			c->l->diags, pair->pos,
			"%s.%s is in segment `%s` and %s.%s in `%s`, which no route joins: choose "
			"NICs of one segment, or add { between: [%s, %s] } to `routes`",
			a->host->name, a->name, a->segment->name, b->host->name, b->name,
			b->segment->name, a->segment->name, b->segment->name);
}

static void check_mtu(const struct check *c, const struct nic *nic, const struct demand *d)
{
	const struct segment *s = nic->segment;

	if (s != NULL && s->max_mtu != 0 && d->mtu_bytes > s->max_mtu)
		diag_error(c->l->diags, d->mtu_pos,
		           "MTU %u is above %u, the max_mtu of segment `%s` (line %u) of %s.%s",
		           d->mtu_bytes, s->max_mtu, s->name, s->pos.line, nic->host->name,
		           nic->name);
}

static void check_pair(const struct check *c, const struct pair *pair,
                       const struct source_pair *source, struct demands demands)
{
	check_expected(c, pair, source->expected_class, source->class_node);
	if (source->class_node == NULL)
		check_expected(c, pair, c->source->expected_class,
		               node_get(c->source->node, "class"));
	for (size_t i = 0; i < demands.count; i++) {
		const struct demand *d = &demands.at[i];
		const struct nic *a = end_nic(c, &pair->a, d);
		const struct nic *b = end_nic(c, &pair->b, d);

		check_named_driver(c, pair, d);
		if (a == NULL || b == NULL)
			continue;
		check_reach(c, pair, d, a, b);
		check_mtu(c, a, d);
		check_mtu(c, b, d);
	}
}

void check_pairs(const struct check *c)
{
	const struct profile *p = c->profile;
	struct demands all = demands_of(c);

	for (size_t i = 0; i < p->pair_count; i++)
		check_pair(c, &p->pairs[i], &c->source->pair_list[i], all);
	for (size_t i = 0; i < p->cell_count; i++) {
		struct demand own;

		if (!p->cells[i].has_pair)
			continue;
		own = demand_of_cell(c, i);
		check_pair(c, &p->cells[i].pair, &c->source->cell_list[i].pair,
		           (struct demands){&own, 1});
	}
}

/* ---- pairs by class ---- */

/* The NICs that are combined: those of `between`, or all test NICs with an address. */
static const struct nic **class_nics(const struct check *c, size_t *count)
{
	const struct topology *topo = c->l->topo;
	const struct nic **list;
	size_t room = 0;

	if (c->source->between != NULL) {
		*count = c->profile->between_count;
		return c->profile->between;
	}
	for (size_t i = 0; i < topo->host_count; i++)
		room += topo->hosts[i].nic_count;
	list = arena_alloc(&c->l->topo->arena, room, sizeof(*list));
	*count = 0;
	for (size_t i = 0; i < topo->host_count; i++) {
		for (size_t j = 0; j < topo->hosts[i].nic_count; j++) {
			const struct nic *nic = &topo->hosts[i].nics[j];

			if (nic->role == NIC_TEST && has_address(nic))
				list[(*count)++] = nic;
		}
	}
	return list;
}

static bool is_combined(const struct check *c, const struct nic *a, const struct nic *b)
{
	return a->host != b->host && (c->profile->classes >> topology_path_class(a, b) & 1) != 0;
}

/* Can the two, which a class combines, be measured with the addresses that they have? */
static bool can_talk(const struct nic *a, const struct nic *b, uint32_t ip_version)
{
	if (ip_version == 0)
		return is_ipv6(a) == is_ipv6(b);
	return topology_nic_address(a, ip_version) != NULL &&
	       topology_nic_address(b, ip_version) != NULL;
}

/* Pairs that no route joins are left out when the plan is made; those that are left must talk. */
static void check_families(const struct check *c, const struct node *classes,
                           const struct nic *const *nics, size_t count, const struct demand *d)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct nic *a = nics[j], *b = nics[i];

			if (!has_address(a) || !has_address(b) || can_talk(a, b, d->ip_version) ||
			    !is_combined(c, a, b) || !reaches(c->l, a, b))
				continue;
			(void)check_family(c, classes->pos, d, a, b,
			                   ", or name those that can in `between`");
			return;
		}
	}
}

static bool some_pair_fits(const struct check *c, const struct nic *const *nics, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (is_combined(c, nics[i], nics[j]))
				return true;
		}
	}
	return false;
}

void check_classes(const struct check *c)
{
	const struct node *classes = node_get(c->source->node, "classes");
	const struct nic *const *nics;
	struct demands demands;
	size_t count;

	if (classes == NULL || c->profile->classes == 0 || c->source->pairs != NULL)
		return;
	nics = class_nics(c, &count);
	demands = demands_of(c);
	for (size_t i = 0; i < count; i++) {
		if (lacks_ip(c->l, nics[i]))
			diag_error(c->l->diags, c->source->between->pos,
			           "%s.%s (line %u) has no `ip`: a NIC that is measured needs one",
			           nics[i]->host->name, nics[i]->name, nics[i]->pos.line);
		for (size_t j = 0; j < demands.count; j++)
			check_mtu(c, nics[i], &demands.at[j]);
	}
	for (size_t j = 0; j < demands.count; j++) {
		if (demands.at[j].driver != NULL)
			diag_error(c->l->diags, demands.at[j].driver_pos,
			           "`driver` chooses NICs of hosts in `pairs`; `classes` combines "
			           "NICs");
	}
	for (size_t j = 0; j < demands.count; j++)
		check_families(c, classes, nics, count, &demands.at[j]);
	if (!c->l->lab_is_broken && !c->source->is_broken && !some_pair_fits(c, nics, count))
		diag_error(c->l->diags, classes->pos, "no pair of %s is of these classes",
		           c->source->between != NULL ? "`between`" : "the lab");
}
