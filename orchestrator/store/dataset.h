/* SPDX-License-Identifier: MIT */
/*
 * dataset.h - what was kept of a run, read back: plain data.
 *
 * Fourth stage: store -> [dataset] -> analysis -> report. The arena owns all
 * strings and lists. NAN and RESULT_UNKNOWN where the database has NULL.
 */
#ifndef STORE_DATASET_H
#define STORE_DATASET_H

#include "common/arena.h"
#include "store/store.h"

struct dataset_test {
	int64_t test_id;
	uint32_t replicate, block, round, seq, attempt;
	const char *started_utc, *status, *reason; /* reason NULL when ok */
	double duration_s, throughput_bps, sender_bps, retransmits_per_gib, rtt_base_us,
		rtt_loaded_us;
	double src_cpu_pct, dst_cpu_pct, src_core_max_pct, dst_core_max_pct, line_rate_bps;
	double src_cpu_us_per_gib, dst_cpu_us_per_gib, nic_byte_match_pct, tcp_efficiency_pct,
		buffer_delay_pct;
	int64_t bytes, retransmits, cwnd_max_bytes, window_requested_bytes, sndbuf_actual_bytes,
		rcvbuf_actual_bytes;
	int64_t mss_bytes, path_mtu_bytes, rx_drops, concurrent_tests;
	/* As the members of struct test_result of the same names. */
	double rtt_min_us, start_skew_us, src_thread_max_pct, dst_thread_max_pct, src_steal_pct,
		dst_steal_pct, rtt_probe_p50_us, rtt_probe_p99_us, rtt_probe_max_us, loss_pct,
		jitter_us, rr_per_s, rr_min_us, rr_mean_us, rr_p50_us, rr_p90_us, rr_p99_us,
		rr_p999_us, rr_max_us, reverse_bps, reverse_sender_bps, reverse_rtt_loaded_us,
		reverse_loss_pct, reverse_jitter_us;
	int64_t no_delay_actual, dscp_actual, busy_us, rwnd_limited_us, sndbuf_limited_us,
		rtt_probe_count, datagrams_sent, datagrams_received, datagrams_lost,
		datagrams_reordered, datagrams_duplicate, transactions, reverse_bytes,
		reverse_retransmits;
	const char *tcp_cc_actual, *src_affinity, *dst_affinity, *src_method, *dst_method;
};

struct dataset_cell {
	int64_t cell_id;
	const char *src, *dst; /* "esx1.vmk1" */
	const char *src_host, *dst_host;
	const char *initiator;                            /* "src", "dst" */
	const char *path_class, *src_driver, *dst_driver; /* drivers NULL: not said */
	const char *engine;
	int64_t mtu_bytes, window_bytes, streams,
		buffer_bytes;                    /* RESULT_UNKNOWN: unchanged / default */
	const char *lro, *tso;                   /* "on", "off", "unchanged" */
	double duration_s, omit_s;               /* duration NAN: `bytes` ends a test */
	const char *protocol, *mode, *zero_copy; /* zero_copy NULL: off, or not known */
	int64_t bidir;                           /* 0, 1 */
	/* RESULT_UNKNOWN or NULL: default; no_delay, bind_device: 0, 1 */
	int64_t bytes, target_bps, mss_bytes, no_delay, dscp, ip_version, bind_device, source_port;
	const char *tcp_cc, *affinity;
	const char *state, *reason; /* reason NULL: none */
	const char *profiles;       /* names with blanks between */
	double published_bps;       /* of the first profile that has one; NAN */
	int64_t n, n_invalid;       /* tests that count; 0 when none */
	double median_bps, ci_lo_bps, ci_hi_bps, ci_confidence, min_bps, max_bps, cv_pct,
		line_rate_pct;
	/* Medians over the same tests; reverse: the way back of a bidirectional cell. NAN: not known. */
	double reverse_median_bps, median_loss_pct, reverse_median_loss_pct, median_jitter_us;
	double median_rr_per_s, median_rr_p50_us, median_rr_p99_us;
	struct dataset_test *tests; /* only after dataset_load_cell() or dataset_load_tests() */
	size_t test_count;
};

struct dataset_run {
	int64_t run_id;
	const char *name, *status, *started_utc, *ended_utc, *profile, *origin, *tool_version;
	uint64_t seed;
	int64_t cells, cells_done, cells_skipped, cells_bad,
		cells_pending; /* bad: failed, invalid, unstable */
	int64_t tests;
};

struct dataset_interval {
	int64_t direction, stream; /* direction 1: back, of a bidirectional cell */
	double start_s, end_s;
	bool omitted;
	double throughput_bps, cpu_pct;
	int64_t retransmits, cwnd_bytes, rtt_us;
	/* As in struct result_interval. */
	double src_cpu_pct, src_core_max_pct, dst_core_max_pct, src_steal_pct, dst_steal_pct;
	int64_t rttvar_us, mss_bytes, path_mtu_bytes, busy_us, rwnd_limited_us, sndbuf_limited_us,
		transactions, datagrams, datagrams_lost;
};

/* One stream of a test: as struct result_stream. */
struct dataset_stream {
	double throughput_bps, rtt_us, jitter_us;
	int64_t direction, stream, src_port, dst_port, retransmits, cwnd_max_bytes, cpu, rtt_min_us,
		busy_us, rwnd_limited_us, sndbuf_limited_us, datagrams, datagrams_lost,
		datagrams_reordered, datagrams_duplicate;
};

/* What befell a stream of a test: as struct result_trouble. */
struct dataset_trouble {
	int64_t test_id, direction, stream;
	const char *host; /* whose agent told it */
	const char *reason;
};

struct dataset_fact {
	const char *host, *nic, *phase, *key, *value, *source; /* nic NULL: the host's own */
};

struct dataset {
	struct arena arena;
	struct dataset_run run;
	struct dataset_cell *cells; /* by cell_id */
	size_t cell_count;
};

struct dataset_runs {
	struct arena arena;
	struct dataset_run *at; /* newest first */
	size_t count;
};

bool dataset_load_runs(struct store *store, struct dataset_runs *out, struct err *err) NODISCARD;
void dataset_runs_done(struct dataset_runs *runs);

/* run_id 0: the newest run. ERR_USAGE when there is no such run. */
bool dataset_load(struct store *store, int64_t run_id, struct dataset *out,
                  struct err *err) NODISCARD;

/* One cell with its run's row, its tests and nothing else. ERR_USAGE when there is no such cell. */
bool dataset_load_cell(struct store *store, int64_t cell_id, struct dataset *out,
                       struct err *err) NODISCARD;

/* Adds the tests of all its cells, by seq, to what dataset_load() made. */
bool dataset_load_tests(struct store *store, struct dataset *data, struct err *err) NODISCARD;

/* Intervals of a test, in the arena given. */
bool dataset_load_intervals(struct store *store, int64_t test_id, struct arena *arena,
                            struct dataset_interval **out, size_t *count,
                            struct err *err) NODISCARD;

/* Streams of a test, in the arena given, by direction and number. */
bool dataset_load_streams(struct store *store, int64_t test_id, struct arena *arena,
                          struct dataset_stream **out, size_t *count, struct err *err) NODISCARD;

/* What befell single streams of a cell's tests, in the arena given, by test. */
bool dataset_load_troubles(struct store *store, int64_t cell_id, struct arena *arena,
                           struct dataset_trouble **out, size_t *count, struct err *err) NODISCARD;

void dataset_done(struct dataset *data);

#endif
