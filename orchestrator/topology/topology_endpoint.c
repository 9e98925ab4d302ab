/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "topology/topology_internal.h"

static const struct nic *nic_of(const struct host *host, const char *name)
{
	for (size_t i = 0; i < host->nic_count; i++) {
		if (strcmp(host->nics[i].name, name) == 0)
			return &host->nics[i];
	}
	return NULL;
}

static const struct nic *find_nic(struct load *l, const struct host *host, const char *name,
                                  struct src_pos pos)
{
	const struct nic *nic = nic_of(host, name);
	const struct node written = {.kind = NODE_TEXT, .text = name};
	char shown[NODE_SHOWN_BYTES], meant[SUGGEST_TEXT_BYTES];
	struct suggestion names = suggest_for(name);
	struct text list = {0};

	if (nic != NULL)
		return nic;
	if (l->source_hosts[host - l->topo->hosts].hides_nics) {
		diag_known(l->diags);
		return NULL;
	}
	for (size_t i = 0; i < host->nic_count; i++) {
		suggest_try(&names, host->nics[i].name);
		if (i < 8)
			text_printf(&list, "%s%s", i == 0 ? "" : ", ", host->nics[i].name);
	}
	if (names.best != NULL)
		diag_error(l->diags, pos, "host `%s` has no NIC %s%s", host->name,
		           node_show(&written, shown), suggest_text(&names, meant));
	else
		diag_error(l->diags, pos, "host `%s` has no NIC %s: it has %s", host->name,
		           node_show(&written, shown),
		           host->nic_count == 0 ? "none" : text_str(&list));
	text_done(&list);
	return NULL;
}

static const struct nic *find_address(struct load *l, const char *text, struct src_pos pos)
{
	const struct node written = {.kind = NODE_TEXT, .text = text};
	char canonical[ADDRESS_TEXT_BYTES], shown[NODE_SHOWN_BYTES];
	const struct nic *nic;
	struct address a;

	if (!address_parse(text, &a)) {
		diag_error(l->diags, pos, "%s is no IPv4 or IPv6 address",
		           node_show(&written, shown));
		return NULL;
	}
	nic = name_index_get(&l->addresses, address_format(&a, canonical));
	if (nic == NULL && (l->hides_addresses || l->hosts.is_broken))
		diag_known(l->diags);
	else if (nic == NULL)
		diag_error(l->diags, pos, "no NIC in `hosts` has the address %s", canonical);
	return nic;
}

/*
 * HOST@ADDRESS: the address must be the host's own. A published figure "PC to
 * VM" was once taken with the address of the hypervisor; said this way, the
 * mistake is seen before the run.
 */
static bool resolve_at(struct load *l, const struct host *host, const char *address,
                       struct src_pos pos, struct endpoint *out)
{
	const struct nic *nic = find_address(l, address, pos);

	if (nic == NULL)
		return false;
	if (nic->host != host) {
		diag_error(l->diags, pos,
		           "%s is the address of %s.%s (%s), not of %s (%s): the pair would "
		           "measure another host than it says",
		           address, nic->host->name, nic->name, host_kind_names[nic->host->kind],
		           host->name, host_kind_names[host->kind]);
		return false;
	}
	out->host = host;
	out->nic = nic;
	return true;
}

bool load_endpoint(struct load *l, const struct node *node, struct endpoint *out)
{
	struct endpoint end = {.pos = node->pos};
	struct address a;
	char host_name[128];
	const char *rest;
	size_t len;

	if (!field_want(&l->fields, node, NODE_TEXT, "end of a pair", NULL))
		return false;
	if (address_parse(node->text, &a)) {
		end.nic = find_address(l, node->text, node->pos);
		if (end.nic == NULL)
			return false;
		end.host = end.nic->host;
		*out = end;
		return true;
	}
	len = strcspn(node->text, ".@");
	(void)snprintf(host_name, sizeof(host_name), "%.*s", (int)(len < 100 ? len : 100),
	               node->text);
	rest = node->text + len;
	end.host = load_find(l, &l->hosts, host_name, node->pos);
	if (end.host == NULL)
		return false;
	if (*rest == '@') {
		if (!resolve_at(l, end.host, rest + 1, node->pos, &end))
			return false;
	} else if (*rest == '.') {
		end.nic = find_nic(l, end.host, rest + 1, node->pos);
		if (end.nic == NULL)
			return false;
	}
	*out = end;
	return true;
}

bool load_pair(struct load *l, const struct node *node, struct pair *out)
{
	struct pair pair = {.pos = node->pos};
	bool has_a, has_b;

	if (node->kind == NODE_BAD)
		return false;
	if (node->kind != NODE_LIST || node->count != 2) {
		diag_error(l->diags, node->pos,
		           "a pair is a list of two ends: [HOST.NIC, HOST.NIC]");
		return false;
	}
	has_a = load_endpoint(l, node->items[0], &pair.a);
	has_b = load_endpoint(l, node->items[1], &pair.b);
	if (!has_a || !has_b)
		return false;
	if (pair.a.host == pair.b.host) {
		diag_error(l->diags, node->pos,
		           "both ends are on `%s`: traffic of a host with itself is not measured",
		           pair.a.host->name);
		return false;
	}
	*out = pair;
	return true;
}
