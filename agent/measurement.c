/* SPDX-License-Identifier: MIT */
#include "agent/measurement.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "measure/lost.h"
#include "measure/mover.h"
#include "measure/sockopt.h"

/* Ticks of most systems are 10 ms: in less than this the load of a core says nothing. */
#define LOAD_MS_MIN 100u

static uint64_t ms(uint64_t n)
{
	return n * CLOCK_NS_PER_MS;
}

static void enter(struct measurement *m, enum measurement_phase phase, uint64_t now_ns)
{
	m->phase = phase;
	m->since_ns = now_ns;
	pulse_restart(&m->pulse, now_ns);
}

static void start_clock(struct measurement *m, uint64_t t0_ns, uint64_t now_ns)
{
	tally_start(&m->tally, m->request, m->streams, t0_ns);
	enter(m, MEASUREMENT_RUNNING, now_ns);
	platform_watch_load_start(m->watch);
	if (m->request->omit_ns == 0)
		probe_set_time(m->probe, PROBE_MEASURED);
}

/* Sender, with `bytes`: each stream ends with its share, from here on. */
static void set_limits(struct measurement *m, bool has_opened)
{
	for (uint32_t i = 0; m->request->bytes > 0 && i < m->streams->count; i++) {
		uint64_t before = has_opened ? m->tally.stream[i].opened_bytes : 0;

		if (m->streams->side == REQUEST_SEND)
			streams_limit(m->streams, i, before + request_share(m->request, i));
	}
}

void measurement_start(struct measurement *m, const struct measurement_parts *parts, uint32_t id)
{
	m->request = parts->request;
	m->fds = parts->fds;
	m->streams = parts->streams;
	m->watch = parts->watch;
	m->probe = parts->probe;
	m->out = parts->out;
	m->id = id;
	m->lost_ns = 0;
	m->had_enough = false;
	memset(m->is_closed, 0, sizeof(m->is_closed));
	m->load = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	for (uint32_t i = 0; i < m->streams->count; i++)
		report_read_ports(m->fds[i], &m->ports[i]);
	pulse_start(&m->pulse, clock_now_ns());
	if (m->request->omit_ns == 0)
		set_limits(m, false);
	udp_marks_start(&m->marks);
	streams_go(m->streams, m->fds, parts->data_fds);
	if (m->streams->side == REQUEST_SEND)
		start_clock(m, m->pulse.go_ns, m->pulse.go_ns);
	else
		enter(m, MEASUREMENT_WAITING, m->pulse.go_ns);
}

static bool has_all_ended(const struct streams *streams)
{
	for (uint32_t i = 0; i < streams->count; i++) {
		if (!streams_has_ended(streams, i))
			return false;
	}
	return true;
}

/* A stream that ended while the test goes on is the end of the test. What befell one may be
 * about to befall others, so they get a moment; meanwhile nothing else is done. True in
 * *waits then. */
static bool check_streams(struct measurement *m, uint64_t now_ns, bool *waits, struct failure *f)
{
	struct lost lost;

	*waits = lost_find(m->streams, m->phase >= MEASUREMENT_DRAINING, &lost);
	if (!*waits)
		return true;
	if (m->lost_ns == 0)
		m->lost_ns = now_ns;
	if (now_ns - m->lost_ns < ms(MEASUREMENT_LOST_MS) && !has_all_ended(m->streams))
		return true;
	report_troubles(m->out, m->id, &lost);
	return lost_fail(&lost, f);
}

static uint64_t first_byte_ns(const struct streams *streams)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < streams->count; i++) {
		uint64_t at = atomic_load(&streams->stream[i].first_ns);

		if (at != 0 && at < first)
			first = at;
	}
	return first;
}

static bool step_waiting(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	uint64_t first = first_byte_ns(m->streams);

	if (first != UINT64_MAX) {
		start_clock(m, first > m->pulse.go_ns ? first : m->pulse.go_ns, now_ns);
		return true;
	}
	if (pulse_has_stalled(&m->pulse, now_ns))
		return failure_set(f, FAILURE_STALLED, "no byte came within %u s of go",
		                   PULSE_STALL_MS / 1000);
	return true;
}

static void tell_enough(const struct measurement *m)
{
	static const unsigned char enough = PREAMBLE_ENOUGH;
	ssize_t n;

	if (m->streams->mover->signals_in_data) {
		atomic_store(&m->streams->say_enough, true);
		return;
	}
	n = send(m->fds[0], &enough, 1, MSG_DONTWAIT | MSG_NOSIGNAL);

	(void)n; /* not told: the sender's grace ends by itself */
}

