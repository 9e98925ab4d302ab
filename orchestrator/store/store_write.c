/* SPDX-License-Identifier: MIT */
/* The sink that keeps everything: a transaction a result. */
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/clock.h"
#include "store/store_db.h"

/* Columns whose value is a member of the same name. */
#define MEMBER(type, member, kind)                              \
	{                                                       \
#member, kind, offsetof(struct type, member), 0 \
	}

static const struct sql_column test_columns[] = {
	MEMBER(test_result, replicate, SQL_U32),
	MEMBER(test_result, block, SQL_U32),
	MEMBER(test_result, round, SQL_U32),
	MEMBER(test_result, seq, SQL_U32),
	MEMBER(test_result, duration_s, SQL_REAL),
	MEMBER(test_result, throughput_bps, SQL_REAL),
	MEMBER(test_result, sender_bps, SQL_REAL),
	MEMBER(test_result, bytes, SQL_INT),
	MEMBER(test_result, retransmits, SQL_INT),
	MEMBER(test_result, retransmits_per_gib, SQL_REAL),
	MEMBER(test_result, rtt_base_us, SQL_REAL),
	MEMBER(test_result, rtt_loaded_us, SQL_REAL),
	MEMBER(test_result, cwnd_max_bytes, SQL_INT),
	MEMBER(test_result, window_requested_bytes, SQL_INT),
	MEMBER(test_result, sndbuf_actual_bytes, SQL_INT),
	MEMBER(test_result, rcvbuf_actual_bytes, SQL_INT),
	MEMBER(test_result, mss_bytes, SQL_INT),
	MEMBER(test_result, path_mtu_bytes, SQL_INT),
	MEMBER(test_result, src_cpu_pct, SQL_REAL),
	MEMBER(test_result, dst_cpu_pct, SQL_REAL),
	MEMBER(test_result, src_core_max_pct, SQL_REAL),
	MEMBER(test_result, dst_core_max_pct, SQL_REAL),
	MEMBER(test_result, src_cpu_us_per_gib, SQL_REAL),
	MEMBER(test_result, dst_cpu_us_per_gib, SQL_REAL),
	MEMBER(test_result, rx_drops, SQL_INT),
	MEMBER(test_result, concurrent_tests, SQL_U32),
	MEMBER(test_result, nic_byte_match_pct, SQL_REAL),
	MEMBER(test_result, line_rate_bps, SQL_REAL),
	MEMBER(test_result, tcp_efficiency_pct, SQL_REAL),
	MEMBER(test_result, buffer_delay_pct, SQL_REAL),
	MEMBER(test_result, rtt_min_us, SQL_REAL),
	MEMBER(test_result, start_skew_us, SQL_REAL),
	MEMBER(test_result, tcp_cc_actual, SQL_TEXT),
	MEMBER(test_result, no_delay_actual, SQL_INT),
	MEMBER(test_result, dscp_actual, SQL_INT),
	MEMBER(test_result, src_affinity, SQL_TEXT),
	MEMBER(test_result, dst_affinity, SQL_TEXT),
	MEMBER(test_result, src_method, SQL_TEXT),
	MEMBER(test_result, dst_method, SQL_TEXT),
	MEMBER(test_result, src_thread_max_pct, SQL_REAL),
	MEMBER(test_result, dst_thread_max_pct, SQL_REAL),
	MEMBER(test_result, src_steal_pct, SQL_REAL),
	MEMBER(test_result, dst_steal_pct, SQL_REAL),
	MEMBER(test_result, busy_us, SQL_INT),
	MEMBER(test_result, rwnd_limited_us, SQL_INT),
	MEMBER(test_result, sndbuf_limited_us, SQL_INT),
	MEMBER(test_result, rtt_probe_count, SQL_INT),
	MEMBER(test_result, rtt_probe_p50_us, SQL_REAL),
	MEMBER(test_result, rtt_probe_p99_us, SQL_REAL),
	MEMBER(test_result, rtt_probe_max_us, SQL_REAL),
	MEMBER(test_result, datagrams_sent, SQL_INT),
	MEMBER(test_result, datagrams_received, SQL_INT),
	MEMBER(test_result, datagrams_lost, SQL_INT),
	MEMBER(test_result, datagrams_reordered, SQL_INT),
	MEMBER(test_result, datagrams_duplicate, SQL_INT),
	MEMBER(test_result, loss_pct, SQL_REAL),
	MEMBER(test_result, jitter_us, SQL_REAL),
	MEMBER(test_result, transactions, SQL_INT),
	MEMBER(test_result, rr_per_s, SQL_REAL),
	MEMBER(test_result, rr_min_us, SQL_REAL),
	MEMBER(test_result, rr_mean_us, SQL_REAL),
	MEMBER(test_result, rr_p50_us, SQL_REAL),
	MEMBER(test_result, rr_p90_us, SQL_REAL),
	MEMBER(test_result, rr_p99_us, SQL_REAL),
	MEMBER(test_result, rr_p999_us, SQL_REAL),
	MEMBER(test_result, rr_max_us, SQL_REAL),
	MEMBER(test_result, reverse_bps, SQL_REAL),
	MEMBER(test_result, reverse_sender_bps, SQL_REAL),
	MEMBER(test_result, reverse_bytes, SQL_INT),
	MEMBER(test_result, reverse_retransmits, SQL_INT),
	MEMBER(test_result, reverse_rtt_loaded_us, SQL_REAL),
	MEMBER(test_result, reverse_loss_pct, SQL_REAL),
	MEMBER(test_result, reverse_jitter_us, SQL_REAL),
	{0},
};

