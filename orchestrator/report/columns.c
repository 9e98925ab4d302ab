/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include "store/dataset.h"

/* clang-format off */
#define RUN(kind, member)      {#member, COLUMN_##kind, offsetof(struct dataset_run, member)}
#define CELL(kind, member)     {#member, COLUMN_##kind, offsetof(struct dataset_cell, member)}
#define TEST(kind, member)     {#member, COLUMN_##kind, offsetof(struct dataset_test, member)}
#define INTERVAL(kind, member) {#member, COLUMN_##kind, offsetof(struct dataset_interval, member)}
#define STREAM(kind, member)   {#member, COLUMN_##kind, offsetof(struct dataset_stream, member)}
#define TROUBLE(kind, member)  {#member, COLUMN_##kind, offsetof(struct dataset_trouble, member)}

static const struct column run_columns[] = {
	RUN(INT, run_id), RUN(STR, name), RUN(STR, status), RUN(STR, started_utc), RUN(STR, ended_utc),
	RUN(STR, profile), RUN(STR, origin), RUN(STR, tool_version), RUN(U64, seed),
	RUN(INT, cells), RUN(INT, cells_done), RUN(INT, cells_skipped), RUN(INT, cells_bad),
	RUN(INT, cells_pending), RUN(INT, tests),
};

static const struct column cell_columns[] = {
	CELL(INT, cell_id), CELL(STR, src), CELL(STR, dst), CELL(STR, src_host), CELL(STR, dst_host),
	CELL(STR, initiator), CELL(STR, path_class), CELL(STR, src_driver), CELL(STR, dst_driver),
	CELL(STR, engine), CELL(INT, mtu_bytes), CELL(INT, window_bytes), CELL(INT, streams),
	CELL(INT, buffer_bytes), CELL(STR, lro), CELL(STR, tso), CELL(REAL, duration_s),
	CELL(REAL, omit_s), CELL(STR, state), CELL(STR, reason), CELL(STR, profiles),
	CELL(REAL, published_bps), CELL(INT, n), CELL(INT, n_invalid), CELL(REAL, median_bps),
	CELL(REAL, ci_lo_bps), CELL(REAL, ci_hi_bps), CELL(REAL, ci_confidence),
	CELL(REAL, min_bps), CELL(REAL, max_bps), CELL(REAL, cv_pct), CELL(REAL, line_rate_pct),
	CELL(STR, protocol), CELL(STR, mode), CELL(INT, bidir), CELL(STR, zero_copy), CELL(INT, bytes),
	CELL(INT, target_bps), CELL(INT, mss_bytes), CELL(INT, no_delay), CELL(INT, dscp),
	CELL(STR, tcp_cc), CELL(INT, ip_version), CELL(STR, affinity), CELL(INT, bind_device),
	CELL(INT, source_port), CELL(REAL, reverse_median_bps), CELL(REAL, median_loss_pct),
	CELL(REAL, reverse_median_loss_pct), CELL(REAL, median_jitter_us), CELL(REAL, median_rr_per_s),
	CELL(REAL, median_rr_p50_us), CELL(REAL, median_rr_p99_us),
};

static const struct column test_columns[] = {
	TEST(INT, test_id), TEST(U32, replicate), TEST(U32, block), TEST(U32, round), TEST(U32, seq),
	TEST(U32, attempt), TEST(STR, started_utc), TEST(STR, status), TEST(STR, reason),
	TEST(REAL, duration_s), TEST(REAL, throughput_bps), TEST(REAL, sender_bps), TEST(INT, bytes),
	TEST(INT, retransmits), TEST(REAL, retransmits_per_gib), TEST(REAL, rtt_base_us),
	TEST(REAL, rtt_loaded_us), TEST(INT, cwnd_max_bytes), TEST(INT, window_requested_bytes),
	TEST(INT, sndbuf_actual_bytes), TEST(INT, rcvbuf_actual_bytes), TEST(INT, mss_bytes),
	TEST(INT, path_mtu_bytes), TEST(REAL, src_cpu_pct), TEST(REAL, dst_cpu_pct),
	TEST(REAL, src_core_max_pct), TEST(REAL, dst_core_max_pct), TEST(REAL, src_cpu_us_per_gib),
	TEST(REAL, dst_cpu_us_per_gib), TEST(INT, rx_drops), TEST(INT, concurrent_tests),
	TEST(REAL, nic_byte_match_pct), TEST(REAL, line_rate_bps), TEST(REAL, tcp_efficiency_pct),
	TEST(REAL, buffer_delay_pct),
	TEST(REAL, rtt_min_us), TEST(REAL, start_skew_us), TEST(STR, tcp_cc_actual),
	TEST(INT, no_delay_actual), TEST(INT, dscp_actual), TEST(STR, src_affinity),
	TEST(STR, dst_affinity), TEST(STR, src_method), TEST(STR, dst_method),
	TEST(REAL, src_thread_max_pct), TEST(REAL, dst_thread_max_pct), TEST(REAL, src_steal_pct),
	TEST(REAL, dst_steal_pct), TEST(INT, busy_us), TEST(INT, rwnd_limited_us),
	TEST(INT, sndbuf_limited_us), TEST(INT, rtt_probe_count), TEST(REAL, rtt_probe_p50_us),
	TEST(REAL, rtt_probe_p99_us), TEST(REAL, rtt_probe_max_us), TEST(INT, datagrams_sent),
	TEST(INT, datagrams_received), TEST(INT, datagrams_lost), TEST(INT, datagrams_reordered),
	TEST(INT, datagrams_duplicate), TEST(REAL, loss_pct), TEST(REAL, jitter_us),
	TEST(INT, transactions), TEST(REAL, rr_per_s), TEST(REAL, rr_min_us), TEST(REAL, rr_mean_us),
	TEST(REAL, rr_p50_us), TEST(REAL, rr_p90_us), TEST(REAL, rr_p99_us), TEST(REAL, rr_p999_us),
	TEST(REAL, rr_max_us), TEST(REAL, reverse_bps), TEST(REAL, reverse_sender_bps),
	TEST(INT, reverse_bytes), TEST(INT, reverse_retransmits), TEST(REAL, reverse_rtt_loaded_us),
	TEST(REAL, reverse_loss_pct), TEST(REAL, reverse_jitter_us),
};

