/* SPDX-License-Identifier: MIT */
/*
 * request.h - what one end of a test is asked to do, checked.
 */
#ifndef AGENT_MEASURE_REQUEST_H
#define AGENT_MEASURE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/number_set.h"
#include "common/wire/msg.h"
#include "common/wire/preamble.h"
#include "measure/address.h"
#include "measure/failure.h"

#define REQUEST_STREAMS_MAX 128u

enum request_side { REQUEST_SEND, REQUEST_RECV };
enum request_protocol { REQUEST_TCP, REQUEST_UDP };
enum request_mode { REQUEST_BULK, REQUEST_RR };
enum request_zero_copy { REQUEST_COPY, REQUEST_ZERO_COPY_SENDER, REQUEST_ZERO_COPY_BOTH };

#define REQUEST_NAME_BYTES   32
#define REQUEST_DSCP_DEFAULT UINT32_MAX

struct request {
	bool is_listener;
	enum request_side side;
	struct address own;  /* port 0 */
	struct address peer; /* connector: with its port */
	uint16_t port_min;   /* listener; both 0: any */
	uint16_t port_max;
	unsigned char token[PREAMBLE_TOKEN_BYTES];
	uint32_t streams;
	uint64_t window_bytes; /* 0: autotuning */
	uint64_t buffer_bytes; /* 0: the agent chooses */
	uint64_t omit_ns;
	uint64_t duration_ns; /* with bytes: the longest it may take */
	uint64_t interval_ns;
	uint32_t rtt_probes;
	enum request_protocol protocol;
	enum request_mode mode;
	enum request_zero_copy zero_copy;
	uint64_t bytes;     /* of all streams after omit; 0: duration_ns ends the test */
	uint64_t rate_bps;  /* payload of a stream; 0: no limit */
	uint32_t mss_bytes; /* 0: the system's */
	bool is_no_delay;
	uint32_t dscp;                       /* REQUEST_DSCP_DEFAULT: not set */
	char congestion[REQUEST_NAME_BYTES]; /* "": the system's */
	char device[REQUEST_NAME_BYTES];     /* "": not bound to one */
	uint32_t source_port;                /* of stream 1 at the connector; 0: any */
	bool is_affinity_auto;
	struct number_set cores; /* for the streams' threads; none: the system's choice */
	uint32_t beside;         /* id of the other test's prepare; 0: none */
	uint64_t probe_ns;       /* between probes under load; 0: none */
};

/* Checks everything that can be known without touching the system. The failure
 * is of kind usage and names the field and its range. */
bool request_check(const struct msg_prepare *m, struct request *out, struct failure *f) NODISCARD;

/* True when the test has a connection for probes: before the load, under it, or both. */
bool request_has_probe(const struct request *r);

/* Of the bytes asked for those of stream index + 1: all the same, the first ones with what is
 * left over. */
uint64_t request_share(const struct request *r, uint32_t index);

/* What the preamble of a data stream of this test says. */
enum preamble_kind request_preamble_kind(const struct request *r);

#endif