static const struct sql_column interval_columns[] = {
	MEMBER(result_interval, stream, SQL_U32),
	MEMBER(result_interval, start_s, SQL_REAL),
	MEMBER(result_interval, end_s, SQL_REAL),
	MEMBER(result_interval, throughput_bps, SQL_REAL),
	MEMBER(result_interval, retransmits, SQL_INT),
	MEMBER(result_interval, cwnd_bytes, SQL_INT),
	MEMBER(result_interval, rtt_us, SQL_INT),
	MEMBER(result_interval, cpu_pct, SQL_REAL),
	MEMBER(result_interval, direction, SQL_U32),
	MEMBER(result_interval, rttvar_us, SQL_INT),
	MEMBER(result_interval, mss_bytes, SQL_INT),
	MEMBER(result_interval, path_mtu_bytes, SQL_INT),
	MEMBER(result_interval, busy_us, SQL_INT),
	MEMBER(result_interval, rwnd_limited_us, SQL_INT),
	MEMBER(result_interval, sndbuf_limited_us, SQL_INT),
	MEMBER(result_interval, transactions, SQL_INT),
	MEMBER(result_interval, datagrams, SQL_INT),
	MEMBER(result_interval, datagrams_lost, SQL_INT),
	MEMBER(result_interval, src_cpu_pct, SQL_REAL),
	MEMBER(result_interval, src_core_max_pct, SQL_REAL),
	MEMBER(result_interval, dst_core_max_pct, SQL_REAL),
	MEMBER(result_interval, src_steal_pct, SQL_REAL),
	MEMBER(result_interval, dst_steal_pct, SQL_REAL),
	{0},
};

static const struct sql_column stream_columns[] = {
	MEMBER(result_stream, stream, SQL_U32),
	MEMBER(result_stream, src_port, SQL_INT),
	MEMBER(result_stream, dst_port, SQL_INT),
	MEMBER(result_stream, throughput_bps, SQL_REAL),
	MEMBER(result_stream, retransmits, SQL_INT),
	MEMBER(result_stream, cwnd_max_bytes, SQL_INT),
	MEMBER(result_stream, rtt_us, SQL_INT),
	MEMBER(result_stream, cpu, SQL_INT),
	MEMBER(result_stream, direction, SQL_U32),
	MEMBER(result_stream, rtt_min_us, SQL_INT),
	MEMBER(result_stream, busy_us, SQL_INT),
	MEMBER(result_stream, rwnd_limited_us, SQL_INT),
	MEMBER(result_stream, sndbuf_limited_us, SQL_INT),
	MEMBER(result_stream, datagrams, SQL_INT),
	MEMBER(result_stream, datagrams_lost, SQL_INT),
	MEMBER(result_stream, datagrams_reordered, SQL_INT),
	MEMBER(result_stream, datagrams_duplicate, SQL_INT),
	MEMBER(result_stream, jitter_us, SQL_REAL),
	{0},
};

