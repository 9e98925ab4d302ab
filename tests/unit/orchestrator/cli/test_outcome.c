/* SPDX-License-Identifier: MIT */
#include "cli/outcome.h"

#include <math.h>

#include "tests/support/test.h"

static void expect(const struct plan_config *config, const struct test_result *test,
                   const char *expected)
{
	struct text out = {0};

	outcome_add(&out, config, test);
	assert_string_equal(text_str(&out), expected);
	text_done(&out);
}

static void each_kind_of_test_has_its_figures(void **state)
{
	struct plan_config config = {.streams = 1};
	struct test_result t;

	(void)state;
	result_test_unknown(&t);
	expect(&config, &t, "-");
	t.throughput_bps = 9.41e9;
	t.reverse_bps = 0.5e9;
	t.loss_pct = 0.15;
	expect(&config, &t, "9.41 Gbit/s");
	config.is_bidir = true;
	expect(&config, &t, "9.41 / 0.500 Gbit/s");
	config.protocol = PROTOCOL_UDP;
	expect(&config, &t, "9.41 / 0.500 Gbit/s, 0.150 / - % lost");
	config.is_bidir = false;
	expect(&config, &t, "9.41 Gbit/s, 0.150 % lost");
	config = (struct plan_config){.mode = MODE_RR};
	t.throughput_bps = 328000;
	t.rr_p50_us = 23.5;
	t.rr_p99_us = 61;
	expect(&config, &t, "41000 transactions/s, p50 23.5 us, p99 61.0 us");
	config.buffer_bytes = 100;
	expect(&config, &t, "410 transactions/s, p50 23.5 us, p99 61.0 us");
	t.rr_per_s = 411; /* counted where the requests were sent */
	expect(&config, &t, "411 transactions/s, p50 23.5 us, p99 61.0 us");
}

static void a_running_test_has_its_rate(void **state)
{
	const struct plan_config bulk = {.streams = 1};
	const struct plan_config rr = {.mode = MODE_RR};
	struct text out = {0};

	(void)state;
	outcome_add_rate(&out, &bulk, (double)NAN);
	text_add(&out, " ");
	outcome_add_rate(&out, &rr, (double)NAN);
	text_add(&out, " ");
	outcome_add_rate(&out, &rr, 8000);
	assert_string_equal(text_str(&out), "- - 1000 transactions/s");
	text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_test_has_its_figures),
		cmocka_unit_test(a_running_test_has_its_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
