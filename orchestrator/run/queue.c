/* SPDX-License-Identifier: MIT */
#include "run/queue.h"

#include <stdlib.h>
#include <string.h>

/* Behind this many tests that cannot start now, others are not looked for: keeps a large plan fast. */
#define LOOKAHEAD_MAX 1024u

uint64_t queue_planned_ms(const struct queue *q, size_t slot)
{
	return plan_test_ms(q->plan, &q->plan->cells[q->plan->slots[slot].cell]);
}

void queue_init(struct queue *q, const struct plan *plan, const bool *done)
{
	memset(q, 0, sizeof(*q));
	q->plan = plan;
	q->state = arena_alloc(&q->arena, plan->slot_count, sizeof(*q->state));
	q->attempts = arena_alloc(&q->arena, plan->slot_count, sizeof(*q->attempts));
	q->in_use = arena_alloc(&q->arena, plan->resource_count, sizeof(*q->in_use));
	q->first_of_cell = arena_alloc(&q->arena, plan->cell_count, sizeof(*q->first_of_cell));
	q->next_of_cell = arena_alloc(&q->arena, plan->slot_count, sizeof(*q->next_of_cell));
	for (size_t i = 0; i < plan->cell_count; i++)
		q->first_of_cell[i] = SIZE_MAX;
	for (size_t i = 0; i < plan->slot_count; i++) {
		q->next_of_cell[i] = q->first_of_cell[plan->slots[i].cell];
		q->first_of_cell[plan->slots[i].cell] = i;
		if (done[i]) {
			q->state[i] = QUEUE_FINISHED;
			continue;
		}
		q->left++;
		q->left_ms += queue_planned_ms(q, i);
	}
}

void queue_done(struct queue *q)
{
	free(q->pending);
	arena_done(&q->arena);
	memset(q, 0, sizeof(*q));
}

static void pending_add(struct queue *q, size_t slot)
{
	if (q->pending_count == q->pending_room) {
		size_t room = q->pending_room == 0 ? 64 : q->pending_room * 2;
		size_t *grown = realloc(q->pending, room * sizeof(*grown));

		if (grown == NULL)
			abort();
		q->pending = grown;
		q->pending_room = room;
	}
	q->pending[q->pending_count++] = slot;
}

static bool next_block(struct queue *q)
{
	const struct plan *plan = q->plan;

	while (q->pending_count == 0 && q->running == 0 && q->next_slot < plan->slot_count) {
		q->block = plan->slots[q->next_slot].block;
		while (q->next_slot < plan->slot_count &&
		       plan->slots[q->next_slot].block == q->block) {
			if (q->state[q->next_slot] == QUEUE_WAITING)
				pending_add(q, q->next_slot);
			q->next_slot++;
		}
	}
	return q->pending_count > 0;
}

static bool is_free(const struct queue *q, const struct plan_cell *cell)
{
	for (size_t i = 0; i < cell->resource_count; i++) {
		uint32_t r = cell->resources[i];

		if (q->in_use[r] >= q->plan->resources[r].slots)
			return false;
	}
	return true;
}

static void hold(struct queue *q, size_t slot, bool take)
{
	const struct plan_cell *cell = &q->plan->cells[q->plan->slots[slot].cell];

	for (size_t i = 0; i < cell->resource_count; i++) {
		if (take)
			q->in_use[cell->resources[i]]++;
		else
			q->in_use[cell->resources[i]]--;
	}
	if (take)
		q->running++;
	else
		q->running--;
}

/* Takes out what was finished while it waited (dropped cells). */
static void sweep(struct queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->pending_count; i++) {
		if (q->state[q->pending[i]] == QUEUE_WAITING)
			q->pending[kept++] = q->pending[i];
	}
	q->pending_count = kept;
}

static void pending_remove(struct queue *q, size_t at)
{
	memmove(&q->pending[at], &q->pending[at + 1],
	        (q->pending_count - at - 1) * sizeof(*q->pending));
	q->pending_count--;
}

bool queue_take(struct queue *q, queue_ready_fn *ready, void *arg, size_t *slot)
{
	for (;;) {
		size_t n = 0;

		if (!next_block(q))
			return false;
		for (; n < q->pending_count && n < LOOKAHEAD_MAX; n++) {
			size_t s = q->pending[n];

			if (q->state[s] != QUEUE_WAITING)
				break;
			if (is_free(q, &q->plan->cells[q->plan->slots[s].cell]) && ready(arg, s)) {
				if (q->state[s] != QUEUE_WAITING) /* ready() dropped it */
					break;
				q->state[s] = QUEUE_RUNNING;
				q->attempts[s]++;
				hold(q, s, true);
				pending_remove(q, n);
				*slot = s;
				return true;
			}
			if (q->state[s] != QUEUE_WAITING)
				break;
		}
		if (n == q->pending_count || n == LOOKAHEAD_MAX)
			return false;
		sweep(q);
	}
}

void queue_finish(struct queue *q, size_t slot)
{
	if (q->state[slot] == QUEUE_FINISHED)
		return;
	if (q->state[slot] == QUEUE_RUNNING)
		hold(q, slot, false);
	q->state[slot] = QUEUE_FINISHED;
	q->left--;
	q->left_ms -= queue_planned_ms(q, slot);
}

void queue_again(struct queue *q, size_t slot)
{
	hold(q, slot, false);
	q->state[slot] = QUEUE_WAITING;
	pending_add(q, slot);
}

void queue_drop_cell(struct queue *q, uint32_t cell)
{
	for (size_t i = q->first_of_cell[cell]; i != SIZE_MAX; i = q->next_of_cell[i]) {
		if (q->state[i] == QUEUE_WAITING)
			queue_finish(q, i);
	}
}