/* What was read for an interval. */
static void note_reading(struct measurement *m)
{
	const struct sampler_cut *cut = &m->interval.cut;
	struct platform_load load = {PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	bool is_short = m->request->interval_ns < ms(LOAD_MS_MIN);

	if (m->request->protocol == REQUEST_UDP)
		udp_marks_cut(&m->marks, m->streams, cut);
	if (cut->opens) {
		set_limits(m, true);
		probe_set_time(m->probe, PROBE_MEASURED);
	}
	if (!is_short || cut->opens || cut->closes)
		platform_watch_load_next(m->watch, cut->opens, &load);
	if (cut->closes) {
		platform_watch_load_all(m->watch, &m->load);
		probe_set_time(m->probe, PROBE_AFTER);
	}
	if (is_short)
		load = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	if (cut->end_ns > cut->start_ns)
		report_interval(m->out, m->id, &m->interval, m->streams->count, &load);
}

/* With `bytes`: all streams have ended, and that is the end of the measured time. */
static bool finish(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	uint64_t opened = m->tally.sampler.opened_ns;
	uint64_t end = 0;

	for (uint32_t i = 0; i < m->streams->count; i++) {
		uint64_t at = atomic_load(&m->streams->stream[i].end_ns);

		if (at > end)
			end = at;
	}
	if (opened == SAMPLER_NEVER || end <= m->tally.t0_ns + opened)
		return failure_set(f, FAILURE_USAGE,
		                   "all bytes were through %" PRIu64 " ms after the start, %" PRIu64
		                   " of which are omitted: more bytes or less omit",
		                   (end - m->tally.t0_ns) / CLOCK_NS_PER_MS,
		                   m->request->omit_ns / CLOCK_NS_PER_MS);
	tally_finish(&m->tally, end, &m->interval);
	note_reading(m);
	enter(m, MEASUREMENT_DRAINING, now_ns);
	return true;
}

/* With `bytes`: the longest time that it may take is over. */
static bool fail_slow(const struct measurement *m, struct failure *f)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < m->streams->count; i++)
		bytes += m->tally.stream[i].measured_bytes;
	return failure_set(f, FAILURE_TIMEOUT,
	                   "%" PRIu64 " of %" PRIu64 " bytes in %" PRIu64
	                   " ms, the longest that it may take",
	                   bytes, m->request->bytes, m->request->duration_ns / CLOCK_NS_PER_MS);
}

static bool step_running(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	if (m->request->bytes > 0 && has_all_ended(m->streams))
		return finish(m, now_ns, f);
	if (now_ns >= tally_due_ns(&m->tally)) {
		tally_read(&m->tally, &m->interval);
		note_reading(m);
	}
	if (pulse_has_stalled(&m->pulse, now_ns))
		return pulse_fail(&m->pulse, f);
	if (m->tally.sampler.closed_ns == SAMPLER_NEVER)
		return true;
	if (m->request->bytes > 0)
		return fail_slow(m, f);
	if (m->streams->side == REQUEST_SEND) {
		enter(m, MEASUREMENT_GRACE, now_ns);
		return true;
	}
	tell_enough(m);
	enter(m, MEASUREMENT_DRAINING, now_ns);
	return true;
}

/* Sender: what the receiver says on a stream. True when it closed it. */
static bool hear(struct measurement *m, uint32_t index)
{
	unsigned char byte = 0;
	ssize_t n = recv(m->fds[index], &byte, 1, MSG_DONTWAIT);

	if (n == 1 && index == 0 && byte == PREAMBLE_ENOUGH)
		m->had_enough = true;
	return n == 0 || (n < 0 && !sockopt_is_passing(errno));
}

static bool step_grace(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	(void)f;
	if (m->streams->mover->signals_in_data)
		m->had_enough = atomic_load(&m->streams->had_enough);
	else if (hear(m, 0))
		m->is_closed[0] = true;
	if (m->had_enough || now_ns - m->since_ns >= ms(MEASUREMENT_GRACE_MS)) {
		streams_stop(m->streams);
		enter(m, MEASUREMENT_DRAINING, now_ns);
	}
	return true;
}

/* Names each stream that has not ended. True when all did meanwhile. */
static bool fail_undrained(const struct measurement *m, uint64_t now_ns, struct failure *f)
{
	const char *why = m->streams->side == REQUEST_SEND ? "bytes could not be sent"
	                                                   : "the sender has not ended it";
	struct lost lost = {0};
	uint32_t count = 0;
	char which[96];

	for (uint32_t i = 0; i < m->streams->count; i++) {
		if (streams_has_ended(m->streams, i))
			continue;
		lost.why[i] = why;
		count++;
	}
	if (count == 0)
		return true;
	report_troubles(m->out, m->id, &lost);
	lost_format(&lost, which, sizeof(which));
	return failure_set(
		f, FAILURE_TRUNCATED, "stream%s %s: %s %" PRIu64 " ms after the test's end",
		count > 1 ? "s" : "", which, why, (now_ns - m->since_ns) / CLOCK_NS_PER_MS);
}

