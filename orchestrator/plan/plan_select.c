/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "plan/plan_build.h"
#include "plan/plan_only.h"

static bool pair_fits(const struct plan_only_value *value, const struct plan_cell *cell)
{
	return (plan_only_end_fits(&value->name, cell->src) &&
	        plan_only_end_fits(&value->other, cell->dst)) ||
	       (plan_only_end_fits(&value->name, cell->dst) &&
	        plan_only_end_fits(&value->other, cell->src));
}

static bool driver_fits(const struct plan_only_value *value, const struct nic *nic)
{
	return nic->driver != NULL && plan_only_name_fits(&value->name, nic->driver);
}

static bool profile_fits(const struct plan_only_value *value, const struct plan_cell *cell)
{
	for (size_t i = 0; i < cell->profile_count; i++) {
		if (plan_only_name_fits(&value->name, cell->profiles[i].profile->name))
			return true;
	}
	return false;
}

static bool name_fits(enum plan_only_key key, const struct plan_only_value *value,
                      const struct plan_cell *cell)
{
	if (key == PLAN_ONLY_SRC)
		return plan_only_end_fits(&value->name, cell->src);
	if (key == PLAN_ONLY_DST)
		return plan_only_end_fits(&value->name, cell->dst);
	if (key == PLAN_ONLY_HOST)
		return plan_only_end_fits(&value->name, cell->src) ||
		       plan_only_end_fits(&value->name, cell->dst);
	if (key == PLAN_ONLY_CLASS)
		return plan_only_name_fits(&value->name, path_class_names[cell->path_class]);
	if (key == PLAN_ONLY_DRIVER)
		return driver_fits(value, cell->src) || driver_fits(value, cell->dst);
	return profile_fits(value, cell);
}

static bool value_fits(enum plan_only_key key, const struct plan_only_value *value,
                       const struct plan_cell *cell)
{
	switch (plan_only_row(key)->kind) {
	case PLAN_ONLY_NAME:
		return name_fits(key, value, cell);
	case PLAN_ONLY_ENDS:
		return pair_fits(value, cell);
	case PLAN_ONLY_NUMBER:
	case PLAN_ONLY_LEVEL:
	case PLAN_ONLY_TEXT:
		return plan_only_level_fits(key, value, cell);
	case PLAN_ONLY_ONE:
		return value->name.at == NULL
		               ? value->number == cell->index
		               : plan_only_name_fits(&value->name, cell->fingerprint);
	}
	return false;
}

static bool term_fits(const struct plan_only_term *term, const struct plan_cell *cell)
{
	for (size_t i = 0; i < term->value_count; i++) {
		if (value_fits(term->key, &term->values[i], cell))
			return true;
	}
	return false;
}

static bool all_fit(const struct plan_only *only, const struct plan_cell *cell)
{
	for (size_t i = 0; i < only->count; i++) {
		if (!term_fits(&only->terms[i], cell))
			return false;
	}
	return true;
}

/* ---- nothing left ---- */

static bool fits_any(const struct plan_only_term *term, const struct plan *plan)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		if (term_fits(term, &plan->cells[i]))
			return true;
	}
	return false;
}

static void add_end(const struct nic *nic, struct text *list)
{
	struct text dotted = {0};

	text_printf(&dotted, "%s.%s", nic->host->name, nic->name);
	plan_choice_add(list, text_str(&dotted));
	text_done(&dotted);
}

static void add_driver(const struct nic *nic, struct text *list)
{
	if (nic->driver != NULL)
		plan_choice_add(list, nic->driver);
}

static void add_names_of(enum plan_only_key key, const struct plan_cell *cell, struct text *list)
{
	if (key == PLAN_ONLY_SRC || key == PLAN_ONLY_HOST || key == PLAN_ONLY_PAIR)
		add_end(cell->src, list);
	if (key == PLAN_ONLY_DST || key == PLAN_ONLY_HOST || key == PLAN_ONLY_PAIR)
		add_end(cell->dst, list);
	if (key == PLAN_ONLY_CLASS)
		plan_choice_add(list, path_class_names[cell->path_class]);
	if (key == PLAN_ONLY_DRIVER) {
		add_driver(cell->src, list);
		add_driver(cell->dst, list);
	}
	for (size_t i = 0; key == PLAN_ONLY_PROFILE && i < cell->profile_count; i++)
		plan_choice_add(list, cell->profiles[i].profile->name);
}

/* Adds what would fit the cell. */
static void add_values_of(enum plan_only_key key, const struct plan_cell *cell, struct text *list)
{
	char index[16];

	switch (plan_only_row(key)->kind) {
	case PLAN_ONLY_NAME:
	case PLAN_ONLY_ENDS:
		add_names_of(key, cell, list);
		break;
	case PLAN_ONLY_NUMBER:
	case PLAN_ONLY_LEVEL:
	case PLAN_ONLY_TEXT:
		plan_only_add_level(key, cell, list);
		break;
	case PLAN_ONLY_ONE:
		(void)snprintf(index, sizeof(index), "%" PRIu32, cell->index);
		plan_choice_add(list, index);
		break;
	}
}

static bool nothing_left(const struct plan_only *only, const struct plan *plan, struct err *err)
{
	const struct plan_only_term *term = only->terms;
	struct text list = {0};

	while (term < only->terms + only->count && fits_any(term, plan))
		term++;
	if (term == only->terms + only->count)
		return err_set(err, ERR_USAGE, "--only: none of %zu cells fits all terms at once",
		               plan->cell_count);
	for (size_t i = 0; i < plan->cell_count; i++)
		add_values_of(term->key, &plan->cells[i], &list);
	(void)err_set(err, ERR_USAGE, "--only %.120s: fits none of %zu cells; among them: %s",
	              term->text, plan->cell_count, text_str(&list));
	text_done(&list);
	return false;
}

bool plan_select(struct plan *plan, const char *only_text, struct err *err)
{
	struct arena scratch = {0};
	struct plan_only only;
	size_t kept = 0;
	bool ok = false;

	if (!plan_only_parse(only_text, plan, &scratch, &only, err))
		goto out;
	for (size_t i = 0; i < plan->cell_count; i++) {
		if (!all_fit(&only, &plan->cells[i]))
			continue;
		plan->cells[kept] = plan->cells[i];
		plan->cells[kept].index = (uint32_t)kept;
		kept++;
	}
	if (kept == 0) {
		(void)nothing_left(&only, plan, err);
		goto out;
	}
	plan->cell_count = kept;
	ok = true;
out:
	arena_done(&scratch);
	return ok;
}
