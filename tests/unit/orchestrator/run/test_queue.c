/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "run/queue.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/lab.h"

static bool always(void *arg, size_t slot)
{
	(void)arg;
	(void)slot;
	return true;
}

static bool not_this(void *arg, size_t slot)
{
	return slot != *(const size_t *)arg;
}

struct dropper {
	struct queue *queue;
	uint32_t cell;
};

static bool drop_cell(void *arg, size_t slot)
{
	struct dropper *d = arg;

	if (d->queue->plan->slots[slot].cell != d->cell)
		return true;
	queue_drop_cell(d->queue, d->cell);
	return false;
}

static void make(struct lab *lab, struct queue *q, uint32_t blocks)
{
	lab_init(lab);
	(void)lab_cell(lab, 0, 1);
	(void)lab_cell(lab, 1, 2);
	(void)lab_cell(lab, 2, 3);
	lab_plan(lab, blocks);
	queue_init(q, &lab->plan, lab->done);
}

static void what_shares_nothing_is_given_out_together(void **state)
{
	static struct lab lab;
	struct queue q;
	size_t first;
	size_t second;
	size_t third;

	(void)state;
	make(&lab, &q, 1);
	assert_true(queue_take(&q, always, NULL, &first));
	assert_int_equal(first, 0);
	assert_true(queue_take(&q, always, NULL, &second));
	assert_int_equal(second, 2); /* cell 1 shares host b with cell 0 */
	assert_false(queue_take(&q, always, NULL, &third));
	assert_int_equal(q.running, 2);
	queue_finish(&q, first);
	assert_false(queue_take(&q, always, NULL, &third)); /* and host c with cell 2 */
	queue_finish(&q, second);
	assert_true(queue_take(&q, always, NULL, &third));
	assert_int_equal(third, 1);
	queue_finish(&q, third);
	assert_int_equal(q.left, 0);
	assert_int_equal(q.left_ms, 0);
	queue_done(&q);
}

static void a_block_begins_when_the_one_before_is_over(void **state)
{
	static struct lab lab;
	struct queue q;
	size_t slot;
	size_t other;

	(void)state;
	make(&lab, &q, 2);
	for (uint32_t block = 1; block <= 2; block++) {
		for (int i = 0; i < 3; i++) {
			assert_true(queue_take(&q, always, NULL, &slot));
			assert_int_equal(lab.slots[slot].block, block);
			if (i == 2)
				assert_false(queue_take(&q, always, NULL, &other));
			queue_finish(&q, slot);
		}
	}
	assert_false(queue_take(&q, always, NULL, &slot));
	queue_done(&q);
}

static void a_test_to_repeat_comes_last_in_its_block(void **state)
{
	static struct lab lab;
	struct queue q;
	size_t slot;

	(void)state;
	make(&lab, &q, 2);
	assert_true(queue_take(&q, always, NULL, &slot));
	queue_again(&q, slot);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(slot, 1);
	queue_finish(&q, slot);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(slot, 2);
	queue_finish(&q, slot);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(slot, 0);
	assert_int_equal(q.attempts[0], 2);
	queue_finish(&q, slot);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(lab.slots[slot].block, 2);
	queue_done(&q);
}

static void what_is_not_ready_is_passed_over_and_kept(void **state)
{
	static struct lab lab;
	struct queue q;
	size_t slot;
	size_t wait_for = 0;

	(void)state;
	make(&lab, &q, 1);
	assert_true(queue_take(&q, not_this, &wait_for, &slot));
	assert_int_equal(slot, 1);
	queue_finish(&q, slot);
	assert_true(queue_take(&q, not_this, &wait_for, &slot));
	queue_finish(&q, slot);
	assert_false(queue_take(&q, not_this, &wait_for, &slot));
	assert_int_equal(q.left, 1);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(slot, 0);
	queue_done(&q);
}

static void a_cell_dropped_while_it_is_looked_at_is_gone_from_all_blocks(void **state)
{
	static struct lab lab;
	struct queue q;
	struct dropper d = {&q, 0};
	size_t slot;
	size_t given = 0;

	(void)state;
	make(&lab, &q, 3);
	while (queue_take(&q, drop_cell, &d, &slot)) {
		assert_int_not_equal(lab.slots[slot].cell, 0);
		queue_finish(&q, slot);
		given++;
	}
	assert_int_equal(given, 6);
	assert_int_equal(q.left, 0);
	queue_done(&q);
}

static void what_is_done_is_not_given_out(void **state)
{
	static struct lab lab;
	struct queue q;
	size_t slot;

	(void)state;
	lab_init(&lab);
	(void)lab_cell(&lab, 0, 1);
	(void)lab_cell(&lab, 1, 2);
	lab_plan(&lab, 2);
	lab.done[0] = true;
	lab.done[1] = true;
	lab.done[3] = true;
	queue_init(&q, &lab.plan, lab.done);
	assert_int_equal(q.left, 1);
	assert_true(queue_take(&q, always, NULL, &slot));
	assert_int_equal(slot, 2);
	queue_finish(&q, slot);
	assert_false(queue_take(&q, always, NULL, &slot));
	queue_done(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_shares_nothing_is_given_out_together),
		cmocka_unit_test(a_block_begins_when_the_one_before_is_over),
		cmocka_unit_test(a_test_to_repeat_comes_last_in_its_block),
		cmocka_unit_test(what_is_not_ready_is_passed_over_and_kept),
		cmocka_unit_test(a_cell_dropped_while_it_is_looked_at_is_gone_from_all_blocks),
		cmocka_unit_test(what_is_done_is_not_given_out),
	};

	return cmocka_run_group_tests_name("run/queue", tests, NULL, NULL);
}
