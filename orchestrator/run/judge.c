/* SPDX-License-Identifier: MIT */
#include "run/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "run/figures.h"
#include "run/judge_parts.h"

/* The connections beside the datagrams are TCP, and went through. */
#define UDP_HINT ": does a firewall let UDP through?"

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

/* The flow that had its connections and moved nothing at all; NULL: none. */
static const struct measure_flow *idle_flow(const struct measure *m)
{
	for (size_t f = 0; f < m->flow_count; f++) {
		const struct measure_end *dst = &m->flows[f].ends[MEASURE_DST];
		uint64_t bytes = 0;

		for (size_t i = 0; i < dst->sample_count; i++)
			bytes += dst->samples[i].bytes;
		if (dst->is_connected && bytes == 0)
			return &m->flows[f];
	}
	return NULL;
}

/*
 * A receiver of datagrams that gets none stalls, or sees the sender end before it began: that is
 * one and the same to the user.
 */
static bool has_no_datagrams(const struct measure *m, struct test_result *r)
{
	const struct measure_flow *f = idle_flow(m);

	if (m->cell->config.protocol != PROTOCOL_UDP || f == NULL ||
	    (r->status != TEST_STALLED && r->status != TEST_TRUNCATED))
		return false;
	r->status = TEST_STALLED;
	(void)snprintf(r->reason, sizeof(r->reason), "no datagram of %s arrived at %s" UDP_HINT,
	               f->ends[MEASURE_SRC].nic->host->name, f->ends[MEASURE_DST].nic->host->name);
	return true;
}

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
	if (m->is_cancelled)
		(void)snprintf(r->reason, sizeof(r->reason), "stopped by the user");
	else if (!has_no_datagrams(m, r))
		(void)snprintf(r->reason, sizeof(r->reason), "%s", m->reason);
	return true;
}

/* ---- what both ends of a flow told fits together ---- */

/*
 * What the sender counted and the receiver did not take is lost. Losses that the receiver tells
 * are of the measured time, so they can only be fewer; doubles are taken out as far as they are
 * told.
 */
static bool datagrams_add_up(const struct measure_flow *f, struct test_result *r)
{
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	const struct measure_end *dst = &f->ends[MEASURE_DST];
	const struct msg_datagrams *sent = figures_datagrams(src, 0);
	const struct msg_datagrams *got = figures_datagrams(dst, 0);
	uint64_t doubles;
	uint64_t taken;

	if (sent == NULL || got == NULL) {
		(void)snprintf(r->reason, sizeof(r->reason), "%s did not tell of its datagrams",
		               sent == NULL ? src->nic->host->name : dst->nic->host->name);
		return false;
	}
	doubles = got->duplicates == WIRE_UNKNOWN_U64 ? 0 : got->duplicates;
	taken = got->count > doubles ? got->count - doubles : 0;
	if (taken > sent->count) {
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%s sent %" PRIu64 " datagrams, %s took %" PRIu64,
		               src->nic->host->name, sent->count, dst->nic->host->name, taken);
		return false;
	}
	if (got->lost != WIRE_UNKNOWN_U64 &&
	    got->lost > sent->count - taken + JUDGE_LATE_MAX * f->ends[MEASURE_DST].stream_count) {
		(void)snprintf(r->reason, sizeof(r->reason),
		               "%s misses %" PRIu64 " datagrams of the measured time, but of all "
		               "that %s sent only %" PRIu64 " did not arrive",
		               dst->nic->host->name, got->lost, src->nic->host->name,
		               sent->count - taken);
		return false;
	}
	return true;
}

static void nothing_arrived(const struct measure *m, const struct measure_flow *f,
                            struct test_result *r)
{
	bool is_udp = m->cell->config.protocol == PROTOCOL_UDP;

	r->status = TEST_STALLED;
	(void)snprintf(r->reason, sizeof(r->reason), "nothing arrived in the measured time");
	if (is_udp)
		(void)snprintf(r->reason, sizeof(r->reason),
		               "nothing from %s arrived at %s in the measured time" UDP_HINT,
		               f->ends[MEASURE_SRC].nic->host->name,
		               f->ends[MEASURE_DST].nic->host->name);
}

