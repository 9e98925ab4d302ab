/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include "store/dataset.h"

/* clang-format off */
#define RUN(kind, member)      {#member, COLUMN_##kind, offsetof(struct dataset_run, member)}
#define CELL(kind, member)     {#member, COLUMN_##kind, offsetof(struct dataset_cell, member)}
#define TEST(kind, member)     {#member, COLUMN_##kind, offsetof(struct dataset_test, member)}
#define INTERVAL(kind, member) {#member, COLUMN_##kind, offsetof(struct dataset_interval, member)}

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
};

static const struct column interval_columns[] = {
	INTERVAL(INT, stream), INTERVAL(REAL, start_s), INTERVAL(REAL, end_s), INTERVAL(BOOL, omitted),
	INTERVAL(REAL, throughput_bps), INTERVAL(INT, retransmits), INTERVAL(INT, cwnd_bytes),
	INTERVAL(INT, rtt_us), INTERVAL(REAL, cpu_pct),
};
/* clang-format on */

const struct column_list columns_of_run = {run_columns, COUNT_OF(run_columns)};
const struct column_list columns_of_cell = {cell_columns, COUNT_OF(cell_columns)};
const struct column_list columns_of_test = {test_columns, COUNT_OF(test_columns)};
const struct column_list columns_of_interval = {interval_columns, COUNT_OF(interval_columns)};

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
