/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "topology/topology.h"

static const struct host *find_host(const struct topology *topo, const char *name, size_t len)
{
	for (size_t i = 0; i < topo->host_count; i++) {
		const char *candidate = topo->hosts[i].name;

		if (strncmp(candidate, name, len) == 0 && candidate[len] == '\0')
			return &topo->hosts[i];
	}
	return NULL;
}

const struct host *topology_host(const struct topology *topo, const char *name)
{
	return find_host(topo, name, strlen(name));
}

const struct nic *topology_nic(const struct topology *topo, const char *dotted)
{
	size_t len = strcspn(dotted, ".");
	const struct host *host = find_host(topo, dotted, len);

	for (size_t i = 0; host != NULL && dotted[len] == '.' && i < host->nic_count; i++) {
		if (strcmp(host->nics[i].name, dotted + len + 1) == 0)
			return &host->nics[i];
	}
	return NULL;
}

const struct profile *topology_profile(const struct topology *topo, const char *name)
{
	for (size_t i = 0; i < topo->profile_count; i++) {
		if (strcmp(topo->profiles[i].name, name) == 0)
			return &topo->profiles[i];
	}
	return NULL;
}

enum path_class topology_path_class(const struct nic *a, const struct nic *b)
{
	const struct host *x = a->host, *y = b->host;

	/* Classes have no order: the kind that comes first in the enumeration goes first. */
	if (x->kind > y->kind) {
		const struct host *swap = x;

		x = y;
		y = swap;
	}
	if (x->kind == HOST_BAREMETAL)
		return PATH_BAREMETAL_BAREMETAL;
	if (x->kind == HOST_VM && y->kind == HOST_VM)
		return x->runs_on == y->runs_on ? PATH_VM_VM_SAME_HOST : PATH_VM_VM_CROSS_HOST;
	if (x->kind == HOST_VM)
		return PATH_BAREMETAL_VM;
	if (y->kind == HOST_ESXI)
		return PATH_HOST_HOST;
	if (y->kind == HOST_VM)
		return y->runs_on == x ? PATH_VM_OWN_HOST : PATH_VM_OTHER_HOST;
	return PATH_BAREMETAL_HOST;
}

static bool is_ipv6(const char *address)
{
	return address != NULL && strchr(address, ':') != NULL;
}

const char *topology_nic_address(const struct nic *nic, uint32_t ip_version)
{
	if (ip_version == 6)
		return is_ipv6(nic->ip) ? nic->ip : nic->ip6;
	if (ip_version == 4)
		return is_ipv6(nic->ip) ? NULL : nic->ip;
	return nic->ip != NULL ? nic->ip : nic->ip6;
}

bool topology_is_routed(const struct nic *a, const struct nic *b)
{
	return a->segment != NULL && b->segment != NULL && a->segment != b->segment;
}

const char *topology_driver_family(const char *driver)
{
	/* The labels that systems give to one and the same emulated adapter. */
	static const struct {
		const char *label, *family;
	} aliases[] = {
		{"lem", "em"},
		{"e1000", "em"},
		{"e1000e", "em"},
		{"vmx", "vmxnet3"},
	};

	for (size_t i = 0; driver != NULL && i < COUNT_OF(aliases); i++) {
		if (strcmp(aliases[i].label, driver) == 0)
			return aliases[i].family;
	}
	return driver;
}

const struct nic *topology_driver_nic(const struct host *host, const char *driver)
{
	const struct nic *found = NULL;

	for (size_t i = 0; i < host->nic_count; i++) {
		const struct nic *nic = &host->nics[i];

		if (nic->role != NIC_TEST || nic->driver == NULL ||
		    strcmp(nic->driver, driver) != 0)
			continue;
		if (found != NULL)
			return NULL;
		found = nic;
	}
	return found;
}
