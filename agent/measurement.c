/* SPDX-License-Identifier: MIT */
#include "agent/measurement.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/wire/preamble.h"
#include "measure/mover.h"
#include "measure/sockopt.h"

/* How often to look whether bytes move, and how fast: to notice a stall, and to
 * size the calls. The first looks are early, so that a fast path need not wait
 * for its large calls; each pause is twice the one before. */
#define FIRST_LOOK_MS 5u
#define LOOK_MS       250u

static uint64_t ms(uint64_t n)
{
	return n * CLOCK_NS_PER_MS;
}

static void enter(struct measurement *m, enum measurement_phase phase, uint64_t now_ns)
{
	m->phase = phase;
	m->since_ns = now_ns;
	m->progress_ns = now_ns;
}

static void start_clock(struct measurement *m, uint64_t t0_ns, uint64_t now_ns)
{
	tally_start(&m->tally, m->request, m->streams, t0_ns);
	enter(m, MEASUREMENT_RUNNING, now_ns);
	if (m->request->omit_ns == 0) {
		platform_watch_load_start(m->watch);
		probe_set_time(m->probe, PROBE_MEASURED);
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
	m->looked_bytes = 0;
	m->looked_moved = 0;
	m->looked_acked = 0;
	m->had_enough = false;
	memset(m->is_closed, 0, sizeof(m->is_closed));
	m->load = (struct platform_load){PLATFORM_UNKNOWN, PLATFORM_UNKNOWN};
	for (uint32_t i = 0; i < m->streams->count; i++)
		report_read_ports(m->fds[i], &m->ports[i]);
	m->go_ns = clock_now_ns();
	m->looked_ns = m->go_ns;
	m->look_step_ns = ms(FIRST_LOOK_MS);
	m->look_ns = m->go_ns + m->look_step_ns;
	streams_go(m->streams, m->fds, NULL);
	if (m->streams->side == REQUEST_SEND)
		start_clock(m, m->go_ns, m->go_ns);
	else
		enter(m, MEASUREMENT_WAITING, m->go_ns);
}

/* Payload that the other ends have confirmed. A call that lasts for seconds does
 * not move our counter, so before a sender calls itself stalled it asks this. */
static uint64_t acked_bytes(const struct measurement *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->streams->count; i++) {
		struct platform_tcp_info info;

		platform_tcp_info(m->fds[i], &info);
		if (info.acked_bytes != PLATFORM_UNKNOWN)
			sum += info.acked_bytes;
	}
	return sum;
}

/* When a look is due: have bytes moved, and is the size of the calls right? */
static void look(struct measurement *m, uint64_t now_ns)
{
	uint64_t bytes = streams_bytes_all(m->streams);
	uint64_t moved = streams_moved_all(m->streams);
	uint64_t acked = m->looked_acked;
	uint64_t passed_us = (now_ns - m->looked_ns) / 1000;

	if (now_ns < m->look_ns || passed_us == 0)
		return;
	if (moved == m->looked_moved && m->streams->side == REQUEST_SEND)
		acked = acked_bytes(m);
	if (moved != m->looked_moved || acked != m->looked_acked)
		m->progress_ns = now_ns;
	streams_adapt(m->streams,
	              (bytes - m->looked_bytes) * 1000000 / passed_us / m->streams->count);
	m->looked_ns = now_ns;
	m->looked_bytes = bytes;
	m->looked_moved = moved;
	m->looked_acked = acked;
	m->look_step_ns *= 2;
	if (m->look_step_ns > ms(LOOK_MS))
		m->look_step_ns = ms(LOOK_MS);
	m->look_ns = now_ns + m->look_step_ns;
}

static bool fail_stalled(const struct measurement *m, struct failure *f)
{
	return failure_set(f, FAILURE_STALLED,
	                   "no byte for %u s: %" PRIu64 " bytes in the %" PRIu64
	                   " ms since go before that",
	                   MEASUREMENT_STALL_MS / 1000, m->looked_bytes,
	                   (m->progress_ns - m->go_ns) / CLOCK_NS_PER_MS);
}

static bool has_stalled(const struct measurement *m, uint64_t now_ns)
{
	return now_ns - m->progress_ns >= ms(MEASUREMENT_STALL_MS);
}

