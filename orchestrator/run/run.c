/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <string.h>

#include "common/clock.h"
#include "run/run_parts.h"

/* At most this often is the time looked at while nothing happens. */
#define TICK_MS 250u
/* For settings to be put back, and for lost hosts to come back; their guardians do it else. */
#define RESTORE_MS 90000u
#define LOST_MS    20000u

static void handle_event(struct runner *r, const struct link_event *event, uint64_t now_ns)
{
	struct hosts_entry *e = &r->hosts.at[event->host];
	enum hosts_state before = e->state;

	if (changes_event(&r->changes, event, now_ns))
		return;
	if (hosts_event(&r->hosts, event, now_ns)) {
		if (event->kind == LINK_DOWN) {
			for (struct active *a = r->active; a != NULL; a = a->next)
				measure_host_lost(&a->measure, &r->hosts, event->host, &event->err,
				                  now_ns);
			book_host_lost(&r->book, &r->hosts, event->host, &event->err);
		} else if (before != HOSTS_READY && e->state == HOSTS_READY) {
			book_host_ready(&r->book, &r->hosts, event->host);
			changes_host_ready(&r->changes, event->host, now_ns);
		}
		return;
	}
	for (struct active *a = r->active; a != NULL; a = a->next) {
		if (measure_message(&a->measure, &r->hosts, event, now_ns)) {
			run_show_sample(r, a, event);
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
	uint64_t due = changes_tick(&r->changes, now_ns);
	uint64_t tick = now_ns + TICK_MS * CLOCK_NS_PER_MS;

	if (due < next)
		next = due;
	return next < tick ? next : tick;
}

/* Without a journal nothing may be changed, and the record cannot be kept. */
static void look_at_journal(struct runner *r)
{
	if (!r->changes.has_failed || r->book.has_failed)
		return;
	*r->book.err = r->changes.failure;
	r->book.has_failed = true;
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
	look_at_journal(r);
	run_reap_tests(r);
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
		run_start_tests(r, clock_now_ns());
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

/* Is a host that has settings of ours on its way back? */
static bool is_one_coming_back(const struct runner *r)
{
	for (size_t i = 0; i < r->plan->topology->host_count; i++) {
		if (r->changes.at[i].phase == CHANGES_LOST && r->hosts.at[i].state != HOSTS_GONE)
			return true;
	}
	return false;
}

/* However often the user asks to stop: a host is not left changed for it. */
static void put_settings_back(struct runner *r)
{
	uint64_t begun_ns = clock_now_ns();

	changes_end(&r->changes);
	for (;;) {
		struct link_event event;
		uint64_t past_ms = (clock_now_ns() - begun_ns) / CLOCK_NS_PER_MS;

		if (changes_have_ended(&r->changes) &&
		    (past_ms > LOST_MS || !is_one_coming_back(r)))
			return;
		if (past_ms > RESTORE_MS)
			return;
		if (link_next(r->hosts.links, wait_until(r), r->job->wake_fd, &event))
			handle_event(r, &event, clock_now_ns());
		look_at_level(r, clock_now_ns());
		look_at_journal(r);
	}
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

static bool may_change(const struct run_job *job)
{
	for (size_t i = 0; i < job->plan->cell_count; i++) {
		if (plan_needs_setting(&job->plan->cells[i].config))
			return job->plan->topology->safety.change != 0 && !job->consent.no_change &&
			       job->journal != NULL;
	}
	return false;
}

bool run_plan(const struct run_job *job, struct run_outcome *out, struct err *err)
{
	struct runner r = {.job = job, .plan = job->plan, .progress = job->progress, .out = out};

	const struct changes_options options = {&job->consent, job->journal, job->owner};
	struct link_options link = job->link;

	memset(out, 0, sizeof(*out));
	link.wants_survey = may_change(job); /* for the login's way to be root */
	if (!hosts_init(&r.hosts, job->plan->topology, &link, err)) {
		hosts_done(&r.hosts);
		return false;
	}
	changes_open(&r.changes, &r.hosts, job->plan, &options);
	r.book = (struct book){.sink = job->sink, .progress = job->progress, .err = err};
	book_open(&r.book, job->plan, job->done);
	use_nics(&r);
	bring_up(&r);
	measure_all(&r);
	put_settings_back(&r);
	facts_after(&r);
	changes_close(&r.changes);
	hosts_done(&r.hosts);
	book_sum_up(&r.book, out);
	out->is_interrupted = r.level > 0 && !r.book.has_failed;
	book_close(&r.book);
	return !r.book.has_failed;
}
