/* SPDX-License-Identifier: MIT */
/*
 * request.h - what one end of a test is asked to do, checked.
 */
#ifndef AGENT_MEASURE_REQUEST_H
#define AGENT_MEASURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/wire/msg.h"
#include "common/wire/preamble.h"
#include "measure/address.h"
#include "measure/failure.h"
#include "measure/tcp.h"

struct request {
	bool is_listener;
	enum tcp_side side;
	struct address own;  /* port 0 */
	struct address peer; /* connector: with its port */
	uint16_t port_min;   /* listener; both 0: any */
	uint16_t port_max;
	unsigned char token[PREAMBLE_TOKEN_BYTES];
	uint32_t streams;
	uint64_t window_bytes; /* 0: autotuning */
	uint64_t buffer_bytes; /* 0: the agent chooses */
	uint64_t omit_ns;
	uint64_t duration_ns;
	uint64_t interval_ns;
	uint32_t rtt_probes;
};

/* Checks everything that can be known without touching the system. The failure
 * is of kind usage and names the field and its range. */
bool request_check(const struct msg_prepare *m, struct request *out, struct failure *f) NODISCARD;

/* What the preamble of a data stream of this test says. */
enum preamble_kind request_preamble_kind(const struct request *r);

#endif
