/* SPDX-License-Identifier: MIT */
/* What agents are asked, in which order, and what of it they must be able to do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void both_flows_are_connected_before_any_goes(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	assert_true(stage_go(s));
	assert_string_equal(link_fake_log(), "b prepare listen recv\n"
	                                     "a prepare connect send\n"
	                                     "b prepare listen send beside\n"
	                                     "a prepare connect recv beside\n"
	                                     "b go recv\n"
	                                     "a go recv\n"
	                                     "a go send\n"
	                                     "b go send\n");
	assert_string_equal(s->sink.tests[0].reason, "");
	assert_int_equal(s->sink.states[0], CELL_DONE);
	assert_true(fabs(s->sink.tests[0].throughput_bps - 1e8) < 1);
	assert_true(fabs(s->sink.tests[0].reverse_bps - 1e8) < 1);
	assert_true(fabs(s->sink.tests[0].start_skew_us - 80) < 1e-9);
	assert_int_equal(s->sink.tests[0].rtt_probe_count, 100);
}

static void the_initiator_connects_both_flows(void **state)
{
	struct stage *s = *state;

	(void)bidir(s);
	s->lab.cells[0].dst_initiates = true;
	assert_true(stage_go(s));
	assert_ptr_equal(strstr(link_fake_log(), "a prepare listen send\n"
	                                         "b prepare connect recv\n"
	                                         "a prepare listen recv beside\n"
	                                         "b prepare connect send beside\n"),
	                 link_fake_log());
	assert_int_equal(s->sink.states[0], CELL_DONE);
}

static void the_second_flow_has_ports_and_no_round_trips_of_its_own(void **state)
{
	struct stage *s = *state;
	const struct msg_prepare *p = link_fake_prepare(0);

	bidir(s)->source_port = 6000;
	s->lab.cells[0].config.streams = 4;
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "");
	assert_string_equal(p->side, "recv");
	assert_int_equal(p->source_port, 6004);
	assert_int_equal(p->port, 5202);
	assert_int_equal(p->rtt_probes, 0);
	assert_int_equal(p->probe_ms, WIRE_UNKNOWN_U32);
}

static void every_level_reaches_the_agents(void **state)
{
	struct stage *s = *state;
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;
	const struct msg_prepare *p = link_fake_prepare(0);
	const struct msg_prepare *q = link_fake_prepare(1);

	lab_plan(&s->lab, 1);
	s->lab.nics[0].ip6 = "2001:db8::1";
	s->lab.nics[1].ip6 = "2001:db8::2";
	c->bytes = 25000000;
	c->duration_ms = 0;
	c->zero_copy = ZERO_COPY_BOTH;
	c->rate_bps = 200000000;
	c->mss_bytes = 1000;
	c->no_delay = true;
	c->dscp = 46;
	c->congestion = "bbr";
	c->ip_version = 6;
	c->affinity = "0-1";
	c->bind_device = true;
	c->source_port = 7000;
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "");
	assert_int_equal(s->sink.tests[0].status, TEST_OK);
	assert_string_equal(p->address, "2001:db8::1");
	assert_string_equal(p->peer, "2001:db8::2");
	assert_string_equal(p->device, "eth1");
	assert_string_equal(p->zero_copy, "both");
	assert_string_equal(p->congestion, "bbr");
	assert_string_equal(p->affinity, "0-1");
	assert_string_equal(p->protocol, "");
	assert_string_equal(p->mode, "");
	assert_int_equal(p->bytes, 25000000);
	assert_int_equal(p->duration_ms, MEASURE_BYTES_MS_MAX);
	assert_int_equal(p->interval_ms, 1000);
	assert_int_equal(p->rate_bps, 200000000);
	assert_int_equal(p->mss_bytes, 1000);
	assert_int_equal(p->no_delay, 1);
	assert_int_equal(p->dscp, 46);
	assert_int_equal(p->source_port, 7000);
	assert_int_equal(p->beside, WIRE_UNKNOWN_U32);
	assert_int_equal(p->probe_ms, MEASURE_PROBE_MS);
	assert_int_equal(q->source_port, 7000); /* to leave them free for the next test */
	assert_string_equal(q->address, "2001:db8::2");
	assert_true(fabs(s->sink.tests[0].duration_s - 2) < 1e-9);
	assert_string_equal(s->sink.tests[0].src_method, "splice");
	assert_string_equal(s->sink.tests[0].dst_method, "msg_trunc");
	assert_string_equal(s->sink.tests[0].tcp_cc_actual, "bbr");
	assert_int_equal(s->sink.tests[0].no_delay_actual, 1);
	assert_int_equal(s->sink.tests[0].dscp_actual, 46);
	assert_string_equal(s->sink.tests[0].src_affinity, "0-1");
}

