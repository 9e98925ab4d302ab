/* SPDX-License-Identifier: MIT */
/* treatment.h - the settings of a cell: their order, and in words. */
#ifndef REPORT_TREATMENT_H
#define REPORT_TREATMENT_H

#include "common/text.h"
#include "store/dataset.h"

/*
 * Order by mtu, window, streams, buffer, lro, tso, engine, duration, omit; what
 * is unchanged or default comes first.
 */
int treatment_compare(const struct dataset_cell *a, const struct dataset_cell *b);

/* A set of factors. */
#define TREATMENT_ALL UINT32_MAX

/* The factors that are not the same in all cells. */
uint32_t treatment_varying(const struct dataset_cell *const *cells, size_t count);

/*
 * Adds "mtu 9000, window 64K, 4 streams" to *out: window, streams, what is not
 * default, and the factors of the set `also`.
 */
void treatment_add(struct text *out, const struct dataset_cell *cell, uint32_t also);

/* Adds the level of one factor ("mtu", "window"...) as a topology writes it. False: no such factor. */
bool treatment_add_level(struct text *out, const struct dataset_cell *cell, const char *factor);

#endif
