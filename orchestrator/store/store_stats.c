/* SPDX-License-Identifier: MIT */
/* cell_stats: derived from a cell's tests, rebuilt after each of them. */
#include <math.h>
#include <stdio.h>

#include "common/clock.h"
#include "stats/stats.h"
#include "store/store_db.h"

#define METHOD_BYTES 96

static const char sql_samples[] =
	"SELECT throughput_bps,line_rate_bps FROM tests WHERE cell_id=? AND status='ok'"
	" AND throughput_bps IS NOT NULL ORDER BY test_id";
static const char sql_stats[] =
	"INSERT OR REPLACE INTO cell_stats(cell_id,n,n_invalid,median_bps,ci_lo_bps,ci_hi_bps,"
	"ci_confidence,mean_bps,stddev_bps,cv_pct,min_bps,max_bps,precision_pct,noise,outliers,"
	"line_rate_pct,method,computed_utc) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

/* The ok tests of a cell in the order in which they were measured. */
struct samples {
	struct arena arena;
	double *bps;
	double *line_rate_bps; /* of those tests that know it */
	size_t count, line_rates;
};

static bool count_tests(struct store *store, int64_t cell_id, const char *status, int64_t *count,
                        struct err *err)
{
	return sql_get_int(&store->sql, "SELECT count(*) FROM tests WHERE cell_id=? AND status=?",
	                   SQL_VALUES(sql_int(cell_id), sql_text(status)), count, err);
}

static bool read_samples(struct store *store, int64_t cell_id, struct samples *out, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	int64_t count = 0;
	bool row = true;
	bool ok = count_tests(store, cell_id, test_status_names[TEST_OK], &count, err) &&
	          sql_prepare(&store->sql, sql_samples, &stmt, err) &&
	          sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(cell_id)), err);

	out->bps = arena_alloc(&out->arena, (size_t)count, sizeof(double));
	out->line_rate_bps = arena_alloc(&out->arena, (size_t)count, sizeof(double));
	while (ok) {
		ok = sql_step(&store->sql, stmt, &row, err);
		if (!ok || !row)
			break;
		out->bps[out->count++] = sqlite3_column_double(stmt, 0);
		if (sqlite3_column_type(stmt, 1) != SQLITE_NULL)
			out->line_rate_bps[out->line_rates++] = sqlite3_column_double(stmt, 1);
	}
	(void)sqlite3_finalize(stmt);
	return ok;
}

static void describe_method(size_t n, char out[METHOD_BYTES])
{
	double confidence;
	size_t k = stats_median_rank(n, &confidence);

	if (k == 0)
		(void)snprintf(out, METHOD_BYTES,
		               "median; screening: below %d tests there is no interval",
		               STATS_INTERVAL_MIN);
	else
		(void)snprintf(out, METHOD_BYTES,
		               "median; exact interval by order statistics [x%zu,x%zu] of %zu", k,
		               n + 1 - k, n);
}

bool store_put_cell_stats(struct store *store, int64_t cell_id, struct err *err)
{
	struct samples samples = {0};
	struct stats_summary s;
	char now[CLOCK_UTC_BYTES];
	char method[METHOD_BYTES];
	int64_t invalid = 0;
	double line_rate_bps;
	bool ok = read_samples(store, cell_id, &samples, err) &&
	          count_tests(store, cell_id, test_status_names[TEST_INVALID], &invalid, err);

	if (ok) {
		stats_summarize(samples.bps, samples.count, &s);
		line_rate_bps = stats_median(samples.line_rate_bps, samples.line_rates);
		describe_method(samples.count, method);
		clock_format_utc(clock_wall_ms(), now);
		ok = sql_run(&store->sql, sql_stats,
		             SQL_VALUES(sql_int(cell_id), sql_int((int64_t)s.n), sql_int(invalid),
		                        sql_real(s.median), sql_real(s.ci_lo), sql_real(s.ci_hi),
		                        sql_real(s.ci_confidence), sql_real(s.mean),
		                        sql_real(s.stddev), sql_real(s.cv_pct), sql_real(s.min),
		                        sql_real(s.max), sql_real(s.precision_pct),
		                        sql_text(stats_noise_names[s.noise]),
		                        sql_int(s.outliers < 0 ? SQL_UNKNOWN : s.outliers),
		                        sql_real(100 * s.median / line_rate_bps), sql_text(method),
		                        sql_text(now)),
		             err);
	}
	arena_done(&samples.arena);
	return ok;
}
