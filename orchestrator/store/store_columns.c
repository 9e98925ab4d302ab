/* SPDX-License-Identifier: MIT */
#include "store/store_columns.h"

#include <stddef.h>

#define MEMBER(type, member, kind, expression)                     \
	{                                                          \
		expression, kind, offsetof(struct type, member), 0 \
	}

/* Since schema version 2. */
#define MEMBER2(type, member, kind, expression)                    \
	{                                                          \
		expression, kind, offsetof(struct type, member), 2 \
	}

/* clang-format off */
#define CELLS_IN(states) \
	"(SELECT count(*) FROM cells c WHERE c.run_id=r.run_id AND c.state IN(" states "))"

const struct sql_column store_run_columns[] = {
	MEMBER(dataset_run, run_id, SQL_INT, "r.run_id"),
	MEMBER(dataset_run, name, SQL_TEXT, "r.name"),
	MEMBER(dataset_run, status, SQL_TEXT, "r.status"),
	MEMBER(dataset_run, started_utc, SQL_TEXT, "r.started_utc"),
	MEMBER(dataset_run, ended_utc, SQL_TEXT, "r.ended_utc"),
	MEMBER(dataset_run, profile, SQL_TEXT, "r.profile"),
	MEMBER(dataset_run, origin, SQL_TEXT, "r.origin"),
	MEMBER(dataset_run, tool_version, SQL_TEXT, "r.tool_version"),
	MEMBER(dataset_run, seed, SQL_U64, "r.random_seed"),
	MEMBER(dataset_run, cells, SQL_COUNT,
	       "(SELECT count(*) FROM cells c WHERE c.run_id=r.run_id)"),
	MEMBER(dataset_run, cells_done, SQL_COUNT, CELLS_IN("'done'")),
	MEMBER(dataset_run, cells_skipped, SQL_COUNT, CELLS_IN("'skipped'")),
	MEMBER(dataset_run, cells_bad, SQL_COUNT, CELLS_IN("'failed','invalid','unstable'")),
	MEMBER(dataset_run, cells_pending, SQL_COUNT, CELLS_IN("'pending','running'")),
	MEMBER(dataset_run, tests, SQL_COUNT,
	       "(SELECT count(*) FROM cells c JOIN tests t ON t.cell_id=c.cell_id"
	       " WHERE c.run_id=r.run_id)"),
	{0},
};

