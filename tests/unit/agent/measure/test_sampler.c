/* SPDX-License-Identifier: MIT */
#include "common/attr.h"
#include "measure/sampler.h"
#include "tests/support/test.h"

struct reading {
	uint64_t at;
	uint64_t start;
	bool is_omitted;
	bool opens;
	bool closes;
	uint64_t next_due;
};

static void check(struct sampler *s, const struct reading *readings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct reading *r = &readings[i];
		struct sampler_cut cut = sampler_cut(s, r->at);

		assert_int_equal(cut.start_ns, r->start);
		assert_int_equal(cut.end_ns, r->at);
		assert_int_equal(cut.is_omitted, r->is_omitted);
		assert_int_equal(cut.opens, r->opens);
		assert_int_equal(cut.closes, r->closes);
		assert_int_equal(sampler_due_ns(s), r->next_due);
	}
}

static void intervals_are_cut_at_the_end_of_omit_and_of_the_measured_time(void **state)
{
	static const struct reading readings[] = {
		{100, 0, true, false, false, 200},    {200, 100, true, false, false, 250},
		{250, 200, true, true, false, 350},   {350, 250, false, false, false, 450},
		{450, 350, false, false, false, 500}, {500, 450, false, false, true, SAMPLER_NEVER},
	};
	struct sampler s;

	(void)state;
	sampler_init(&s, 250, 250, 100);
	assert_int_equal(sampler_due_ns(&s), 100);
	check(&s, readings, COUNT_OF(readings));
	assert_int_equal(s.opened_ns, 250);
	assert_int_equal(s.closed_ns, 500);
}

static void without_omit_the_measured_time_starts_at_t0(void **state)
{
	static const struct reading readings[] = {
		{100, 0, false, false, false, 200},
		{200, 100, false, false, true, SAMPLER_NEVER},
	};
	struct sampler s;

	(void)state;
	sampler_init(&s, 0, 200, 100);
	assert_int_equal(s.opened_ns, 0);
	check(&s, readings, COUNT_OF(readings));
}

static void a_late_reading_does_not_push_the_later_ones(void **state)
{
	static const struct reading readings[] = {
		{130, 0, false, false, false, 200},   /* late: longer */
		{200, 130, false, false, false, 300}, /* so this one is shorter */
		{455, 200, false, false, false, 500}, /* later than a whole interval: one long */
		{510, 455, false, false, true, SAMPLER_NEVER},
	};
	struct sampler s;

	(void)state;
	sampler_init(&s, 0, 500, 100);
	check(&s, readings, COUNT_OF(readings));
}

static void the_measured_time_is_counted_from_where_it_truly_began(void **state)
{
	static const struct reading readings[] = {
		{140, 0, true, true, false, 240}, /* omit ended at 100, was read at 140 */
		{240, 140, false, false, false, 340},
		{340, 240, false, false, true, SAMPLER_NEVER}, /* 200 long all the same */
	};
	struct sampler s;

	(void)state;
	sampler_init(&s, 100, 200, 100);
	check(&s, readings, COUNT_OF(readings));
}

static void a_reading_that_is_too_early_is_an_interval_and_nothing_else(void **state)
{
	static const struct reading readings[] = {
		{99, 0, true, false, false, 100},
		{100, 99, true, true, false, 200},
		{199, 100, false, false, false, 200},
		{200, 199, false, false, true, SAMPLER_NEVER},
	};
	struct sampler s;

	(void)state;
	sampler_init(&s, 100, 100, 1000);
	check(&s, readings, COUNT_OF(readings));
}

static void what_ends_by_itself_is_cut_where_it_ended(void **state)
{
	struct sampler_cut cut;
	struct sampler s;

	(void)state;
	sampler_init(&s, 0, 500, 100);
	(void)sampler_cut(&s, 100);
	cut = sampler_finish(&s, 173);
	assert_true(cut.closes && !cut.is_omitted && !cut.opens);
	assert_int_equal(cut.start_ns, 100);
	assert_int_equal(cut.end_ns, 173);
	assert_int_equal(s.closed_ns, 173);
	assert_int_equal(sampler_due_ns(&s), SAMPLER_NEVER);
	/* It had ended when the counters were last read, but nobody knew: nothing is left. */
	sampler_init(&s, 0, 500, 100);
	(void)sampler_cut(&s, 100);
	cut = sampler_finish(&s, 99);
	assert_int_equal(cut.start_ns, 100);
	assert_int_equal(cut.end_ns, 100);
	assert_int_equal(s.closed_ns, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_cut_at_the_end_of_omit_and_of_the_measured_time),
		cmocka_unit_test(without_omit_the_measured_time_starts_at_t0),
		cmocka_unit_test(a_late_reading_does_not_push_the_later_ones),
		cmocka_unit_test(the_measured_time_is_counted_from_where_it_truly_began),
		cmocka_unit_test(a_reading_that_is_too_early_is_an_interval_and_nothing_else),
		cmocka_unit_test(what_ends_by_itself_is_cut_where_it_ended),
	};

	return cmocka_run_group_tests_name("agent/measure/sampler", tests, NULL, NULL);
}
