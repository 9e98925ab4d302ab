/* SPDX-License-Identifier: MIT */
/* cell_stats: derived from a cell's tests, rebuilt after each of them. */
#include <math.h>
#include <stdio.h>

#include "common/clock.h"
#include "common/text.h"
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

/* Figures beside the headline, each with its median over the same tests. */
static const struct {
	const char *test, *cell; /* columns of tests and of cell_stats */
} beside[] = {
	{"reverse_bps", "reverse_median_bps"},
	{"loss_pct", "median_loss_pct"},
	{"reverse_loss_pct", "reverse_median_loss_pct"},
	{"jitter_us", "median_jitter_us"},
	{"rr_per_s", "median_rr_per_s"},
	{"rr_p50_us", "median_rr_p50_us"},
	{"rr_p99_us", "median_rr_p99_us"},
};

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

/* NAN: no test that counts knows it. */
static bool find_median(struct store *store, int64_t cell_id, const char *column, double *median,
                        struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	struct text text = {0};
	struct arena arena = {0};
	double *values;
	size_t count = 0;
	bool row = false;
	int64_t room = 0;
	bool ok = count_tests(store, cell_id, test_status_names[TEST_OK], &room, err);

	text_printf(&text,
	            "SELECT %s FROM tests WHERE cell_id=? AND status='ok' AND throughput_bps IS NOT"
	            " NULL AND %s IS NOT NULL",
	            column, column);
	values = arena_alloc(&arena, (size_t)room, sizeof(*values));
	ok = ok && sql_prepare(&store->sql, text_str(&text), &stmt, err) &&
	     sql_bind(&store->sql, stmt, SQL_VALUES(sql_int(cell_id)), err);
	while (ok) {
		ok = sql_step(&store->sql, stmt, &row, err);
		if (!ok || !row)
			break;
		values[count++] = sqlite3_column_double(stmt, 0);
	}
	*median = stats_median(values, count);
	(void)sqlite3_finalize(stmt);
	text_done(&text);
	arena_done(&arena);
	return ok;
}

/* After the row of the cell is there. */
static bool put_medians(struct store *store, int64_t cell_id, struct err *err)
{
	struct text text = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < COUNT_OF(beside); i++) {
		double median;

		ok = find_median(store, cell_id, beside[i].test, &median, err);
		if (!ok || isnan(median))
			continue;
		text_clear(&text);
		text_printf(&text, "UPDATE cell_stats SET %s=? WHERE cell_id=?", beside[i].cell);
		ok = sql_run(&store->sql, text_str(&text),
		             SQL_VALUES(sql_real(median), sql_int(cell_id)), err);
	}
	text_done(&text);
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
		             err) &&
		     put_medians(store, cell_id, err);
	}
	arena_done(&samples.arena);
	return ok;
}
