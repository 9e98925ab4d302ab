/* SPDX-License-Identifier: MIT */
/*
 * make_results.c - a results database as runs would leave it, for golden tests.
 * usage: make_results LAB.yaml RESULTS.db; the database is made anew
 *
 * The plan is the real one, the results are arithmetic: the clock is fake and
 * nothing is measured, so the same file comes out each time. Of lab.yaml three
 * runs, as an agent leaves them that tells only what version 1 of the schema
 * could keep:
 *	1	pairs and jumbo: some cells fail, some are skipped
 *	2	pairs, interrupted half-way
 *	3	screen: one test
 * Of engine.yaml one, with all that the engine measures; a test of its last cell
 * lost a stream at first.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ceiling/ceiling.h"
#include "common/clock.h"
#include "store/store.h"
#include "tests/fakes/clock_fake.h"
#include "tests/golden/engine_figures.h"

#define START_WALL_MS INT64_C(1796072045000) /* 2026-11-30T21:14:05Z */
#define SECOND_NS     CLOCK_NS_PER_S

struct maker {
	struct topology topo;
	struct store *store;
	const struct result_sink *sink;
	struct plan plan;
	bool is_engine;
};

/* ---- results by arithmetic ---- */

/* Within 1 % around 97 % of the line rate; the window of 64K carries less; em is slow. */
static double goodput(const struct plan_cell *cell, uint32_t replicate, double line_rate)
{
	double share = 0.97 + 0.002 * replicate - 0.001 * cell->index;

	if (cell->config.window_bytes != 0)
		share *= 0.8;
	if (cell->src->driver != NULL && strcmp(cell->src->driver, "em") == 0)
		share *= 0.5;
	return (isnan(line_rate) ? 22e9 : line_rate) * share;
}

static void fill_interval(struct result_interval *v, uint32_t second, const struct test_result *t)
{
	result_interval_unknown(v);
	v->start_s = second;
	v->end_s = second + 1;
	v->omitted = second < 2;
	v->throughput_bps = t->throughput_bps * (second == 0 ? 0.8 : 1);
	v->retransmits = second == 0 ? 3 : 0;
	v->cwnd_bytes = 262144;
	v->rtt_us = 400;
	v->cpu_pct = 21.5;
}

static void fill_test(const struct plan_cell *cell, const struct plan_slot *slot,
                      struct test_result *t)
{
	const char *name;
	int64_t window = (int64_t)cell->config.window_bytes;

	result_test_unknown(t);
	t->cell = slot->cell;
	t->replicate = slot->replicate;
	t->block = slot->block;
	t->round = slot->round;
	t->seq = slot->seq;
	t->attempt = 1;
	t->started_wall_ms = clock_wall_ms();
	t->duration_s = cell->config.duration_ms / 1000.0;
	t->retransmits = slot->replicate % 3;
	t->rtt_base_us = window == 0 ? 150 : 4000;
	t->rtt_loaded_us = 900;
	t->cwnd_max_bytes = 524288;
	t->window_requested_bytes = window == 0 ? RESULT_UNKNOWN : window;
	t->sndbuf_actual_bytes = window == 0 ? 4194304 : 2 * window;
	t->rcvbuf_actual_bytes = window == 0 ? 6291456 : 2 * window;
	t->mss_bytes = 1448;
	t->path_mtu_bytes = 1500;
	t->src_cpu_pct = 12.5;
	t->dst_cpu_pct = 25;
	t->dst_core_max_pct = 61;
	t->src_cpu_us_per_gib = 120000;
	t->rx_drops = 0;
	t->concurrent_tests = 1;
	t->nic_byte_match_pct = 104.2;
	t->tcp_efficiency_pct = 99.99;
	t->buffer_delay_pct = window == 0 ? 500 : -77.5;
	t->line_rate_bps = ceiling_line_rate(cell, t->mss_bytes, t->path_mtu_bytes, &name);
	t->throughput_bps = goodput(cell, slot->replicate, t->line_rate_bps);
	t->sender_bps = t->throughput_bps * 1.001;
	t->bytes = (int64_t)(t->throughput_bps * t->duration_s / 8);
	t->retransmits_per_gib = (double)t->retransmits / ((double)t->bytes / (1 << 30));
}

