/* SPDX-License-Identifier: MIT */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"

#define DRIFT_RHO       0.8 /* |Spearman| above it, from STATS_INTERVAL_MIN values on */
#define MODE_GAP_FACTOR 3.0 /* two modes: their gap is this many times the median gap... */
#define MODE_SIDE_MIN   2   /* ...with at least so many values on both sides... */
#define MODE_APART_PCT  5.0 /* ...and their medians this far apart, in percent of the median */

/* Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993): the 0.75 quantile of N(0,1), and
 * sqrt(pi/2), which takes its place with the mean deviation where half of the values are alike. */
#define MAD_SCALE  0.6745
#define MEAN_SCALE 1.253314

const char *const stats_noise_names[] = {NULL,      "quiet",    "normal", "noisy",
                                         "bimodal", "drifting", NULL};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted_copy(struct arena *arena, const double *values, size_t n)
{
	double *copy = arena_alloc(arena, n, sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), by_value);
	return copy;
}

static double sorted_median(const double *sorted, size_t n)
{
	if (n == 0)
		return NAN;
	return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static void mean_and_deviation(const double *values, size_t n, struct stats_summary *out)
{
	double sum = 0;
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	out->mean = sum / (double)n;
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - out->mean) * (values[i] - out->mean);
	out->stddev = sqrt(squares / (double)(n - 1));
	if (out->mean > 0)
		out->cv_pct = 100 * out->stddev / out->mean;
}

static void interval(const double *sorted, size_t n, struct stats_summary *out)
{
	double confidence = NAN;
	size_t k = stats_median_rank(n, &confidence);

	if (k == 0)
		return;
	out->ci_lo = sorted[k - 1];
	out->ci_hi = sorted[n - k];
	out->ci_confidence = confidence;
	if (out->median > 0)
		out->precision_pct = 100 * (out->ci_hi - out->ci_lo) / 2 / out->median;
}

/* Modified z: 0.6745 (x - median) / MAD. */
static long count_outliers(struct arena *arena, const double *values, size_t n, double median)
{
	double *distance = arena_alloc(arena, n, sizeof(*distance));
	double scale;
	double sum = 0;
	long outliers = 0;

	if (n < STATS_OUTLIER_MIN)
		return -1;
	for (size_t i = 0; i < n; i++) {
		distance[i] = fabs(values[i] - median);
		sum += distance[i];
	}
	qsort(distance, n, sizeof(*distance), by_value);
	scale = sorted_median(distance, n) / MAD_SCALE;
	if (scale <= 0)
		scale = MEAN_SCALE * sum / (double)n;
	for (size_t i = 0; i < n; i++)
		outliers += distance[i] > STATS_OUTLIER_Z * scale;
	return outliers;
}

static bool has_two_modes(struct arena *arena, const double *sorted, size_t n, double median)
{
	double *gap;
	double median_gap;
	size_t at = 0;

	if (n < 2 * (size_t)MODE_SIDE_MIN)
		return false;
	gap = arena_alloc(arena, n - 1, sizeof(*gap));
	for (size_t i = 0; i + 1 < n; i++)
		gap[i] = sorted[i + 1] - sorted[i];
	for (size_t i = MODE_SIDE_MIN - 1; i + MODE_SIDE_MIN < n; i++)
		if (at == 0 || gap[i] > gap[at])
			at = i;
	median_gap = stats_median(gap, n - 1);
	return gap[at] > MODE_GAP_FACTOR * median_gap &&
	       100 * (sorted_median(sorted + at + 1, n - at - 1) - sorted_median(sorted, at + 1)) >
	               MODE_APART_PCT * median;
}

/*
 * Drift within a quiet cell is left alone: with 6 values chance alone gives
 * |rho| > 0.8 in 5.8 % of steady cells, and there is nothing to act on.
 */
static enum stats_noise classify(struct arena *arena, const double *values, const double *sorted,
                                 size_t n, const struct stats_summary *s)
{
	if (n < STATS_NOISE_MIN || isnan(s->cv_pct))
		return STATS_NOISE_UNKNOWN;
	if (s->cv_pct < STATS_QUIET_CV_PCT)
		return STATS_NOISE_QUIET;
	if (has_two_modes(arena, sorted, n, s->median))
		return STATS_NOISE_BIMODAL;
	if (n >= STATS_INTERVAL_MIN && fabs(stats_drift(values, n)) > DRIFT_RHO)
		return STATS_NOISE_DRIFTING;
	return s->cv_pct < STATS_NORMAL_CV_PCT ? STATS_NOISE_NORMAL : STATS_NOISE_NOISY;
}

void stats_summarize(const double *values, size_t n, struct stats_summary *out)
{
	struct arena arena = {0};
	double *sorted;

	*out = (struct stats_summary){.n = n,
	                              .median = NAN,
	                              .mean = NAN,
	                              .min = NAN,
	                              .max = NAN,
	                              .stddev = NAN,
	                              .cv_pct = NAN,
	                              .ci_lo = NAN,
	                              .ci_hi = NAN,
	                              .ci_confidence = NAN,
	                              .precision_pct = NAN,
	                              .outliers = -1};
	if (n == 0)
		return;
	sorted = sorted_copy(&arena, values, n);
	out->median = sorted_median(sorted, n);
	out->min = sorted[0];
	out->max = sorted[n - 1];
	mean_and_deviation(values, n, out);
	interval(sorted, n, out);
	out->outliers = count_outliers(&arena, values, n, out->median);
	out->noise = classify(&arena, values, sorted, n, out);
	arena_done(&arena);
}

double stats_median(const double *values, size_t n)
{
	struct arena arena = {0};
	double median;

	if (n == 0)
		return NAN;
	median = sorted_median(sorted_copy(&arena, values, n), n);
	arena_done(&arena);
	return median;
}

size_t stats_median_rank(size_t n, double *confidence)
{
	/* log P(B = k), k = 0 at first: 2^-n itself is too small for a double from n = 1075 on. */
	double log_term = -(double)n * log(2);
	double below = 0; /* P(B <= k-1) */
	double found = NAN;
	size_t k = 0;

	while (k < n / 2) {
		below += exp(log_term);
		if (1 - 2 * below < STATS_CONFIDENCE)
			break;
		found = 1 - 2 * below;
		log_term += log((double)(n - k) / (double)(k + 1));
		k++;
	}
	if (k == 0)
		return 0;
	*confidence = found;
	return k;
}

/* Ranks from 1; equal values share the mean of their ranks. */
static void rank_values(const double *values, size_t n, double *rank)
{
	for (size_t i = 0; i < n; i++) {
		size_t less = 0;
		size_t equal = 0;

		for (size_t j = 0; j < n; j++) {
			less += values[j] < values[i];
			equal += values[j] == values[i];
		}
		rank[i] = (double)less + ((double)equal + 1) / 2;
	}
}

double stats_drift(const double *values, size_t n)
{
	struct arena arena = {0};
	double *rank;
	double middle = ((double)n + 1) / 2;
	double both = 0;
	double of_values = 0;
	double of_order = 0;

	if (n < 2)
		return NAN;
	rank = arena_alloc(&arena, n, sizeof(*rank));
	rank_values(values, n, rank);
	for (size_t i = 0; i < n; i++) {
		double x = (double)(i + 1) - middle;
		double y = rank[i] - middle;

		both += x * y;
		of_order += x * x;
		of_values += y * y;
	}
	arena_done(&arena);
	if (of_values <= 0)
		return NAN;
	return both / sqrt(of_values * of_order);
}