static bool is_whole(const struct measure *m, const struct measure_flow *f, struct test_result *r)
{
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	const struct measure_end *dst = &f->ends[MEASURE_DST];
	bool is_udp = m->cell->config.protocol == PROTOCOL_UDP;

	if (!is_udp && src->result.bytes != dst->result.bytes) {
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
		nothing_arrived(m, f, r);
	} else if (is_udp && m->cell->config.mode == MODE_BULK && !datagrams_add_up(f, r)) {
		r->status = TEST_INVALID;
	}
	return r->status == TEST_OK;
}

/* ---- how long and how much ---- */

static double seconds_of(const struct measure_flow *f)
{
	return (double)f->ends[MEASURE_DST].result.measured_ns / 1e9;
}

static bool time_is_right(const struct measure *m, const struct measure_flow *f,
                          struct test_result *r)
{
	double asked_s = m->cell->config.duration_ms / 1e3;

	if (m->cell->config.bytes != 0 ||
	    fabs(seconds_of(f) - asked_s) <= asked_s * JUDGE_DURATION_OFF_PCT_MAX / 100.0)
		return true;
	(void)snprintf(r->reason, sizeof(r->reason),
	               "measured for %.3f s instead of %.3f s: %s was too busy", seconds_of(f),
	               asked_s, f->ends[MEASURE_DST].nic->host->name);
	return false;
}

static bool amount_is_right(const struct measure *m, const struct measure_flow *f,
                            struct test_result *r)
{
	const struct plan_config *c = &m->cell->config;
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	double sent = (double)src->result.measured_bytes;
	double most = (double)c->bytes + JUDGE_BYTES_BEYOND * c->streams;

	if (c->bytes == 0 || (sent >= (double)c->bytes && sent <= most))
		return true;
	(void)snprintf(r->reason, sizeof(r->reason),
	               "%s sent %" PRIu64 " bytes in the measured time, asked %" PRIu64,
	               src->nic->host->name, src->result.measured_bytes, c->bytes);
	return false;
}

/* ---- how fast ---- */

/* What a switch or a shaper lets through in a burst can be all of a short test. */
static bool line_rate_is_right(const struct measure *m, double bps, const struct measure_flow *f,
                               struct test_result *r, bool *retry)
{
	char text[UNITS_TEXT_BYTES];

	/* Written so that an unknown line rate (NAN) passes. */
	if (!(bps > r->line_rate_bps * JUDGE_LINE_RATE_PCT_MAX / 100.0))
		return true;
	if (m->cell->config.bytes != 0 && seconds_of(f) < JUDGE_SHORT_S) {
		(void)snprintf(r->reason, sizeof(r->reason),
		               "`bytes: %s` was through in %.4f s, too fast for a figure: ask for "
		               "more",
		               units_format_bytes(m->cell->config.bytes, text), seconds_of(f));
		*retry = false;
		return false;
	}
	(void)snprintf(r->reason, sizeof(r->reason),
	               "%.1f %% of the line rate from %s to %s: a link's speed or "
	               "frame_overhead in the topology is wrong",
	               100.0 * bps / r->line_rate_bps, f->ends[MEASURE_SRC].nic->host->name,
	               f->ends[MEASURE_DST].nic->host->name);
	return false;
}

/* A bitrate is a limit for TCP; a UDP sender that does not reach it offered another load. */
static bool pace_is_right(const struct measure *m, double bps, double sender_bps,
                          const struct measure_flow *f, struct test_result *r)
{
	const struct plan_config *c = &m->cell->config;
	const struct measure_end *src = &f->ends[MEASURE_SRC];
	const struct msg_datagrams *sent = figures_datagrams(src, 0);
	double asked = (double)c->rate_bps * c->streams;
	double off = asked * JUDGE_RATE_OFF_PCT_MAX / 100.0;
	double each_bps = c->streams * 8.0 / seconds_of(f); /* a byte of each stream */
	char asked_text[UNITS_TEXT_BYTES];
	char got_text[UNITS_TEXT_BYTES];
	double one = 0;
	double got = bps;

	if (c->rate_bps == 0 || c->mode == MODE_RR)
		return true;
	if (sent != NULL && sent->count > 0)
		one = (double)src->result.bytes / (double)sent->count;
	if (bps <= asked + off + JUDGE_BURST_BYTES * each_bps) {
		if (c->protocol == PROTOCOL_TCP || sender_bps >= asked - off - one * each_bps)
			return true;
		got = sender_bps;
	}
	(void)snprintf(r->reason, sizeof(r->reason), "%s: %s asked in all, sent %s: %s",
	               src->nic->host->name, units_format_rate(asked, asked_text),
	               units_format_rate(got, got_text),
	               got > asked ? "it does not keep the pace"
	                           : "its CPU, its NIC or the first link carries no more");
	return false;
}

