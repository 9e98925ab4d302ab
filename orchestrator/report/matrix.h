/* SPDX-License-Identifier: MIT */
/*
 * matrix.h - which value goes in which row and column, before any format.
 *
 * Senders are rows, receivers columns; one block for each distinct config. The
 * matrix owns its lists and labels (arena) and borrows the cells of the
 * dataset, which must outlive it.
 */
#ifndef REPORT_MATRIX_H
#define REPORT_MATRIX_H

#include "store/dataset.h"

enum matrix_value {
	MATRIX_GBPS, /* median, bits per second, of mode rr transactions per second; in the block's unit */
	MATRIX_PCT,  /* median in percent of line rate */
	MATRIX_RETR, /* median retransmits of a test; needs dataset_load_tests() */
	MATRIX_N,    /* tests that count */
	MATRIX_CELL  /* cell_id, of cells without a result too */
};
extern const char *const matrix_value_names[]; /* by enum matrix_value; NULL-terminated */

enum matrix_mark {
	MATRIX_ABSENT,  /* no such cell in the run */
	MATRIX_SHOWN,   /* has its value, all repeats are done */
	MATRIX_PARTIAL, /* has a value, repeats are missing */
	MATRIX_PENDING,
	MATRIX_RUNNING,
	MATRIX_BAD, /* failed, invalid or unstable */
	MATRIX_SKIPPED,
	MATRIX_UNKNOWN, /* measured, but this value is not known */
	MATRIX_MARK_COUNT
};

struct matrix_entry {
	enum matrix_mark mark;
	double value;                    /* NAN: none; may be known for PARTIAL and BAD too */
	double back;                     /* the same of the way back; NAN: none */
	double notes[2];                 /* by the block's note; NAN: not known */
	const struct dataset_cell *cell; /* NULL when ABSENT */
};

/* What stands in brackets behind a figure. */
enum matrix_note {
	MATRIX_NO_NOTE,
	MATRIX_LOSS,   /* percent lost; of a bidirectional block: there, back */
	MATRIX_LATENCY /* p50 and p99, microseconds */
};

struct matrix_block {
	const char *title; /* "window 4M, 4 streams": what sets this block apart */
	const char *unit;  /* "Gbit/s", "Mbit/s", "transactions/s", "% of line rate", ... */
	double scale;      /* a shown number is value / scale */
	bool is_tally;     /* numbers of things, not figures of three digits */
	bool has_back;     /* both ways of a bidirectional test */
	enum matrix_note note;
	const char **rows; /* labels of senders */
	size_t row_count;
	const char **columns; /* labels of receivers */
	size_t column_count;
	struct matrix_entry *entries; /* row_count x column_count, row by row */
	int64_t n_min, n_max; /* tests that count, of the entries with a value; 0: none has one */
};

struct matrix {
	struct arena arena;
	enum matrix_value value;
	struct matrix_block *blocks;
	size_t block_count;
	const char *common; /* "mtu 9000": what is set alike in all blocks; "" for nothing */
	bool marks[MATRIX_MARK_COUNT]; /* which occur; ABSENT only off the diagonal */
};

/*
 * Blocks are in the order of their config (mtu, window, streams, ...), rows and
 * columns sorted by label. A NIC is labelled with its host alone where the host
 * takes part with one NIC. Two cells that differ only in who opened the
 * connection get a block each. `cells` lists pointers into a dataset.
 */
void matrix_make(const struct dataset_cell *const *cells, size_t count, enum matrix_value value,
                 struct matrix *out);
void matrix_done(struct matrix *matrix);

#endif
