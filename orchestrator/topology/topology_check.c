/* SPDX-License-Identifier: MIT */
/* The rules across hosts, NICs, segments and resources: one function a rule. */
#include "topology/topology_check.h"

#include <stdio.h>
#include <string.h>

#include "config/field_range.h"

/* ---- hosts ---- */

static void check_placement(struct load *l, const struct host *h, const struct source_host *source)
{
	if (!source->has_kind)
		return;
	if (h->kind == HOST_VM && !load_said(host_fields, source->said, "runs_on"))
		diag_error(l->diags, h->pos,
		           "`%s` is a vm and has no `runs_on`: name its hypervisor", h->name);
	if (h->kind != HOST_VM && source->runs_on != NULL)
		diag_error(l->diags, node_pos(source->node, "runs_on"),
		           "`runs_on` is for a vm, and `%s` is %s", h->name,
		           h->kind == HOST_ESXI ? "an esxi host" : "a baremetal machine");
	if (h->kind == HOST_VM && h->runs_on != NULL && h->runs_on->kind != HOST_ESXI &&
	    l->source_hosts[h->runs_on - l->topo->hosts].has_kind)
		diag_error(l->diags, node_pos(source->node, "runs_on"),
		           "`%s` cannot run on `%s`, which is no esxi host but %s", h->name,
		           h->runs_on->name, host_kind_names[h->runs_on->kind]);
}

