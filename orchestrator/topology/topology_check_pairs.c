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

/* Is it known what the host is, and of a machine where it runs? Otherwise it was told. */
static bool is_placed(const struct load *l, const struct host *h)
{
	if (!check_source_of(l, h)->has_kind)
		return false;
	return h->kind != HOST_VM || (h->runs_on != NULL && h->runs_on->kind == HOST_ESXI);
}

/* The NIC has no address at all, and that was not told yet. */
static bool lacks_ip(const struct load *l, const struct nic *nic)
{
	const struct source_nic *source =
		&check_source_of(l, nic->host)->nics[nic - nic->host->nics];

	return !check_has_address(nic) && source->node->kind == NODE_MAP &&
	       !load_said(nic_fields, source->said, "ip") &&
	       !load_said(nic_fields, source->said, "ip6");
}

static bool hides_nics(const struct load *l, const struct host *h)
{
	const struct source_host *source = check_source_of(l, h);
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
	if (nic != NULL && !check_has_address(nic)) {
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
		if (check_source_of(c->l, h)->nics[nics[i] - h->nics].is_broken)
			continue;
		diag_error(c->l->diags, d->driver_pos,
		           "driver %s has nothing to choose: the pair at line %u names both NICs, "
		           "and %s.%s is not %s; name a host where the driver is to choose",
		           d->driver, pair->pos.line, nics[i]->host->name, nics[i]->name,
		           d->driver);
		return;
	}
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

			if (nic->role == NIC_TEST && check_has_address(nic))
				list[(*count)++] = nic;
		}
	}
	return list;
}

static bool is_combined(const struct check *c, const struct nic *a, const struct nic *b)
{
	return a->host != b->host && (c->profile->classes >> topology_path_class(a, b) & 1) != 0;
}

/* Pairs that no route joins are left out when the plan is made; those that are left must talk. */
static void check_families(const struct check *c, const struct node *classes,
                           const struct nic *const *nics, size_t count, const struct demand *d)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct nic *a = nics[j], *b = nics[i];

			if (!check_has_address(a) || !check_has_address(b) ||
			    check_can_talk(a, b, d->ip_version) || !is_combined(c, a, b) ||
			    !check_reaches(c->l, a, b))
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
