/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "common/units.h"
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

static bool value_fits(enum plan_only_key key, const struct plan_only_value *value,
                       const struct plan_cell *cell)
{
	switch (key) {
	case PLAN_ONLY_SRC:
		return plan_only_end_fits(&value->name, cell->src);
	case PLAN_ONLY_DST:
		return plan_only_end_fits(&value->name, cell->dst);
	case PLAN_ONLY_HOST:
		return plan_only_end_fits(&value->name, cell->src) ||
		       plan_only_end_fits(&value->name, cell->dst);
	case PLAN_ONLY_PAIR:
		return pair_fits(value, cell);
	case PLAN_ONLY_CLASS:
		return plan_only_name_fits(&value->name, path_class_names[cell->path_class]);
	case PLAN_ONLY_DRIVER:
		return driver_fits(value, cell->src) || driver_fits(value, cell->dst);
	case PLAN_ONLY_PROFILE:
		return profile_fits(value, cell);
	case PLAN_ONLY_MTU:
		return value->number == cell->config.mtu_bytes;
	case PLAN_ONLY_WINDOW:
		return value->number == cell->config.window_bytes;
	case PLAN_ONLY_BUFFER:
		return value->number == cell->config.buffer_bytes;
	case PLAN_ONLY_STREAMS:
		return value->number == cell->config.streams;
	case PLAN_ONLY_DIRECTION:
		return (value->number == DIRECTION_REVERSE) == cell->dst_initiates;
	case PLAN_ONLY_LRO:
		return value->number == cell->config.lro;
	case PLAN_ONLY_TSO:
		return value->number == cell->config.tso;
	case PLAN_ONLY_CELL:
		return value->name.at == NULL
		               ? value->number == cell->index
		               : plan_only_name_fits(&value->name, cell->fingerprint);
	case PLAN_ONLY_KEYS:
		break;
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

static void add_number(uint64_t number, bool is_size, const char *zero, struct text *list)
{
	char buf[UNITS_TEXT_BYTES];

	if (is_size) {
		plan_choice_add(list, number == 0 ? zero : units_format_bytes(number, buf));
		return;
	}
	(void)snprintf(buf, sizeof(buf), "%" PRIu64, number);
	plan_choice_add(list, number == 0 ? zero : buf);
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

/* Adds what would fit the cell. */
static void add_values_of(enum plan_only_key key, const struct plan_cell *cell, struct text *list)
{
	switch (key) {
	case PLAN_ONLY_SRC:
		add_end(cell->src, list);
		break;
	case PLAN_ONLY_DST:
		add_end(cell->dst, list);
		break;
	case PLAN_ONLY_HOST:
	case PLAN_ONLY_PAIR:
		add_end(cell->src, list);
		add_end(cell->dst, list);
		break;
	case PLAN_ONLY_CLASS:
		plan_choice_add(list, path_class_names[cell->path_class]);
		break;
	case PLAN_ONLY_DRIVER:
		add_driver(cell->src, list);
		add_driver(cell->dst, list);
		break;
	case PLAN_ONLY_PROFILE:
		for (size_t i = 0; i < cell->profile_count; i++)
			plan_choice_add(list, cell->profiles[i].profile->name);
		break;
	case PLAN_ONLY_MTU:
		add_number(cell->config.mtu_bytes, false, "unchanged", list);
		break;
	case PLAN_ONLY_WINDOW:
		add_number(cell->config.window_bytes, true, "default", list);
		break;
	case PLAN_ONLY_BUFFER:
		add_number(cell->config.buffer_bytes, true, "default", list);
		break;
	case PLAN_ONLY_STREAMS:
		add_number(cell->config.streams, false, "0", list);
		break;
	case PLAN_ONLY_DIRECTION:
		plan_choice_add(list, plan_direction_name(cell->dst_initiates ? DIRECTION_REVERSE
		                                                              : DIRECTION_FORWARD));
		break;
	case PLAN_ONLY_LRO:
		plan_choice_add(list, plan_toggle_name(cell->config.lro));
		break;
	case PLAN_ONLY_TSO:
		plan_choice_add(list, plan_toggle_name(cell->config.tso));
		break;
	case PLAN_ONLY_CELL:
		add_number(cell->index, false, "0", list);
		break;
	case PLAN_ONLY_KEYS:
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
