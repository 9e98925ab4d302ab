/* SPDX-License-Identifier: MIT */
#include "report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"
#include "report/format.h"
#include "report/matrix_parts.h"
#include "report/treatment.h"
#include "stats/stats.h"

const char *const matrix_value_names[] = {"gbps", "pct", "retr", "n", "cell", NULL};

/* ---- labels ---- */

struct end_label {
	const char *host, *nic; /* "esx1", "esx1.vmk1" */
	const char *label;      /* one of the two */
};

/* Sorted by host and NIC, each once. */
struct end_labels {
	struct end_label *at;
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	const struct end_label *x = a;
	const struct end_label *y = b;
	int order = strcmp(x->host, y->host);

	return order != 0 ? order : strcmp(x->nic, y->nic);
}

static struct end_label sender_of(const struct dataset_cell *cell)
{
	return (struct end_label){.host = cell->src_host, .nic = cell->src};
}

static struct end_label receiver_of(const struct dataset_cell *cell)
{
	return (struct end_label){.host = cell->dst_host, .nic = cell->dst};
}

/* Sorts and drops doubles. */
static void sort_endpoints(struct end_labels *list)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->at, list->count, sizeof(*list->at), by_name);
	for (size_t i = 0; i < list->count; i++) {
		if (kept == 0 || by_name(&list->at[kept - 1], &list->at[i]) != 0)
			list->at[kept++] = list->at[i];
	}
	list->count = kept;
}

static const char *clean_label(const char *name, struct arena *arena)
{
	struct text clean = {0};
	const char *kept;

	format_add_clean(&clean, name);
	kept = arena_strndup(arena, text_str(&clean), clean.len);
	text_done(&clean);
	return kept;
}

static struct end_labels label_endpoints(const struct dataset_cell *const *cells, size_t count,
                                         struct arena *arena)
{
	struct end_labels all = {.at = arena_alloc(arena, count * 2, sizeof(*all.at))};

	for (size_t i = 0; i < count; i++) {
		all.at[all.count++] = sender_of(cells[i]);
		all.at[all.count++] = receiver_of(cells[i]);
	}
	sort_endpoints(&all);
	for (size_t i = 0; i < all.count; i++) {
		struct end_label *e = &all.at[i];
		bool like_before = i > 0 && strcmp(e[-1].host, e->host) == 0;
		bool like_next = i + 1 < all.count && strcmp(e[1].host, e->host) == 0;

		e->label = clean_label(like_before || like_next ? e->nic : e->host, arena);
	}
	return all;
}

static size_t find_endpoint(const struct end_labels *list, struct end_label key)
{
	const struct end_label *found =
		bsearch(&key, list->at, list->count, sizeof(*list->at), by_name);

	return (size_t)(found - list->at); /* it is always in */
}

/* ---- one block ---- */

/* Cells of one config, and what all blocks have in common. */
struct group {
	const struct dataset_cell *const *cells;
	size_t count;
	const struct end_labels *all;
	uint32_t varying; /* factors */
	bool is_split;    /* by who opened the connection */
};

static const char *title_of(const struct group *g, struct arena *arena)
{
	struct text title = {0};
	const char *kept;

	treatment_add_title(&title, g->cells[0], g->varying);
	if (g->is_split)
		text_printf(&title, ", connection opened by the %s",
		            strcmp(g->cells[0]->initiator, "dst") == 0 ? "receiver" : "sender");
	kept = arena_strndup(arena, text_str(&title), title.len);
	text_done(&title);
	return kept;
}

static const char **labels_of(const struct end_labels *used, const struct end_labels *all,
                              struct arena *arena)
{
	const char **labels = arena_alloc(arena, used->count, sizeof(*labels));

	for (size_t i = 0; i < used->count; i++)
		labels[i] = all->at[find_endpoint(all, used->at[i])].label;
	return labels;
}

static void count_value(struct matrix_block *block, const struct matrix_entry *e)
{
	if (isnan(e->value))
		return;
	if (block->n_max == 0 || e->cell->n < block->n_min)
		block->n_min = e->cell->n;
	if (e->cell->n > block->n_max)
		block->n_max = e->cell->n;
}

static struct format_unit unit_of(enum matrix_value value, double greatest)
{
	switch (value) {
	case MATRIX_PCT:
		return (struct format_unit){1, "% of line rate"};
	case MATRIX_RETR:
		return (struct format_unit){1, "retransmits a test"};
	case MATRIX_N:
		return (struct format_unit){1, "tests"};
	case MATRIX_CELL:
		return (struct format_unit){1, "cell"};
	case MATRIX_GBPS:
		break;
	}
	return format_rate_unit(greatest);
}

/* 0: no entry has a value. */
static double greatest_of(const struct matrix_block *block)
{
	double greatest = 0;

	for (size_t i = 0; i < block->row_count * block->column_count; i++) {
		greatest = fmax(greatest, block->entries[i].value);
		greatest = fmax(greatest, block->entries[i].back);
	}
	return greatest;
}

/* `elsewhere`: the greatest value of all blocks, for one that has none. */
static void choose_unit(struct matrix_block *block, enum matrix_value value, double elsewhere)
{
	double own = greatest_of(block);
	struct format_unit unit = unit_of(value, own > 0 ? own : elsewhere);

	if (block->note == MATRIX_LATENCY)
		unit = (struct format_unit){1, "transactions/s"};
	block->unit = unit.name;
	block->scale = unit.scale;
	block->is_tally = value == MATRIX_RETR || value == MATRIX_N || value == MATRIX_CELL;
}

