/* SPDX-License-Identifier: MIT */
/* The preflight: one plain connection a pair, whatever its cells ask for. */
#include <math.h>
#include <string.h>

#include "run/check.h"
#include "tests/fakes/link_fake.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/stage.h"

static void open_check(struct stage *s, struct check *check)
{
	struct link_options options = {0};

	assert_true(check_open(check, &s->lab.topo, &s->lab.plan, &options, &s->err));
}

static void a_pair_is_tried_with_a_plain_stream(void **state)
{
	struct stage *s = *state;
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;
	const struct msg_prepare *p = link_fake_prepare(0);
	struct check check;

	c->is_bidir = true;
	c->zero_copy = ZERO_COPY_BOTH;
	c->streams = 64;
	c->bytes = 1 << 30;
	c->source_port = 7000;
	open_check(s, &check);
	assert_int_equal(check.probe_count, 1);
	assert_int_equal(check.probes[0].answer, CHECK_REACHED);
	assert_true(fabs(check.probes[0].rtt_base_us - 100) < 1e-9);
	assert_string_equal(link_fake_log(), "b prepare listen recv\n"
	                                     "a prepare connect send\n"
	                                     "a stop send\n"
	                                     "b stop recv\n");
	assert_int_equal(p->streams, 1);
	assert_int_equal(p->bytes, WIRE_UNKNOWN_U64);
	assert_int_equal(p->source_port, WIRE_UNKNOWN_U32);
	assert_string_equal(p->zero_copy, "");
	assert_int_equal(check.lack_count, 0);
	check_close(&check);
}

static void each_family_of_addresses_is_tried(void **state)
{
	struct stage *s = *state;
	struct check check;

	for (int i = 0; i < 4; i++)
		lab_cell(&s->lab, 0, 1)->config.ip_version = i % 2 == 0 ? 0 : 6;
	s->lab.nics[0].ip6 = "2001:db8::1";
	s->lab.nics[1].ip6 = "2001:db8::2";
	open_check(s, &check);
	assert_int_equal(check.probe_count, 2);
	assert_int_equal(check.probes[0].answer, CHECK_REACHED);
	assert_int_equal(check.probes[1].answer, CHECK_REACHED);
	assert_string_equal(link_fake_prepare(0)->peer, "2001:db8::2");
	check_close(&check);
}

static void what_an_agent_cannot_do_is_told_with_the_cells_it_costs(void **state)
{
	struct stage *s = *state;
	struct check check;

	lab_cell(&s->lab, 0, 1)->config.protocol = PROTOCOL_UDP;
	lab_cell(&s->lab, 1, 2)->config.protocol = PROTOCOL_UDP;
	lab_cell(&s->lab, 1, 2)->config.is_bidir = true;
	lab_cell(&s->lab, 0, 2)->config.is_bidir = true;
	link_fake(1)->caps = "tcp";
	open_check(s, &check);
	assert_int_equal(check.lack_count, 2);
	assert_string_equal(check.lacks[0].reason, "b: the agent there (1.0 on linux) cannot do "
	                                           "what `protocol: udp` needs: it has no 'udp'");
	assert_ptr_equal(check.lacks[0].host, &s->lab.hosts[1]);
	assert_int_equal(check.lacks[0].cells, 2);
	assert_non_null(strstr(check.lacks[1].reason, "`direction: bidir`"));
	assert_int_equal(check.lacks[1].cells, 1);
	assert_int_equal(check.probe_count, 3);
	for (size_t i = 0; i < check.probe_count; i++) /* its ports are tried all the same */
		assert_int_equal(check.probes[i].answer, CHECK_REACHED);
	check_close(&check);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, stage_set_up, stage_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STAGED(a_pair_is_tried_with_a_plain_stream),
		STAGED(each_family_of_addresses_is_tried),
		STAGED(what_an_agent_cannot_do_is_told_with_the_cells_it_costs),
	};

	return cmocka_run_group_tests_name("run/check", tests, NULL, NULL);
}
