/* SPDX-License-Identifier: MIT */
#include "run/judge_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/units.h"
#include "run/figures.h"

/* What RFC 7323's timestamps take of every segment: TCP_MAXSEG is told with or without them. */
#define TIMESTAMP_BYTES 12u

/* ---- cores ---- */

#define CORES_MAX 4096u

struct core_set {
	uint8_t bits[CORES_MAX / 8];
};

/* "0-3,6". What is no number ends it: both lists were checked by those who made them. */
static void cores_read(const char *list, struct core_set *out)
{
	memset(out, 0, sizeof(*out));
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long k = first; k <= last && k < CORES_MAX; k++)
			out->bits[k / 8] |= (uint8_t)(1u << (k % 8));
		list = *end == ',' ? end + 1 : end;
	}
}

static bool same_cores(const char *a, const char *b)
{
	struct core_set x;
	struct core_set y;

	cores_read(a, &x);
	cores_read(b, &y);
	return memcmp(&x, &y, sizeof(x)) == 0;
}

/* ---- one option of one end ---- */

/* The start of a line about an option, "; " before it unless it is the first. */
static void add(struct text *out, const struct measure_end *e, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
static void add(struct text *out, const struct measure_end *e, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	text_printf(out, "%s%s: %s", out->len > 0 ? "; " : "", e->nic->host->name, line);
}

/* What one end was given instead of the window asked for, and what would allow it. */
static void check_window(const struct plan_config *c, const struct measure_end *e, int64_t limit,
                         const char *sysctl, struct text *out)
{
	uint64_t granted = e->connected.window_granted_bytes;
	char asked[UNITS_TEXT_BYTES];
	char got[UNITS_TEXT_BYTES];

	if (c->window_bytes == 0 || granted == WIRE_UNKNOWN_U64 || granted >= c->window_bytes)
		return;
	add(out, e, "window asked %s, got %s", units_format_bytes(c->window_bytes, asked),
	    units_format_bytes(granted, got));
	if (limit != RESULT_UNKNOWN)
		text_printf(out, " (%s=%" PRId64 "): sysctl -w %s=%" PRIu64, sysctl, limit, sysctl,
		            c->window_bytes);
}

static void check_mss(const struct plan_config *c, const struct measure_end *e, struct text *out)
{
	uint32_t got = e->connected.mss_bytes;

	if (c->mss_bytes == 0 || got == WIRE_UNKNOWN_U32 || got == c->mss_bytes ||
	    got + TIMESTAMP_BYTES == c->mss_bytes)
		return;
	add(out, e, "mss asked %" PRIu32 ", got %" PRIu32 "%s", c->mss_bytes, got,
	    got < c->mss_bytes ? ": the path or the other end takes no larger segments" : "");
}

static void check_congestion(const struct plan_config *c, const struct measure_end *e,
                             struct text *out)
{
	const char *got = e->connected.congestion;

	if (c->congestion == NULL || got[0] == '\0' || strcmp(got, c->congestion) == 0)
		return;
	add(out, e, "congestion asked %s, got %s: modprobe tcp_%s", c->congestion, got,
	    c->congestion);
}

static void check_no_delay(const struct plan_config *c, const struct measure_end *e,
                           struct text *out)
{
	if (c->no_delay && e->connected.no_delay == 0)
		add(out, e, "no_delay asked on, got off");
}

static void check_dscp(const struct plan_config *c, const struct measure_end *e, struct text *out)
{
	uint32_t got = e->connected.dscp;

	if (c->dscp != 0 && got != WIRE_UNKNOWN_U32 && got != c->dscp)
		add(out, e, "dscp asked %" PRIu32 ", got %" PRIu32, c->dscp, got);
}

static void check_affinity(const struct plan_config *c, const struct measure_end *e,
                           struct text *out)
{
	const char *got = e->connected.affinity;

	if (c->affinity == NULL || strcmp(c->affinity, "auto") == 0 || same_cores(c->affinity, got))
		return;
	add(out, e, "affinity asked %s, got %s", c->affinity, got[0] != '\0' ? got : "no limit");
}

/* Ways of moving bytes that leave out the copy between the program and the system; details of
 * the calls may follow. */
static bool is_zero_copy(const char *method)
{
	size_t len = strcspn(method, " ");

	static const char *const without[] = {"splice",       "vmsplice",  "sendfile",
	                                      "msg_zerocopy", "msg_trunc", "zerocopy_receive"};

	for (size_t i = 0; i < COUNT_OF(without); i++) {
		if (strlen(without[i]) == len && strncmp(method, without[i], len) == 0)
			return true;
	}
	return false;
}

static void check_method(bool asked, const struct measure_end *e, struct text *out)
{
	const char *got = figures_method(e);

	if (got[0] != '\0' && is_zero_copy(got) != asked)
		add(out, e, "zero_copy asked %s, but it moved bytes by %s", asked ? "on" : "off",
		    got);
}

/* The streams of the end that connects, whose own ports were asked for one after the other. */
static void check_source_ports(const struct measure *m, size_t flow, struct text *out)
{
	const struct plan_config *c = &m->cell->config;
	const struct measure_end *e = &m->flows[flow].ends[measure_connector(m->cell, flow)];

	for (size_t i = 0; c->source_port != 0 && i < e->stream_count; i++) {
		const struct msg_stream *s = &e->streams[i];
		uint32_t asked = c->source_port + (uint32_t)flow * c->streams + s->stream - 1;

		if (s->local_port == asked)
			continue;
		add(out, e, "source_port of stream %" PRIu32 " asked %" PRIu32 ", got %" PRIu32,
		    s->stream, asked, s->local_port);
		return;
	}
}

/* ---- all options of a flow ---- */

static void check_flow(const struct measure *m, size_t flow, const struct judge_limits *limits,
                       struct text *out)
{
	const struct plan_config *c = &m->cell->config;
	const struct measure_end *ends = m->flows[flow].ends;
	const struct measure_end *src = &ends[MEASURE_SRC];
	bool is_rr = c->mode == MODE_RR;

	check_window(c, src, limits->wmem_max[flow], "net.core.wmem_max", out);
	check_window(c, &ends[MEASURE_DST], limits->rmem_max[1 - flow], "net.core.rmem_max", out);
	check_method(c->zero_copy != ZERO_COPY_OFF, src, out);
	check_method(c->zero_copy == ZERO_COPY_BOTH, &ends[MEASURE_DST], out);
	for (int i = 0; i < MEASURE_ENDS; i++) {
		const struct measure_end *e = &ends[i];

		check_dscp(c, e, out);
		check_affinity(c, e, out);
		if (c->protocol != PROTOCOL_TCP)
			continue;
		check_no_delay(c, e, out);
		if (i == MEASURE_SRC || is_rr) { /* the others send no segments of a size */
			check_mss(c, e, out);
			check_congestion(c, e, out);
		}
	}
	check_source_ports(m, flow, out);
}

bool judge_options(const struct measure *m, const struct judge_limits *limits,
                   struct test_result *r)
{
	struct text reason = {0};
	bool all;

	for (size_t f = 0; f < m->flow_count; f++)
		check_flow(m, f, limits, &reason);
	all = reason.len == 0;
	if (!all)
		(void)snprintf(r->reason, sizeof(r->reason), "%s", text_str(&reason));
	text_done(&reason);
	return all;
}