static int64_t cell_id(const struct store *store, uint32_t cell)
{
	assert(cell < store->ids.cell_count);
	return store->ids.cells[cell];
}

/* Attempts count on over a resume: the caller's number begins at 1 again. */
static bool next_attempt(struct store *store, const struct test_result *test, int64_t *attempt,
                         struct err *err)
{
	int64_t last = 0;

	if (!sql_get_int(&store->sql,
	                 "SELECT max(attempt) FROM tests WHERE cell_id=? AND replicate=?",
	                 SQL_VALUES(sql_int(cell_id(store, test->cell)), sql_int(test->replicate)),
	                 &last, err))
		return false;
	*attempt = last == SQL_UNKNOWN || test->attempt > last ? test->attempt : last + 1;
	return true;
}

static bool put_test(struct store *store, const struct test_result *test, int64_t *test_id,
                     struct err *err)
{
	const int extras = 5;
	char started[CLOCK_UTC_BYTES];
	sqlite3_stmt *stmt = NULL;
	int64_t attempt = 0;
	bool ok;

	if (!next_attempt(store, test, &attempt, err))
		return false;
	clock_format_utc(test->started_wall_ms, started);
	ok = sql_prepare_insert(&store->sql, "INSERT INTO tests",
	                        "cell_id,attempt,started_utc,status,reason", test_columns, &stmt,
	                        err) &&
	     sql_bind_row(&store->sql, stmt, extras + 1, test_columns, test, err) &&
	     sql_put(&store->sql, stmt,
	             SQL_VALUES(sql_int(cell_id(store, test->cell)), sql_int(attempt),
	                        sql_text(started), sql_text(test_status_names[test->status]),
	                        sql_text(test->reason[0] == '\0' ? NULL : test->reason)),
	             err);
	(void)sqlite3_finalize(stmt);
	*test_id = sqlite3_last_insert_rowid(store->sql.db);
	return ok;
}

/*
 * What a peer tells twice counts once, the last time: a damaged agent must not
 * stop the run. (OR REPLACE, here and in the three below.)
 */