static void what_is_not_asked_is_left_out(void **state)
{
	struct stage *s = *state;
	struct plan_config *c = &lab_cell(&s->lab, 0, 1)->config;
	const struct msg_prepare *p = link_fake_prepare(0);

	lab_plan(&s->lab, 1);
	c->duration_ms = 999;
	assert_true(stage_go(s));
	assert_int_equal(s->sink.tests[0].status, TEST_OK);
	assert_int_equal(p->probe_ms, WIRE_UNKNOWN_U32); /* too short for them */
	assert_int_equal(p->rtt_probes, MEASURE_RTT_PROBES);
	assert_int_equal(p->bytes, WIRE_UNKNOWN_U64);
	assert_int_equal(p->rate_bps, WIRE_UNKNOWN_U64);
	assert_int_equal(p->buffer_bytes, WIRE_UNKNOWN_U64);
	assert_int_equal(p->mss_bytes, WIRE_UNKNOWN_U32);
	assert_int_equal(p->no_delay, WIRE_UNKNOWN_U32);
	assert_int_equal(p->dscp, WIRE_UNKNOWN_U32);
	assert_string_equal(p->zero_copy, "");
	assert_string_equal(p->congestion, "");
	assert_string_equal(p->device, "");
	assert_string_equal(p->affinity, "");
}

static void datagrams_and_requests_are_measured(void **state)
{
	struct stage *s = *state;
	struct plan_config *udp = &lab_cell(&s->lab, 0, 1)->config;
	struct plan_config *rr = &lab_cell(&s->lab, 0, 2)->config;

	lab_plan(&s->lab, 1);
	udp->protocol = PROTOCOL_UDP;
	udp->rate_bps = 100000000;
	link_fake(1)->datagrams_lost = 100;
	rr->mode = MODE_RR;
	assert_true(stage_go(s));
	assert_string_equal(s->sink.tests[0].reason, "");
	assert_int_equal(s->sink.tests[0].datagrams_sent, 10000);
	assert_int_equal(s->sink.tests[0].datagrams_received, 9900);
	assert_true(fabs(s->sink.tests[0].loss_pct - 1) < 1e-9);
	assert_string_equal(s->sink.tests[1].reason, "");
	assert_int_equal(link_fake_prepare(2)->buffer_bytes, 1);
	assert_int_equal(link_fake_prepare(2)->probe_ms, WIRE_UNKNOWN_U32);
	assert_true(fabs(s->sink.tests[1].rr_p99_us - 90) < 1e-9);
	assert_true(s->sink.tests[1].rr_per_s > 0);
}