/* ---- keeping them ---- */

static bool keep(struct maker *m, struct test_result *t, enum cell_state state, const char *reason,
                 struct err *err)
{
	const struct plan_config *c = &m->plan.cells[t->cell].config;
	struct result_interval intervals[12];
	struct result_stream streams[4];
	uint32_t seconds = c->duration_ms / 1000 + 2;
	uint32_t ways = c->is_bidir ? 2 : 1;
	size_t count = 0;

	for (uint32_t way = 0; way < ways; way++) {
		for (uint32_t i = 0; i < seconds && count < COUNT_OF(intervals); i++) {
			fill_interval(&intervals[count], i, t);
			intervals[count].direction = way;
			if (way == RESULT_BACK)
				intervals[count].throughput_bps =
					t->reverse_bps * (i == 0 ? 0.8 : 1);
			if (m->is_engine)
				engine_figures_interval(c, &intervals[count]);
			count++;
		}
	}
	t->intervals = intervals;
	t->interval_count = count;
	if (m->is_engine) {
		t->stream_count = engine_figures_streams(c, t, streams);
		t->streams = streams;
	}
	clock_fake_advance(12 * SECOND_NS);
	return m->sink->test(m->sink->ctx, t, state, reason, err);
}

static bool keep_engine(struct maker *m, const struct plan_cell *cell, const struct plan_slot *slot,
                        struct err *err)
{
	static const struct result_trouble troubles[] = {
		{RESULT_FORTH, 1, false, "connection reset by the other end"},
		{RESULT_FORTH, 1, true, "died after 1.2 s"},
	};
	bool is_last = slot->replicate == cell->repeats;
	struct test_result t;

	fill_test(cell, slot, &t);
	if (slot->cell + 1 == m->plan.cell_count && slot->replicate == 1) {
		t.status = TEST_FAILED;
		t.throughput_bps = t.sender_bps = t.line_rate_bps = (double)NAN;
		(void)snprintf(t.reason, sizeof(t.reason), "a: 1 of 1 streams died");
		t.troubles = troubles;
		t.trouble_count = COUNT_OF(troubles);
		if (!keep(m, &t, CELL_PENDING, NULL, err))
			return false;
		fill_test(cell, slot, &t);
		t.attempt = 2;
	}
	engine_figures_test(cell, &t);
	return keep(m, &t, is_last ? CELL_DONE : CELL_PENDING, NULL, err);
}

/* Cells 2 and 3 of a run with faults: a test that never goes through, and one that did not at first. */
static bool keep_slot(struct maker *m, const struct plan_slot *slot, bool has_faults,
                      struct err *err)
{
	const struct plan_cell *cell = &m->plan.cells[slot->cell];
	bool is_last = slot->replicate == cell->repeats;
	struct test_result t;

	if (m->is_engine)
		return keep_engine(m, cell, slot, err);
	fill_test(cell, slot, &t);
	if (has_faults && slot->cell == 2) {
		t.status = TEST_FAILED;
		t.throughput_bps = t.sender_bps = t.line_rate_bps = (double)NAN;
		(void)snprintf(t.reason, sizeof(t.reason), "vm1: agent was lost: \x1b[31mkilled");
		return keep(m, &t, CELL_FAILED, t.reason, err);
	}
	if (has_faults && slot->cell == 3 && slot->replicate == 2) {
		t.status = TEST_INVALID;
		(void)snprintf(t.reason, sizeof(t.reason), "window asked 64K, got 32K");
		if (!keep(m, &t, CELL_PENDING, NULL, err))
			return false;
		fill_test(cell, slot, &t);
		t.attempt = 2;
	}
	return keep(m, &t, is_last ? CELL_DONE : CELL_PENDING, NULL, err);
}

