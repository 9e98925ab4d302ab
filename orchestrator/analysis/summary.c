/* SPDX-License-Identifier: MIT */
#include "analysis/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ceiling/ceiling.h"

#define RR_BYTES_DEFAULT 1 /* `buffer` of mode rr, where it was left out */

enum cell_state summary_state(const struct dataset_cell *cell)
{
	for (int i = 0; cell_state_names[i] != NULL; i++) {
		if (strcmp(cell_state_names[i], cell->state) == 0)
			return (enum cell_state)i;
	}
	return CELL_FAILED;
}

int64_t summary_request_bytes(const struct dataset_cell *cell)
{
	return cell->buffer_bytes > 0 ? cell->buffer_bytes : RR_BYTES_DEFAULT;
}

bool summary_is_rr(const struct dataset_cell *cell)
{
	return cell->mode != NULL && strcmp(cell->mode, "rr") == 0;
}

bool summary_is_udp(const struct dataset_cell *cell)
{
	return cell->protocol != NULL && strcmp(cell->protocol, "udp") == 0;
}

static bool is_problem(enum cell_state state)
{
	return state == CELL_FAILED || state == CELL_INVALID || state == CELL_UNSTABLE ||
	       state == CELL_SKIPPED;
}

static const char *reason_of(const struct dataset_cell *cell)
{
	return cell->reason == NULL ? "" : cell->reason;
}

/* ---- what went wrong, once for each reason ---- */

static int by_reason(const void *a, const void *b)
{
	const struct dataset_cell *x = *(const struct dataset_cell *const *)a;
	const struct dataset_cell *y = *(const struct dataset_cell *const *)b;
	int order = strcmp(x->state, y->state);

	if (order == 0)
		order = strcmp(reason_of(x), reason_of(y));
	if (order == 0)
		order = (x->cell_id > y->cell_id) - (x->cell_id < y->cell_id);
	return order;
}

static int by_weight(const void *a, const void *b)
{
	const struct summary_problem *x = a;
	const struct summary_problem *y = b;

	if (x->is_by_choice != y->is_by_choice)
		return x->is_by_choice ? 1 : -1;
	if (x->cell_count != y->cell_count)
		return x->cell_count > y->cell_count ? -1 : 1;
	return by_reason(&x->cells[0], &y->cells[0]);
}

static bool is_alike(const struct summary_problem *p, const struct dataset_cell *cell)
{
	return strcmp(p->cells[0]->state, cell->state) == 0 &&
	       strcmp(p->reason, reason_of(cell)) == 0;
}

static void find_problems(const struct dataset *data, struct summary *out)
{
	const struct dataset_cell **bad;
	size_t count = 0;

	bad = arena_alloc(&out->arena, data->cell_count, sizeof(*bad));
	for (size_t i = 0; i < data->cell_count; i++) {
		if (is_problem(summary_state(&data->cells[i])))
			bad[count++] = &data->cells[i];
	}
	if (count == 0)
		return;
	qsort(bad, count, sizeof(*bad), by_reason);
	out->problems = arena_alloc(&out->arena, count, sizeof(*out->problems));
	for (size_t i = 0; i < count; i++) {
		struct summary_problem *last = &out->problems[out->problem_count];

		if (out->problem_count > 0 && is_alike(last - 1, bad[i])) {
			last[-1].cell_count++;
			continue;
		}
		*last = (struct summary_problem){
			.state = summary_state(bad[i]),
			.reason = reason_of(bad[i]),
			.is_by_choice = result_is_by_choice(summary_state(bad[i]), bad[i]->reason),
			.cells = &bad[i],
			.cell_count = 1,
		};
		out->problem_count++;
	}
	qsort(out->problems, out->problem_count, sizeof(*out->problems), by_weight);
}

/* ---- ceilings ---- */

/* What one stream may have in flight: the least of what is known. */
static int64_t window_of(const struct dataset_test *test)
{
	const int64_t sizes[] = {test->window_requested_bytes, test->sndbuf_actual_bytes,
	                         test->rcvbuf_actual_bytes};
	int64_t least = 0;

	/* The system's autotuning has no window that could be called the limit. */
	if (test->window_requested_bytes <= 0)
		return 0;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		if (sizes[i] > 0 && (least == 0 || sizes[i] < least))
			least = sizes[i];
	}
	return least;
}

struct summary_ceiling summary_ceiling_of(const struct dataset_cell *cell)
{
	struct summary_ceiling c = {.line_rate_bps = (double)NAN, .window_bps = (double)NAN};

	/* The last test that counts knows best what the path was like. */
	for (size_t i = 0; i < cell->test_count; i++) {
		const struct dataset_test *test = &cell->tests[i];

		if (strcmp(test->status, test_status_names[TEST_OK]) != 0)
			continue;
		c.line_rate_bps = test->line_rate_bps;
		c.window_bps = ceiling_window(window_of(test), cell->streams, test->rtt_base_us);
	}
	return c;
}

static int by_pct(const void *a, const void *b)
{
	const struct summary_gap *x = a;
	const struct summary_gap *y = b;

	if (x->pct < y->pct)
		return -1;
	if (x->pct > y->pct)
		return 1;
	return (x->cell->cell_id > y->cell->cell_id) - (x->cell->cell_id < y->cell->cell_id);
}

/* Requests that wait for their answers, and senders that keep to a rate, are not to fill the line. */
static bool fills_the_line(const struct dataset_cell *cell)
{
	return !summary_is_rr(cell) && cell->target_bps <= 0;
}

static void find_gaps(const struct dataset *data, struct summary *out)
{
	out->gaps = arena_alloc(&out->arena, data->cell_count, sizeof(*out->gaps));
	for (size_t i = 0; i < data->cell_count; i++) {
		const struct dataset_cell *cell = &data->cells[i];
		struct summary_ceiling ceiling = summary_ceiling_of(cell);

		if (cell->n <= 0 || isnan(cell->line_rate_pct) || !fills_the_line(cell))
			continue;
		if (ceiling.window_bps < ceiling.line_rate_bps) {
			out->window_limited++;
			continue;
		}
		out->gaps[out->gap_count++] =
			(struct summary_gap){.cell = cell, .pct = cell->line_rate_pct};
	}
	if (out->gap_count > 0)
		qsort(out->gaps, out->gap_count, sizeof(*out->gaps), by_pct);
}

void summary_make(const struct dataset *data, struct summary *out)
{
	*out = (struct summary){0};
	find_problems(data, out);
	find_gaps(data, out);
}

void summary_done(struct summary *summary)
{
	arena_done(&summary->arena);
	*summary = (struct summary){0};
}
