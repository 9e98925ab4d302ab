/* SPDX-License-Identifier: MIT */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void the_interval_of_the_median_has_its_exact_confidence(void **state)
{
	/* Ranks and confidences: 1 - 2 sum C(n,i)/2^n, worked out by hand for the small ones. */
	static const struct {
		size_t n, rank;
		double confidence;
	} rows[] = {
		{0, 0, 0},
		{1, 0, 0},
		{5, 0, 0}, /* 93.75 % is not enough */
		{6, 1, 1 - 2.0 / 64},
		{7, 1, 1 - 2.0 / 128},
		{8, 1, 1 - 2.0 / 256}, /* [x2,x7] would have 93.0 % */
		{9, 2, 1 - 2.0 * 10 / 512},
		{10, 2, 1 - 2.0 * 11 / 1024},
		{12, 3, 1 - 2.0 * (1 + 12 + 66) / 4096},
		{20, 6, 1 - 2.0 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 1048576},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		double confidence = 0;

		assert_int_equal(stats_median_rank(rows[i].n, &confidence), rows[i].rank);
		assert_true(near(confidence, rows[i].confidence));
	}
}

static void the_interval_of_many_values_does_not_run_out_of_range(void **state)
{
	double confidence = 0;
	size_t k = stats_median_rank(10000, &confidence);

	(void)state;
	/* Normal approximation: n/2 - 1.96 sqrt(n)/2 = 4902. */
	assert_in_range(k, 4901, 4903);
	assert_true(confidence >= 0.95 && confidence < 0.952);
}

static void a_summary_has_the_figures_of_the_textbook(void **state)
{
	static const double values[] = {5, 3, 1, 6, 2, 4};
	struct stats_summary s;

	(void)state;
	stats_summarize(values, COUNT_OF(values), &s);
	assert_int_equal(s.n, 6);
	assert_true(near(s.median, 3.5));
	assert_true(near(s.mean, 3.5));
	assert_true(near(s.min, 1) && near(s.max, 6));
	assert_true(near(s.stddev, sqrt(3.5)));
	assert_true(near(s.cv_pct, 100 * sqrt(3.5) / 3.5));
	assert_true(near(s.ci_lo, 1) && near(s.ci_hi, 6));
	assert_true(near(s.ci_confidence, 0.96875));
	assert_true(near(s.precision_pct, 100 * 2.5 / 3.5));
	assert_int_equal(s.outliers, 0);
}

