/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tests/fakes/link_fake.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/stage.h"

static void every_cell_is_measured_in_every_block(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 1, 2);
	lab_cell(&s->lab, 2, 0)->dst_initiates = true;
	lab_plan(&s->lab, 3);
	assert_true(stage_go(s));
	assert_int_equal(s->out.cells_done, 3);
	assert_int_equal(s->out.hosts_ready, 3);
	assert_int_equal(s->out.cells_fault + s->out.cells_choice + s->out.cells_missing, 0);
	assert_int_equal(s->sink.test_count, 9);
	for (size_t i = 0; i < 9; i++) {
		const struct test_result *t = &s->sink.tests[i];

		assert_int_equal(t->status, TEST_OK);
		assert_int_equal(t->replicate, t->block);
		assert_int_equal(t->attempt, 1);
		assert_true(fabs(t->throughput_bps - 1e8) < 1);
		assert_true(fabs(t->rtt_base_us - 100) < 1e-9);
		assert_true(fabs(t->buffer_delay_pct - 50) < 1e-9);
		assert_int_equal(t->window_requested_bytes, RESULT_UNKNOWN);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(s->sink.states[i], CELL_DONE);
	assert_int_equal(s->sink.hosts, 3);
	assert_int_equal(s->sink.facts_before, 3 * 4);
	assert_int_equal(s->sink.facts_after, s->sink.facts_before);
	assert_int_equal(link_fake(3)->connects, 0); /* no cell is on d */
}

static void tests_that_share_nothing_run_together_and_others_do_not(void **state)
{
	struct stage *s = *state;
	unsigned together = 0;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 2, 3);
	(void)lab_cell(&s->lab, 1, 2);
	(void)lab_cell(&s->lab, 3, 0);
	lab_plan(&s->lab, 2);
	assert_true(stage_go(s));
	for (size_t h = 0; h < LAB_HOSTS; h++)
		assert_int_equal(link_fake(h)->most_running, 1);
	for (size_t i = 0; i < s->sink.test_count; i++)
		together += s->sink.tests[i].concurrent_tests == 2;
	assert_int_equal(together, 8);
}

static void only_what_is_missing_is_measured(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 2, 3);
	lab_plan(&s->lab, 2);
	s->lab.done[0] = true;
	s->lab.done[2] = true; /* cell 0 is complete: its hosts are not even reached */
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 2);
	assert_int_equal(s->sink.tests[0].cell, 1);
	assert_int_equal(s->sink.tests[1].cell, 1);
	assert_int_equal(link_fake(0)->connects, 0);
	assert_int_equal(s->out.cells_done, 2);
}

static void an_unreachable_host_costs_only_its_own_cells(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 1, 2);
	(void)lab_cell(&s->lab, 3, 2);
	lab_plan(&s->lab, 2);
	link_fake(0)->is_unreachable = true;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.states[0], CELL_SKIPPED);
	assert_string_equal(s->sink.reasons[0],
	                    "a is down since 10:53:20 UTC: connect: Connection refused");
	assert_int_equal(s->sink.states[1], CELL_DONE);
	assert_int_equal(s->sink.states[2], CELL_DONE);
	assert_int_equal(s->out.cells_fault, 1);
	assert_int_equal(s->out.hosts_ready, 3);
	assert_int_equal(link_fake(0)->connects, 1); /* not tried again and again */
	assert_int_equal(s->out.first_fault.kind, ERR_REMOTE);
}

static void a_host_lost_in_mid_test_is_reached_again_and_the_test_repeated(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 0, 2);
	lab_plan(&s->lab, 1);
	link_fake(1)->lost_at_go = 1;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 3);
	assert_int_equal(s->sink.tests[0].status, TEST_FAILED);
	assert_string_equal(s->sink.tests[0].reason, "no sign of life for 2.5 s");
	assert_int_equal(s->sink.tests[1].cell,
	                 1); /* the repetition comes at the end of the block */
	assert_int_equal(s->sink.tests[2].cell, 0);
	assert_int_equal(s->sink.tests[2].attempt, 2);
	assert_int_equal(s->sink.states[0], CELL_DONE);
	assert_int_equal(s->out.cells_done, 2);
	assert_int_equal(link_fake(0)->stops, 1); /* the other end was told */
}

static void a_host_that_stays_away_is_given_up(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 0, 2);
	lab_plan(&s->lab, 2);
	link_fake(1)->lost_at_go = 1;
	link_fake(1)->stays_lost = true;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.states[0], CELL_SKIPPED);
	assert_non_null(strstr(s->sink.reasons[0], "b is down since "));
	assert_int_equal(s->sink.states[1], CELL_DONE);
	assert_int_equal(link_fake(1)->connects, 4);
	assert_int_equal(s->out.cells_fault, 1);
	assert_int_equal(s->out.cells_done, 1);
}

