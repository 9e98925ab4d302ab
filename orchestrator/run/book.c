/* SPDX-License-Identifier: MIT */
#include "run/book.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"

/* The pace is known after this many tests. */
#define PACE_TESTS 3u

void book_open(struct book *b, const struct plan *plan, const bool *done)
{
	b->plan = plan;
	b->started_ns = clock_now_ns();
	b->cells = arena_alloc(&b->arena, plan->cell_count, sizeof(*b->cells));
	b->host_told = arena_alloc(&b->arena, plan->topology->host_count, sizeof(*b->host_told));
	queue_init(&b->queue, plan, done);
	b->total = b->queue.left;
	for (size_t i = 0; i < plan->slot_count; i++) {
		if (!done[i])
			b->cells[plan->slots[i].cell].tests_left++;
	}
}

void book_close(struct book *b)
{
	queue_done(&b->queue);
	arena_done(&b->arena);
}

static void kept(struct book *b, bool ok)
{
	if (!ok)
		b->has_failed = true;
}

static void note_fault(struct book *b, enum err_kind kind, const char *text)
{
	if (b->first_fault.kind == ERR_NONE)
		(void)err_set(&b->first_fault, kind, "%s", text);
}

static void update_counts(struct book *b)
{
	struct run_counts *c = &b->counts;
	double left = (double)b->queue.left_ms;

	c->tests_total = b->total;
	c->tests_done = b->total - b->queue.left;
	c->block = b->queue.block;
	c->blocks = b->plan->blocks;
	c->elapsed_ms = (clock_now_ns() - b->started_ns) / CLOCK_NS_PER_MS;
	/* The true pace has parallel tests and overheads in it. */
	if (c->tests_done >= PACE_TESTS && b->spent_ms > 0)
		left *= (double)c->elapsed_ms / (double)b->spent_ms;
	c->left_ms = (uint64_t)left;
}

/* ---- hosts ---- */

static void tell_event(struct book *b, const char *level, size_t host, const char *text)
{
	if (!b->has_failed)
		kept(b, b->sink->event(b->sink->ctx, level, host, text, b->err));
}

static void tell_facts(struct book *b, const struct hosts_entry *e, bool is_after)
{
	struct arena arena = {0};
	struct result_fact *list;
	size_t count = 0;

	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next)
		count++;
	list = arena_alloc(&arena, count, sizeof(*list));
	count = 0;
	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next) {
		list[count] = f->fact;
		list[count++].is_after = is_after;
	}
	if (!b->has_failed)
		kept(b, b->sink->facts(b->sink->ctx, list, count, b->err));
	arena_done(&arena);
}

static void check_nic_names(struct book *b, const struct hosts_entry *e, size_t host)
{
	for (const struct hosts_nic *n = e->nics; n != NULL; n = n->next) {
		char text[256];

		if (!n->is_known || n->name[0] == '\0' || strcmp(n->name, n->nic->name) == 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s.%s: its address %s belongs to %s there",
		               e->host->name, n->nic->name, topology_nic_address(n->nic, 0),
		               n->name);
		tell_event(b, "warn", host, text);
	}
}

/* The place that took the agent's own folder, whose name is another each time. */
static void find_place(const struct link_info *info, char *out, size_t out_bytes)
{
	const char *slash = strrchr(info->folder, '/');
	size_t len = slash == NULL ? 0 : (size_t)(slash - info->folder);

	(void)snprintf(out, out_bytes, "%.*s", slash == info->folder ? 1 : (int)len, info->folder);
}

void book_host_ready(struct book *b, const struct hosts *hosts, size_t host)
{
	const struct hosts_entry *e = &hosts->at[host];
	char place[sizeof(e->info.folder)];
	struct result_host row = {.host = host,
	                          .engine = "agent",
	                          .engine_version = e->info.agent_version,
	                          .clock_offset_us = e->info.clock_offset_us,
	                          .agent_sha256 = e->info.agent_sha256,
	                          .agent_arch = e->info.arch,
	                          .agent_origin = e->info.origin,
	                          .agent_place = place};

	find_place(&e->info, place, sizeof(place));
	if (b->progress->host_up != NULL)
		b->progress->host_up(b->progress->ctx, host, &e->info);
	if (b->host_told[host]) {
		tell_event(b, "info", host, "reached again");
		return;
	}
	b->host_told[host] = true;
	if (!b->has_failed)
		kept(b, b->sink->host(b->sink->ctx, &row, b->err));
	tell_facts(b, e, false);
	check_nic_names(b, e, host);
}

