/* SPDX-License-Identifier: MIT */
#include "run/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "run/gate_caps.h"

#define REASON_BYTES 256

static const char *const toggle_words[] = {"unchanged", "off", "on"};

/* "21:14:05" of the ISO text, UTC */
static void hour_of(int64_t wall_ms, char out[9])
{
	char utc[CLOCK_UTC_BYTES];

	clock_format_utc(wall_ms, utc);
	(void)snprintf(out, 9, "%.8s", utc + 11);
}

static enum gate_answer gate_host(const struct hosts *hosts, const struct nic *nic, char *reason)
{
	const struct hosts_entry *e = &hosts->at[hosts_index(hosts, nic->host)];
	const struct hosts_nic *n = hosts_nic(hosts, nic);
	char hour[9];

	switch (e->state) {
	case HOSTS_GONE:
		hour_of(e->down_since_wall_ms, hour);
		(void)snprintf(reason, REASON_BYTES, "%s is down since %s UTC: %.200s",
		               nic->host->name, hour, e->why.msg);
		return GATE_FAULT;
	case HOSTS_UNUSED:
	case HOSTS_CONNECTING:
	case HOSTS_WAITING:
		return GATE_WAIT;
	case HOSTS_READY:
		break;
	}
	if (n == NULL || !n->is_known) {
		(void)snprintf(reason, REASON_BYTES, "%s.%s: %s", nic->host->name, nic->name,
		               n != NULL && n->problem[0] != '\0'
		                       ? n->problem
		                       : "the agent does not know this NIC");
		return GATE_FAULT;
	}
	return GATE_OPEN;
}

const char *gate_refusal(const struct topology *topo, const struct run_consent *consent,
                         const struct nic *nic, enum safety_change setting)
{
	if (consent->no_change)
		return "--no-change";
	if (nic->role == NIC_MGMT)
		return "its role is mgmt";
	if ((topo->safety.change & (uint32_t)setting) == 0)
		return "not in `change` of `safety` in the topology";
	return NULL;
}

/* What a cell needs that its NIC is not; `why` NULL: vnm makes it so. */
static bool differs(const struct nic *nic, const char *what, const char *is, const char *wanted,
                    const char *why, char *reason)
{
	if (why == NULL || strcmp(is, wanted) == 0)
		return false;
	(void)snprintf(reason, REASON_BYTES,
	               RESULT_BY_CHOICE "%s of %s.%s is %s, the cell needs %s (%s)", what,
	               nic->host->name, nic->name, is, wanted, why);
	return true;
}

static const char *toggle_is(enum toggle is)
{
	return is == TOGGLE_UNCHANGED ? "not known" : toggle_words[is];
}

static bool setting_differs(const struct hosts *hosts, const struct hosts_nic *n,
                            const struct plan_config *c, const struct run_consent *consent,
                            char *reason)
{
	const struct topology *topo = hosts->topology;
	const struct nic *nic = n->nic;
	char is[24] = "not known";
	char wanted[24];

	(void)snprintf(wanted, sizeof(wanted), "%" PRIu32, c->mtu_bytes);
	if (n->mtu_bytes != RESULT_UNKNOWN)
		(void)snprintf(is, sizeof(is), "%" PRId64, n->mtu_bytes);
	return (c->mtu_bytes != 0 &&
	        differs(nic, "mtu", is, wanted, gate_refusal(topo, consent, nic, SAFETY_MTU),
	                reason)) ||
	       (c->lro != TOGGLE_UNCHANGED &&
	        differs(nic, "lro", toggle_is(n->lro), toggle_words[c->lro],
	                gate_refusal(topo, consent, nic, SAFETY_LRO), reason)) ||
	       (c->tso != TOGGLE_UNCHANGED &&
	        differs(nic, "tso", toggle_is(n->tso), toggle_words[c->tso],
	                gate_refusal(topo, consent, nic, SAFETY_TSO), reason));
}

/* Both ends need addresses of one family: topology_load() cannot know of every pair. */
static bool has_addresses(const struct plan_cell *cell, char *reason)
{
	const struct nic *ends[2] = {cell->src, cell->dst};
	bool is_v6[2];

	for (int i = 0; i < 2; i++) {
		const char *at = topology_nic_address(ends[i], cell->config.ip_version);

		if (at == NULL) {
			(void)snprintf(reason, REASON_BYTES,
			               "%s.%s has no IPv%" PRIu32 " address in the topology",
			               ends[i]->host->name, ends[i]->name, cell->config.ip_version);
			return false;
		}
		is_v6[i] = strchr(at, ':') != NULL;
	}
	if (is_v6[0] == is_v6[1])
		return true;
	(void)snprintf(reason, REASON_BYTES,
	               "%s.%s and %s.%s have no addresses of one family: set `ip_version`",
	               ends[0]->host->name, ends[0]->name, ends[1]->host->name, ends[1]->name);
	return false;
}

enum gate_answer gate_ends(const struct hosts *hosts, const struct plan_cell *cell,
                           char reason[REASON_BYTES])
{
	const struct nic *ends[2] = {cell->src, cell->dst};
	enum gate_answer worst = GATE_OPEN;

	for (int i = 0; i < 2; i++) {
		char why[REASON_BYTES];
		enum gate_answer a = gate_host(hosts, ends[i], why);

		if (a == GATE_FAULT) {
			(void)snprintf(reason, REASON_BYTES, "%s", why);
			return a;
		}
		if (a > worst)
			worst = a;
	}
	return has_addresses(cell, reason) ? worst : GATE_FAULT;
}

enum gate_answer gate_cell(const struct hosts *hosts, const struct plan_cell *cell,
                           const struct run_consent *consent, char reason[REASON_BYTES])
{
	const struct nic *ends[2] = {cell->src, cell->dst};
	enum gate_answer a = gate_ends(hosts, cell, reason);

	for (int i = 0; a == GATE_OPEN && i < 2; i++) {
		if (setting_differs(hosts, hosts_nic(hosts, ends[i]), &cell->config, consent,
		                    reason))
			a = GATE_CHOICE;
		else if (gate_lacks(hosts, cell, i == 1, reason))
			a = GATE_FAULT;
	}
	return a;
}

int64_t gate_mtu(const struct hosts *hosts, const struct plan_cell *cell)
{
	const struct hosts_nic *a = hosts_nic(hosts, cell->src);
	const struct hosts_nic *b = hosts_nic(hosts, cell->dst);

	if (a == NULL || b == NULL || a->mtu_bytes == RESULT_UNKNOWN ||
	    b->mtu_bytes == RESULT_UNKNOWN)
		return RESULT_UNKNOWN;
	return a->mtu_bytes < b->mtu_bytes ? a->mtu_bytes : b->mtu_bytes;
}