static void a_setting_that_would_have_to_be_changed_is_no_fault(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.mtu_bytes = 9000;
	lab_cell(&s->lab, 0, 1)->config.mtu_bytes = 1500;
	lab_cell(&s->lab, 0, 1)->config.tso = TOGGLE_OFF;
	lab_cell(&s->lab, 0, 1)->config.lro = TOGGLE_ON;
	lab_plan(&s->lab, 1);
	assert_true(stage_go(s));
	assert_string_equal(s->sink.reasons[0],
	                    "not changed: mtu of a.eth1 is 1500, the cell "
	                    "needs 9000 (not in `change` of `safety` in the topology)");
	assert_int_equal(s->sink.states[1], CELL_DONE);
	assert_string_equal(s->sink.reasons[2],
	                    "not changed: tso of a.eth1 is on, the cell needs off "
	                    "(not in `change` of `safety` in the topology)");
	assert_string_equal(s->sink.reasons[3],
	                    "not changed: lro of a.eth1 is not known, the cell needs on "
	                    "(not in `change` of `safety` in the topology)");
	assert_int_equal(s->out.cells_choice, 3);
	assert_int_equal(s->out.cells_fault, 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(result_is_by_choice(s->sink.states[i], s->sink.reasons[i]),
		                 i != 1);
}

static void who_forbids_changes_is_told_so(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.mtu_bytes = 9000;
	lab_cell(&s->lab, 0, 1)->config.mtu_bytes = 1500;
	lab_cell(&s->lab, 0, 1)->config.tso = TOGGLE_OFF;
	lab_plan(&s->lab, 1);
	s->consent.no_change = true;
	assert_true(stage_go(s));
	assert_string_equal(
		s->sink.reasons[0],
		"not changed: mtu of a.eth1 is 1500, the cell needs 9000 (--no-change)");
	assert_int_equal(s->sink.states[1], CELL_DONE);
	assert_string_equal(s->sink.reasons[2],
	                    "not changed: tso of a.eth1 is on, the cell needs off (--no-change)");
	assert_int_equal(s->out.cells_choice, 2);
	assert_int_equal(s->out.cells_fault, 0);
}

static void a_clamped_window_is_invalid_with_the_remedy_and_not_repeated(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.window_bytes = 12 << 20;
	lab_plan(&s->lab, 3);
	link_fake(1)->window_granted = 212992;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 1);
	assert_int_equal(s->sink.states[0], CELL_INVALID);
	assert_string_equal(s->sink.reasons[0],
	                    "b: window asked 12M, got 208K (net.core.rmem_max=212992): "
	                    "sysctl -w net.core.rmem_max=12582912");
	assert_int_equal(s->out.cells_fault, 1);
}

static void a_window_clamped_at_both_ends_names_both(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.window_bytes = 12 << 20;
	lab_plan(&s->lab, 1);
	link_fake(0)->window_granted = 212992;
	link_fake(1)->window_granted = 212992;
	assert_true(stage_go(s));
	assert_string_equal(s->sink.reasons[0],
	                    "a: window asked 12M, got 208K; b: window asked 12M, got 208K "
	                    "(net.core.rmem_max=212992): sysctl -w net.core.rmem_max=12582912");
}

static void an_agent_that_does_not_answer_ends_its_tests_in_bounded_time(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 2, 3);
	lab_plan(&s->lab, 1);
	link_fake(1)->is_silent = true;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.states[0], CELL_FAILED);
	assert_string_equal(s->sink.reasons[0], "b did not open its data port in 5 s");
	assert_int_equal(s->sink.states[1], CELL_DONE);
	assert_int_equal(link_fake(1)->prepares, RUN_ATTEMPTS_MAX);
}

static void a_wrong_request_is_not_repeated(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	lab_plan(&s->lab, 1);
	link_fake(1)->fail_prepare = "usage";
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 1);
	assert_string_equal(s->sink.reasons[0], "b: as scripted");
	assert_int_equal(s->sink.states[0], CELL_FAILED);
}

static void bytes_that_got_lost_make_the_test_truncated(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	lab_plan(&s->lab, 1);
	link_fake(1)->bytes_missing = 7;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, RUN_ATTEMPTS_MAX);
	assert_int_equal(s->sink.tests[0].status, TEST_TRUNCATED);
	assert_string_equal(s->sink.tests[0].reason, "a sent 25000000 bytes, b took 24999993");
	assert_int_equal(s->sink.states[0], CELL_FAILED);
}

