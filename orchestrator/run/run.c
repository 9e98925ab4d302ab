/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "run/book.h"
#include "run/gate.h"
#include "run/judge.h"

/* At most this often is the time looked at while nothing happens. */
#define TICK_MS 250u

struct active {
	struct measure measure;
	size_t slot;
	uint32_t concurrent; /* most tests at once so far */
	struct active *next;
};

struct runner {
	const struct run_job *job;
	const struct plan *plan; /* the job's */
	const struct run_progress *progress;
	struct hosts hosts;
	struct book book;
	struct active *active;
	unsigned level; /* of stopping */
	struct run_outcome *out;
};

/* ---- tests ---- */

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
	for (struct active *other = r->active; other != NULL; other = other->next) {
		if (measure_uses(&other->measure, hosts_index(&r->hosts, c->src->host)) ||
		    measure_uses(&other->measure, hosts_index(&r->hosts, c->dst->host)))
			return false; /* an agent does one test at a time */
	}
	return true;
}

static void start_tests(struct runner *r, uint64_t now_ns)
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
	book_test_end(&r->book, a->slot, &test, verdict.retry && r->level == 0);
	if (verdict.warning[0] != '\0')
		book_warn(&r->book, test.cell, verdict.warning);
	arena_done(&arena);
}

static void reap_tests(struct runner *r)
{
	struct active **at = &r->active;

	while (*at != NULL) {
		struct active *a = *at;

		if (a->measure.state != MEASURE_OVER) {
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

static void show_sample(struct runner *r, const struct active *a, const struct link_event *event)
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

/* ---- the loop ---- */

static void handle_event(struct runner *r, const struct link_event *event, uint64_t now_ns)
{
	struct hosts_entry *e = &r->hosts.at[event->host];
	enum hosts_state before = e->state;

	if (hosts_event(&r->hosts, event, now_ns)) {
		if (event->kind == LINK_DOWN) {
			for (struct active *a = r->active; a != NULL; a = a->next)
				measure_host_lost(&a->measure, &r->hosts, event->host, &event->err,
				                  now_ns);
			book_host_lost(&r->book, &r->hosts, event->host, &event->err);
		} else if (before != HOSTS_READY && e->state == HOSTS_READY) {
			book_host_ready(&r->book, &r->hosts, event->host);
		}
		return;
	}
	for (struct active *a = r->active; a != NULL; a = a->next) {
		if (measure_message(&a->measure, &r->hosts, event, now_ns)) {
			show_sample(r, a, event);
			return;
		}
	}
}

static void look_at_level(struct runner *r, uint64_t now_ns)
{
	unsigned level = r->job->stop_level != NULL ? r->job->stop_level(r->job->stop_ctx) : 0;

	if (level <= r->level)
		return;
	r->level = level;
	if (r->progress->stopping != NULL)
		r->progress->stopping(r->progress->ctx, level);
	if (level >= 2) {
		for (struct active *a = r->active; a != NULL; a = a->next)
			measure_cancel(&a->measure, &r->hosts, now_ns);
	}
}

/* Does what is due with the hosts; the time by which to look again. */
static uint64_t wait_until(struct runner *r)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t next = hosts_tick(&r->hosts, now_ns);
	uint64_t tick = now_ns + TICK_MS * CLOCK_NS_PER_MS;

	return next < tick ? next : tick;
}

/* Waits for one event at most and deals with all that is due. */
static void turn(struct runner *r)
{
	struct link_event event;
	uint64_t now_ns;

	if (link_next(r->hosts.links, wait_until(r), r->job->wake_fd, &event))
		handle_event(r, &event, clock_now_ns());
	now_ns = clock_now_ns();
	look_at_level(r, now_ns);
	for (struct active *a = r->active; a != NULL; a = a->next)
		measure_tick(&a->measure, &r->hosts, now_ns);
	reap_tests(r);
}

/* Until every host has answered or failed. */
static void bring_up(struct runner *r)
{
	hosts_start(&r->hosts, clock_now_ns());
	while (hosts_any(&r->hosts, HOSTS_CONNECTING) && r->level == 0 && !r->book.has_failed)
		turn(r);
	for (size_t i = 0; i < r->plan->topology->host_count; i++)
		r->out->hosts_ready += r->hosts.at[i].state == HOSTS_READY;
}

static void measure_all(struct runner *r)
{
	while (!r->book.has_failed) {
		start_tests(r, clock_now_ns());
		if (r->active == NULL && (r->book.queue.left == 0 || r->level > 0))
			return;
		turn(r);
	}
	/* The record cannot be kept: what still runs is of no use. */
	for (struct active *a = r->active; a != NULL; a = a->next)
		measure_cancel(&a->measure, &r->hosts, clock_now_ns());
	r->level = 2;
	while (r->active != NULL)
		turn(r);
}

/* Facts once more, so that the record shows whether something drifted meanwhile. */
static void facts_after(struct runner *r)
{
	size_t count = r->plan->topology->host_count;
	struct arena arena = {0};
	bool *asked = arena_alloc(&arena, count, sizeof(*asked));

	for (size_t i = 0; i < count; i++) {
		asked[i] = r->hosts.at[i].state == HOSTS_READY;
		if (asked[i])
			hosts_ask_facts(&r->hosts, i, clock_now_ns());
	}
	while (hosts_any(&r->hosts, HOSTS_CONNECTING) && r->level < 2 && !r->book.has_failed) {
		struct link_event event;

		if (link_next(r->hosts.links, wait_until(r), r->job->wake_fd, &event))
			(void)hosts_event(&r->hosts, &event, clock_now_ns());
		look_at_level(r, clock_now_ns());
	}
	for (size_t i = 0; i < count; i++) {
		if (asked[i] && r->hosts.at[i].state == HOSTS_READY)
			book_facts_after(&r->book, &r->hosts, i);
	}
	arena_done(&arena);
}

static void use_nics(struct runner *r)
{
	for (size_t i = 0; i < r->plan->slot_count; i++) {
		const struct plan_cell *c = &r->plan->cells[r->plan->slots[i].cell];

		if (!r->job->done[i]) {
			hosts_use(&r->hosts, c->src);
			hosts_use(&r->hosts, c->dst);
		}
	}
}

bool run_plan(const struct run_job *job, struct run_outcome *out, struct err *err)
{
	struct runner r = {.job = job, .plan = job->plan, .progress = job->progress, .out = out};

	memset(out, 0, sizeof(*out));
	if (!hosts_init(&r.hosts, job->plan->topology, &job->link, err)) {
		hosts_done(&r.hosts);
		return false;
	}
	r.book = (struct book){.sink = job->sink, .progress = job->progress, .err = err};
	book_open(&r.book, job->plan, job->done);
	use_nics(&r);
	bring_up(&r);
	measure_all(&r);
	facts_after(&r);
	hosts_done(&r.hosts);
	book_sum_up(&r.book, out);
	out->is_interrupted = r.level > 0 && !r.book.has_failed;
	book_close(&r.book);
	return !r.book.has_failed;
}