static bool put_intervals(struct store *store, const struct test_result *test, int64_t test_id,
                          struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare_insert(&store->sql, "INSERT OR REPLACE INTO intervals",
	                             "test_id,omitted", interval_columns, &stmt, err);

	for (size_t i = 0; ok && i < test->interval_count; i++)
		ok = sql_bind_row(&store->sql, stmt, 3, interval_columns, &test->intervals[i],
		                  err) &&
		     sql_put(&store->sql, stmt,
		             SQL_VALUES(sql_int(test_id), sql_int(test->intervals[i].omitted)),
		             err);
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool put_streams(struct store *store, const struct test_result *test, int64_t test_id,
                        struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare_insert(&store->sql, "INSERT OR REPLACE INTO streams", "test_id",
	                             stream_columns, &stmt, err);

	for (size_t i = 0; ok && i < test->stream_count; i++)
		ok = sql_bind_row(&store->sql, stmt, 2, stream_columns, &test->streams[i], err) &&
		     sql_put(&store->sql, stmt, SQL_VALUES(sql_int(test_id)), err);
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool put_counters(struct store *store, const struct test_result *test, int64_t test_id,
                         struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare(&store->sql,
	                      "INSERT OR REPLACE INTO counters(test_id,host_id,name,delta)"
	                      " SELECT ?1,n.host_id,?2,?3 FROM cells c JOIN nics n"
	                      " ON n.nic_id=CASE ?4 WHEN 1 THEN c.dst_nic_id ELSE c.src_nic_id END"
	                      " WHERE c.cell_id=?5",
	                      &stmt, err);

	for (size_t i = 0; ok && i < test->counter_count; i++) {
		const struct result_counter *c = &test->counters[i];

		if (c->delta == RESULT_UNKNOWN)
			continue;
		ok = sql_put(&store->sql, stmt,
		             SQL_VALUES(sql_int(test_id), sql_text(c->name), sql_int(c->delta),
		                        sql_int(c->is_dst), sql_int(cell_id(store, test->cell))),
		             err);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool put_troubles(struct store *store, const struct test_result *test, int64_t test_id,
                         struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool ok = sql_prepare(&store->sql,
	                      "INSERT OR REPLACE INTO"
	                      " stream_troubles(test_id,direction,stream,host_id,reason)"
	                      " SELECT ?1,?2,?3,n.host_id,?4 FROM cells c JOIN nics n"
	                      " ON n.nic_id=CASE ?5 WHEN 1 THEN c.dst_nic_id ELSE c.src_nic_id END"
	                      " WHERE c.cell_id=?6",
	                      &stmt, err);

	for (size_t i = 0; ok && i < test->trouble_count; i++) {
		const struct result_trouble *t = &test->troubles[i];

		ok = sql_put(&store->sql, stmt,
		             SQL_VALUES(sql_int(test_id), sql_int(t->direction), sql_int(t->stream),
		                        sql_text(t->reason), sql_int(t->is_dst),
		                        sql_int(cell_id(store, test->cell))),
		             err);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static bool put_cell_state(struct store *store, uint32_t cell, enum cell_state state,
                           const char *reason, struct err *err)
{
	return sql_run(&store->sql, "UPDATE cells SET state=?,reason=? WHERE cell_id=?",
	               SQL_VALUES(sql_text(cell_state_names[state]),
	                          sql_text(reason == NULL || reason[0] == '\0' ? NULL : reason),
	                          sql_int(cell_id(store, cell))),
	               err);
}

static bool sink_test(void *ctx, const struct test_result *test, enum cell_state state,
                      const char *cell_reason, struct err *err)
{
	struct store *store = ctx;
	int64_t test_id = 0;
	bool ok;

	if (!sql_begin(&store->sql, err))
		return false;
	ok = put_test(store, test, &test_id, err) && put_intervals(store, test, test_id, err) &&
	     put_streams(store, test, test_id, err) && put_counters(store, test, test_id, err) &&
	     put_troubles(store, test, test_id, err) &&
	     put_cell_state(store, test->cell, state, cell_reason, err) &&
	     store_put_cell_stats(store, cell_id(store, test->cell), err) &&
	     store_commit(store, err);
	if (!ok)
		sql_rollback(&store->sql);
	return ok;
}

static bool sink_cell(void *ctx, uint32_t cell, enum cell_state state, const char *reason,
                      struct err *err)
{
	return put_cell_state(ctx, cell, state, reason, err);
}

static int64_t host_id(const struct store *store, size_t host)
{
	if (host == SIZE_MAX)
		return SQL_UNKNOWN;
	assert(host < store->ids.host_count);
	return store->ids.hosts[host];
}

static bool sink_host(void *ctx, const struct result_host *host, struct err *err)
{
	struct store *store = ctx;
	const struct {
		const char *key, *value;
	} agent[] = {
		{"agent.sha256", host->agent_sha256},
		{"agent.arch", host->agent_arch},
		{"agent.origin", host->agent_origin},
		{"agent.folder", host->agent_place},
	};
	struct result_fact facts[COUNT_OF(agent)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(agent); i++) {
		if (agent[i].value != NULL && agent[i].value[0] != '\0')
			facts[count++] = (struct result_fact){.host = host->host,
			                                      .key = agent[i].key,
			                                      .value = agent[i].value,
			                                      .source = "agent"};
	}
	if (!sql_run(&store->sql,
	             "UPDATE run_hosts SET engine=?,engine_version=?,clock_offset_us=? WHERE "
	             "run_id=? AND host_id=?",
	             SQL_VALUES(sql_text(host->engine), sql_text(host->engine_version),
	                        sql_int(host->clock_offset_us), sql_int(store->ids.run_id),
	                        sql_int(host_id(store, host->host))),
	             err))
		return false;
	return count == 0 || store_put_facts(store, facts, count, err);
}

static bool sink_facts(void *ctx, const struct result_fact *facts, size_t count, struct err *err)
{
	return store_put_facts(ctx, facts, count, err);
}

static bool sink_event(void *ctx, const char *level, size_t host, const char *text, struct err *err)
{
	struct store *store = ctx;

	return store_put_event(store, level, host_id(store, host), text, err);
}

void store_sink_init(struct store *store)
{
	store->sink = (struct result_sink){
		.ctx = store,
		.test = sink_test,
		.cell = sink_cell,
		.host = sink_host,
		.facts = sink_facts,
		.event = sink_event,
	};
}

const struct result_sink *store_sink(struct store *store)
{
	return &store->sink;
}
