/* SPDX-License-Identifier: MIT */
/* treatment.h - the settings of a cell: their order, and in words. */
#ifndef REPORT_TREATMENT_H
#define REPORT_TREATMENT_H

#include "common/text.h"
#include "store/dataset.h"

/*
 * Order by protocol, mode, bidir, zero-copy, mtu, window, streams, buffer, lro,
 * tso, engine, what else can be set of a connection, duration, omit; what is
 * unchanged or default comes first.
 */
int treatment_compare(const struct dataset_cell *a, const struct dataset_cell *b);

/* A set of factors. */
#define TREATMENT_ALL UINT32_MAX

/* The factors that are not the same in all cells. */
uint32_t treatment_varying(const struct dataset_cell *const *cells, size_t count);

/*
 * Adds "mtu 9000, window 64K, 4 streams" to *out: window, streams, what is not
 * default, and the factors of the set `also` (those of a connection that are
 * seldom set are told only where they are set).
 */
void treatment_add(struct text *out, const struct dataset_cell *cell, uint32_t also);

/*
 * The same of many cells, without saying anything twice: the title of one tells
 * window, streams, and of what varies whatever is not "unchanged" or "default";
 * what is set alike in all cells is told once, by treatment_add_common(), which
 * may add nothing.
 */
void treatment_add_title(struct text *out, const struct dataset_cell *cell, uint32_t varying);
void treatment_add_common(struct text *out, const struct dataset_cell *cell, uint32_t varying);

/* Adds the level of one factor ("mtu", "window"...) as a topology writes it. False: no such factor. */
bool treatment_add_level(struct text *out, const struct dataset_cell *cell, const char *factor);

#endif
