/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/outcome.h"
#include "cli/plan_view.h"
#include "common/text.h"
#include "common/units.h"

#define BAR_CELLS 10

void progress_cell_text(const struct plan_cell *cell, char *out, size_t size)
{
	struct text t = {0};

	plan_view_add_nic(&t, cell->src);
	text_add(&t, " -> ");
	plan_view_add_nic(&t, cell->dst);
	text_add(&t, "  ");
	plan_view_add_settings(&t, cell);
	if (cell->dst_initiates)
		text_add(&t, ", reverse");
	(void)snprintf(out, size, "%s", text_str(&t));
	text_done(&t);
}

static void clear_line(struct progress *p)
{
	if (p->has_line)
		(void)fputs("\r\033[K", stderr);
	p->has_line = false;
}

/* False while a question stands on the terminal: lines are then kept, and the status is drawn
 * at the next occasion. */
static bool take_screen(struct progress *p)
{
	if (!prompt_hold(p->prompt))
		return false;
	if (p->held.len > 0) {
		clear_line(p);
		(void)fputs(text_str(&p->held), stderr);
		text_clear(&p->held);
	}
	return true;
}

static void say(struct progress *p, const char *text)
{
	if (p->is_quiet)
		return;
	if (!take_screen(p)) {
		text_printf(&p->held, "%s\n", text);
		return;
	}
	clear_line(p);
	(void)fprintf(stderr, "%s\n", text);
	prompt_release(p->prompt);
}

/* The figure first: what does not fit is cut off at the end. */
static void add_test(const struct progress *p, struct text *t)
{
	const struct plan_cell *cell = &p->plan->cells[p->now->cell];
	char what[256];
	double whole = cell->config.duration_ms / 1e3;
	int full = p->at_s <= 0 || whole <= 0 ? 0 : (int)(BAR_CELLS * p->at_s / whole);

	text_add(t, "  ");
	for (int i = 0; i < BAR_CELLS; i++)
		text_add(t, i < full ? "#" : ".");
	progress_cell_text(cell, what, sizeof(what));
	text_add(t, "  ");
	outcome_add_rate(t, &cell->config, p->bps);
	text_printf(t, "  %s", what);
}

static void draw(struct progress *p)
{
	const struct run_counts *c = &p->counts;
	unsigned width = terminal_width(STDERR_FILENO);
	char left[UNITS_TEXT_BYTES];
	struct text t = {0};

	if (p->is_quiet || !p->terminal.is_tty)
		return;
	if (c->tests_total == 0)
		text_printf(&t, "reaching hosts: %zu of %zu", p->hosts_up + p->hosts_down,
		            p->hosts_used);
	else
		text_printf(&t, "%zu/%zu  left ~%s", c->tests_done, c->tests_total,
		            units_format_eta(c->left_ms, left));
	if (c->blocks > 1)
		text_printf(&t, "  block %" PRIu32 "/%" PRIu32, c->block, c->blocks);
	if (p->now != NULL)
		add_test(p, &t);
	if (take_screen(p)) {
		clear_line(p);
		(void)fprintf(stderr, "%.*s", width > 1 ? (int)width - 1 : 79, text_str(&t));
		(void)fflush(stderr);
		p->has_line = true;
		prompt_release(p->prompt);
	}
	text_done(&t);
}

static void host_up(void *ctx, size_t host, const struct link_info *info)
{
	struct progress *p = ctx;

	p->hosts_up++;
	if (!p->terminal.is_tty) {
		char text[512];

		(void)snprintf(text, sizeof(text), "%s: agent %s runs in %s (%s, %s%s)",
		               p->topology->hosts[host].name, info->agent_version, info->folder,
		               info->platform, info->arch,
		               strcmp(info->origin, "compiled") == 0 ? ", compiled there" : "");
		say(p, text);
	}
	draw(p);
}

/* Without the host's name. */
static const char *words_of(const char *name, const struct err *why)
{
	size_t len = strlen(name);
	bool has_name = strncmp(why->msg, name, len) == 0 && strncmp(why->msg + len, ": ", 2) == 0;

	return has_name ? why->msg + len + 2 : why->msg;
}

