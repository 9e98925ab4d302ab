/* SPDX-License-Identifier: MIT */
/* Tests of a run: which may start, what became of them. */
#include <stdio.h>
#include <stdlib.h>

#include "run/gate.h"
#include "run/judge.h"
#include "run/run_parts.h"

static bool is_in_test(const struct runner *r, const struct nic *nic)
{
	for (struct active *a = r->active; a != NULL; a = a->next) {
		if (measure_uses(&a->measure, hosts_index(&r->hosts, nic->host)))
			return true;
	}
	return false;
}

/* Settings are changed for the whole plot that comes next, never for one behind it. */
static bool is_next_plot(const struct runner *r, const struct plan_config *config)
{
	const struct queue *q = &r->book.queue;

	for (size_t i = 0; i < q->pending_count; i++) {
		if (q->state[q->pending[i]] == QUEUE_WAITING) {
			const struct plan_config *next =
				&r->plan->cells[r->plan->slots[q->pending[i]].cell].config;

			return next->mtu_bytes == config->mtu_bytes && next->lro == config->lro &&
			       next->tso == config->tso;
		}
	}
	return false;
}

/* Have the cell's NICs what it asks for? Begins to change them when they may be. */
static bool settings_ready(struct runner *r, size_t slot)
{
	uint32_t cell = r->plan->slots[slot].cell;
	const struct plan_cell *c = &r->plan->cells[cell];
	uint32_t block = r->plan->slots[slot].block;
	char reason[CHANGES_WHY_BYTES];

	switch (changes_want(&r->changes, c, block, reason)) {
	case CHANGES_READY:
		return !changes_is_busy(&r->changes, hosts_index(&r->hosts, c->src->host)) &&
		       !changes_is_busy(&r->changes, hosts_index(&r->hosts, c->dst->host));
	case CHANGES_NEEDED:
		if (is_next_plot(r, &c->config))
			changes_begin(&r->changes, c, block);
		return false;
	case CHANGES_BUSY:
		return false;
	case CHANGES_CHOICE:
		book_skip(&r->book, cell, GATE_CHOICE, reason);
		return false;
	case CHANGES_FAULT:
		book_skip(&r->book, cell, GATE_FAULT, reason);
		return false;
	}
	return false;
}

static bool slot_ready(void *arg, size_t slot)
{
	struct runner *r = arg;
	uint32_t cell = r->plan->slots[slot].cell;
	const struct plan_cell *c = &r->plan->cells[cell];
	char reason[256];
	enum gate_answer a = gate_cell(&r->hosts, c, &r->job->consent, reason);

	if (a == GATE_CHOICE || a == GATE_FAULT) {
		book_skip(&r->book, cell, a, reason);
		return false;
	}
	if (a == GATE_WAIT)
		return false;
	/* An agent does one test at a time, and none while settings are changed. */
	return !is_in_test(r, c->src) && !is_in_test(r, c->dst) && settings_ready(r, slot);
}

void run_start_tests(struct runner *r, uint64_t now_ns)
{
	size_t slot;

	while (r->level == 0 && !r->book.has_failed &&
	       queue_take(&r->book.queue, slot_ready, r, &slot)) {
		struct active *a = calloc(1, sizeof(*a));

		if (a == NULL)
			abort();
		a->slot = slot;
		a->next = r->active;
		r->active = a;
		if (!measure_start(&a->measure, &r->hosts,
		                   &r->plan->cells[r->plan->slots[slot].cell], now_ns,
		                   r->book.err)) {
			a->measure.state =
				MEASURE_OVER; /* no randomness: nothing can be measured */
			a->measure.is_cancelled = true;
			r->book.has_failed = true;
			return;
		}
		book_test_begin(&r->book, slot);
	}
	for (struct active *a = r->active; a != NULL; a = a->next) {
		if (r->book.queue.running > a->concurrent)
			a->concurrent = (uint32_t)r->book.queue.running;
	}
}

static void test_over(struct runner *r, const struct active *a)
{
	const struct plan_cell *cell = &r->plan->cells[r->plan->slots[a->slot].cell];
	const struct hosts_entry *src = &r->hosts.at[hosts_index(&r->hosts, cell->src->host)];
	const struct hosts_entry *dst = &r->hosts.at[hosts_index(&r->hosts, cell->dst->host)];
	struct judge_limits limits = {
		.wmem_max = {src->wmem_max, dst->wmem_max},
		.rmem_max = {src->rmem_max, dst->rmem_max},
		.mtu_bytes = gate_mtu(&r->hosts, cell),
	};
	struct arena arena = {0};
	struct judge_verdict verdict;
	struct test_result test;

	judge_test(&a->measure, &limits, &arena, &test, &verdict);
	test.concurrent_tests = a->concurrent;
	if (test.status == TEST_OK && changes_was_void(&r->changes, cell)) {
		test.status = TEST_INVALID;
		(void)snprintf(test.reason, sizeof(test.reason),
		               "settings of its NICs were not those that it asks for any more");
		verdict.retry = true;
	}
	book_test_end(&r->book, a->slot, &test, verdict.retry && r->level == 0);
	if (verdict.warning[0] != '\0')
		book_warn(&r->book, test.cell, verdict.warning);
	arena_done(&arena);
}

/* Before a test counts, its hosts are asked for the settings once more. */
static bool is_proven(struct runner *r, struct active *a)
{
	const struct plan_cell *c = a->measure.cell;

	if (!a->is_verified) {
		a->is_verified = true;
		return !changes_verify(&r->changes, c);
	}
	return !changes_is_at_work(&r->changes, hosts_index(&r->hosts, c->src->host)) &&
	       !changes_is_at_work(&r->changes, hosts_index(&r->hosts, c->dst->host));
}

void run_reap_tests(struct runner *r)
{
	struct active **at = &r->active;

	while (*at != NULL) {
		struct active *a = *at;

		if (a->measure.state != MEASURE_OVER || !is_proven(r, a)) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		test_over(r, a);
		measure_done(&a->measure);
		free(a);
	}
}

/* Of the receiver of the first direction, whose figure is the headline. */
static bool is_headline(const struct measure *m, const struct link_event *event)
{
	const struct measure_end *e = &m->flows[MEASURE_FORTH].ends[MEASURE_DST];

	return event->host == e->host && event->msg.id == e->id;
}

void run_show_sample(struct runner *r, const struct active *a, const struct link_event *event)
{
	const struct msg_sample *m = &event->msg.u.sample;
	const struct plan_cell *cell = a->measure.cell;

	if (event->msg.type != MSG_SAMPLE || m->stream != 0 || r->progress->test_sample == NULL ||
	    !is_headline(&a->measure, event) || m->end_ns <= m->start_ns)
		return;
	r->progress->test_sample(r->progress->ctx, &r->plan->slots[a->slot],
	                         (double)m->end_ns / 1e9 - cell->config.omit_ms / 1e3,
	                         (double)m->bytes * 8e9 / (double)(m->end_ns - m->start_ns));
}
