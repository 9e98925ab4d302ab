/* SPDX-License-Identifier: MIT */
/*
 * lease.h - the file by which the guardian of a host sees that it is looked after.
 *
 * "PID COUNT" while the orchestrator is heard, "grace" once its channel is closed. The
 * file exists already, and is ours as long as it begins with our process id: another
 * session that takes the host over puts its agent's there.
 */
#ifndef AGENT_LEASE_H
#define AGENT_LEASE_H

#include <stdint.h>

#include "agent/output.h"
#include "common/wire/msg.h"

struct lease {
	struct output *out;
	uint32_t id; /* of the request */
	int fd;      /* -1: no file is kept */
	uint64_t count;
};

void lease_init(struct lease *l, struct output *out);
void lease_keep(struct lease *l, uint32_t id, const struct msg_lease *m);
void lease_beat(struct lease *l); /* the orchestrator is alive; an error is told by failed */
void lease_end(struct lease *l);  /* it is not heard any more */

#endif
