/* SPDX-License-Identifier: MIT */
#include "run/gate.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/clock.h"

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

static bool toggle_differs(const char *what, enum toggle wanted, enum toggle is,
                           const struct nic *nic, char *reason)
{
	if (wanted == TOGGLE_UNCHANGED || wanted == is)
		return false;
	(void)snprintf(reason, REASON_BYTES,
	               RESULT_BY_CHOICE
	               "%s of %s.%s is %s, the cell needs %s (vnm does not change settings yet)",
	               what, nic->host->name, nic->name,
	               is == TOGGLE_UNCHANGED ? "not known" : toggle_words[is],
	               toggle_words[wanted]);
	return true;
}

static bool setting_differs(const struct hosts_nic *n, const struct plan_config *c, char *reason)
{
	const struct nic *nic = n->nic;

	char is[24] = "not known";

	if (c->mtu_bytes != 0 && n->mtu_bytes != (int64_t)c->mtu_bytes) {
		if (n->mtu_bytes != RESULT_UNKNOWN)
			(void)snprintf(is, sizeof(is), "%" PRId64, n->mtu_bytes);
		(void)snprintf(reason, REASON_BYTES,
		               RESULT_BY_CHOICE "mtu of %s.%s is %s, the cell needs %" PRIu32
		                                " (vnm does not change settings yet)",
		               nic->host->name, nic->name, is, c->mtu_bytes);
		return true;
	}
	return toggle_differs("lro", c->lro, n->lro, nic, reason) ||
	       toggle_differs("tso", c->tso, n->tso, nic, reason);
}

enum gate_answer gate_cell(const struct hosts *hosts, const struct plan_cell *cell,
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
	for (int i = 0; worst == GATE_OPEN && i < 2; i++) {
		if (setting_differs(hosts_nic(hosts, ends[i]), &cell->config, reason))
			return GATE_CHOICE;
	}
	return worst;
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