static bool skip_cells(struct maker *m, struct err *err)
{
	for (uint32_t i = 0; i < m->plan.cell_count; i++) {
		if (plan_needs_setting(&m->plan.cells[i].config) &&
		    !m->sink->cell(m->sink->ctx, i, CELL_SKIPPED,
		                   RESULT_BY_CHOICE "mtu 9000 asked, esx1.vmk1 has 1500", err))
			return false;
		if (i >= 14 && i < 16 &&
		    !m->sink->cell(m->sink->ctx, i, CELL_SKIPPED, "pc: unreachable since 21:14",
		                   err))
			return false;
	}
	return true;
}

struct wanted {
	const char *lab;
	const char *profiles[5];
	size_t profile_count;
	const char *profile_text, *status;
	size_t stop_at; /* slots to keep; SIZE_MAX: all */
	bool has_faults;
};

static bool make_run(struct maker *m, const struct wanted *w, struct err *err)
{
	const struct plan_request request = {.profiles = w->profiles,
	                                     .profile_count = w->profile_count};
	const struct store_new_run run = {.name = m->topo.name,
	                                  .profile = w->profile_text,
	                                  .argv = "vnm run",
	                                  .origin = "measured",
	                                  .design = "split-plot",
	                                  .tool_version = "0.1.0"};
	int64_t run_id;
	bool ok;

	if (!plan_make(&m->topo, &request, 7, &m->plan, err))
		return false;
	ok = store_begin_run(m->store, &m->plan, &run, &run_id, err);
	if (ok)
		m->sink = store_sink(m->store);
	if (ok && w->has_faults)
		ok = skip_cells(m, err);
	for (size_t i = 0; i < m->plan.slot_count && i < w->stop_at && ok; i++) {
		const struct plan_slot *slot = &m->plan.slots[i];

		if (!w->has_faults || slot->cell < 14)
			ok = keep_slot(m, slot, w->has_faults, err);
	}
	ok = ok && store_end_run(m->store, w->status, err);
	plan_done(&m->plan);
	clock_fake_advance(3600 * SECOND_NS);
	return ok;
}

static bool make_all(const char *lab, const char *db, struct diag_list *diags, struct maker *m,
                     struct err *err)
{
	static const struct wanted runs[] = {
		{"golden", {"pairs", "jumbo"}, 2, "pairs jumbo", "failed", SIZE_MAX, true},
		{"golden", {"pairs"}, 1, "pairs", "interrupted", 40, false},
		{"golden", {"screen"}, 1, "screen", "complete", SIZE_MAX, false},
		{"engine",
	         {"zero-copy", "bidir", "udp", "udp-bidir", "rr"},
	         5,
	         "zero-copy bidir udp udp-bidir rr",
	         "complete",
	         SIZE_MAX,
	         false},
	};

	if (unlink(db) != 0 && errno != ENOENT)
		return err_set_errno(err, errno, "%s", db);
	clock_fake_set(SECOND_NS, START_WALL_MS);
	if (!topology_load(lab, "/root", &m->topo, diags, err))
		return false;
	m->is_engine = strcmp(m->topo.name, "engine") == 0;
	m->store = store_open(db, STORE_WRITE, err);
	if (m->store == NULL)
		return false;
	for (size_t i = 0; i < COUNT_OF(runs); i++) {
		if (strcmp(runs[i].lab, m->topo.name) == 0 && !make_run(m, &runs[i], err))
			return false;
	}
	return true;
}

int main(int argc, char *argv[])
{
	struct maker m = {0};
	struct diag_list diags = {0};
	struct err err = {0};
	bool ok = argc == 3 && make_all(argv[1], argv[2], &diags, &m, &err);

	if (!ok)
		(void)fprintf(stderr, "make_results: %s\n", err.msg);
	store_close(m.store);
	topology_done(&m.topo);
	diag_done(&diags);
	return ok ? 0 : 1;
}