const struct sql_column store_cell_columns[] = {
	MEMBER(dataset_cell, cell_id, SQL_INT, "c.cell_id"),
	MEMBER(dataset_cell, src, SQL_TEXT, "sh.name||'.'||sn.name"),
	MEMBER(dataset_cell, dst, SQL_TEXT, "dh.name||'.'||dn.name"),
	MEMBER(dataset_cell, src_host, SQL_TEXT, "sh.name"),
	MEMBER(dataset_cell, dst_host, SQL_TEXT, "dh.name"),
	MEMBER(dataset_cell, initiator, SQL_TEXT, "c.initiator"),
	MEMBER(dataset_cell, path_class, SQL_TEXT, "c.path_class"),
	MEMBER(dataset_cell, src_driver, SQL_TEXT, "srn.driver"),
	MEMBER(dataset_cell, dst_driver, SQL_TEXT, "drn.driver"),
	MEMBER(dataset_cell, engine, SQL_TEXT, "k.engine"),
	MEMBER(dataset_cell, mtu_bytes, SQL_INT, "k.mtu_bytes"),
	MEMBER(dataset_cell, window_bytes, SQL_INT, "k.window_bytes"),
	MEMBER(dataset_cell, streams, SQL_INT, "k.streams"),
	MEMBER(dataset_cell, buffer_bytes, SQL_INT, "k.buffer_bytes"),
	MEMBER(dataset_cell, lro, SQL_TEXT, "k.lro"),
	MEMBER(dataset_cell, tso, SQL_TEXT, "k.tso"),
	MEMBER(dataset_cell, duration_s, SQL_REAL, "k.duration_s"),
	MEMBER(dataset_cell, omit_s, SQL_REAL, "k.omit_s"),
	MEMBER(dataset_cell, state, SQL_TEXT, "c.state"),
	MEMBER(dataset_cell, reason, SQL_TEXT, "c.reason"),
	MEMBER(dataset_cell, profiles, SQL_TEXT,
	       "(SELECT group_concat(profile,' ') FROM (SELECT p.profile FROM cell_profiles p"
	       " WHERE p.cell_id=c.cell_id ORDER BY p.rowid))"),
	MEMBER(dataset_cell, published_bps, SQL_REAL,
	       "(SELECT p.published_bps FROM cell_profiles p"
	       " WHERE p.cell_id=c.cell_id AND p.published_bps IS NOT NULL"
	       " ORDER BY p.rowid LIMIT 1)"),
	MEMBER(dataset_cell, n, SQL_COUNT, "s.n"),
	MEMBER(dataset_cell, n_invalid, SQL_COUNT, "s.n_invalid"),
	MEMBER(dataset_cell, median_bps, SQL_REAL, "s.median_bps"),
	MEMBER(dataset_cell, ci_lo_bps, SQL_REAL, "s.ci_lo_bps"),
	MEMBER(dataset_cell, ci_hi_bps, SQL_REAL, "s.ci_hi_bps"),
	MEMBER(dataset_cell, ci_confidence, SQL_REAL, "s.ci_confidence"),
	MEMBER(dataset_cell, min_bps, SQL_REAL, "s.min_bps"),
	MEMBER(dataset_cell, max_bps, SQL_REAL, "s.max_bps"),
	MEMBER(dataset_cell, cv_pct, SQL_REAL, "s.cv_pct"),
	MEMBER(dataset_cell, line_rate_pct, SQL_REAL, "s.line_rate_pct"),
	MEMBER(dataset_cell, protocol, SQL_TEXT, "k.protocol"),
	MEMBER(dataset_cell, mode, SQL_TEXT, "k.mode"),
	MEMBER(dataset_cell, bidir, SQL_COUNT, "k.bidir"),
	MEMBER(dataset_cell, zero_copy, SQL_TEXT, "k.zero_copy"),
	MEMBER(dataset_cell, target_bps, SQL_INT, "k.target_bps"),
	MEMBER(dataset_cell, mss_bytes, SQL_INT, "k.mss_bytes"),
	MEMBER(dataset_cell, dscp, SQL_INT, "k.dscp"),
	MEMBER(dataset_cell, tcp_cc, SQL_TEXT, "k.tcp_cc"),
	MEMBER(dataset_cell, ip_version, SQL_INT, "k.ip_version"),
	MEMBER2(dataset_cell, bytes, SQL_INT, "k.bytes"),
	MEMBER2(dataset_cell, no_delay, SQL_INT, "k.no_delay"),
	MEMBER2(dataset_cell, affinity, SQL_TEXT, "k.affinity"),
	MEMBER2(dataset_cell, bind_device, SQL_INT, "k.bind_device"),
	MEMBER2(dataset_cell, source_port, SQL_INT, "k.source_port"),
	MEMBER2(dataset_cell, reverse_median_bps, SQL_REAL, "s.reverse_median_bps"),
	MEMBER2(dataset_cell, median_loss_pct, SQL_REAL, "s.median_loss_pct"),
	MEMBER2(dataset_cell, reverse_median_loss_pct, SQL_REAL, "s.reverse_median_loss_pct"),
	MEMBER2(dataset_cell, median_jitter_us, SQL_REAL, "s.median_jitter_us"),
	MEMBER2(dataset_cell, median_rr_per_s, SQL_REAL, "s.median_rr_per_s"),
	MEMBER2(dataset_cell, median_rr_p50_us, SQL_REAL, "s.median_rr_p50_us"),
	MEMBER2(dataset_cell, median_rr_p99_us, SQL_REAL, "s.median_rr_p99_us"),
	{0},
};

