/* SPDX-License-Identifier: MIT */
/* plan_overview.c - the page that `vnm plan` prints. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ceiling/ceiling.h"
#include "cli/plan_view.h"
#include "common/units.h"
#include "report/format.h"
#include "report/writer.h"
#include "stats/stats.h"

/* ---- first line ---- */

static void print_head(const struct topology *topo)
{
	size_t nics = 0;
	size_t links = 0;
	size_t hypervisors = 0;
	struct text line = {0};

	for (size_t h = 0; h < topo->host_count; h++) {
		const struct host *host = &topo->hosts[h];

		hypervisors += host->kind == HOST_ESXI;
		for (size_t n = 0; n < host->nic_count; n++)
			nics += host->nics[n].role == NIC_TEST;
	}
	for (size_t r = 0; r < topo->resource_count; r++)
		links += topo->resources[r].kind != RESOURCE_CPU;
	text_printf(&line, "lab %s: ", topo->name);
	format_add_things(&line, topo->host_count, "host");
	text_add(&line, ", ");
	format_add_things(&line, nics, "test NIC");
	text_add(&line, ", ");
	format_add_things(&line, hypervisors, "hypervisor");
	text_printf(&line, ", %zu %s; nothing is touched", links,
	            links == 1 ? "link or port" : "links and ports");
	format_print_line(stdout, &line);
	text_done(&line);
}

/* ---- the profiles ---- */

/* What of a plan belongs to one profile, or to any. */
struct share {
	size_t cells, tests, asking; /* asking: cells that ask for a setting */
	size_t rounds;
	uint64_t ms;
};

static bool is_member(const struct plan_cell *cell, const struct profile *profile)
{
	for (size_t i = 0; i < cell->profile_count; i++) {
		if (cell->profiles[i].profile == profile)
			return true;
	}
	return false;
}

/* profile NULL: all. Rounds follow each other in the slots, so one pass does. */
static struct share share_of(const struct plan *plan, const struct profile *profile)
{
	struct share s = {0};
	uint64_t longest_ms = 0;
	uint32_t round = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		if (profile != NULL && !is_member(&plan->cells[i], profile))
			continue;
		s.cells++;
		s.asking += plan_needs_setting(&plan->cells[i].config);
	}
	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_slot *slot = &plan->slots[i];
		const struct plan_cell *cell = &plan->cells[slot->cell];
		uint64_t ms = plan_test_ms(plan, cell);

		if (profile != NULL && !is_member(cell, profile))
			continue;
		s.tests++;
		if (s.rounds == 0 || slot->round != round) {
			s.rounds++;
			s.ms += longest_ms;
			longest_ms = 0;
			round = slot->round;
		}
		longest_ms = ms > longest_ms ? ms : longest_ms;
	}
	s.ms += longest_ms;
	return s;
}

static void add_row(struct writer *w, const char *name, struct share s)
{
	char time[UNITS_TEXT_BYTES];

	writer_row(w, (const struct writer_value[]){
			      writer_str(name),
			      writer_int((int64_t)s.cells),
			      writer_int((int64_t)s.tests),
			      writer_str(units_format_eta(s.ms, time)),
			      writer_int((int64_t)s.rounds),
			      writer_real(s.rounds == 0 ? (double)NAN
	                                                : (double)s.tests / (double)s.rounds),
			      writer_int((int64_t)s.asking),
		      });
}

static void print_profiles(const struct plan *plan)
{
	static const char *const columns[] = {
		"profile", "cells", "tests", "est.", "rounds", "at once", "ask for a setting"};
	struct writer w;

	writer_begin(&w, &writer_text, stdout, columns, COUNT_OF(columns));
	for (size_t i = 0; i < plan->profile_count; i++)
		add_row(&w, plan->profiles[i]->name, share_of(plan, plan->profiles[i]));
	if (plan->profile_count > 1) /* a cell of two profiles is measured once */
		add_row(&w, "total", share_of(plan, NULL));
	writer_end(&w);
}

/* ---- the lines below ---- */

static void print_note(const char *label, const struct text *line)
{
	(void)printf("  %-9s %s\n", label, text_str(line));
}

static void print_order(const struct plan_view *view)
{
	const struct plan *plan = view->plan;
	struct text line = {0};

	text_printf(&line, "%s, %" PRIu32 " block%s, seed %" PRIu64 "%s",
	            plan_view_order_names[plan->topology->design.order], plan->blocks,
	            plan->blocks == 1 ? "" : "s", plan->seed,
	            view->seed_was_drawn ? ", drawn now" : "");
	print_note("order", &line);
	text_done(&line);
}

/* Which settings the cells ask for, as "mtu and lro". */
static void add_asked(struct text *line, const struct plan *plan)
{
	bool asked[3] = {false};
	static const char *const names[] = {"mtu", "lro", "tso"};
	size_t left = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct plan_config *c = &plan->cells[i].config;

		asked[0] |= c->mtu_bytes != 0;
		asked[1] |= c->lro != TOGGLE_UNCHANGED;
		asked[2] |= c->tso != TOGGLE_UNCHANGED;
	}
	for (size_t i = 0; i < COUNT_OF(asked); i++)
		left += asked[i];
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		if (!asked[i])
			continue;
		left--;
		text_printf(line, "%s%s", names[i], left == 0 ? "" : left == 1 ? " or " : ", ");
	}
}