static void the_interval_takes_the_inner_values_when_they_suffice(void **state)
{
	static const double values[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
	struct stats_summary s;

	(void)state;
	stats_summarize(values, COUNT_OF(values), &s);
	assert_true(near(s.ci_lo, 2) && near(s.ci_hi, 9));
	assert_true(near(s.ci_confidence, 1 - 22.0 / 1024));
}

static void what_too_few_values_do_not_give_is_unknown(void **state)
{
	static const double values[] = {4, 6, 5, 5, 7};
	struct stats_summary s;

	(void)state;
	stats_summarize(values, 0, &s);
	assert_int_equal(s.n, 0);
	assert_true(isnan(s.median) && isnan(s.mean) && isnan(s.min) && isnan(s.max));
	assert_int_equal(s.outliers, -1);
	assert_int_equal(s.noise, STATS_NOISE_UNKNOWN);
	assert_null(stats_noise_names[s.noise]);

	stats_summarize(values, 1, &s);
	assert_true(near(s.median, 4) && near(s.mean, 4));
	assert_true(isnan(s.stddev) && isnan(s.cv_pct) && isnan(s.ci_lo) && isnan(s.precision_pct));

	stats_summarize(values, 3, &s);
	assert_true(near(s.median, 5) && near(s.stddev, 1));
	assert_int_equal(s.noise, STATS_NOISE_UNKNOWN);
	assert_int_equal(s.outliers, 0);

	stats_summarize(values, 5, &s);
	assert_true(isnan(s.ci_lo) && isnan(s.ci_hi) && isnan(s.ci_confidence));
}

static void an_all_zero_cell_has_no_relative_figures(void **state)
{
	static const double values[6] = {0};
	struct stats_summary s;

	(void)state;
	stats_summarize(values, COUNT_OF(values), &s);
	assert_true(near(s.median, 0) && near(s.stddev, 0));
	assert_true(isnan(s.cv_pct) && isnan(s.precision_pct));
	assert_int_equal(s.noise, STATS_NOISE_UNKNOWN);
}

static void a_median_is_the_middle(void **state)
{
	static const double values[] = {9, 1, 5, 3};

	(void)state;
	assert_true(isnan(stats_median(values, 0)));
	assert_true(near(stats_median(values, 1), 9));
	assert_true(near(stats_median(values, 3), 5));
	assert_true(near(stats_median(values, 4), 4));
	assert_true(near(values[0], 9)); /* the input keeps its order */
}

static void outliers_are_found_by_the_modified_z(void **state)
{
	static const struct {
		double values[8];
		size_t n;
		long outliers;
	} rows[] = {
		/* median 10.5, MAD 1.5: z of 24 is 6.07, of 18 is 3.37 */
		{{8, 9, 10, 11, 12, 24}, 6, 1},
		{{8, 9, 10, 11, 12, 18}, 6, 0},
		{{-100, 9, 10, 11, 12, 100}, 6, 2},
		/* MAD 0: mean deviation takes its place; 1.253314 x 10/8 x 3.5 = 5.5 */
		{{5, 5, 5, 5, 5, 5, 5, 15}, 8, 1},
		/* half of the values alike, the others near: 1.253314 x 0.75 x 3.5 = 3.3 */
		{{5, 5, 5, 5, 5, 7, 7, 7}, 8, 0},
		{{5, 5, 5, 5}, 4, 0},
		{{1, 100}, 2, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct stats_summary s;

		stats_summarize(rows[i].values, rows[i].n, &s);
		assert_int_equal(s.outliers, rows[i].outliers);
	}
}

static void noise_has_its_class(void **state)
{
	static const struct {
		double values[10];
		size_t n;
		const char *noise;
	} rows[] = {
		{{100, 100.5, 99.5, 100.2, 99.8, 100}, 6, "quiet"},
		{{100, 102, 99, 101, 98, 100}, 6, "normal"},
		{{100, 110, 95, 104, 90, 99}, 6, "noisy"},
		{{100, 104, 99, 103}, 4, "normal"},
		/* two groups 10 % apart */
		{{100, 110, 100.5, 110.5, 99.8, 109.9}, 6, "bimodal"},
		/* two groups 4 % apart are one */
		{{100, 104, 100.5, 104.5, 99.8, 103.9}, 6, "normal"},
		/* one value apart is an outlier, not a mode */
		{{100, 120, 100.5, 100.2, 99.8, 100.1}, 6, "noisy"},
		/* slowly up */
		{{100, 102, 104, 106, 108, 110}, 6, "drifting"},
		{{110, 108, 106, 104, 102, 100}, 6, "drifting"},
		/* five values show no drift */
		{{100, 102, 104, 106, 108}, 5, "noisy"},
		/* a drift of a tenth of a percent is quiet */
		{{100, 100.02, 100.04, 100.06, 100.08, 100.1}, 6, "quiet"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct stats_summary s;

		stats_summarize(rows[i].values, rows[i].n, &s);
		assert_string_equal(stats_noise_names[s.noise], rows[i].noise);
	}
}

static void drift_is_spearmans_rho(void **state)
{
	/* 1 - 6 sum d^2 / (n (n^2 - 1)) without ties */
	static const double up[] = {1, 2, 3, 4};
	static const double mixed[] = {2, 1, 4, 3};
	static const double ties[] = {1, 2, 2, 3};
	static const double level[] = {2, 2, 2, 2};

	(void)state;
	assert_true(near(stats_drift(up, 4), 1));
	assert_true(near(stats_drift(mixed, 4), 1 - 6.0 * 4 / 60));
	assert_true(near(stats_drift(ties, 4), 4.5 / sqrt(5 * 4.5)));
	assert_true(isnan(stats_drift(level, 4)));
	assert_true(isnan(stats_drift(up, 1)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interval_of_the_median_has_its_exact_confidence),
		cmocka_unit_test(the_interval_of_many_values_does_not_run_out_of_range),
		cmocka_unit_test(a_summary_has_the_figures_of_the_textbook),
		cmocka_unit_test(the_interval_takes_the_inner_values_when_they_suffice),
		cmocka_unit_test(what_too_few_values_do_not_give_is_unknown),
		cmocka_unit_test(an_all_zero_cell_has_no_relative_figures),
		cmocka_unit_test(a_median_is_the_middle),
		cmocka_unit_test(outliers_are_found_by_the_modified_z),
		cmocka_unit_test(noise_has_its_class),
		cmocka_unit_test(drift_is_spearmans_rho),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
