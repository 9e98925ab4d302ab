/* SPDX-License-Identifier: MIT */
#include "report/treatment.h"

#include <math.h>

#include "run/result.h"
#include "tests/support/test.h"

static const struct dataset_cell plain = {
	.engine = "agent",
	.mtu_bytes = RESULT_UNKNOWN,
	.window_bytes = RESULT_UNKNOWN,
	.streams = 1,
	.buffer_bytes = RESULT_UNKNOWN,
	.lro = "unchanged",
	.tso = "unchanged",
	.duration_s = 10,
	.omit_s = 2,
};

static void settings_are_told_where_they_are_not_default(void **state)
{
	struct dataset_cell set = plain;
	struct text out = {0};

	(void)state;
	treatment_add(&out, &plain, 0);
	assert_string_equal(text_str(&out), "window default, 1 stream");
	text_clear(&out);
	set.mtu_bytes = 9000;
	set.window_bytes = 12582912;
	set.streams = 4;
	set.buffer_bytes = 131072;
	set.lro = "on";
	set.tso = "off";
	set.engine = "iperf3";
	treatment_add(&out, &set, 0);
	assert_string_equal(text_str(&out), "mtu 9000, window 12M, 4 streams, buffer 128K, lro on, "
	                                    "tso off, engine iperf3");
	text_done(&out);
}

static void all_settings_can_be_told(void **state)
{
	struct dataset_cell imported = plain;
	struct text out = {0};

	(void)state;
	treatment_add(&out, &plain, TREATMENT_ALL);
	assert_string_equal(
		text_str(&out),
		"mtu unchanged, window default, 1 stream, buffer default, lro unchanged, "
		"tso unchanged, engine agent, 10s measured, after 2s omitted");
	text_clear(&out);
	imported.streams = RESULT_UNKNOWN;
	imported.duration_s = (double)NAN;
	imported.lro = NULL;
	treatment_add(&out, &imported, TREATMENT_ALL);
	assert_string_equal(
		text_str(&out),
		"mtu unchanged, window default, - streams, buffer default, lro unchanged, "
		"tso unchanged, engine agent, - measured, after 2s omitted");
	text_done(&out);
}

static void titles_leave_out_what_goes_without_saying(void **state)
{
	struct dataset_cell other = plain;
	struct dataset_cell first = plain;
	const struct dataset_cell *const cells[] = {&first, &other};
	uint32_t varying;
	struct text out = {0};

	(void)state;
	other.lro = other.tso = "off";
	other.mtu_bytes = 9000;
	other.duration_s = 20;
	first.buffer_bytes = other.buffer_bytes = 131072;
	varying = treatment_varying(cells, 2);
	treatment_add_title(&out, &first, varying);
	assert_string_equal(text_str(&out),
	                    "mtu unchanged, window default, 1 stream, 10s measured");
	text_clear(&out);
	treatment_add_title(&out, &other, varying);
	assert_string_equal(text_str(&out),
	                    "mtu 9000, window default, 1 stream, lro off, tso off, 20s measured");
	text_clear(&out);
	treatment_add_common(&out, &first, varying);
	assert_string_equal(text_str(&out), "buffer 128K");
	text_done(&out);
}

static void what_varies_is_told_too(void **state)
{
	struct dataset_cell longer = plain;
	const struct dataset_cell *const cells[] = {&plain, &longer, &plain};
	struct text out = {0};

	(void)state;
	assert_int_equal(treatment_varying(cells, 1), 0);
	assert_int_equal(treatment_varying(cells, 0), 0);
	longer.duration_s = 20;
	treatment_add(&out, &plain, treatment_varying(cells, 3));
	assert_string_equal(text_str(&out), "window default, 1 stream, 10s measured");
	text_done(&out);
}

static void defaults_come_before_levels(void **state)
{
	struct dataset_cell steps[7];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		steps[i] = plain;
	steps[1].tso = "on";
	steps[2].buffer_bytes = 65536;
	steps[3].streams = 2;
	steps[4].window_bytes = 65536;
	steps[5].mtu_bytes = 1500;
	steps[6].mtu_bytes = 9000;
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		for (size_t k = 0; k < COUNT_OF(steps); k++) {
			int order = treatment_compare(&steps[i], &steps[k]);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	}
}

static void a_level_is_written_as_in_a_topology(void **state)
{
	struct text out = {0};

	(void)state;
	assert_true(treatment_add_level(&out, &plain, "mtu"));
	text_add(&out, " ");
	assert_true(treatment_add_level(&out, &plain, "omit"));
	assert_string_equal(text_str(&out), "unchanged 2s");
	assert_false(treatment_add_level(&out, &plain, "speed"));
	text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_told_where_they_are_not_default),
		cmocka_unit_test(all_settings_can_be_told),
		cmocka_unit_test(titles_leave_out_what_goes_without_saying),
		cmocka_unit_test(what_varies_is_told_too),
		cmocka_unit_test(defaults_come_before_levels),
		cmocka_unit_test(a_level_is_written_as_in_a_topology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
