/* SPDX-License-Identifier: MIT */
/* The rules about addresses of NICs and routes between them: can two ends talk? */
#include <stdio.h>
#include <string.h>

#include "topology/topology_check.h"

const struct source_host *check_source_of(const struct load *l, const struct host *h)
{
	return &l->source_hosts[h - l->topo->hosts];
}

bool check_has_address(const struct nic *nic)
{
	return topology_nic_address(nic, 0) != NULL;
}

bool check_reaches(const struct load *l, const struct nic *a, const struct nic *b)
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
	const struct source_nic *source =
		&check_source_of(c->l, nic->host)->nics[nic - nic->host->nics];

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

bool check_family(const struct check *c, struct src_pos pos, const struct demand *d,
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

void check_reach(const struct check *c, const struct pair *pair, const struct demand *d,
                 const struct nic *a, const struct nic *b)
{
	if (check_family(c, pair->pos, d, a, b, "") && !check_reaches(c->l, a, b))
		diag_error(
			c->l->diags, pair->pos,
			"%s.%s is in segment `%s` and %s.%s in `%s`, which no route joins: choose "
			"NICs of one segment, or add { between: [%s, %s] } to `routes`",
			a->host->name, a->name, a->segment->name, b->host->name, b->name,
			b->segment->name, a->segment->name, b->segment->name);
}

bool check_can_talk(const struct nic *a, const struct nic *b, uint32_t ip_version)
{
	if (ip_version == 0)
		return is_ipv6(a) == is_ipv6(b);
	return topology_nic_address(a, ip_version) != NULL &&
	       topology_nic_address(b, ip_version) != NULL;
}