#define TEST(member, kind)  MEMBER(dataset_test, member, kind, #member)
#define TEST2(member, kind) {#member, kind, offsetof(struct dataset_test, member), 2}
const struct sql_column store_test_columns[] = {
	TEST(test_id, SQL_INT), TEST(replicate, SQL_U32), TEST(block, SQL_U32),
	TEST(round, SQL_U32), TEST(seq, SQL_U32), TEST(attempt, SQL_U32),
	TEST(started_utc, SQL_TEXT), TEST(status, SQL_TEXT), TEST(reason, SQL_TEXT),
	TEST(duration_s, SQL_REAL), TEST(throughput_bps, SQL_REAL), TEST(sender_bps, SQL_REAL),
	TEST(retransmits_per_gib, SQL_REAL), TEST(rtt_base_us, SQL_REAL),
	TEST(rtt_loaded_us, SQL_REAL), TEST(src_cpu_pct, SQL_REAL), TEST(dst_cpu_pct, SQL_REAL),
	TEST(src_core_max_pct, SQL_REAL), TEST(dst_core_max_pct, SQL_REAL),
	TEST(line_rate_bps, SQL_REAL), TEST(src_cpu_us_per_gib, SQL_REAL),
	TEST(dst_cpu_us_per_gib, SQL_REAL), TEST(nic_byte_match_pct, SQL_REAL),
	TEST(tcp_efficiency_pct, SQL_REAL), TEST(buffer_delay_pct, SQL_REAL),
	TEST(bytes, SQL_INT), TEST(retransmits, SQL_INT), TEST(cwnd_max_bytes, SQL_INT),
	TEST(window_requested_bytes, SQL_INT), TEST(sndbuf_actual_bytes, SQL_INT),
	TEST(rcvbuf_actual_bytes, SQL_INT), TEST(mss_bytes, SQL_INT),
	TEST(path_mtu_bytes, SQL_INT), TEST(rx_drops, SQL_INT), TEST(concurrent_tests, SQL_INT),
	TEST(reverse_bps, SQL_REAL), TEST(reverse_retransmits, SQL_INT),
	TEST2(rtt_min_us, SQL_REAL), TEST2(start_skew_us, SQL_REAL),
	TEST2(tcp_cc_actual, SQL_TEXT), TEST2(no_delay_actual, SQL_INT),
	TEST2(dscp_actual, SQL_INT), TEST2(src_affinity, SQL_TEXT), TEST2(dst_affinity, SQL_TEXT),
	TEST2(src_method, SQL_TEXT), TEST2(dst_method, SQL_TEXT),
	TEST2(src_thread_max_pct, SQL_REAL), TEST2(dst_thread_max_pct, SQL_REAL),
	TEST2(src_steal_pct, SQL_REAL), TEST2(dst_steal_pct, SQL_REAL), TEST2(busy_us, SQL_INT),
	TEST2(rwnd_limited_us, SQL_INT), TEST2(sndbuf_limited_us, SQL_INT),
	TEST2(rtt_probe_count, SQL_INT), TEST2(rtt_probe_p50_us, SQL_REAL),
	TEST2(rtt_probe_p99_us, SQL_REAL), TEST2(rtt_probe_max_us, SQL_REAL),
	TEST2(datagrams_sent, SQL_INT), TEST2(datagrams_received, SQL_INT),
	TEST2(datagrams_lost, SQL_INT), TEST2(datagrams_reordered, SQL_INT),
	TEST2(datagrams_duplicate, SQL_INT), TEST2(loss_pct, SQL_REAL), TEST2(jitter_us, SQL_REAL),
	TEST2(transactions, SQL_INT), TEST2(rr_per_s, SQL_REAL), TEST2(rr_min_us, SQL_REAL),
	TEST2(rr_mean_us, SQL_REAL), TEST2(rr_p50_us, SQL_REAL), TEST2(rr_p90_us, SQL_REAL),
	TEST2(rr_p99_us, SQL_REAL), TEST2(rr_p999_us, SQL_REAL), TEST2(rr_max_us, SQL_REAL),
	TEST2(reverse_sender_bps, SQL_REAL), TEST2(reverse_bytes, SQL_INT),
	TEST2(reverse_rtt_loaded_us, SQL_REAL), TEST2(reverse_loss_pct, SQL_REAL),
	TEST2(reverse_jitter_us, SQL_REAL),
	{0},
};

