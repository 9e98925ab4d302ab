/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "topology/topology_internal.h"

/* The address under the key as written, and that no other NIC has it; false after telling why not. */
static bool load_address(struct load *l, const struct nic *nic, const struct node *map,
                         const char *key, struct address *out)
{
	const struct node *written = node_get(map, key);
	struct src_pos pos = node_pos(map, key);
	char text[ADDRESS_TEXT_BYTES], shown[NODE_SHOWN_BYTES];
	const struct nic *other;
	struct address a;
	const char *problem;

	if (!address_parse(written->text, &a)) {
		l->hides_addresses = true;
		diag_error(l->diags, pos, "`%s`: %s is no IPv4 or IPv6 address", key,
		           node_show(written, shown));
		return false;
	}
	problem = address_problem(&a);
	if (problem != NULL) {
		l->hides_addresses = true;
		diag_error(l->diags, pos, "`%s`: %s %s", key, node_show(written, shown), problem);
		return false;
	}
	other = name_index_get(&l->addresses, address_format(&a, text));
	if (other != NULL) {
		diag_error(l->diags, pos, "`%s`: %s is already that of %s.%s (line %u)", key,
		           written->text, other->host->name, other->name, other->pos.line);
		return false;
	}
	*out = a;
	name_index_put(&l->addresses, &l->topo->arena,
	               arena_strndup(&l->topo->arena, text, strlen(text)), nic);
	return true;
}

static void load_addresses(struct load *l, const struct nic *nic, struct source_nic *source)
{
	if (nic->ip != NULL)
		(void)load_address(l, nic, source->node, "ip", &source->address);
	if (nic->ip6 == NULL || !load_address(l, nic, source->node, "ip6", &source->address6))
		return;
	if (source->address6.family != ADDRESS_IPV6)
		diag_error(l->diags, node_pos(source->node, "ip6"),
		           "`ip6`: %s is no IPv6 address: write it as `ip`", nic->ip6);
	else if (source->address.family == ADDRESS_IPV6)
		diag_error(l->diags, node_pos(source->node, "ip6"),
		           "`ip6`: `ip` (line %u) is an IPv6 address already: a NIC is measured at "
		           "one of each version",
		           node_pos(source->node, "ip").line);
}

static void load_nic(struct load *l, const struct node_entry *entry, struct nic *nic,
                     struct source_nic *source)
{
	const struct host *host = nic->host;
	struct source_nic_fields fields = {0};
	size_t before = l->diags->wrong;
	uint64_t said = load_fields(l, nic_fields, entry->value, &fields);

	*source = fields.source;
	source->said = said;
	source->node = entry->value;
	*nic = fields.nic;
	nic->host = host;
	nic->pos = entry->key->pos;
	nic->name = load_name(l, entry->key, TEXT_DEVICE, "NIC");
	nic->driver = topology_driver_family(nic->driver);
	if (source->segment != NULL)
		nic->segment = load_find(l, &l->segments, source->segment,
		                         node_pos(source->node, "segment"));
	nic->uses = load_uses(l, &source->uses, &nic->use_count);
	load_addresses(l, nic, source);
	if ((nic->ip == NULL && load_said(nic_fields, said, "ip")) ||
	    (nic->ip6 == NULL && load_said(nic_fields, said, "ip6")) ||
	    entry->value->kind != NODE_MAP)
		l->hides_addresses = true;
	source->is_broken = l->diags->wrong != before;
}

static void load_nics(struct load *l, const struct node *section, struct host *host,
                      struct source_host *source)
{
	if (!load_want(l, host_fields, "nics", section, NODE_MAP))
		return;
	host->nics = arena_alloc(&l->topo->arena, section->count, sizeof(*host->nics));
	source->nics = arena_alloc(&l->topo->arena, section->count, sizeof(*source->nics));
	for (size_t i = 0; i < section->count; i++) {
		host->nics[i].host = host;
		load_nic(l, &section->entries[i], &host->nics[i], &source->nics[i]);
		host->nic_count++;
	}
}

static void load_host(struct load *l, const struct node_entry *entry, struct host *host,
                      struct source_host *source)
{
	struct source_host_fields fields = {.kind = -1};
	struct field_loader over = l->fields;
	uint64_t said = load_fields(l, host_fields, entry->value, &fields);
	const struct node *nics = node_get(entry->value, "nics");

	*source = fields.source;
	source->node = entry->value;
	source->said = said;
	source->hides_nics =
		entry->value->kind != NODE_MAP ||
		(load_said(host_fields, said, "nics") && (nics == NULL || nics->kind != NODE_MAP));
	l->hides_addresses = l->hides_addresses || source->hides_nics;
	*host = fields.host;
	source->has_kind = fields.kind >= 0;
	host->kind = source->has_kind ? (enum host_kind)fields.kind : HOST_BAREMETAL;
	host->pos = entry->key->pos;
	host->name = load_name(l, entry->key, TEXT_NAME, "host");
	host->uses = load_uses(l, &source->uses, &host->use_count);
	host->ssh = l->ssh;
	over.skips_presets = true; /* what is not given here stays that of defaults */
	if (source->ssh != NULL && load_want(l, host_fields, "ssh", source->ssh, NODE_MAP)) {
		struct field_part part = {.rows = ssh_fields, .out = &host->ssh};

		(void)field_load(&over, source->ssh, &part, 1);
	}
	if (source->nics_node != NULL)
		load_nics(l, source->nics_node, host, source);
	name_index_put(&l->hosts.index, &l->topo->arena, entry->key->text, host);
}

void load_hosts(struct load *l, const struct node *section)
{
	struct topology *topo = l->topo;

	if (!load_want(l, root_fields, "hosts", section, NODE_MAP))
		return;
	if (section->count == 0)
		diag_error(l->diags, section->pos, "`hosts` is empty");
	topo->hosts = arena_alloc(&topo->arena, section->count, sizeof(*topo->hosts));
	l->source_hosts = arena_alloc(&topo->arena, section->count, sizeof(*l->source_hosts));
	for (size_t i = 0; i < section->count; i++)
		load_host(l, &section->entries[i], &topo->hosts[topo->host_count++],
		          &l->source_hosts[i]);
	/* A machine may stand above its hypervisor in the file. */
	for (size_t i = 0; i < topo->host_count; i++) {
		const struct source_host *source = &l->source_hosts[i];

		if (source->runs_on != NULL)
			topo->hosts[i].runs_on = load_find(l, &l->hosts, source->runs_on,
			                                   node_pos(source->node, "runs_on"));
	}
}
