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
	.bytes = RESULT_UNKNOWN,
	.target_bps = RESULT_UNKNOWN,
	.mss_bytes = RESULT_UNKNOWN,
	.no_delay = RESULT_UNKNOWN,
	.dscp = RESULT_UNKNOWN,
	.ip_version = RESULT_UNKNOWN,
	.bind_device = RESULT_UNKNOWN,
	.source_port = RESULT_UNKNOWN,
};

/* Every factor of the engine, none at its default. */
static void set_engine_factors(struct dataset_cell *c)
{
	c->protocol = "udp";
	c->mode = "rr";
	c->bidir = 1;
	c->zero_copy = "both";
	c->bytes = INT64_C(1) << 30;
	c->duration_s = (double)NAN;
	c->target_bps = 2500000000;
	c->mss_bytes = 1200;
	c->no_delay = 1;
	c->dscp = 46;
	c->tcp_cc = "bbr";
	c->ip_version = 6;
	c->affinity = "0-3,6";
	c->bind_device = 1;
	c->source_port = 40000;
}

static void factors_of_the_engine_are_told_where_they_are_set(void **state)
{
	static const struct {
		const char *factor, *preset, *level;
	} rows[] = {
		{"protocol", "tcp", "udp"},
		{"mode", "bulk", "rr"},
		{"bidir", "off", "on"},
		{"zero_copy", "off", "both"},
		{"mss", "default", "1200"},
		{"no_delay", "off", "on"},
		{"dscp", "default", "46"},
		{"congestion", "default", "bbr"},
		{"ip_version", "default", "6"},
		{"affinity", "off", "0-3,6"},
		{"bind_device", "off", "on"},
		{"source_port", "any", "40000"},
		{"bitrate", "unlimited", "2500M"},
		{"bytes", "none", "1G"},
	};
	struct dataset_cell set = plain;
	struct text out = {0};

	(void)state;
	set_engine_factors(&set);
	treatment_add(&out, &set, TREATMENT_ALL);
	assert_string_equal(
		text_str(&out),
		"udp, rr, bidir, zero-copy both, mtu unchanged, window default, 1 stream, buffer "
		"default, lro unchanged, tso unchanged, engine agent, mss 1200, no-delay, dscp 46, "
		"congestion bbr, IPv6, affinity 0-3,6, bound to the NIC, source port 40000, "
		"bitrate 2500M a stream, 1G measured, after 2s omitted");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		text_clear(&out);
		assert_true(treatment_add_level(&out, &plain, rows[i].factor));
		assert_string_equal(text_str(&out), rows[i].preset);
		text_clear(&out);
		assert_true(treatment_add_level(&out, &set, rows[i].factor));
		assert_string_equal(text_str(&out), rows[i].level);
	}
	text_done(&out);
}

static void each_factor_of_the_engine_sets_cells_apart(void **state)
{
	struct dataset_cell set = plain;
	struct dataset_cell steps[14];

	(void)state;
	set_engine_factors(&set);
	for (size_t i = 0; i < COUNT_OF(steps); i++)
		steps[i] = plain;
	steps[0].protocol = set.protocol;
	steps[1].mode = set.mode;
	steps[2].bidir = set.bidir;
	steps[3].zero_copy = set.zero_copy;
	steps[4].bytes = set.bytes;
	steps[5].target_bps = set.target_bps;
	steps[6].mss_bytes = set.mss_bytes;
	steps[7].no_delay = set.no_delay;
	steps[8].dscp = set.dscp;
	steps[9].tcp_cc = set.tcp_cc;
	steps[10].ip_version = set.ip_version;
	steps[11].affinity = set.affinity;
	steps[12].bind_device = set.bind_device;
	steps[13].source_port = set.source_port;
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		assert_true(treatment_compare(&plain, &steps[i]) < 0);
		assert_true(treatment_compare(&steps[i], &plain) > 0);
	}
}

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
	assert_string_equal(text_str(&out),
	                    "tcp, bulk, zero-copy off, mtu unchanged, window default, 1 stream, "
	                    "buffer default, lro unchanged, "
	                    "tso unchanged, engine agent, 10s measured, after 2s omitted");
	text_clear(&out);
	imported.streams = RESULT_UNKNOWN;
	imported.duration_s = (double)NAN;
	imported.lro = NULL;
	treatment_add(&out, &imported, TREATMENT_ALL);
	assert_string_equal(text_str(&out),
	                    "tcp, bulk, zero-copy off, mtu unchanged, window default, - streams, "
	                    "buffer default, lro unchanged, "
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
		cmocka_unit_test(factors_of_the_engine_are_told_where_they_are_set),
		cmocka_unit_test(each_factor_of_the_engine_sets_cells_apart),
		cmocka_unit_test(all_settings_can_be_told),
		cmocka_unit_test(titles_leave_out_what_goes_without_saying),
		cmocka_unit_test(what_varies_is_told_too),
		cmocka_unit_test(defaults_come_before_levels),
		cmocka_unit_test(a_level_is_written_as_in_a_topology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
