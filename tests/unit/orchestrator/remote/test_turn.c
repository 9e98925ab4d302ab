/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "remote/turn.h"
#include "tests/support/test.h"

#define THREADS 8
#define ROUNDS  500

struct counter {
	struct turn turn;
	unsigned long value; /* of whoever has the turn */
};

static void *count_up(void *arg)
{
	const struct wait_limit limit = {.deadline_ns = UINT64_MAX, .wake_fd = -1};
	struct counter *c = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (turn_take(&c->turn, &limit) != WAIT_READY)
			return c;
		c->value++;
		turn_give(&c->turn);
	}
	return NULL;
}

static void one_thread_has_it(void **state)
{
	struct counter c = {.value = 0};
	pthread_t threads[THREADS];
	struct err err;

	(void)state;
	assert_true(turn_init(&c.turn, &err));
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up, &c), 0);
	for (size_t i = 0; i < THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(c.value, THREADS * ROUNDS);
	turn_done(&c.turn);
}

static void waiting_for_it_ends(void **state)
{
	struct wait_limit limit = {.deadline_ns = UINT64_MAX, .wake_fd = eventfd(0, EFD_CLOEXEC)};
	struct turn turn;
	struct err err;

	(void)state;
	assert_true(turn_init(&turn, &err));
	assert_int_equal(turn_take(&turn, &limit), WAIT_READY);
	limit.deadline_ns = clock_now_ns() + 5 * CLOCK_NS_PER_MS;
	assert_int_equal(turn_take(&turn, &limit), WAIT_TIMEOUT);
	limit.deadline_ns = UINT64_MAX;
	assert_int_equal(eventfd_write(limit.wake_fd, 1), 0);
	assert_int_equal(turn_take(&turn, &limit), WAIT_WOKEN);
	turn_give(&turn);
	assert_int_equal(turn_take(&turn, &limit), WAIT_READY);
	turn_done(&turn);
	(void)close(limit.wake_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_has_it),
		cmocka_unit_test(waiting_for_it_ends),
	};

	return cmocka_run_group_tests_name("remote/turn", tests, NULL, NULL);
}