/* A broken ssh_config, say, keeps every host away: it is told once. */
static bool is_told(struct progress *p, size_t host, const struct err *why)
{
	const struct host *hosts = p->topology->hosts;

	if (why->kind != ERR_INPUT)
		return false;
	if (p->fault.kind == ERR_INPUT && p->fault_host != host &&
	    strcmp(words_of(hosts[host].name, why),
	           words_of(hosts[p->fault_host].name, &p->fault)) == 0)
		return true;
	p->fault = *why;
	p->fault_host = host;
	return false;
}

static void host_down(void *ctx, size_t host, const struct err *why, bool will_retry)
{
	struct progress *p = ctx;
	struct text t = {0};
	const struct host *hosts = p->topology->hosts;
	const char *name = hosts[host].name;

	p->hosts_down++;
	if (is_told(p, host, why))
		text_printf(&t, "%s: the same as %s", name, hosts[p->fault_host].name);
	else
		text_printf(&t, "%s: %s", name, words_of(name, why));
	text_add(&t, will_retry ? "; trying again" : "");
	say(p, text_str(&t));
	text_done(&t);
	draw(p);
}

static void warned(void *ctx, const char *text)
{
	struct progress *p = ctx;
	struct text t = {0};

	text_printf(&t, "note: %s", text);
	say(p, text_str(&t));
	text_done(&t);
	draw(p);
}

static void test_begin(void *ctx, const struct plan_slot *slot, const struct run_counts *counts)
{
	struct progress *p = ctx;

	p->now = slot;
	p->counts = *counts;
	p->at_s = 0;
	p->bps = NAN;
	draw(p);
}

static void test_sample(void *ctx, const struct plan_slot *slot, double at_s, double bps)
{
	struct progress *p = ctx;

	p->now = slot;
	p->at_s = at_s;
	p->bps = bps;
	draw(p);
}

static void test_end(void *ctx, const struct plan_slot *slot, const struct test_result *test,
                     bool will_retry, const struct run_counts *counts)
{
	struct progress *p = ctx;
	char what[256];
	char left[UNITS_TEXT_BYTES];
	struct text t = {0};

	p->counts = *counts;
	if (p->now == slot)
		p->now = NULL;
	progress_cell_text(&p->plan->cells[slot->cell], what, sizeof(what));
	text_printf(&t, "%*zu/%zu  %s  ", counts->tests_total > 99 ? 4 : 2, counts->tests_done,
	            counts->tests_total, what);
	if (test->status == TEST_OK)
		outcome_add(&t, &p->plan->cells[slot->cell].config, test);
	else
		text_printf(&t, "%s: %s%s", test_status_names[test->status], test->reason,
		            will_retry ? "; will be tried again" : "");
	if (test->status != TEST_OK || !p->terminal.is_tty) {
		if (test->status == TEST_OK)
			text_printf(&t, "  left ~%s", units_format_eta(counts->left_ms, left));
		say(p, text_str(&t));
	}
	text_done(&t);
	draw(p);
}

static void stopping(void *ctx, unsigned level)
{
	say(ctx, level == 1 ? "stopping after the running test; once more stops it too"
	                    : "stopping the running test");
}

static size_t used_hosts(const struct plan *plan)
{
	size_t used = 0;

	for (size_t h = 0; h < plan->topology->host_count; h++) {
		const struct host *host = &plan->topology->hosts[h];

		for (size_t i = 0; i < plan->cell_count; i++) {
			if (plan->cells[i].src->host == host || plan->cells[i].dst->host == host) {
				used++;
				break;
			}
		}
	}
	return used;
}

void progress_init(struct progress *p, const struct command_context *ctx, const struct plan *plan,
                   struct prompt *prompt, bool is_quiet)
{
	memset(p, 0, sizeof(*p));
	p->topology = plan->topology;
	p->plan = plan;
	p->terminal = ctx->err;
	p->prompt = prompt;
	p->is_quiet = is_quiet;
	p->hosts_used = used_hosts(plan);
	draw(p);
}

struct run_progress progress_callbacks(struct progress *p)
{
	return (struct run_progress){.ctx = p,
	                             .host_up = host_up,
	                             .host_down = host_down,
	                             .test_begin = test_begin,
	                             .test_sample = test_sample,
	                             .test_end = test_end,
	                             .warned = warned,
	                             .stopping = stopping};
}

void progress_end(struct progress *p)
{
	if (take_screen(p))
		prompt_release(p->prompt);
	clear_line(p);
	text_done(&p->held);
}