/* Until every thread is done with its stream: then the totals are final. */
static bool step_draining(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	bool is_late = pulse_silence_ns(&m->pulse, now_ns) >= ms(MEASUREMENT_DRAIN_IDLE_MS) ||
	               now_ns - m->since_ns >= ms(MEASUREMENT_DRAIN_MAX_MS);

	for (uint32_t i = 0; i < m->streams->count; i++) {
		if (!streams_has_ended(m->streams, i))
			return is_late ? fail_undrained(m, now_ns, f) : true;
	}
	for (uint32_t i = 0; m->request->source_port != 0 && i < m->streams->count; i++) {
		if (m->streams->side == REQUEST_RECV)
			sockopt_set_no_linger(m->fds[i]);
	}
	enter(m, m->streams->side == REQUEST_SEND ? MEASUREMENT_LINGERING : MEASUREMENT_OVER,
	      now_ns);
	return true;
}

/* The receiver closes when it has all. When it does not, that is for its own
 * answer to tell: our figures are complete. */
static bool step_lingering(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	uint32_t left = 0;

	(void)f;
	for (uint32_t i = 0; i < m->streams->count; i++) {
		if (!m->is_closed[i])
			m->is_closed[i] = hear(m, i);
		left += !m->is_closed[i];
	}
	if (left == 0 || now_ns - m->since_ns >= ms(MEASUREMENT_LINGER_MS))
		enter(m, MEASUREMENT_OVER, now_ns);
	return true;
}

bool measurement_step(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	static bool (*const steps[])(struct measurement *, uint64_t, struct failure *) = {
		[MEASUREMENT_WAITING] = step_waiting,     [MEASUREMENT_RUNNING] = step_running,
		[MEASUREMENT_GRACE] = step_grace,         [MEASUREMENT_DRAINING] = step_draining,
		[MEASUREMENT_LINGERING] = step_lingering,
	};
	enum measurement_phase before;
	bool waits;

	streams_wake_clear(m->streams);
	pulse_look(&m->pulse, m->streams, now_ns);
	if (!check_streams(m, now_ns, &waits, f))
		return false;
	if (waits)
		return true;
	do { /* a phase may find that its end is there already */
		before = m->phase;
		if (m->phase == MEASUREMENT_OVER)
			return true;
		if (!steps[m->phase](m, now_ns, f))
			return false;
	} while (m->phase != before);
	return true;
}

size_t measurement_poll(const struct measurement *m, struct pollfd *fds)
{
	uint32_t heard = 0; /* streams whose receiver may say something */
	size_t count = 0;

	fds[count++] = (struct pollfd){.fd = streams_wake_fd(m->streams), .events = POLLIN};
	if (m->phase == MEASUREMENT_GRACE && !m->streams->mover->signals_in_data)
		heard = 1;
	if (m->phase == MEASUREMENT_LINGERING)
		heard = m->streams->count;
	for (uint32_t i = 0; i < heard; i++) {
		if (!m->is_closed[i])
			fds[count++] = (struct pollfd){.fd = m->fds[i], .events = POLLIN};
	}
	return count;
}

uint64_t measurement_due_ns(const struct measurement *m)
{
	uint64_t due = m->phase == MEASUREMENT_RUNNING ? tally_due_ns(&m->tally) : UINT64_MAX;

	if (m->lost_ns != 0 && m->lost_ns + ms(MEASUREMENT_LOST_MS) < due)
		due = m->lost_ns + ms(MEASUREMENT_LOST_MS);
	return due < m->pulse.look_ns ? due : m->pulse.look_ns;
}

void measurement_report(const struct measurement *m)
{
	const struct histogram *loaded = probe_latency(m->probe);

	report_streams(m->out, m->id, &m->tally, m->ports);
	if (m->request->protocol == REQUEST_UDP)
		report_datagrams(m->out, m->id, &m->tally, &m->marks);
	if (loaded != NULL)
		report_latency(m->out, m->id, "loaded", loaded);
	if (m->streams->mover->latency != NULL)
		report_latency(m->out, m->id, "rr", m->streams->mover->latency(m->streams));
	report_counters(m->out, m->id, m->watch);
	report_result(m->out, m->id, &m->tally, &m->load);
	output_done(m->out, m->id);
}
