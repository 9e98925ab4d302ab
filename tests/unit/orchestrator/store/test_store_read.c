/* SPDX-License-Identifier: MIT */
#include "store/dataset.h"

#include <math.h>
#include <string.h>

#include "tests/unit/orchestrator/store/fixture.h"

static bool is(double a, double b)
{
	return fabs(a - b) < 1e-6 * fmax(1, fabs(b));
}

static void a_run_comes_back_with_its_cells(void **state)
{
	struct fixture *f = *state;
	int64_t run_id = fixture_whole_run(f);
	struct store *store = fixture_open(f->path, STORE_READ);
	const struct dataset_cell *cell;
	struct dataset data;
	struct err err = {0};

	assert_true(dataset_load(store, run_id, &data, &err));
	store_close(store); /* the dataset does not need it */
	assert_int_equal(data.run.run_id, 1);
	assert_string_equal(data.run.name, "lab");
	assert_string_equal(data.run.status, "complete");
	assert_string_equal(data.run.profile, "sweep blog");
	assert_string_equal(data.run.origin, "measured");
	assert_string_equal(data.run.tool_version, "0.1.0");
	assert_non_null(data.run.started_utc);
	assert_non_null(data.run.ended_utc);
	assert_true(data.run.seed == f->plan.seed);
	assert_int_equal(data.run.cells, 5);
	assert_int_equal(data.run.cells_done, 5);
	assert_int_equal(data.run.cells_pending + data.run.cells_bad + data.run.cells_skipped, 0);
	assert_int_equal(data.run.tests, 30);
	assert_int_equal(data.cell_count, 5);

	cell = &data.cells[0];
	assert_int_equal(cell->cell_id, 1);
	assert_string_equal(cell->src, "pc.eth0");
	assert_string_equal(cell->dst, "esx1.vmk1");
	assert_string_equal(cell->src_host, "pc");
	assert_string_equal(cell->dst_host, "esx1");
	assert_string_equal(cell->initiator, "src");
	assert_string_equal(cell->path_class, "baremetal-host");
	assert_null(cell->src_driver);
	assert_string_equal(cell->engine, "agent");
	assert_true(cell->mtu_bytes == RESULT_UNKNOWN && cell->window_bytes == RESULT_UNKNOWN);
	assert_true(cell->buffer_bytes == RESULT_UNKNOWN);
	assert_int_equal(cell->streams, 2);
	assert_string_equal(cell->lro, "unchanged");
	assert_string_equal(cell->tso, "unchanged");
	assert_true(is(cell->duration_s, 1) && is(cell->omit_s, 0.5));
	assert_string_equal(cell->state, "done");
	assert_null(cell->reason);
	assert_string_equal(cell->profiles, "sweep blog");
	assert_true(is(cell->published_bps, 9.4e9));
	assert_int_equal(cell->n, 6);
	assert_int_equal(cell->n_invalid, 0);
	assert_true(is(cell->median_bps, 1.0035e9));
	assert_true(is(cell->ci_lo_bps, 1.001e9) && is(cell->ci_hi_bps, 1.006e9));
	assert_true(is(cell->ci_confidence, 0.96875));
	assert_true(is(cell->min_bps, 1.001e9) && is(cell->max_bps, 1.006e9));
	assert_true(is(cell->line_rate_pct, 10.035));
	assert_true(cell->cv_pct > 0.1 && cell->cv_pct < 0.2);
	assert_null(cell->tests);

	cell = &data.cells[3];
	assert_string_equal(cell->src_driver, "em");
	assert_string_equal(cell->dst_driver, "em");
	assert_int_equal(cell->mtu_bytes, 9000);
	assert_int_equal(cell->window_bytes, 65536);
	assert_string_equal(cell->profiles, "sweep");
	assert_true(isnan(cell->published_bps));
	assert_string_equal(data.cells[1].initiator, "dst");
	dataset_done(&data);
}

