/* SPDX-License-Identifier: MIT */
/*
 * result.h - what running a plan yields, and where it goes: plain data.
 *
 * Third stage: plan -> [run] -> store. `run` writes into a struct result_sink;
 * cli/ joins it to the database. Values are copied by the sink before it
 * returns; nothing here owns memory that outlives the call.
 *
 * Unknown is NAN for a double and RESULT_UNKNOWN for an integer, never 0.
 */
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define RESULT_UNKNOWN INT64_MIN

enum test_status {
	TEST_OK,
	TEST_INVALID,
	TEST_FAILED,
	TEST_TIMEOUT,
	TEST_STALLED,
	TEST_TRUNCATED,
	TEST_CANCELLED
};
extern const char *const test_status_names[]; /* as the database writes them; NULL-terminated */

enum cell_state {
	CELL_PENDING,
	CELL_RUNNING,
	CELL_DONE,
	CELL_INVALID,
	CELL_UNSTABLE,
	CELL_FAILED,
	CELL_SKIPPED
};
extern const char *const cell_state_names[];

/*
 * How the reason of a cell begins that is skipped by choice: it needs a setting
 * that vnm was not allowed, or is not able yet, to change. Every other skipped
 * cell is a fault: it counts for the exit code, and `resume` tries it again.
 * (v_problems in schemas/results knows this text too.)
 */
#define RESULT_BY_CHOICE "not changed: "
bool result_is_by_choice(enum cell_state state, const char *reason);

/* One interval of one stream (stream 0: all). Throughput is the receiver's, the rest the sender's. */
struct result_interval {
	uint32_t stream;
	double start_s, end_s; /* after t0 */
	bool omitted;
	double throughput_bps;
	int64_t retransmits, cwnd_bytes, rtt_us;
	double cpu_pct; /* stream 0: receiver's process, percent of one core */
};

struct result_stream {
	uint32_t stream; /* from 1 */
	int64_t src_port, dst_port;
	double throughput_bps; /* receiver, measured time */
	int64_t retransmits, cwnd_max_bytes, rtt_us, cpu;
};

struct result_counter {
	bool is_dst; /* the receiver's machine, else the sender's */
	const char *name;
	int64_t delta;
};

struct test_result {
	uint32_t cell; /* index in the plan */
	uint32_t replicate, block, round, seq, attempt;
	int64_t started_wall_ms;
	enum test_status status;
	char reason[256];      /* "" when ok */
	double duration_s;     /* true length of the measured time */
	double throughput_bps; /* receiver goodput after omit: THE number */
	double sender_bps;
	int64_t bytes; /* all that the receiver took, drain included */
	int64_t retransmits;
	double retransmits_per_gib;
	double rtt_base_us, rtt_loaded_us;
	int64_t cwnd_max_bytes, window_requested_bytes, sndbuf_actual_bytes, rcvbuf_actual_bytes;
	int64_t mss_bytes, path_mtu_bytes;
	double src_cpu_pct, dst_cpu_pct, src_core_max_pct, dst_core_max_pct;
	double src_cpu_us_per_gib, dst_cpu_us_per_gib;
	int64_t rx_drops;
	uint32_t concurrent_tests; /* most that ran at the same time, this one included */
	double nic_byte_match_pct;
	double line_rate_bps; /* ceiling of the links crossed; NAN: no link with a known speed */
	double tcp_efficiency_pct, buffer_delay_pct;
	const struct result_interval *intervals;
	size_t interval_count;
	const struct result_stream *streams;
	size_t stream_count;
	const struct result_counter *counters;
	size_t counter_count;
};

/* A fact about a host or one of its NICs. */
struct result_fact {
	size_t host;     /* index into topology->hosts */
	const char *nic; /* name in the topology, NULL: the host itself */
	bool is_after;   /* phase `after`, else `before` */
	const char *key, *value, *source;
};

/* How a host was reached, for run_hosts. */
struct result_host {
	size_t host;
	const char *engine, *engine_version; /* "agent", "0.1.0" */
	int64_t clock_offset_us;             /* host's wall clock less ours; RESULT_UNKNOWN */
	/* Of the agent that runs there; NULL: not known. */
	const char *agent_sha256;
	const char *agent_arch;   /* as uname says there */
	const char *agent_origin; /* "binary": sent as it is; "compiled" there from its source */
	const char *agent_place;  /* the folder that took it: "/tmp" */
};

/* Where results go. Every function returns false with *err set when the result
 * could not be kept; the run then stops. `ctx` is the sink's own. */
struct result_sink {
	void *ctx;
	bool (*test)(void *ctx, const struct test_result *test, enum cell_state state,
	             const char *cell_reason, struct err *err); /* one transaction: test and cell */
	bool (*cell)(void *ctx, uint32_t cell, enum cell_state state, const char *reason,
	             struct err *err);
	bool (*host)(void *ctx, const struct result_host *host, struct err *err);
	bool (*facts)(void *ctx, const struct result_fact *facts, size_t count, struct err *err);
	/* level "info", "warn", "error"; host SIZE_MAX: none */
	bool (*event)(void *ctx, const char *level, size_t host, const char *text, struct err *err);
};

#endif
