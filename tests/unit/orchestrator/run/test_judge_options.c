/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/orchestrator/run/told.h"

/* What is asked of the cell and answered by its ends; NULL: the test counts. */
struct option_case {
	const char *reason;
	void (*ask)(struct plan_config *c);
	void (*answer)(struct measure_end *src, struct measure_end *dst);
};

static void ask_mss(struct plan_config *c)
{
	c->mss_bytes = 1400;
}

static void mss_plain(struct measure_end *src, struct measure_end *dst)
{
	src->connected.mss_bytes = 1400;
	dst->connected.mss_bytes = 9; /* it sends no data */
}

static void mss_with_timestamps(struct measure_end *src, struct measure_end *dst)
{
	(void)dst;
	src->connected.mss_bytes = 1388;
}

static void mss_smaller(struct measure_end *src, struct measure_end *dst)
{
	(void)dst;
	src->connected.mss_bytes = 1387;
}

static void ask_congestion(struct plan_config *c)
{
	c->congestion = "bbr";
}

static void congestion_same(struct measure_end *src, struct measure_end *dst)
{
	(void)snprintf(src->connected.congestion, WIRE_STR_BYTES, "bbr");
	(void)snprintf(dst->connected.congestion, WIRE_STR_BYTES, "cubic");
}

static void congestion_other(struct measure_end *src, struct measure_end *dst)
{
	(void)dst;
	(void)snprintf(src->connected.congestion, WIRE_STR_BYTES, "cubic");
}

static void ask_no_delay(struct plan_config *c)
{
	c->no_delay = true;
}

static void no_delay_one(struct measure_end *src, struct measure_end *dst)
{
	src->connected.no_delay = 1;
	dst->connected.no_delay = 0;
}

static void ask_dscp(struct plan_config *c)
{
	c->dscp = 46;
}

static void dscp_lost(struct measure_end *src, struct measure_end *dst)
{
	src->connected.dscp = 46;
	dst->connected.dscp = 0;
}

static void dscp_both(struct measure_end *src, struct measure_end *dst)
{
	src->connected.dscp = 46;
	dst->connected.dscp = 46;
}

static void ask_cores(struct plan_config *c)
{
	c->affinity = "0-2,5";
}

static void cores_same(struct measure_end *src, struct measure_end *dst)
{
	(void)snprintf(src->connected.affinity, WIRE_STR_BYTES, "0,1,2,5");
	(void)snprintf(dst->connected.affinity, WIRE_STR_BYTES, "0-2,5");
}

static void cores_fewer(struct measure_end *src, struct measure_end *dst)
{
	(void)snprintf(src->connected.affinity, WIRE_STR_BYTES, "0-2,5");
	(void)snprintf(dst->connected.affinity, WIRE_STR_BYTES, "0-1");
}

static void cores_none(struct measure_end *src, struct measure_end *dst)
{
	(void)snprintf(src->connected.affinity, WIRE_STR_BYTES, "0-2,5");
	(void)dst;
}

static void ask_auto(struct plan_config *c)
{
	c->affinity = "auto";
}

static void ask_sender(struct plan_config *c)
{
	c->zero_copy = ZERO_COPY_SENDER;
}

static void ask_both(struct plan_config *c)
{
	c->zero_copy = ZERO_COPY_BOTH;
}

static void ask_nothing(struct plan_config *c)
{
	(void)c;
}

static void methods(struct measure_end *src, struct measure_end *dst, const char *out,
                    const char *in)
{
	(void)snprintf(src->connected.method, WIRE_STR_BYTES, "%s", out);
	(void)snprintf(dst->connected.method, WIRE_STR_BYTES, "%s", in);
}

static void copies(struct measure_end *src, struct measure_end *dst)
{
	methods(src, dst, "writev", "readv");
}

static void splices(struct measure_end *src, struct measure_end *dst)
{
	methods(src, dst, "splice", "readv");
}

static void splices_in_the_end(struct measure_end *src, struct measure_end *dst)
{
	methods(src, dst, "msg_zerocopy", "readv");
	(void)snprintf(src->result.method, WIRE_STR_BYTES, "splice 4x64K");
}

static void copies_in_the_end(struct measure_end *src, struct measure_end *dst)
{
	methods(src, dst, "msg_zerocopy", "readv");
	(void)snprintf(src->result.method, WIRE_STR_BYTES, "writev 16x64K");
}

static void discards(struct measure_end *src, struct measure_end *dst)
{
	methods(src, dst, "sendfile", "msg_trunc");
}

static void ask_ports(struct plan_config *c)
{
	c->source_port = 40001;
}

static void ask_other_ports(struct plan_config *c)
{
	c->source_port = 50000;
}

static void as_it_is(struct measure_end *src, struct measure_end *dst)
{
	(void)src;
	(void)dst;
}

static void ask_window(struct plan_config *c)
{
	c->window_bytes = 4 << 20;
}

