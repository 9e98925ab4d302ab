/* SPDX-License-Identifier: MIT */
#include "run/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
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

/* Adds what one end was given instead of the window asked for, and what would allow it. */
static void add_clamp(const struct measure *m, enum measure_end_index end, int64_t limit,
                      const char *sysctl, struct text *out)
{
	const struct measure_end *e = &m->ends[end];
	char asked[UNITS_TEXT_BYTES];
	char got[UNITS_TEXT_BYTES];

	text_printf(out, "%s%s: window asked %s, got %s", out->len > 0 ? "; " : "",
	            e->nic->host->name, units_format_bytes(m->cell->config.window_bytes, asked),
	            units_format_bytes(e->connected.window_granted_bytes, got));
	if (limit != RESULT_UNKNOWN)
		text_printf(out, " (%s=%" PRId64 "): sysctl -w %s=%" PRIu64, sysctl, limit, sysctl,
		            m->cell->config.window_bytes);
}

static bool window_is_short(const struct measure *m, enum measure_end_index end)
{
	uint64_t got = m->ends[end].connected.window_granted_bytes;

	return m->cell->config.window_bytes != 0 && got != WIRE_UNKNOWN_U64 &&
	       got < m->cell->config.window_bytes;
}

static bool window_is_right(const struct measure *m, const struct judge_limits *limits,
                            struct test_result *r)
{
	struct text reason = {0};

	if (window_is_short(m, MEASURE_SRC))
		add_clamp(m, MEASURE_SRC, limits->src_wmem_max, "net.core.wmem_max", &reason);
	if (window_is_short(m, MEASURE_DST))
		add_clamp(m, MEASURE_DST, limits->dst_rmem_max, "net.core.rmem_max", &reason);
	if (reason.len == 0)
		return true;
	(void)snprintf(r->reason, sizeof(r->reason), "%s", text_str(&reason));
	text_done(&reason);
	return false;
}

/*
 * The NIC named in the topology must have carried the test's bytes, and little
 * else. Counters see payload plus headers: from nearly none (an offloading NIC
 * counts one header for 64 KiB) to those of every segment and what was sent
 * again. Below the band the bytes went another way; above it others used the NIC.
 */
static bool nic_bytes_are_right(const struct measure *m, enum measure_end_index end,
                                const struct judge_limits *limits, struct test_result *r,
                                bool *retry)
{
	const struct measure_end *e = &m->ends[end];
	const char *counter = end == MEASURE_SRC ? "nic.tx_bytes" : "nic.rx_bytes";
	int64_t nic = figures_counter(e, counter);
	double mtu = limits->mtu_bytes > 0 ? (double)limits->mtu_bytes : JUDGE_MTU_LEAST;
	double most = (mtu + 18.0) / (mtu - 52.0) * (1.0 + JUDGE_NIC_ABOVE);
	double seconds = 1.0 + (m->cell->config.omit_ms + m->cell->config.duration_ms) / 1e3;
	double bytes = (double)e->result.bytes;
	double beside = JUDGE_NIC_BESIDE_BYTES_PER_S * seconds;
	double share;

	if (nic == RESULT_UNKNOWN || bytes <= 0)
		return true;
	if (r->retransmits > 0)
		beside += (double)r->retransmits * mtu;
	share = (double)nic / bytes;
	if (share < 1.0 - JUDGE_NIC_BELOW) {
		(void)snprintf(
			r->reason, sizeof(r->reason),
			"only %.0f %% of the bytes went through %s.%s: they took another NIC",
			100.0 * share, e->nic->host->name, e->nic->name);
		*retry = false;
		return false;
	}
	if ((double)nic > bytes * most + beside) {
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%s.%s carried %.2f times the bytes of the test: other traffic ran "
		               "beside it",
		               e->nic->host->name, e->nic->name, share);
		return false;
	}
	return true;
}

static bool time_is_right(const struct measure *m, struct test_result *r)
{
	double asked_s = m->cell->config.duration_ms / 1e3;

	if (fabs(r->duration_s - asked_s) <= asked_s * JUDGE_DURATION_OFF_PCT_MAX / 100.0)
		return true;
	(void)snprintf(r->reason, sizeof(r->reason),
	               "measured for %.3f s instead of %.3f s: %s was too busy", r->duration_s,
	               asked_s, m->ends[MEASURE_DST].nic->host->name);
	return false;
}

static bool rate_is_right(struct test_result *r)
{
	/* Written so that an unknown line rate (NAN) passes. */
	if (!(r->throughput_bps > r->line_rate_bps * JUDGE_LINE_RATE_PCT_MAX / 100.0))
		return true;
	(void)snprintf(r->reason, sizeof(r->reason),
	               "%.1f %% of the line rate: a link's speed or frame_overhead in the topology "
	               "is wrong",
	               100.0 * r->throughput_bps / r->line_rate_bps);
	return false;
}

/* What both ends told fits together; sets status and reason where it does not. */
static bool is_whole(const struct measure *m, struct test_result *r)
{
	const struct measure_end *src = &m->ends[MEASURE_SRC];
	const struct measure_end *dst = &m->ends[MEASURE_DST];

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
	}
	return r->status == TEST_OK;
}

static void validate(const struct measure *m, const struct judge_limits *limits,
                     struct test_result *r, bool *retry)
{
	*retry = true;
	if (!is_whole(m, r))
		return;
	if (!window_is_right(m, limits, r)) {
		r->status = TEST_INVALID;
		*retry = false; /* it would be clamped again */
	} else if (!time_is_right(m, r) || !rate_is_right(r) ||
	           !nic_bytes_are_right(m, MEASURE_SRC, limits, r, retry) ||
	           !nic_bytes_are_right(m, MEASURE_DST, limits, r, retry)) {
		r->status = TEST_INVALID;
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
