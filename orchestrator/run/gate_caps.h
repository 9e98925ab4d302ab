/* SPDX-License-Identifier: MIT */
/*
 * gate_caps.h - what a cell needs of the agents at its ends, against what each
 * says that it can do on its system (`caps` of ready). Pure.
 */
#ifndef RUN_GATE_CAPS_H
#define RUN_GATE_CAPS_H

#include "plan/plan.h"
#include "run/hosts.h"

/* True, with the host and what it lacks in `reason`, when the agent of the cell's src (or dst)
 * cannot do what the cell asks of it. The host is ready. */
bool gate_lacks(const struct hosts *hosts, const struct plan_cell *cell, bool is_dst,
                char reason[256]);

#endif
