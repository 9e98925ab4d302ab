/* SPDX-License-Identifier: MIT */
#include "run/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "run/figures.h"

static const struct {
	const char *kind;
	enum test_status status;
	bool retry;
} endings[] = {
	{"timeout", TEST_TIMEOUT, true},     {"stalled", TEST_STALLED, true},
	{"truncated", TEST_TRUNCATED, true}, {"cancelled", TEST_CANCELLED, false},
	{"usage", TEST_FAILED, false},       {"lost", TEST_FAILED, true},
	{"refused", TEST_FAILED, true},      {"port", TEST_FAILED, true},
	{"system", TEST_FAILED, true},
};

static bool ended_badly(const struct measure *m, struct test_result *r, bool *retry)
{
	const char *kind = m->is_cancelled ? "cancelled" : m->kind;

	if (kind[0] == '\0')
		return false;
	r->status = TEST_FAILED;
	*retry = true;
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (strcmp(endings[i].kind, kind) == 0) {
			r->status = endings[i].status;
			*retry = endings[i].retry;
		}
	}
	(void)snprintf(r->reason, sizeof(r->reason), "%s",
	               m->is_cancelled ? "stopped by the user" : m->reason);
	return true;
}

static void clamped(const struct measure *m, enum measure_end_index end, int64_t limit,
                    const char *sysctl, struct test_result *r)
{
	const struct measure_end *e = &m->ends[end];
	char asked[UNITS_TEXT_BYTES];
	char got[UNITS_TEXT_BYTES];
	int len;

	r->status = TEST_INVALID;
	len = snprintf(r->reason, sizeof(r->reason), "%s: window asked %s, got %s",
	               e->nic->host->name, units_format_bytes(m->cell->config.window_bytes, asked),
	               units_format_bytes(e->connected.window_granted_bytes, got));
	if (limit != RESULT_UNKNOWN && len > 0 && (size_t)len < sizeof(r->reason))
		(void)snprintf(r->reason + len, sizeof(r->reason) - (size_t)len,
		               ": %s=%" PRId64 "; to allow it: sysctl -w %s=%" PRIu64, sysctl,
		               limit, sysctl, m->cell->config.window_bytes);
}

static bool window_is_short(const struct measure *m, enum measure_end_index end)
{
	uint64_t got = m->ends[end].connected.window_granted_bytes;

	return m->cell->config.window_bytes != 0 && got != WIRE_UNKNOWN_U64 &&
	       got < m->cell->config.window_bytes;
}

static void validate(const struct measure *m, const struct judge_limits *limits,
                     struct test_result *r, bool *retry)
{
	const struct measure_end *src = &m->ends[MEASURE_SRC];
	const struct measure_end *dst = &m->ends[MEASURE_DST];
	double asked_s = m->cell->config.duration_ms / 1e3;

	*retry = true;
	if (src->result.bytes != dst->result.bytes) {
		r->status = TEST_TRUNCATED;
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%s sent %" PRIu64 " bytes, %s took %" PRIu64, src->nic->host->name,
		               src->result.bytes, dst->nic->host->name, dst->result.bytes);
	} else if (dst->stream_count < m->cell->config.streams) {
		r->status = TEST_INVALID;
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%zu of %" PRIu32 " streams told their result", dst->stream_count,
		               m->cell->config.streams);
	} else if (dst->result.measured_bytes == 0) {
		r->status = TEST_STALLED;
		(void)snprintf(r->reason, sizeof(r->reason),
		               "nothing arrived in the measured time");
	} else if (fabs(r->duration_s - asked_s) > asked_s * JUDGE_DURATION_OFF_PCT_MAX / 100.0) {
		r->status = TEST_INVALID;
		(void)snprintf(r->reason, sizeof(r->reason),
		               "measured for %.3f s instead of %.3f s: %s was too busy",
		               r->duration_s, asked_s, dst->nic->host->name);
	} else if (r->throughput_bps > r->line_rate_bps * JUDGE_LINE_RATE_PCT_MAX / 100.0) {
		r->status = TEST_INVALID;
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%.1f %% of the line rate: a link's speed or frame_overhead in the "
		               "topology is wrong",
		               100.0 * r->throughput_bps / r->line_rate_bps);
	} else if (window_is_short(m, MEASURE_SRC)) {
		clamped(m, MEASURE_SRC, limits->src_wmem_max, "net.core.wmem_max", r);
		*retry = false;
	} else if (window_is_short(m, MEASURE_DST)) {
		clamped(m, MEASURE_DST, limits->dst_rmem_max, "net.core.rmem_max", r);
		*retry = false;
	}
}

void judge_test(const struct measure *m, const struct judge_limits *limits, struct arena *arena,
                struct test_result *out, bool *retry)
{
	*retry = false;
	figures_take(m, limits->mtu_bytes, arena, out);
	if (!ended_badly(m, out, retry))
		validate(m, limits, out, retry);
	*retry = *retry && out->status != TEST_OK;
}
