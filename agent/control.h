/* SPDX-License-Identifier: MIT */
/*
 * control.h - the conversation with the orchestrator, on two descriptors.
 *
 * One thread, one loop: it reads requests, hands tests to the session, tells
 * every beat_ms that it is alive, and ends when the orchestrator is gone: end of
 * input, output that nobody takes, or nothing heard for lease_ms.
 */
#ifndef AGENT_CONTROL_H
#define AGENT_CONTROL_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/sha256.h"

#define CONTROL_HELLO_MS 30000u /* the lease until hello brings another */

struct control_options {
	int in_fd;
	int out_fd;
	const char *version;              /* of the agent */
	char self_hash[SHA256_HEX_BYTES]; /* of its file; "": not known */
};

/* Greets and serves until the end. True when the end was asked for: bye, or end
 * of input. Everything that was open is closed when it returns. */
bool control_run(const struct control_options *options) NODISCARD;

#endif