/* A stream that ended while the test goes on is the end of the test. */
static bool check_streams(const struct measurement *m, uint64_t now_ns, struct failure *f)
{
	for (uint32_t i = 0; i < m->streams->count; i++) {
		const struct stream *s = &m->streams->stream[i];

		if (!streams_has_ended(m->streams, i))
			continue;
		if (s->end_errno != 0)
			return failure_set_errno(f, s->end_errno, "stream %u", s->number);
		return failure_set(f, FAILURE_TRUNCATED,
		                   "stream %u: the sender ended it %" PRIu64
		                   " ms after go, too early",
		                   s->number, (now_ns - m->go_ns) / CLOCK_NS_PER_MS);
	}
	return true;
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
		start_clock(m, first > m->go_ns ? first : m->go_ns, now_ns);
		return true;
	}
	if (!check_streams(m, now_ns, f))
		return false;
	if (has_stalled(m, now_ns))
		return failure_set(f, FAILURE_STALLED, "no byte came within %u s of go",
		                   MEASUREMENT_STALL_MS / 1000);
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

static bool step_running(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	if (now_ns >= tally_due_ns(&m->tally)) {
		tally_read(&m->tally, &m->interval);
		if (m->interval.cut.opens) {
			platform_watch_load_start(m->watch);
			probe_set_time(m->probe, PROBE_MEASURED);
		}
		if (m->interval.cut.closes) {
			platform_watch_load_end(m->watch, &m->load);
			probe_set_time(m->probe, PROBE_AFTER);
		}
		report_interval(m->out, m->id, &m->interval, m->streams->count);
	}
	if (!check_streams(m, now_ns, f))
		return false;
	if (has_stalled(m, now_ns))
		return fail_stalled(m, f);
	if (m->tally.sampler.closed_ns == SAMPLER_NEVER)
		return true;
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
	if (m->streams->mover->signals_in_data)
		m->had_enough = atomic_load(&m->streams->had_enough);
	else if (hear(m, 0))
		m->is_closed[0] = true;
	if (!check_streams(m, now_ns, f))
		return false;
	if (m->had_enough || now_ns - m->since_ns >= ms(MEASUREMENT_GRACE_MS)) {
		streams_stop(m->streams);
		enter(m, MEASUREMENT_DRAINING, now_ns);
	}
	return true;
}

static bool fail_undrained(const struct measurement *m, uint32_t index, uint64_t now_ns,
                           struct failure *f)
{
	return failure_set(f, FAILURE_TRUNCATED,
	                   "stream %u: %s %" PRIu64 " ms after the test's end", index + 1,
	                   m->streams->side == REQUEST_SEND ? "bytes could not be sent"
	                                                    : "the sender has not ended it",
	                   (now_ns - m->since_ns) / CLOCK_NS_PER_MS);
}

/* Until every thread is done with its stream: then the totals are final. */
static bool step_draining(struct measurement *m, uint64_t now_ns, struct failure *f)
{
	bool is_late = now_ns - m->progress_ns >= ms(MEASUREMENT_DRAIN_IDLE_MS) ||
	               now_ns - m->since_ns >= ms(MEASUREMENT_DRAIN_MAX_MS);

	for (uint32_t i = 0; i < m->streams->count; i++) {
		if (!streams_has_ended(m->streams, i))
			return is_late ? fail_undrained(m, i, now_ns, f) : true;
	}
	for (uint32_t i = 0; i < m->streams->count; i++) {
		if (m->streams->stream[i].end_errno != 0)
			return failure_set_errno(f, m->streams->stream[i].end_errno, "stream %u",
			                         i + 1);
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

	streams_wake_clear(m->streams);
	look(m, now_ns);
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

	return due < m->look_ns ? due : m->look_ns;
}

void measurement_report(const struct measurement *m)
{
	const struct histogram *loaded = probe_latency(m->probe);

	report_streams(m->out, m->id, &m->tally, m->ports);
	if (loaded != NULL)
		report_latency(m->out, m->id, "loaded", loaded);
	if (m->streams->mover->latency != NULL)
		report_latency(m->out, m->id, "rr", m->streams->mover->latency(m->streams));
	report_counters(m->out, m->id, m->watch);
	report_result(m->out, m->id, &m->tally, &m->load);
	output_done(m->out, m->id);
}