/* ---- all of it ---- */

static bool flow_is_right(const struct measure *m, size_t flow, const struct judge_limits *limits,
                          struct test_result *r, bool *retry)
{
	const struct measure_flow *f = &m->flows[flow];
	double bps = flow == MEASURE_FORTH ? r->throughput_bps : r->reverse_bps;
	double sender_bps = flow == MEASURE_FORTH ? r->sender_bps : r->reverse_sender_bps;

	return time_is_right(m, f, r) && amount_is_right(m, f, r) &&
	       line_rate_is_right(m, bps, f, r, retry) && pace_is_right(m, bps, sender_bps, f, r) &&
	       judge_nic(m, flow, MEASURE_SRC, limits, r, retry) &&
	       judge_nic(m, flow, MEASURE_DST, limits, r, retry);
}

static void validate(const struct measure *m, const struct judge_limits *limits,
                     struct test_result *r, bool *retry)
{
	*retry = true;
	for (size_t f = 0; f < m->flow_count; f++) {
		if (!is_whole(m, &m->flows[f], r))
			return;
	}
	if (!judge_options(m, limits, r)) {
		r->status = TEST_INVALID;
		*retry = false; /* it would be given the same again */
		return;
	}
	for (size_t f = 0; f < m->flow_count && r->status == TEST_OK; f++) {
		if (!flow_is_right(m, f, limits, r, retry))
			r->status = TEST_INVALID;
	}
}

/* Payload of the largest datagram that is sent whole; RESULT_UNKNOWN when the path's MTU is. */
static int64_t whole_datagram(const struct measure *m, const struct test_result *r)
{
	const char *address = topology_nic_address(m->cell->dst, m->cell->config.ip_version);
	int64_t headers = address != NULL && strchr(address, ':') != NULL ? 48 : 28;

	return r->path_mtu_bytes > headers ? r->path_mtu_bytes - headers : RESULT_UNKNOWN;
}

/* A test that counts, but may not be what the user thinks of. */
static void warn(const struct measure *m, const struct test_result *r, struct text *out)
{
	const struct plan_cell *c = m->cell;
	int64_t whole = whole_datagram(m, r);
	char text[UNITS_TEXT_BYTES];

	text_printf(out, "%s.%s > %s.%s: ", c->src->host->name, c->src->name, c->dst->host->name,
	            c->dst->name);
	if (c->config.bytes != 0 && r->duration_s < JUDGE_SHORT_S)
		text_printf(out,
		            "`bytes: %s` took %.3f s: below %.1f s the start weighs most, ask for "
		            "more",
		            units_format_bytes(c->config.bytes, text), r->duration_s,
		            JUDGE_SHORT_S);
	else if (c->config.protocol == PROTOCOL_UDP && whole != RESULT_UNKNOWN &&
	         (int64_t)c->config.buffer_bytes > whole)
		text_printf(out,
		            "datagrams of %" PRIu64
		            " bytes are sent in fragments: the path's MTU has room for "
		            "%" PRId64 " bytes; one lost fragment loses them all",
		            c->config.buffer_bytes, whole);
	else
		text_clear(out);
}

void judge_test(const struct measure *m, const struct judge_limits *limits, struct arena *arena,
                struct test_result *out, struct judge_verdict *verdict)
{
	struct text warning = {0};

	*verdict = (struct judge_verdict){.retry = false};
	figures_take(m, limits->mtu_bytes, arena, out);
	if (!ended_badly(m, out, &verdict->retry))
		validate(m, limits, out, &verdict->retry);
	verdict->retry = verdict->retry && out->status != TEST_OK;
	if (out->status == TEST_OK)
		warn(m, out, &warning);
	(void)snprintf(verdict->warning, sizeof(verdict->warning), "%s", text_str(&warning));
	text_done(&warning);
}