/* One way to write an address or a name of a host. */
static const char *canonical(const char *mgmt, char *out, size_t room)
{
	char text[ADDRESS_TEXT_BYTES];
	struct address a;

	(void)snprintf(out, room, "%s", address_parse(mgmt, &a) ? address_format(&a, text) : mgmt);
	for (char *c = out; *c != '\0'; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
	return out;
}

/* Two names for one machine would measure it against itself; ports tell apart what is behind one
 * address, jump hosts what is in networks apart. */
static void check_mgmt(struct load *l, struct name_index *seen, const struct host *h,
                       const struct source_host *source)
{
	struct src_pos pos = node_pos(source->node, "mgmt");
	char address[256], key[800];
	const struct host *other;
	const struct nic *nic;

	if (h->mgmt == NULL)
		return;
	(void)canonical(h->mgmt, address, sizeof(address));
	(void)snprintf(key, sizeof(key), "%s %u %s", address,
	               h->ssh.port == 0 ? 22 : (unsigned)h->ssh.port,
	               h->ssh.jump == NULL ? "" : h->ssh.jump);
	other = name_index_get(seen, key);
	if (other != NULL) {
		diag_error(l->diags, pos, "`mgmt`: %s is already that of `%s` (line %u)", h->mgmt,
		           other->name, other->pos.line);
		return;
	}
	name_index_put(seen, &l->topo->arena, arena_strndup(&l->topo->arena, key, strlen(key)), h);
	nic = name_index_get(&l->addresses, address);
	if (nic != NULL && nic->host != h)
		diag_error(l->diags, pos, "`mgmt`: %s is the address of %s.%s (line %u)", h->mgmt,
		           nic->host->name, nic->name, nic->pos.line);
}

/* Not where the key is there and could not be read: that was told. */
static bool is_reached_by_ssh(const struct source_host *source)
{
	const struct node *said = node_get(source->node, "connection");

	if (said == NULL)
		return !load_said(host_fields, source->said, "connection");
	return said->kind == NODE_TEXT && strcmp(said->text, "ssh") == 0;
}

static void check_remote(struct load *l, const struct host *h, const struct source_host *source)
{
	char wanted[FIELD_RANGE_BYTES];

	if (source->node->kind == NODE_MAP && is_reached_by_ssh(source) &&
	    !load_said(host_fields, source->said, "mgmt"))
		diag_error(l->diags, source->node->pos, "`mgmt` is missing: it must be %s",
		           field_wanted(field_find(host_fields, "mgmt"), wanted));
	if (h->ssh.transport == SSH_OPENSSH &&
	    (h->ssh.password_file != NULL || h->ssh.password_env != NULL))
		diag_error(l->diags, h->pos,
		           "`%s` has a password and `transport: openssh`, which takes none: use a "
		           "key, or `transport: libssh`",
		           h->name);
}

static void check_local(struct load *l, const struct host *h, const struct source_host *source,
                        const struct host **local)
{
	struct src_pos pos = node_pos(source->node, "connection");

	if (h->kind == HOST_ESXI && source->has_kind)
		diag_error(l->diags, pos, "`connection: local`: vnm does not run on an esxi host");
	if (load_said(host_fields, source->said, "mgmt"))
		diag_error(l->diags, node_pos(source->node, "mgmt"),
		           "`mgmt`: `connection: local` has no use for it: leave one of them out");
	if (source->ssh != NULL)
		diag_error(l->diags, node_pos(source->node, "ssh"),
		           "`ssh`: `connection: local` has no use for it: leave one of them out");
	if (*local != NULL)
		diag_error(l->diags, pos,
		           "`connection: local` is already that of `%s` (line %u): there is only "
		           "one machine that vnm runs on",
		           (*local)->name, (*local)->pos.line);
	*local = h;
}

static bool has_kind(const struct load *l, const struct resource *r)
{
	return l->source_resources[r - l->topo->resources].has_kind;
}

static void check_host_uses(struct load *l, const struct host *h, const struct source_host *source)
{
	for (size_t i = 0; i < h->use_count; i++) {
		if (h->uses[i]->kind != RESOURCE_CPU && has_kind(l, h->uses[i]))
			diag_error(l->diags, node_pos(source->node, "uses"),
			           "`%s` is no host-cpu: it belongs to `uses` of the NICs that "
			           "cross it",
			           h->uses[i]->name);
	}
}

static void check_hosts(struct load *l)
{
	struct name_index mgmt = {0};
	const struct host *local = NULL;

	for (size_t i = 0; i < l->topo->host_count; i++) {
		const struct host *h = &l->topo->hosts[i];

		check_placement(l, h, &l->source_hosts[i]);
		if (h->connection == CONNECTION_LOCAL)
			check_local(l, h, &l->source_hosts[i], &local);
		else
			check_remote(l, h, &l->source_hosts[i]);
		check_mgmt(l, &mgmt, h, &l->source_hosts[i]);
		check_host_uses(l, h, &l->source_hosts[i]);
	}
}

/* ---- NICs ---- */

static void check_subnet(struct load *l, const struct nic *nic, const struct source_nic *source)
{
	const struct segment *s = nic->segment;
	const struct subnet *net;

	if (s == NULL)
		return;
	net = &l->source_segments[s - l->topo->segments].subnet;
	if (net->base.family == ADDRESS_NONE)
		return;
	if (source->address.family != ADDRESS_NONE && !subnet_holds(net, &source->address))
		diag_error(l->diags, node_pos(source->node, "ip"),
		           "`ip`: %s is not in %s, the subnet of segment `%s` (line %u)", nic->ip,
		           s->subnet, s->name, s->pos.line);
	/* A segment says one subnet: that of `ip` is none for `ip6`. */
	if (source->address6.family == net->base.family && !subnet_holds(net, &source->address6))
		diag_error(l->diags, node_pos(source->node, "ip6"),
		           "`ip6`: %s is not in %s, the subnet of segment `%s` (line %u)", nic->ip6,
		           s->subnet, s->name, s->pos.line);
}

static void check_nic_uses(struct load *l, const struct nic *nic, const struct source_nic *source)
{
	for (size_t i = 0; i < nic->use_count; i++) {
		if (nic->uses[i]->kind == RESOURCE_CPU && has_kind(l, nic->uses[i]))
			diag_error(l->diags, node_pos(source->node, "uses"),
			           "`%s` is a host-cpu: it belongs to `uses` of the host",
			           nic->uses[i]->name);
	}
}

static void check_busy(struct load *l, const struct nic *nic, const struct source_nic *source)
{
	if (nic->allow_busy && nic->role == NIC_MGMT)
		diag_error(l->diags, node_pos(source->node, "allow_busy"),
		           "`allow_busy`: %s.%s has `role: mgmt`, and such a NIC is never changed: "
		           "leave one of them out",
		           nic->host->name, nic->name);
}

static void check_nics(struct load *l)
{
	for (size_t i = 0; i < l->topo->host_count; i++) {
		const struct host *h = &l->topo->hosts[i];

		for (size_t j = 0; j < h->nic_count; j++) {
			check_subnet(l, &h->nics[j], &l->source_hosts[i].nics[j]);
			check_nic_uses(l, &h->nics[j], &l->source_hosts[i].nics[j]);
			check_busy(l, &h->nics[j], &l->source_hosts[i].nics[j]);
		}
	}
}

/* ---- resources ---- */

static void check_resources(struct load *l)
{
	static const struct {
		const char *key;
		bool is_for_cpu;
	} keys[] = {{"speed", false}, {"frame_overhead", false}, {"slots", true}};

	for (size_t i = 0; i < l->topo->resource_count; i++) {
		const struct resource *r = &l->topo->resources[i];
		const struct node *node = l->source_resources[i].node;

		for (size_t k = 0; k < COUNT_OF(keys); k++) {
			if (node_get(node, keys[k].key) == NULL ||
			    !l->source_resources[i].has_kind ||
			    keys[k].is_for_cpu == (r->kind == RESOURCE_CPU))
				continue;
			diag_error(l->diags, node_pos(node, keys[k].key),
			           "`%s` is for a %s, and `%s` is a %s", keys[k].key,
			           keys[k].is_for_cpu ? "host-cpu" : "link or port", r->name,
			           node_get(node, "kind")->text);
		}
	}
}

void check_lab(struct load *l)
{
	static void (*const rules[])(struct load * l) = {check_resources, check_hosts, check_nics};

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		rules[i](l);
}
