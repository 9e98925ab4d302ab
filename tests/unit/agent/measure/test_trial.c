/* SPDX-License-Identifier: MIT */
#include "common/clock.h"
#include "measure/trial.h"
#include "tests/support/test.h"

#define GO_NS (UINT64_C(1000) * CLOCK_NS_PER_S)
#define CASES 3u
#define USUAL 1u

static struct trial trial;

/* What a path gives with each case, in each round. */
typedef uint64_t rates[TRIAL_ROUNDS][CASES];

/* Goes through all looks up to the end of the omitted time, each at the time that was asked for;
 * notes the time of the first and last turn. Returns the case that is used after it. */
static unsigned play(enum request_side side, uint64_t omit_ms, const rates path, uint64_t *begin_ns,
                     uint64_t *end_ns)
{
	struct request r = {.side = side, .omit_ns = omit_ms * CLOCK_NS_PER_MS};
	uint64_t now_ns = GO_NS + 5 * CLOCK_NS_PER_MS;
	unsigned used = USUAL;
	uint64_t next_ns;

	*begin_ns = 0;
	*end_ns = 0;
	trial_init(&trial, CASES, USUAL);
	trial_plan(&trial, &r, GO_NS);
	for (;;) {
		unsigned turn = trial.turn;
		uint64_t rate = turn == 0 ? 0 : path[(turn - 1) / CASES][(turn - 1) % CASES];

		used = trial_step(&trial, now_ns, rate, &next_ns);
		if (trial.turn == 1 && turn == 0)
			*begin_ns = now_ns - GO_NS;
		if (turn == CASES * TRIAL_ROUNDS)
			*end_ns = now_ns - GO_NS;
		if (next_ns == 0)
			break;
		assert_true(next_ns > now_ns);
		now_ns = next_ns;
	}
	/* And so it stays. */
	assert_int_equal(trial_step(&trial, now_ns + CLOCK_NS_PER_S, 1, &next_ns), used);
	assert_int_equal(next_ns, 0);
	return used;
}

static unsigned choose(const rates path)
{
	uint64_t begin_ns, end_ns;

	return play(REQUEST_SEND, 1000, path, &begin_ns, &end_ns);
}

static void the_best_of_the_medians_wins(void **state)
{
	static const rates largest = {{50, 90, 100}, {55, 85, 99}, {52, 80, 98}};
	static const rates with_accidents = {{10, 900, 100}, {55, 80, 5}, {900, 85, 98}};

	(void)state;
	assert_int_equal(choose(largest), 2);
	assert_int_equal(choose(with_accidents), 2);
}

static void the_smallest_of_those_as_good_as_the_best_wins(void **state)
{
	static const rates limited = {{1000, 1000, 1000}, {999, 1001, 1000}, {1000, 1000, 1001}};
	static const rates nearly = {{975, 980, 1000}, {974, 980, 1000}, {976, 980, 1000}};
	static const rates worse = {{960, 980, 1000}, {960, 980, 1000}, {960, 980, 1000}};
	static const rates nothing = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

	(void)state;
	assert_int_equal(choose(limited), 0);
	assert_int_equal(choose(nearly), 0);
	assert_int_equal(choose(worse), 1);
	assert_int_equal(choose(nothing), 0);
}

static void the_ends_try_one_after_the_other_and_not_in_the_measured_time(void **state)
{
	static const rates path = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
	uint64_t begin_ns, end_ns, begin2_ns, end2_ns;

	(void)state;
	for (uint64_t omit_ms = 400; omit_ms <= 10000; omit_ms += 300) {
		uint64_t omit_ns = omit_ms * CLOCK_NS_PER_MS;

		assert_int_equal(play(REQUEST_SEND, omit_ms, path, &begin_ns, &end_ns), 2);
		assert_int_equal(play(REQUEST_RECV, omit_ms, path, &begin2_ns, &end2_ns), 2);
		assert_in_range(begin_ns, omit_ns / 4, omit_ns / 4 + 1);
		assert_in_range(end_ns, begin_ns + 90 * CLOCK_NS_PER_MS, omit_ns / 2);
		assert_in_range(begin2_ns, end_ns, omit_ns / 2 + 1);
		assert_in_range(end2_ns, begin2_ns, omit_ns * 3 / 4 + 1);
	}
}

static void without_time_for_it_nothing_is_tried(void **state)
{
	static const rates path = {{9, 2, 3}, {9, 2, 3}, {9, 2, 3}};
	uint64_t begin_ns, end_ns;

	(void)state;
	for (uint64_t omit_ms = 0; omit_ms < 360; omit_ms += 40) {
		assert_int_equal(play(REQUEST_SEND, omit_ms, path, &begin_ns, &end_ns), USUAL);
		assert_int_equal(begin_ns, 0);
	}
}

static void what_is_given_up_leaves_the_usual_case(void **state)
{
	struct request r = {.side = REQUEST_SEND, .omit_ns = CLOCK_NS_PER_S};
	uint64_t next_ns;

	(void)state;
	trial_init(&trial, CASES, USUAL);
	trial_plan(&trial, &r, GO_NS);
	assert_int_equal(trial_step(&trial, GO_NS + CLOCK_NS_PER_S / 4, 1, &next_ns), 0);
	assert_true(next_ns != 0);
	trial_give_up(&trial);
	assert_int_equal(trial_step(&trial, next_ns, 1, &next_ns), USUAL);
	assert_int_equal(next_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_of_the_medians_wins),
		cmocka_unit_test(the_smallest_of_those_as_good_as_the_best_wins),
		cmocka_unit_test(the_ends_try_one_after_the_other_and_not_in_the_measured_time),
		cmocka_unit_test(without_time_for_it_nothing_is_tried),
		cmocka_unit_test(what_is_given_up_leaves_the_usual_case),
	};

	return cmocka_run_group_tests_name("agent/measure/trial", tests, NULL, NULL);
}
