/* SPDX-License-Identifier: MIT */
/*
 * queue.h - which test comes next: the plan's order, block by block, with the
 * repeats of failed tests at the end of their block, and no two at once that
 * share a resource. Pure bookkeeping, no clock, no messages.
 */
#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

#include "plan/plan.h"

enum queue_slot_state { QUEUE_WAITING, QUEUE_RUNNING, QUEUE_FINISHED };

struct queue {
	const struct plan *plan;
	enum queue_slot_state *state; /* one a slot */
	uint8_t *attempts;            /* one a slot: how often it was started */
	size_t *first_of_cell;        /* one a cell: its slots as a list, SIZE_MAX ends it */
	size_t *next_of_cell;         /* one a slot */
	uint32_t *in_use;             /* one a resource: tests that hold it now */
	size_t *pending;              /* slots of the current block, in order; retries behind */
	size_t pending_count, pending_room;
	size_t next_slot; /* first slot of the block after the current one */
	size_t left;      /* slots not finished in the whole plan */
	uint64_t left_ms; /* how long they take one after the other, as planned */
	size_t running;
	uint32_t block; /* current, 0 before the first */
	struct arena arena;
};

void queue_init(struct queue *q, const struct plan *plan, const bool *done);
void queue_done(struct queue *q);

/* Asked for each candidate; false = not now (its hosts are not ready). */
typedef bool queue_ready_fn(void *arg, size_t slot);

/*
 * The next slot whose resources are free and that `ready` agrees to: it is
 * running then. False when there is none now. Moves on to the next block only
 * when everything of the current one is finished.
 */
bool queue_take(struct queue *q, queue_ready_fn *ready, void *arg, size_t *slot);

void queue_finish(struct queue *q, size_t slot); /* running or waiting: will not come again */
void queue_again(struct queue *q, size_t slot);  /* running: comes again at the end of its block */

/* How long one test takes, as planned, ms. */
uint64_t queue_planned_ms(const struct queue *q, size_t slot);

/* Finishes every waiting slot of the cell. */
void queue_drop_cell(struct queue *q, uint32_t cell);

#endif
