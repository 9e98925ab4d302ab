/* SPDX-License-Identifier: MIT */
/* matrix_value.c - what one cell has to say in a matrix. */
#include <math.h>
#include <string.h>

#include "analysis/summary.h"
#include "report/matrix_parts.h"
#include "stats/stats.h"

static double median_retransmits(const struct dataset_cell *cell, bool is_back, struct arena *arena)
{
	double *counts = arena_alloc(arena, cell->test_count, sizeof(*counts));
	size_t n = 0;

	for (size_t i = 0; i < cell->test_count; i++) {
		const struct dataset_test *test = &cell->tests[i];
		int64_t count = is_back ? test->reverse_retransmits : test->retransmits;

		if (strcmp(test->status, test_status_names[TEST_OK]) == 0 &&
		    count != RESULT_UNKNOWN)
			counts[n++] = (double)count;
	}
	return stats_median(counts, n);
}

/* Of older results only the rate of the requests may be known. */
static double transactions_per_s(const struct dataset_cell *cell)
{
	return isnan(cell->median_rr_per_s)
	               ? cell->median_bps / (8.0 * (double)summary_request_bytes(cell))
	               : cell->median_rr_per_s;
}

double matrix_value_of(const struct dataset_cell *cell, struct matrix *m)
{
	if (m->value == MATRIX_CELL)
		return (double)cell->cell_id;
	if (cell->n <= 0)
		return (double)NAN;
	switch (m->value) {
	case MATRIX_GBPS:
		return summary_is_rr(cell) ? transactions_per_s(cell) : cell->median_bps;
	case MATRIX_PCT: /* a request waits for its answer: it is not to fill the line */
		return summary_is_rr(cell) ? (double)NAN : cell->line_rate_pct;
	case MATRIX_RETR:
		return median_retransmits(cell, false, &m->arena);
	case MATRIX_N:
		return (double)cell->n;
	case MATRIX_CELL:
		break;
	}
	return (double)NAN;
}

double matrix_back_of(const struct dataset_cell *cell, struct matrix *m)
{
	if (cell->bidir == 0 || cell->n <= 0)
		return (double)NAN;
	if (m->value == MATRIX_RETR)
		return median_retransmits(cell, true, &m->arena);
	return m->value == MATRIX_GBPS ? cell->reverse_median_bps : (double)NAN;
}

enum matrix_note matrix_note_of(const struct dataset_cell *cell, enum matrix_value value)
{
	if (value != MATRIX_GBPS)
		return MATRIX_NO_NOTE;
	if (summary_is_rr(cell))
		return MATRIX_LATENCY;
	return summary_is_udp(cell) ? MATRIX_LOSS : MATRIX_NO_NOTE;
}

void matrix_fill_notes(const struct dataset_cell *cell, enum matrix_note note, double notes[2])
{
	bool is_latency = note == MATRIX_LATENCY;

	notes[0] = notes[1] = (double)NAN;
	if (note == MATRIX_NO_NOTE || cell->n <= 0)
		return;
	notes[0] = is_latency ? cell->median_rr_p50_us : cell->median_loss_pct;
	notes[1] = is_latency ? cell->median_rr_p99_us : cell->reverse_median_loss_pct;
}

enum matrix_mark matrix_mark_of(const struct dataset_cell *cell, enum matrix_value what,
                                double value)
{
	bool is_measured = cell->n > 0;

	if (what == MATRIX_CELL) /* every cell has a number, whatever became of it */
		return MATRIX_SHOWN;
	switch (summary_state(cell)) {
	case CELL_DONE:
		return isnan(value) ? MATRIX_UNKNOWN : MATRIX_SHOWN;
	case CELL_PENDING:
		return is_measured && !isnan(value) ? MATRIX_PARTIAL : MATRIX_PENDING;
	case CELL_RUNNING:
		return is_measured && !isnan(value) ? MATRIX_PARTIAL : MATRIX_RUNNING;
	case CELL_SKIPPED:
		return MATRIX_SKIPPED;
	case CELL_INVALID:
	case CELL_UNSTABLE:
	case CELL_FAILED:
		break;
	}
	return MATRIX_BAD;
}
