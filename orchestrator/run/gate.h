/* SPDX-License-Identifier: MIT */
/*
 * gate.h - may a cell be measured now, with the hosts as they are? Pure.
 *
 * Cells that need a setting which the user does not let vnm change are skipped by
 * choice; cells whose host or NIC is not there, or whose agents lack a part of the
 * engine on their system, are skipped for a fault. Both can be made up for by
 * `vnm resume`. What has to be changed for a cell is a matter of changes.h.
 */
#ifndef RUN_GATE_H
#define RUN_GATE_H

#include "plan/plan.h"
#include "run/consent.h"
#include "run/hosts.h"

enum gate_answer {
	GATE_OPEN,
	GATE_WAIT,   /* a host is on its way up */
	GATE_CHOICE, /* skipped, as the user chose not to let settings be changed */
	GATE_FAULT   /* skipped, as a host or NIC is missing, or an agent cannot do what is asked */
};

/* Why the user does not let the setting of the NIC be changed; NULL: it may be. */
const char *gate_refusal(const struct topology *topo, const struct run_consent *consent,
                         const struct nic *nic, enum safety_change setting);

/* `reason` is written for GATE_CHOICE and GATE_FAULT. GATE_OPEN: settings that may be changed
 * may have to be. */
enum gate_answer gate_cell(const struct hosts *hosts, const struct plan_cell *cell,
                           const struct run_consent *consent, char reason[256]);

/* Only whether both ends are there: nothing of what the cell asks for. Never GATE_CHOICE. */
enum gate_answer gate_ends(const struct hosts *hosts, const struct plan_cell *cell,
                           char reason[256]);

/* The smaller MTU of the cell's two NICs; RESULT_UNKNOWN when one is not known. */
int64_t gate_mtu(const struct hosts *hosts, const struct plan_cell *cell);

#endif
