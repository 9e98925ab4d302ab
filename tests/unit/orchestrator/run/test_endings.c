/* SPDX-License-Identifier: MIT */
/* How tests end: broken on the way in one direction or both, stopped, too slow. */
#include <math.h>
#include <string.h>

#include "common/clock.h"
#include "run/measure.h"
#include "tests/fakes/link_fake.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/stage.h"

static struct plan_config *bidir(struct stage *s)
{
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;

	c->is_bidir = true;
	lab_plan(&s->lab, 1);
	return c;
}

static void a_second_flow_that_is_refused_ends_the_first(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	link_fake(1)->fail_beside = "usage";
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "b: as scripted");
	assert_int_equal(s->sink.states[0], CELL_FAILED);
	assert_int_equal(s->sink.test_count, 1);
	assert_string_equal(link_fake_log(), "b prepare listen recv\n"
	                                     "a prepare connect send\n"
	                                     "b prepare listen send beside\n"
	                                     "a stop send\n"
	                                     "b stop recv\n");
}

static void a_second_connector_that_fails_ends_all_others(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	link_fake(0)->fail_beside = "port";
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "a: as scripted");
	assert_int_equal(s->sink.test_count, RUN_ATTEMPTS_MAX);
	assert_int_equal(link_fake(0)->gos + link_fake(1)->gos, 0);
	assert_int_equal(link_fake(0)->stops, RUN_ATTEMPTS_MAX);
	assert_int_equal(link_fake(1)->stops, 2 * RUN_ATTEMPTS_MAX);
}

static void a_flow_that_breaks_ends_the_other_and_names_its_streams(void **state)
{
	struct stage *s = *state;

	bidir(s)->streams = 12;
	link_fake(1)->fail_go = "system";
	link_fake(1)->troubles = 12;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_FAILED);
	assert_string_equal(s->sink.tests[0].reason,
	                    "b: stream 1: connection reset; stream 2: connection reset; "
	                    "stream 3: connection reset; stream 4: connection reset; "
	                    "stream 5: connection reset; stream 6: connection reset; "
	                    "stream 7: connection reset; stream 8: connection reset; "
	                    "and 4 more");
	assert_true(s->sink.tests[0].trouble_count >= 12);
	assert_true(isnan(s->sink.tests[0].throughput_bps));
	assert_int_equal(link_fake(0)->stops, 2 * RUN_ATTEMPTS_MAX);
}

static void one_trouble_is_the_reason(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.streams = 2;
	lab_plan(&s->lab, 1);
	link_fake(1)->fail_go = "truncated";
	link_fake(1)->troubles = 1;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_TRUNCATED);
	assert_string_equal(s->sink.tests[0].reason, "b: stream 1: connection reset");
}

static void a_host_lost_in_a_bidirectional_test_ends_both_flows(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	link_fake(1)->lost_at_go = 2; /* its receiver goes, its sender does not */
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_FAILED);
	assert_string_equal(s->sink.tests[0].reason, "no sign of life for 2.5 s");
	assert_int_equal(link_fake(0)->stops, 2);
	assert_int_equal(link_fake(1)->stops, 0);
	assert_int_equal(s->sink.tests[1].status, TEST_OK); /* reached again */
	assert_int_equal(s->sink.states[0], CELL_DONE);
}

static void a_bidirectional_test_that_is_stopped_stops_at_all_ends(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	stage_stop_at(s, 4, 2);
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 1);
	assert_int_equal(s->sink.tests[0].status, TEST_CANCELLED);
	assert_int_equal(s->sink.states[0], CELL_PENDING);
	assert_int_equal(link_fake(0)->stops, 2);
	assert_int_equal(link_fake(1)->stops, 2);
}

static void an_end_that_never_ends_is_waited_for_so_long_and_no_longer(void **state)
{
	struct stage *s = *state;
	uint64_t before_ms;

	(void)bidir(s);
	link_fake(0)->never_ends = true;
	before_ms = clock_now_ns() / CLOCK_NS_PER_MS;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_TIMEOUT);
	assert_string_equal(s->sink.tests[0].reason, "no end of the test from a");
	assert_true(clock_now_ns() / CLOCK_NS_PER_MS - before_ms <
	            RUN_ATTEMPTS_MAX * (1200 + MEASURE_END_MS + 1000));
}

static void bytes_may_take_an_hour(void **state)
{
	struct stage *s = *state;
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;

	lab_plan(&s->lab, 1);
	c->duration_ms = 0;
	c->bytes = 40000000000ull; /* 3200 s */
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "");
	assert_true(fabs(s->sink.tests[0].duration_s - 3200) < 1e-6);
}

static void a_warning_is_told_once_a_cell(void **state)
{
	struct stage *s = *state;
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;

	lab_plan(&s->lab, 3);
	c->duration_ms = 0;
	c->bytes = 1000000; /* 80 ms */
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 3);
	assert_int_equal(s->sink.states[0], CELL_DONE);
	assert_int_equal(s->warnings, 1);
	assert_non_null(strstr(s->warning, "took 0.080 s"));
	assert_int_equal(s->sink.events, 1);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, stage_set_up, stage_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STAGED(a_second_flow_that_is_refused_ends_the_first),
		STAGED(a_second_connector_that_fails_ends_all_others),
		STAGED(a_flow_that_breaks_ends_the_other_and_names_its_streams),
		STAGED(one_trouble_is_the_reason),
		STAGED(a_host_lost_in_a_bidirectional_test_ends_both_flows),
		STAGED(a_bidirectional_test_that_is_stopped_stops_at_all_ends),
		STAGED(an_end_that_never_ends_is_waited_for_so_long_and_no_longer),
		STAGED(bytes_may_take_an_hour),
		STAGED(a_warning_is_told_once_a_cell),
	};

	return cmocka_run_group_tests_name("run/endings", tests, NULL, NULL);
}