static void what_was_not_measured_is_unknown(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct dataset data;
	struct err err = {0};
	int64_t run_id = 0;

	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	assert_true(dataset_load(store, 0, &data, &err)); /* a writer can read, too */
	assert_int_equal(data.cells[0].n, 0);
	assert_true(isnan(data.cells[0].median_bps) && isnan(data.cells[0].min_bps));
	assert_true(isnan(data.cells[0].ci_lo_bps) && isnan(data.cells[0].line_rate_pct));
	assert_int_equal(data.run.cells_pending, 5);
	assert_null(data.run.ended_utc);
	dataset_done(&data);
	store_close(store);
}

static void runs_come_newest_first_with_their_counts(void **state)
{
	static const struct {
		enum cell_state state;
		const char *reason;
	} cells[FIXTURE_CELLS] = {{CELL_DONE, NULL},
	                          {CELL_SKIPPED, "not changed: mtu"},
	                          {CELL_FAILED, "lost"},
	                          {CELL_UNSTABLE, "x"},
	                          {CELL_INVALID, "y"}};
	struct fixture *f = *state;
	struct store *store;
	const struct result_sink *sink;
	struct dataset_runs runs;
	struct err err = {0};
	int64_t run_id = 0;

	(void)fixture_whole_run(f);
	store = fixture_open(f->path, STORE_WRITE);
	sink = store_sink(store);
	assert_true(store_begin_run(store, &f->plan, &f->run, &run_id, &err));
	for (uint32_t i = 0; i < FIXTURE_CELLS; i++)
		assert_true(sink->cell(sink->ctx, i, cells[i].state, cells[i].reason, &err));
	assert_true(store_end_run(store, "interrupted", &err));
	assert_true(dataset_load_runs(store, &runs, &err));
	store_close(store);
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.at[0].run_id, 2);
	assert_string_equal(runs.at[0].status, "interrupted");
	assert_int_equal(runs.at[0].cells_done, 1);
	assert_int_equal(runs.at[0].cells_skipped, 1);
	assert_int_equal(runs.at[0].cells_bad, 3);
	assert_int_equal(runs.at[0].cells_pending, 0);
	assert_int_equal(runs.at[0].tests, 0);
	assert_int_equal(runs.at[1].run_id, 1);
	assert_int_equal(runs.at[1].tests, 30);
	dataset_runs_done(&runs);
}

static void a_cell_comes_with_its_tests_and_their_intervals(void **state)
{
	struct fixture *f = *state;
	struct store *store;
	const struct dataset_test *test;
	struct dataset_interval *intervals = NULL;
	struct dataset data;
	struct err err = {0};
	size_t count = 0;

	(void)fixture_whole_run(f);
	store = fixture_open(f->path, STORE_READ);
	assert_true(dataset_load_cell(store, 2, &data, &err));
	assert_int_equal(data.run.run_id, 1);
	assert_int_equal(data.cell_count, 1);
	assert_string_equal(data.cells[0].src, "esx1.vmk1");
	assert_int_equal(data.cells[0].test_count, 6);
	test = &data.cells[0].tests[1];
	assert_int_equal(test->replicate, 2);
	assert_int_equal(test->block, 2);
	assert_int_equal(test->round, 7);
	assert_int_equal(test->seq, 7);
	assert_int_equal(test->attempt, 1);
	assert_string_equal(test->started_utc, "2026-11-30T00:53:20.000Z");
	assert_string_equal(test->status, "ok");
	assert_null(test->reason);
	assert_true(is(test->throughput_bps, 2.002e9) && is(test->sender_bps, 2.002e9 * 1.01));
	assert_true(is(test->duration_s, 1) && is(test->retransmits_per_gib, 25.5) &&
	            is(test->rtt_base_us, 200));
	assert_true(isnan(test->rtt_loaded_us) && isnan(test->nic_byte_match_pct) &&
	            isnan(test->buffer_delay_pct));
	assert_true(is(test->src_cpu_pct, 20) && is(test->dst_cpu_pct, 30));
	assert_true(is(test->src_core_max_pct, 40) && is(test->dst_core_max_pct, 50));
	assert_true(is(test->src_cpu_us_per_gib, 60) && is(test->dst_cpu_us_per_gib, 70));
	assert_true(is(test->line_rate_bps, 10e9) && is(test->tcp_efficiency_pct, 99.5));
	assert_true(test->bytes == 125000000 && test->retransmits == 3 &&
	            test->cwnd_max_bytes == 100000);
	assert_true(test->window_requested_bytes == RESULT_UNKNOWN &&
	            test->sndbuf_actual_bytes == 2097152);
	assert_true(test->rcvbuf_actual_bytes == 2097152 && test->mss_bytes == 1448 &&
	            test->path_mtu_bytes == 1500);
	assert_true(test->rx_drops == 0 && test->concurrent_tests == 2);

	assert_true(dataset_load_intervals(store, test->test_id, &data.arena, &intervals, &count,
	                                   &err));
	assert_int_equal(count, 3);
	assert_int_equal(intervals[0].stream, 0);
	assert_true(intervals[0].omitted && is(intervals[0].start_s, 0) &&
	            is(intervals[0].end_s, 0.5));
	assert_true(is(intervals[0].throughput_bps, 1e9) && is(intervals[0].cpu_pct, 50));
	assert_true(intervals[0].cwnd_bytes == RESULT_UNKNOWN &&
	            intervals[0].rtt_us == RESULT_UNKNOWN);
	assert_false(intervals[1].omitted);
	assert_true(isnan(intervals[1].cpu_pct) && intervals[1].rtt_us == 250 &&
	            intervals[1].retransmits == 1);
	assert_int_equal(intervals[2].stream, 1);
	assert_true(dataset_load_intervals(store, 999, &data.arena, &intervals, &count, &err));
	assert_int_equal(count, 0);
	dataset_done(&data);
	store_close(store);
}