void book_host_lost(struct book *b, const struct hosts *hosts, size_t host, const struct err *why)
{
	bool retry = hosts->at[host].state == HOSTS_WAITING;

	tell_event(b, retry ? "warn" : "error", host, why->msg);
	if (b->progress->host_down != NULL)
		b->progress->host_down(b->progress->ctx, host, why, retry);
}

void book_facts_after(struct book *b, const struct hosts *hosts, size_t host)
{
	tell_facts(b, &hosts->at[host], true);
}

/* ---- cells and tests ---- */

void book_skip(struct book *b, uint32_t cell, enum gate_answer why, const char *reason)
{
	struct book_cell *c = &b->cells[cell];

	queue_drop_cell(&b->queue, cell);
	c->is_choice = why == GATE_CHOICE;
	c->is_bad = why == GATE_FAULT;
	if (c->is_bad)
		note_fault(b, ERR_REMOTE, reason);
	if (!b->has_failed)
		kept(b, b->sink->cell(b->sink->ctx, cell, CELL_SKIPPED, reason, b->err));
}

void book_test_begin(struct book *b, size_t slot)
{
	const struct plan_slot *s = &b->plan->slots[slot];

	if (!b->has_failed)
		kept(b, b->sink->cell(b->sink->ctx, s->cell, CELL_RUNNING, NULL, b->err));
	update_counts(b);
	if (b->progress->test_begin != NULL)
		b->progress->test_begin(b->progress->ctx, s, &b->counts);
}

/* The slot will not come again: what does that make of its cell? */
static enum cell_state finish(struct book *b, size_t slot, const struct test_result *test,
                              bool could_help)
{
	struct book_cell *c = &b->cells[test->cell];

	b->spent_ms += queue_planned_ms(&b->queue, slot);
	queue_finish(&b->queue, slot);
	c->tests_left--;
	if (test->status == TEST_INVALID)
		c->is_invalid = true;
	else if (test->status != TEST_OK)
		c->is_bad = true;
	if (test->status != TEST_OK)
		note_fault(b, ERR_REMOTE, test->reason);
	if (test->status == TEST_INVALID &&
	    !could_help) { /* its other repeats would be invalid too */
		queue_drop_cell(&b->queue, test->cell);
		c->tests_left = 0;
		return CELL_INVALID;
	}
	if (c->tests_left > 0)
		return CELL_PENDING;
	if (c->is_bad)
		return CELL_FAILED;
	return c->is_invalid ? CELL_UNSTABLE : CELL_DONE;
}

void book_test_end(struct book *b, size_t slot, struct test_result *test, bool may_retry)
{
	const struct plan_slot *s = &b->plan->slots[slot];
	bool again = may_retry && b->queue.attempts[slot] < RUN_ATTEMPTS_MAX;
	enum cell_state state = CELL_PENDING;

	test->replicate = s->replicate;
	test->block = s->block;
	test->round = s->round;
	test->seq = s->seq;
	test->attempt = b->queue.attempts[slot];
	if (test->status == TEST_INVALID)
		b->counts.invalid++;
	else if (test->status != TEST_OK)
		b->counts.failed++;
	if (again || test->status == TEST_CANCELLED)
		queue_again(&b->queue, slot);
	else
		state = finish(b, slot, test, may_retry);
	if (!b->has_failed)
		kept(b, b->sink->test(b->sink->ctx, test, state,
		                      test->status == TEST_OK ? NULL : test->reason, b->err));
	if (b->has_failed)
		return; /* not kept, so not told either */
	update_counts(b);
	if (b->progress->test_end != NULL)
		b->progress->test_end(b->progress->ctx, s, test, again, &b->counts);
}

void book_warn(struct book *b, uint32_t cell, const char *text)
{
	if (b->cells[cell].is_warned)
		return;
	b->cells[cell].is_warned = true;
	tell_event(b, "warn", SIZE_MAX, text);
	if (b->progress->warned != NULL)
		b->progress->warned(b->progress->ctx, text);
}

void book_sum_up(const struct book *b, struct run_outcome *out)
{
	for (size_t i = 0; i < b->plan->cell_count; i++) {
		const struct book_cell *c = &b->cells[i];

		if (c->is_choice)
			out->cells_choice++;
		else if (c->is_bad || (c->is_invalid && c->tests_left == 0))
			out->cells_fault++;
		else if (c->tests_left == 0)
			out->cells_done++;
		else
			out->cells_missing++;
	}
	out->first_fault = b->first_fault;
}