static void an_agent_that_cannot_keeps_its_cells_out(void **state)
{
	static const struct {
		const char *lacks;
		size_t host; /* that lacks it: 0 sends, 1 receives */
		bool is_out;
		const char *level;
	} cases[] = {
		{"udp", 1, true, "protocol: udp"},       {"rr", 0, true, "mode: rr"},
		{"zero_copy", 0, true, "zero_copy"},     {"zero_copy", 1, false, NULL},
		{"discard", 1, true, "zero_copy: both"}, {"discard", 0, false, NULL},
		{"pacing", 0, true, "bitrate"},          {"pacing", 1, false, NULL},
		{"affinity", 1, true, "affinity"},       {"device", 0, true, "bind_device: on"},
		{"beside", 1, true, "direction: bidir"}, {"bytes", 1, true, "bytes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char caps[128] = "tcp";
		char reason[256];
		struct stage *s;
		void *stage;
		struct plan_config *c;

		assert_int_equal(stage_set_up(&stage), 0);
		s = stage;
		c = &lab_cell(&s->lab, 0, 1)->config;
		lab_plan(&s->lab, 1);
		for (size_t k = 0; k < COUNT_OF(cases); k++) {
			if (strcmp(cases[k].lacks, cases[i].lacks) != 0)
				(void)snprintf(caps + strlen(caps), sizeof(caps) - strlen(caps),
				               ",%s", cases[k].lacks);
		}
		link_fake(cases[i].host)->caps = caps;
		if (strcmp(cases[i].lacks, "udp") == 0)
			c->protocol = PROTOCOL_UDP;
		else if (strcmp(cases[i].lacks, "rr") == 0)
			c->mode = MODE_RR;
		else if (strcmp(cases[i].lacks, "beside") == 0)
			c->is_bidir = true;
		else if (strcmp(cases[i].lacks, "bytes") == 0)
			c->bytes = 25000000;
		else if (strcmp(cases[i].lacks, "affinity") == 0)
			c->affinity = "auto";
		else if (strcmp(cases[i].lacks, "device") == 0)
			c->bind_device = true;
		else if (strcmp(cases[i].lacks, "pacing") == 0)
			c->rate_bps = 100000000;
		else
			c->zero_copy = ZERO_COPY_BOTH;
		assert_true(stage_go(s));
		(void)snprintf(reason, sizeof(reason),
		               "%c: the agent there (1.0 on linux) cannot do what `%s` needs: it "
		               "has no '%s'",
		               (char)('a' + cases[i].host), cases[i].level, cases[i].lacks);
		assert_string_equal(s->sink.reasons[0], cases[i].is_out ? reason : "");
		assert_int_equal(s->sink.states[0], cases[i].is_out ? CELL_SKIPPED : CELL_DONE);
		assert_int_equal(s->sink.test_count, cases[i].is_out ? 0 : 1);
		assert_int_equal(s->out.cells_fault, cases[i].is_out);
		assert_int_equal(stage_tear_down(&stage), 0);
	}
}

static void ends_without_a_common_family_are_not_tried(void **state)
{
	struct stage *s = *state;

	lab_cell(&s->lab, 0, 1)->config.ip_version = 6;
	(void)lab_cell(&s->lab, 0, 2);
	s->lab.nics[0].ip6 = "2001:db8::1";
	s->lab.nics[2].ip = "2001:db8::3";
	lab_plan(&s->lab, 1);
	assert_true(stage_go(s));
	assert_string_equal(s->sink.reasons[0], "b.eth1 has no IPv6 address in the topology");
	assert_string_equal(s->sink.reasons[1],
	                    "a.eth1 and c.eth1 have no addresses of one family: set `ip_version`");
	assert_int_equal(s->sink.test_count, 0);
}

#define STAGED(test) cmocka_unit_test_setup_teardown(test, stage_set_up, stage_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STAGED(both_flows_are_connected_before_any_goes),
		STAGED(the_initiator_connects_both_flows),
		STAGED(the_second_flow_has_ports_and_no_round_trips_of_its_own),
		STAGED(every_level_reaches_the_agents),
		STAGED(what_is_not_asked_is_left_out),
		STAGED(datagrams_and_requests_are_measured),
		cmocka_unit_test(an_agent_that_cannot_keeps_its_cells_out),
		STAGED(ends_without_a_common_family_are_not_tried),
	};

	return cmocka_run_group_tests_name("run/measure", tests, NULL, NULL);
}
