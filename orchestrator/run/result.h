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

/*
 * `direction` is 0 for bytes from src to dst, 1 for those back, which only a
 * bidirectional cell has. "Sender" and "receiver" below are those of the
 * direction: with 1 the sender is dst. `src` and `dst` are the cell's ends.
 */
#define RESULT_FORTH 0u
#define RESULT_BACK  1u

/*
 * One interval of one stream; stream 0 is all of the direction: counts, times
 * and windows are sums then, round trips means, sizes the least.
 * What is not said to be the sender's is the receiver's.
 */
struct result_interval {
	uint32_t direction;
	uint32_t stream;
	double start_s, end_s; /* after t0 */
	bool omitted;
	double throughput_bps;
	/* the sender's, at the end of the interval or counted in it */
	int64_t retransmits, cwnd_bytes, rtt_us, rttvar_us, mss_bytes, path_mtu_bytes;
	/* the sender's, of the interval: with data to send, and of it waiting for the receiver's
	 * window or for room in the socket buffer */
	int64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	int64_t transactions;   /* rr: completed, as the end counts that asked */
	int64_t datagrams;      /* udp: received */
	int64_t datagrams_lost; /* udp: missing */
	/* Stream 0 only. Percent of one core, steal of all cores. */
	double cpu_pct;     /* process of the direction's receiver */
	double src_cpu_pct; /* process of the direction's sender */
	double src_core_max_pct,
		dst_core_max_pct;            /* busiest core of the direction's two machines */
	double src_steal_pct, dst_steal_pct; /* taken by the hypervisor */
};

struct result_stream {
	uint32_t direction;
	uint32_t stream; /* from 1 */
	/* of the direction's sender and receiver */
	int64_t src_port, dst_port;
	double throughput_bps; /* receiver, measured time */
	int64_t retransmits, cwnd_max_bytes, rtt_us, cpu;
	int64_t rtt_min_us; /* least that the sender's system saw */
	int64_t busy_us, rwnd_limited_us, sndbuf_limited_us; /* sender, measured time */
	/* udp, receiver, of the measured time; jitter at its end */
	int64_t datagrams, datagrams_lost, datagrams_reordered, datagrams_duplicate;
	double jitter_us;
};

/* What befell a single stream: it did not connect, or died. */
struct result_trouble {
	uint32_t direction;
	uint32_t stream;
	bool is_dst; /* told by the cell's dst, else by its src */
	const char *reason;
};

struct result_counter {
	bool is_dst; /* the receiver's machine, else the sender's */
	const char *name;
	int64_t delta;
};

/*
 * One test. All that is measured is of direction 0 (src to dst), unless its
 * name begins with `reverse_`; `src_` and `dst_` are the cell's two ends, also
 * when both directions ran. Begin with result_test_unknown().
 */
struct test_result {
	uint32_t cell; /* index in the plan */
	uint32_t replicate, block, round, seq, attempt;
	int64_t started_wall_ms;
	enum test_status status;
	char reason[256];      /* "" when ok */
	double duration_s;     /* true length of the measured time */
	double throughput_bps; /* receiver goodput after omit: THE number. rr: of the requests */
	double sender_bps;
	int64_t bytes; /* all that the receiver took, drain included */
	int64_t retransmits;
	double retransmits_per_gib;
	double rtt_base_us, rtt_loaded_us;
	double rtt_min_us;    /* least of the streams, as the sender's system saw it */
	double start_skew_us; /* receiver: first byte of the last stream after that of the first */
	int64_t cwnd_max_bytes, window_requested_bytes, sndbuf_actual_bytes, rcvbuf_actual_bytes;
	int64_t mss_bytes, path_mtu_bytes;
	/* As read back from the first stream. What was asked for is the cell's config. */
	const char *tcp_cc_actual;
	int64_t no_delay_actual; /* 0, 1 */
	int64_t dscp_actual;
	const char *src_affinity, *dst_affinity; /* cores of the data threads; NULL: not limited */
	const char *src_method, *dst_method;     /* how each end moved bytes: writev, splice, ... */
	double src_cpu_pct, dst_cpu_pct, src_core_max_pct, dst_core_max_pct;
	double src_thread_max_pct, dst_thread_max_pct; /* busiest data thread, of one core */
	double src_steal_pct, dst_steal_pct;           /* taken by the hypervisor, of all cores */
	double src_cpu_us_per_gib, dst_cpu_us_per_gib;
	/* Sender, sums over the streams, measured time: what limited them (struct result_interval). */
	int64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	int64_t rx_drops;
	uint32_t concurrent_tests; /* most that ran at the same time, this one included */
	double nic_byte_match_pct;
	double line_rate_bps; /* ceiling of the links crossed; NAN: no link with a known speed */
	double tcp_efficiency_pct, buffer_delay_pct;
	/* Small round trips on a connection of their own while the streams moved. */
	int64_t rtt_probe_count;
	double rtt_probe_p50_us, rtt_probe_p99_us, rtt_probe_max_us;
	/* udp, of the measured time; loss_pct = 100 lost / (received + lost) */
	int64_t datagrams_sent, datagrams_received, datagrams_lost;
	int64_t datagrams_reordered, datagrams_duplicate;
	double loss_pct;
	double jitter_us; /* RFC 3550, at the end of the measured time; most of the streams */
	/* rr, of the measured time: all streams together */
	int64_t transactions;
	double rr_per_s;
	double rr_min_us, rr_mean_us, rr_p50_us, rr_p90_us, rr_p99_us, rr_p999_us, rr_max_us;
	/* The way back of a bidirectional cell: as the members of like names. */
	double reverse_bps, reverse_sender_bps;
	int64_t reverse_bytes, reverse_retransmits;
	double reverse_rtt_loaded_us;
	double reverse_loss_pct, reverse_jitter_us; /* udp */
	/* Of both directions. */
	const struct result_interval *intervals;
	size_t interval_count;
	const struct result_stream *streams;
	size_t stream_count;
	const struct result_trouble *troubles;
	size_t trouble_count;
	const struct result_counter *counters;
	size_t counter_count;
};

/* Everything unknown and no list; status ok, concurrent_tests 1; what tells which test it is: 0. */
void result_test_unknown(struct test_result *out);
void result_stream_unknown(struct result_stream *out);     /* direction 0, stream 0 */
void result_interval_unknown(struct result_interval *out); /* direction 0, stream 0, at 0 s */

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
