/* SPDX-License-Identifier: MIT */
/* matrix_parts.h - the halves of matrix_make(): where a cell stands, and what it says there. */
#ifndef REPORT_MATRIX_PARTS_H
#define REPORT_MATRIX_PARTS_H

#include "report/matrix.h"

/* The figure that m->value asks for; NAN: none. */
double matrix_value_of(const struct dataset_cell *cell, struct matrix *m);

/* The same of the way back; NAN where the cell has none, or the value none of it. */
double matrix_back_of(const struct dataset_cell *cell, struct matrix *m);

enum matrix_note matrix_note_of(const struct dataset_cell *cell, enum matrix_value value);
void matrix_fill_notes(const struct dataset_cell *cell, enum matrix_note note, double notes[2]);

enum matrix_mark matrix_mark_of(const struct dataset_cell *cell, enum matrix_value what,
                                double value);

#endif