static const struct column interval_columns[] = {
	INTERVAL(INT, stream), INTERVAL(REAL, start_s), INTERVAL(REAL, end_s), INTERVAL(BOOL, omitted),
	INTERVAL(REAL, throughput_bps), INTERVAL(INT, retransmits), INTERVAL(INT, cwnd_bytes),
	INTERVAL(INT, rtt_us), INTERVAL(REAL, cpu_pct),
	INTERVAL(INT, direction), INTERVAL(INT, rttvar_us), INTERVAL(INT, mss_bytes),
	INTERVAL(INT, path_mtu_bytes), INTERVAL(INT, busy_us), INTERVAL(INT, rwnd_limited_us),
	INTERVAL(INT, sndbuf_limited_us), INTERVAL(INT, transactions), INTERVAL(INT, datagrams),
	INTERVAL(INT, datagrams_lost), INTERVAL(REAL, src_cpu_pct), INTERVAL(REAL, src_core_max_pct),
	INTERVAL(REAL, dst_core_max_pct), INTERVAL(REAL, src_steal_pct), INTERVAL(REAL, dst_steal_pct),
};
static const struct column stream_columns[] = {
	STREAM(INT, direction), STREAM(INT, stream), STREAM(INT, src_port), STREAM(INT, dst_port),
	STREAM(REAL, throughput_bps), STREAM(INT, retransmits), STREAM(INT, cwnd_max_bytes),
	STREAM(REAL, rtt_us), STREAM(INT, cpu), STREAM(INT, rtt_min_us), STREAM(INT, busy_us),
	STREAM(INT, rwnd_limited_us), STREAM(INT, sndbuf_limited_us), STREAM(INT, datagrams),
	STREAM(INT, datagrams_lost), STREAM(INT, datagrams_reordered),
	STREAM(INT, datagrams_duplicate), STREAM(REAL, jitter_us),
};

static const struct column trouble_columns[] = {
	TROUBLE(INT, test_id), TROUBLE(INT, direction), TROUBLE(INT, stream), TROUBLE(STR, host),
	TROUBLE(STR, reason),
};
/* clang-format on */

const struct column_list columns_of_run = {run_columns, COUNT_OF(run_columns)};
const struct column_list columns_of_cell = {cell_columns, COUNT_OF(cell_columns)};
const struct column_list columns_of_test = {test_columns, COUNT_OF(test_columns)};
const struct column_list columns_of_interval = {interval_columns, COUNT_OF(interval_columns)};
const struct column_list columns_of_stream = {stream_columns, COUNT_OF(stream_columns)};
const struct column_list columns_of_trouble = {trouble_columns, COUNT_OF(trouble_columns)};

struct writer_value column_value(const struct column *column, const void *object)
{
	const void *at = (const char *)object + column->offset;

	switch (column->kind) {
	case COLUMN_STR:
		return writer_str(*(const char *const *)at);
	case COLUMN_INT:
		return writer_int(*(const int64_t *)at);
	case COLUMN_U32:
		return writer_int(*(const uint32_t *)at);
	case COLUMN_U64: /* seeds: at most INT64_MAX, as the database's integers */
		return writer_int((int64_t) * (const uint64_t *)at);
	case COLUMN_REAL:
		return writer_real(*(const double *)at);
	case COLUMN_BOOL:
		return writer_bool(*(const bool *)at);
	}
	return writer_str(NULL);
}

void columns_to_json(const struct column_list *list, const void *object, struct json *j)
{
	for (size_t i = 0; i < list->count; i++)
		writer_add_json(j, list->at[i].name, column_value(&list->at[i], object));
}

void columns_to_writer(const struct column_list *list, const void *const *objects, size_t count,
                       const struct writer_format *format, FILE *out)
{
	struct writer w;
	struct arena arena = {0};
	const char **names = arena_alloc(&arena, list->count, sizeof(*names));
	struct writer_value *values = arena_alloc(&arena, list->count, sizeof(*values));

	for (size_t i = 0; i < list->count; i++)
		names[i] = list->at[i].name;
	writer_begin(&w, format, out, names, list->count);
	for (size_t o = 0; o < count; o++) {
		for (size_t i = 0; i < list->count; i++)
			values[i] = column_value(&list->at[i], objects[o]);
		writer_row(&w, values);
	}
	writer_end(&w);
	arena_done(&arena);
}