static void window_clamped(struct measure_end *src, struct measure_end *dst)
{
	src->connected.window_granted_bytes = 4 << 20;
	dst->connected.window_granted_bytes = 1 << 20;
}

static void every_option_must_be_what_was_asked(void **state)
{
	static const struct option_case cases[] = {
		{NULL, ask_mss, mss_plain},
		{NULL, ask_mss, mss_with_timestamps},
		{"a: mss asked 1400, got 1387: the path or the other end takes no larger segments",
	         ask_mss, mss_smaller},
		{"a: mss asked 1400, got 1448", ask_mss, as_it_is},
		{NULL, ask_congestion, congestion_same},
		{"a: congestion asked bbr, got cubic: modprobe tcp_bbr", ask_congestion,
	         congestion_other},
		{"b: no_delay asked on, got off", ask_no_delay, no_delay_one},
		{NULL, ask_dscp, dscp_both},
		{"b: dscp asked 46, got 0", ask_dscp, dscp_lost},
		{NULL, ask_cores, cores_same},
		{"b: affinity asked 0-2,5, got 0-1", ask_cores, cores_fewer},
		{"b: affinity asked 0-2,5, got no limit", ask_cores, cores_none},
		{NULL, ask_auto, as_it_is},
		{NULL, ask_sender, splices},
		{NULL, ask_sender, splices_in_the_end},
		{"a: zero_copy asked on, but it moved bytes by writev 16x64K", ask_sender,
	         copies_in_the_end},
		{"a: zero_copy asked on, but it moved bytes by writev", ask_sender, copies},
		{"b: zero_copy asked off, but it moved bytes by msg_trunc", ask_sender, discards},
		{NULL, ask_both, discards},
		{"b: zero_copy asked on, but it moved bytes by readv", ask_both, splices},
		{"a: zero_copy asked off, but it moved bytes by splice", ask_nothing, splices},
		{NULL, ask_ports, as_it_is},
		{"a: source_port of stream 1 asked 50000, got 40001", ask_other_ports, as_it_is},
		{"b: window asked 4M, got 1M (net.core.rmem_max=212992): "
	         "sysctl -w net.core.rmem_max=4194304",
	         ask_window, window_clamped},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct judge_limits limits = {.wmem_max = {RESULT_UNKNOWN, 1},
		                              .rmem_max = {2, 212992},
		                              .mtu_bytes = 1500};
		static struct told t;
		struct arena arena = {0};
		struct judge_verdict verdict;
		struct test_result r;

		told_fill(&t);
		cases[i].ask(t.config);
		cases[i].answer(told_end(&t, MEASURE_FORTH, MEASURE_SRC),
		                told_end(&t, MEASURE_FORTH, MEASURE_DST));
		judge_test(&t.measure, &limits, &arena, &r, &verdict);
		assert_string_equal(r.reason, cases[i].reason != NULL ? cases[i].reason : "");
		assert_int_equal(r.status, cases[i].reason != NULL ? TEST_INVALID : TEST_OK);
		assert_false(verdict.retry);
		arena_done(&arena);
	}
}

static void all_that_is_not_as_asked_is_told_with_its_host(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill_both(&t);
	t.config->dscp = 46;
	t.config->mss_bytes = 1400;
	dscp_both(told_end(&t, MEASURE_FORTH, MEASURE_SRC),
	          told_end(&t, MEASURE_FORTH, MEASURE_DST));
	mss_plain(told_end(&t, MEASURE_FORTH, MEASURE_SRC),
	          told_end(&t, MEASURE_FORTH, MEASURE_DST));
	dscp_lost(told_end(&t, MEASURE_BACK, MEASURE_SRC), told_end(&t, MEASURE_BACK, MEASURE_DST));
	assert_false(told_verdict(&t, &r).retry);
	assert_string_equal(r.reason, "b: mss asked 1400, got 1448; a: dscp asked 46, got 0");
}

static void the_second_flow_has_the_source_ports_behind_the_first(void **state)
{
	static struct told t;
	struct test_result r;

	(void)state;
	told_fill_both(&t);
	t.config->source_port = 40001;
	for (uint32_t k = 0; k < 2; k++) /* the initiator receives the second flow */
		told_end(&t, MEASURE_BACK, MEASURE_DST)->streams[k].local_port = 40003 + k;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "");
	told_end(&t, MEASURE_BACK, MEASURE_DST)->streams[1].local_port = 40002;
	(void)told_verdict(&t, &r);
	assert_string_equal(r.reason, "a: source_port of stream 2 asked 40004, got 40002");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_must_be_what_was_asked),
		cmocka_unit_test(all_that_is_not_as_asked_is_told_with_its_host),
		cmocka_unit_test(the_second_flow_has_the_source_ports_behind_the_first),
	};

	return cmocka_run_group_tests_name("run/judge_options", tests, NULL, NULL);
}