static void the_tests_of_a_whole_run_can_be_had_by_seq(void **state)
{
	struct fixture *f = *state;
	struct store *store;
	struct test_result again = fixture_result(f, 5, 3e9); /* cell 0, replicate 2 */
	const struct result_sink *sink;
	struct dataset data;
	struct err err = {0};
	bool done[FIXTURE_SLOTS];

	(void)fixture_whole_run(f);
	store = fixture_open(f->path, STORE_WRITE);
	sink = store_sink(store);
	assert_true(store_resume_run(store, 1, &f->plan, done, &err));
	assert_true(sink->test(sink->ctx, &again, CELL_DONE, NULL, &err));
	assert_true(dataset_load(store, 1, &data, &err));
	assert_true(dataset_load_tests(store, &data, &err));
	store_close(store);
	assert_int_equal(data.cells[0].test_count, 7);
	for (size_t i = 1; i < data.cell_count; i++) {
		const struct dataset_cell *cell = &data.cells[i];

		assert_int_equal(cell->test_count, 6);
		for (uint32_t k = 0; k < 6; k++) {
			assert_int_equal(cell->tests[k].seq, k * FIXTURE_CELLS + i + 1);
			assert_true(is(cell->tests[k].throughput_bps,
			               1e9 * (double)(i + 1) + 1e6 * (k + 1)));
		}
	}
	assert_int_equal(data.cells[0].tests[1].attempt, 1);
	assert_int_equal(data.cells[0].tests[2].attempt, 2); /* measured last */
	assert_int_equal(data.cells[0].tests[2].replicate, 2);
	assert_int_equal(data.cells[0].tests[3].replicate, 3);
	dataset_done(&data);
}

static void what_is_not_there_is_told(void **state)
{
	struct fixture *f = *state;
	struct store *store = fixture_open(f->path, STORE_WRITE);
	struct dataset data;
	struct err err = {0};

	assert_false(dataset_load(store, 0, &data, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "results.db: no run was stored yet"));
	assert_false(dataset_load(store, 12, &data, &err));
	assert_non_null(strstr(err.msg, "results.db: there is no run 12; `vnm list` shows them"));
	assert_false(dataset_load_cell(store, 3, &data, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(
		err.msg, "results.db: there is no cell 3; `vnm matrix --value cell` shows them"));
	store_close(store);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_run_comes_back_with_its_cells),
		FIXTURE_TEST(what_was_not_measured_is_unknown),
		FIXTURE_TEST(runs_come_newest_first_with_their_counts),
		FIXTURE_TEST(a_cell_comes_with_its_tests_and_their_intervals),
		FIXTURE_TEST(the_tests_of_a_whole_run_can_be_had_by_seq),
		FIXTURE_TEST(what_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