static void make_block(const struct group *g, struct matrix *m)
{
	struct matrix_block *block = &m->blocks[m->block_count++];
	struct end_labels rows = {.at = arena_alloc(&m->arena, g->count, sizeof(*rows.at))};
	struct end_labels columns = {.at = arena_alloc(&m->arena, g->count, sizeof(*columns.at))};

	for (size_t i = 0; i < g->count; i++) {
		rows.at[rows.count++] = sender_of(g->cells[i]);
		columns.at[columns.count++] = receiver_of(g->cells[i]);
	}
	sort_endpoints(&rows);
	sort_endpoints(&columns);
	block->title = title_of(g, &m->arena);
	block->note = matrix_note_of(g->cells[0], m->value);
	block->has_back =
		g->cells[0]->bidir != 0 && (m->value == MATRIX_GBPS || m->value == MATRIX_RETR);
	block->rows = labels_of(&rows, g->all, &m->arena);
	block->row_count = rows.count;
	block->columns = labels_of(&columns, g->all, &m->arena);
	block->column_count = columns.count;
	block->entries =
		arena_alloc(&m->arena, rows.count * columns.count, sizeof(*block->entries));
	for (size_t i = 0; i < rows.count * columns.count; i++)
		block->entries[i] = (struct matrix_entry){.mark = MATRIX_ABSENT,
		                                          .value = (double)NAN,
		                                          .back = (double)NAN,
		                                          .notes = {(double)NAN, (double)NAN}};
	for (size_t i = 0; i < g->count; i++) {
		const struct dataset_cell *cell = g->cells[i];
		size_t row = find_endpoint(&rows, sender_of(cell));
		struct matrix_entry *e =
			&block->entries[row * columns.count +
		                        find_endpoint(&columns, receiver_of(cell))];

		e->cell = cell;
		e->value = matrix_value_of(cell, m);
		e->back = matrix_back_of(cell, m);
		matrix_fill_notes(cell, block->note, e->notes);
		e->mark = matrix_mark_of(cell, m->value, e->value);
		m->marks[e->mark] = true;
		count_value(block, e);
	}
	for (size_t i = 0; i < rows.count * columns.count; i++) {
		bool is_itself =
			by_name(&rows.at[i / columns.count], &columns.at[i % columns.count]) == 0;

		if (block->entries[i].mark == MATRIX_ABSENT && !is_itself)
			m->marks[MATRIX_ABSENT] = true;
	}
}

/* ---- all of them ---- */

static int by_ends(const struct dataset_cell *a, const struct dataset_cell *b)
{
	int order = strcmp(a->src, b->src);

	return order != 0 ? order : strcmp(a->dst, b->dst);
}

/* By config, then ends: two cells that differ only in the initiator become neighbours. */
static int by_config(const void *a, const void *b)
{
	const struct dataset_cell *x = *(const struct dataset_cell *const *)a;
	const struct dataset_cell *y = *(const struct dataset_cell *const *)b;
	int order = treatment_compare(x, y);

	return order != 0 ? order : by_ends(x, y);
}

static int by_initiator(const void *a, const void *b)
{
	const struct dataset_cell *x = *(const struct dataset_cell *const *)a;
	const struct dataset_cell *y = *(const struct dataset_cell *const *)b;

	return -strcmp(x->initiator, y->initiator); /* src first */
}

static bool has_doubles(const struct dataset_cell *const *cells, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (by_ends(cells[i - 1], cells[i]) == 0)
			return true;
	}
	return false;
}

/* The blocks of one config: two when its cells differ in the initiator alone. */
static void make_blocks(const struct dataset_cell **cells, size_t count, struct group g,
                        struct matrix *m)
{
	g.cells = cells;
	g.count = count;
	g.is_split = has_doubles(g.cells, count);
	if (g.is_split) {
		qsort(cells, count, sizeof(*cells), by_initiator);
		for (g.count = 0; by_initiator(&cells[0], &cells[g.count]) == 0; g.count++)
			;
		make_block(&g, m);
		g.cells += g.count;
		g.count = count - g.count;
	}
	make_block(&g, m);
}

static void choose_units(struct matrix *m)
{
	double greatest = 0;

	for (size_t i = 0; i < m->block_count; i++) {
		if (m->blocks[i].note != MATRIX_LATENCY) /* no bits per second */
			greatest = fmax(greatest, greatest_of(&m->blocks[i]));
	}
	for (size_t i = 0; i < m->block_count; i++)
		choose_unit(&m->blocks[i], m->value, greatest);
}

static const char *common_of(const struct dataset_cell *cell, uint32_t varying, struct arena *arena)
{
	struct text common = {0};
	const char *kept;

	treatment_add_common(&common, cell, varying);
	kept = arena_strndup(arena, text_str(&common), common.len);
	text_done(&common);
	return kept;
}

void matrix_make(const struct dataset_cell *const *cells, size_t count, enum matrix_value value,
                 struct matrix *out)
{
	const struct dataset_cell **sorted;
	struct end_labels all;
	struct group g = {.all = &all, .varying = treatment_varying(cells, count)};

	*out = (struct matrix){.value = value, .common = ""};
	if (count == 0)
		return;
	all = label_endpoints(cells, count, &out->arena);
	sorted = arena_alloc(&out->arena, count, sizeof(*sorted));
	out->blocks = arena_alloc(&out->arena, count, sizeof(*out->blocks));
	memcpy(sorted, cells, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_config);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count; end++) {
			if (treatment_compare(sorted[first], sorted[end]) != 0)
				break;
		}
		make_blocks(&sorted[first], end - first, g, out);
	}
	out->common = common_of(cells[0], g.varying, &out->arena);
	choose_units(out);
}

void matrix_done(struct matrix *matrix)
{
	arena_done(&matrix->arena);
	*matrix = (struct matrix){0};
}
