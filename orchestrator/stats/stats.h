/* SPDX-License-Identifier: MIT */
/*
 * stats.h - what a handful of repeated measurements says: pure numbers.
 *
 * No I/O, no clock, no state. A figure that the values do not give (an interval
 * of five values, a deviation of one) is NAN or STATS_NOISE_UNKNOWN, never 0.
 * Values must be finite.
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define STATS_CONFIDENCE 0.95 /* least confidence of an interval */
#define STATS_INTERVAL_MIN \
	6 /* fewer values have no 95 % interval without assuming a distribution */
#define STATS_NOISE_MIN     4   /* up to 3 values are a screening: no class */
#define STATS_OUTLIER_MIN   3   /* values from which one of them can stand apart */
#define STATS_OUTLIER_Z     3.5 /* |modified z| above it is an outlier */
#define STATS_QUIET_CV_PCT  1.0
#define STATS_NORMAL_CV_PCT 3.0

/* How much the values of a cell scatter, and whether the scatter has a shape. */
enum stats_noise {
	STATS_NOISE_UNKNOWN, /* fewer than STATS_NOISE_MIN values */
	STATS_NOISE_QUIET,   /* CV below STATS_QUIET_CV_PCT, whatever its shape */
	STATS_NOISE_NORMAL,  /* below STATS_NORMAL_CV_PCT */
	STATS_NOISE_NOISY,
	STATS_NOISE_BIMODAL, /* two groups: placement on cores or RSS queues, typically */
	STATS_NOISE_DRIFTING /* from STATS_INTERVAL_MIN values on: they follow their order */
};
extern const char *const stats_noise_names[]; /* NULL for STATS_NOISE_UNKNOWN, then "quiet"... */

struct stats_summary {
	size_t n;
	double median, mean, min, max;
	double stddev; /* of the sample, divided by n - 1; NAN below 2 values */
	double cv_pct; /* 100 stddev / mean; NAN below 2 values or when the mean is not above 0 */
	double ci_lo, ci_hi;  /* of the median; NAN below STATS_INTERVAL_MIN values */
	double ci_confidence; /* the true one, 0.96875 for 6 values; NAN without interval */
	double precision_pct; /* half the interval / median, in percent; NAN without interval */
	long outliers;        /* -1 below STATS_OUTLIER_MIN values */
	enum stats_noise noise;
};

/* values: in the order in which they were measured (drift is seen in it); n may be 0. */
void stats_summarize(const double *values, size_t n, struct stats_summary *out);

/* The middle value, the mean of the two middle ones for an even n; NAN for none. */
double stats_median(const double *values, size_t n);

/*
 * The narrowest interval [x_k, x_(n+1-k)] of sorted values (k from 1) that holds
 * the median with at least STATS_CONFIDENCE, whatever the distribution: its
 * confidence is 1 - 2 P(B <= k-1) with B binomial(n, 1/2) (David and Nagaraja,
 * Order Statistics, 3rd ed., section 7.1). Returns k and the true confidence,
 * or 0 when there is none.
 */
size_t stats_median_rank(size_t n, double *confidence);

/* Spearman's rank correlation of values with their order, mid-ranks for ties; NAN: undefined. */
double stats_drift(const double *values, size_t n);

#endif