static void more_than_the_line_carries_is_a_measurement_error(void **state)
{
	struct stage *s = *state;
	struct plan_cell *c = lab_cell(&s->lab, 0, 1);

	s->lab.link.speed_bps = 90000000;
	c->links = s->lab.links;
	c->link_count = 1;
	lab_plan(&s->lab, 1);
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_INVALID);
	assert_non_null(strstr(s->sink.tests[0].reason, "118.0 % of the line rate"));
	assert_int_equal(s->sink.test_count, RUN_ATTEMPTS_MAX);
	assert_int_equal(s->sink.states[0], CELL_UNSTABLE);
}

static void a_missing_nic_is_told_as_the_agent_tells_it(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	lab_plan(&s->lab, 1);
	link_fake(1)->has_no_nic = true;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.states[0], CELL_SKIPPED);
	assert_string_equal(s->sink.reasons[0], "b.eth1: no NIC of this machine has the address");
	assert_int_equal(s->out.cells_fault, 1);
}

static void the_first_stop_lets_the_running_test_finish(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 0, 2);
	lab_plan(&s->lab, 1);
	stage_stop_at(s, 2, 1);
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 1);
	assert_int_equal(s->sink.tests[0].status, TEST_OK);
	assert_true(s->out.is_interrupted);
	assert_int_equal(s->out.cells_done, 1);
	assert_int_equal(s->out.cells_missing, 1);
}

static void the_second_stop_ends_the_running_test_too(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 0, 2);
	lab_plan(&s->lab, 1);
	stage_stop_at(s, 2, 2);
	assert_true(stage_go(s));
	assert_int_equal(s->sink.test_count, 1);
	assert_int_equal(s->sink.tests[0].status, TEST_CANCELLED);
	assert_int_equal(s->sink.states[0], CELL_PENDING);
	assert_true(s->out.is_interrupted);
	assert_int_equal(s->out.cells_missing, 2);
	assert_int_equal(link_fake(0)->stops + link_fake(1)->stops, 2);
}

static void a_result_that_cannot_be_kept_ends_the_run_with_the_reason(void **state)
{
	struct stage *s = *state;

	(void)lab_cell(&s->lab, 0, 1);
	(void)lab_cell(&s->lab, 0, 2);
	lab_plan(&s->lab, 1);
	s->sink.fail_at = 1;
	assert_false(stage_go(s));
	assert_string_equal(s->err.msg, "results.db: disk full");
	assert_int_equal(s->sink.test_count, 0);
	assert_int_equal(link_fake(2)->gos, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_cell_is_measured_in_every_block, stage_set_up,
	                                        stage_tear_down),
		cmocka_unit_test_setup_teardown(
			tests_that_share_nothing_run_together_and_others_do_not, stage_set_up,
			stage_tear_down),
		cmocka_unit_test_setup_teardown(only_what_is_missing_is_measured, stage_set_up,
	                                        stage_tear_down),
		cmocka_unit_test_setup_teardown(an_unreachable_host_costs_only_its_own_cells,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(
			a_host_lost_in_mid_test_is_reached_again_and_the_test_repeated,
			stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(a_host_that_stays_away_is_given_up, stage_set_up,
	                                        stage_tear_down),
		cmocka_unit_test_setup_teardown(a_setting_that_would_have_to_be_changed_is_no_fault,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(who_forbids_changes_is_told_so, stage_set_up,
	                                        stage_tear_down),
		cmocka_unit_test_setup_teardown(
			a_clamped_window_is_invalid_with_the_remedy_and_not_repeated, stage_set_up,
			stage_tear_down),
		cmocka_unit_test_setup_teardown(a_window_clamped_at_both_ends_names_both,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(
			an_agent_that_does_not_answer_ends_its_tests_in_bounded_time, stage_set_up,
			stage_tear_down),
		cmocka_unit_test_setup_teardown(a_wrong_request_is_not_repeated, stage_set_up,
	                                        stage_tear_down),
		cmocka_unit_test_setup_teardown(bytes_that_got_lost_make_the_test_truncated,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(more_than_the_line_carries_is_a_measurement_error,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(a_missing_nic_is_told_as_the_agent_tells_it,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(the_first_stop_lets_the_running_test_finish,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(the_second_stop_ends_the_running_test_too,
	                                        stage_set_up, stage_tear_down),
		cmocka_unit_test_setup_teardown(
			a_result_that_cannot_be_kept_ends_the_run_with_the_reason, stage_set_up,
			stage_tear_down),
	};

	return cmocka_run_group_tests_name("run/run", tests, NULL, NULL);
}