#define INTERVAL(member, kind) {#member, kind, offsetof(struct store_interval_row, interval.member), 0}
#define INTERVAL2(member, kind) \
	{#member, kind, offsetof(struct store_interval_row, interval.member), 2}
const struct sql_column store_interval_columns[] = {
	INTERVAL(direction, SQL_INT), INTERVAL(stream, SQL_INT), INTERVAL(start_s, SQL_REAL), INTERVAL(end_s, SQL_REAL),
	{"omitted", SQL_COUNT, offsetof(struct store_interval_row, omitted), 0},
	INTERVAL(throughput_bps, SQL_REAL), INTERVAL(cpu_pct, SQL_REAL),
	INTERVAL(retransmits, SQL_INT), INTERVAL(cwnd_bytes, SQL_INT), INTERVAL(rtt_us, SQL_INT),
	INTERVAL2(rttvar_us, SQL_INT), INTERVAL2(mss_bytes, SQL_INT),
	INTERVAL2(path_mtu_bytes, SQL_INT), INTERVAL2(busy_us, SQL_INT),
	INTERVAL2(rwnd_limited_us, SQL_INT), INTERVAL2(sndbuf_limited_us, SQL_INT),
	INTERVAL2(transactions, SQL_INT), INTERVAL2(datagrams, SQL_INT),
	INTERVAL2(datagrams_lost, SQL_INT), INTERVAL2(src_cpu_pct, SQL_REAL),
	INTERVAL2(src_core_max_pct, SQL_REAL), INTERVAL2(dst_core_max_pct, SQL_REAL),
	INTERVAL2(src_steal_pct, SQL_REAL), INTERVAL2(dst_steal_pct, SQL_REAL),
	{0},
};
#define STREAM(member, kind)  {#member, kind, offsetof(struct dataset_stream, member), 0}
#define STREAM2(member, kind) {#member, kind, offsetof(struct dataset_stream, member), 2}
const struct sql_column store_stream_columns[] = {
	STREAM(direction, SQL_INT), STREAM(stream, SQL_INT), STREAM(src_port, SQL_INT),
	STREAM(dst_port, SQL_INT), STREAM(throughput_bps, SQL_REAL), STREAM(retransmits, SQL_INT),
	STREAM(cwnd_max_bytes, SQL_INT), STREAM(rtt_us, SQL_REAL), STREAM(cpu, SQL_INT),
	STREAM2(rtt_min_us, SQL_INT), STREAM2(busy_us, SQL_INT), STREAM2(rwnd_limited_us, SQL_INT),
	STREAM2(sndbuf_limited_us, SQL_INT), STREAM2(datagrams, SQL_INT),
	STREAM2(datagrams_lost, SQL_INT), STREAM2(datagrams_reordered, SQL_INT),
	STREAM2(datagrams_duplicate, SQL_INT), STREAM2(jitter_us, SQL_REAL),
	{0},
};

const struct sql_column store_trouble_columns[] = {
	MEMBER(dataset_trouble, test_id, SQL_INT, "s.test_id"),
	MEMBER(dataset_trouble, direction, SQL_INT, "s.direction"),
	MEMBER(dataset_trouble, stream, SQL_INT, "s.stream"),
	MEMBER(dataset_trouble, host, SQL_TEXT, "h.name"),
	MEMBER(dataset_trouble, reason, SQL_TEXT, "s.reason"),
	{0},
};
/* clang-format on */