static void print_settings(const struct plan *plan)
{
	size_t asking = share_of(plan, NULL).asking;
	struct text line = {0};

	if (asking == 0) {
		text_add(&line, "none has to be changed");
	} else {
		add_asked(&line, plan);
		text_printf(&line, " is asked for by %zu of ", asking);
		format_add_things(&line, plan->cell_count, "cell");
		text_add(&line, "; where a host has another value");
		print_note("settings", &line);
		text_clear(&line);
		text_add(&line, "the cell is skipped (this version changes none)");
	}
	print_note(asking == 0 ? "settings" : "", &line);
	text_done(&line);
}

/* The resource that is busy longest bounds the time, however clever the order. */
static void print_limit(const struct plan *plan)
{
	struct arena arena = {0};
	uint64_t *busy_ms = arena_alloc(&arena, plan->resource_count, sizeof(*busy_ms));
	char busy[UNITS_TEXT_BYTES];
	char all[UNITS_TEXT_BYTES];
	struct text line = {0};
	size_t most = 0;

	for (size_t i = 0; i < plan->slot_count; i++) {
		const struct plan_cell *cell = &plan->cells[plan->slots[i].cell];

		for (size_t r = 0; r < cell->resource_count; r++)
			busy_ms[cell->resources[r]] += plan_test_ms(plan, cell);
	}
	for (size_t r = 0; r < plan->resource_count; r++) {
		busy_ms[r] /= plan->resources[r].slots;
		if (busy_ms[r] > busy_ms[most])
			most = r;
	}
	if (plan->resource_count > 0) {
		text_printf(&line, "%s is busy %s of %s", plan->resources[most].name,
		            units_format_eta(busy_ms[most], busy),
		            units_format_eta(plan_estimate_ms(plan, 0), all));
		print_note("limit", &line);
	}
	text_done(&line);
	arena_done(&arena);
}

/* ---- warnings: a row each; the text follows the number of cells ---- */

static bool is_screening(const struct plan_cell *cell)
{
	return cell->repeats < STATS_INTERVAL_MIN;
}

static bool keeps_slow_start(const struct plan_cell *cell)
{
	return cell->config.omit_ms == 0;
}

static bool is_routed(const struct plan_cell *cell)
{
	return cell->is_routed;
}

/* Traffic inside one hypervisor crosses no wire, so it has no line rate. */
static bool has_no_ceiling(const struct plan_cell *cell)
{
	const char *name;

	if (!cell->is_routed &&
	    (cell->path_class == PATH_VM_VM_SAME_HOST || cell->path_class == PATH_VM_OWN_HOST))
		return false;

	/* Any sizes do: the question is whether a speed is known. */
	return isnan(ceiling_line_rate(cell, 1448, 1500, &name));
}

static const struct {
	bool (*fits)(const struct plan_cell *cell);
	const char *text;
} warnings[] = {
	{is_screening, "with fewer than 6 repeats: screening, no confidence interval"},
	{keeps_slow_start, "with omit 0: their figures include slow start"},
	{is_routed, "through a router"},
	{has_no_ceiling,
         "over a wire but over no link of known speed: no line rate to compare with"},
};

static void print_warnings(const struct plan *plan)
{
	struct text line = {0};

	for (size_t w = 0; w < COUNT_OF(warnings); w++) {
		size_t count = 0;

		for (size_t i = 0; i < plan->cell_count; i++)
			count += warnings[w].fits(&plan->cells[i]);
		if (count == 0)
			continue;
		text_printf(&line, "%zu of ", count);
		format_add_things(&line, plan->cell_count, "cell");
		text_printf(&line, " %s", warnings[w].text);
		print_note("warn", &line);
		text_clear(&line);
	}
	for (size_t i = 0; i < plan->note_count; i++) {
		text_add(&line, plan->notes[i]);
		print_note("note", &line);
		text_clear(&line);
	}
	text_done(&line);
}

static void print_command(const struct plan_view *view)
{
	struct text line = {0};

	text_add(&line, "vnm run");
	if (strcmp(view->operands->file, LAB_FILE) != 0) {
		text_add(&line, " ");
		format_add_shell_word(&line, view->operands->file);
	}
	for (size_t i = 0; i < view->operands->profile_count; i++) {
		text_add(&line, " ");
		format_add_shell_word(&line, view->operands->profiles[i]);
	}
	if (view->request->only != NULL) {
		text_add(&line, " --only ");
		format_add_shell_word(&line, view->request->only);
	}
	if (view->request->seed.is_given || view->seed_was_drawn)
		text_printf(&line, " --seed %" PRIu64, view->plan->seed);
	(void)printf("run it with: %s\n", text_str(&line));
	text_done(&line);
}

void plan_view_overview(const struct plan_view *view)
{
	print_head(view->plan->topology);
	print_profiles(view->plan);
	print_order(view);
	print_settings(view->plan);
	print_limit(view->plan);
	print_warnings(view->plan);
	print_command(view);
}
