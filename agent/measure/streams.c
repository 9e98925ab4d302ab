/* SPDX-License-Identifier: MIT */
#include "measure/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "measure/mover.h"
#include "measure/options.h"
#include "platform/platform.h"

_Static_assert(CLOCK_CPU_UNKNOWN == PLATFORM_UNKNOWN, "the same word for it");

#define STACK_BYTES ((size_t)64 * 1024)

bool streams_init(struct streams *t, struct failure *f)
{
	if (pipe(t->wake) < 0)
		return failure_set_errno(f, errno, "pipe");
	for (int i = 0; i < 2; i++) {
		int flags = fcntl(t->wake[i], F_GETFL);

		(void)fcntl(t->wake[i], F_SETFL, flags | O_NONBLOCK);
		(void)fcntl(t->wake[i], F_SETFD, FD_CLOEXEC);
	}
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_cond_init(&t->opened, NULL);
	return true;
}

void streams_done(struct streams *t)
{
	streams_close(t);
	(void)pthread_cond_destroy(&t->opened);
	(void)pthread_mutex_destroy(&t->lock);
	(void)close(t->wake[0]);
	(void)close(t->wake[1]);
}

/* A full pipe is as good: the control thread has enough to wake up for. */
void streams_wake(const struct streams *t)
{
	ssize_t n = write(t->wake[1], "", 1);

	(void)n;
}

void streams_note_first(struct stream *s)
{
	atomic_store(&s->first_ns, clock_now_ns());
	streams_wake(s->all);
}

static void *run_stream(void *arg)
{
	struct stream *s = arg;
	struct streams *t = s->all;

	options_keep_to_cores(t->request, s->number - 1);
	(void)pthread_mutex_lock(&t->lock);
	while (!t->is_open)
		(void)pthread_cond_wait(&t->opened, &t->lock);
	(void)pthread_mutex_unlock(&t->lock);

	t->mover->run(s);
	s->cpu = platform_this_cpu();
	s->cpu_us = clock_cpu_us(CLOCK_THREAD_CPUTIME_ID);
	if (atomic_load(&s->end_ns) == 0)
		atomic_store(&s->end_ns, clock_now_ns());
	atomic_store(&s->has_ended, true);
	streams_wake(t);
	return NULL;
}

static bool fail_threads(const struct streams *t, uint32_t count, int why, struct failure *f)
{
	char limits[PLATFORM_TEXT_BYTES];

	platform_explain_threads(limits);
	return failure_set(f, FAILURE_SYSTEM,
	                   "%u streams need as many threads, the system gave %u: %s", t->count,
	                   count, limits[0] != '\0' ? limits : strerror(why));
}

static bool start_threads(struct streams *t, struct failure *f)
{
	pthread_attr_t attr;
	uint32_t count = 0;
	int bad = pthread_attr_init(&attr);

	if (bad == 0)
		(void)pthread_attr_setstacksize(&attr, STACK_BYTES); /* else more, not worse */
	for (uint32_t i = 0; bad == 0 && i < t->count; i++) {
		struct stream *s = &t->stream[i];

		bad = pthread_create(&s->thread, &attr, run_stream, s);
		s->has_thread = bad == 0;
		count += s->has_thread;
	}
	(void)pthread_attr_destroy(&attr);
	if (bad != 0)
		return fail_threads(t, count, bad, f);
	return true;
}

static void reset(struct streams *t)
{
	t->is_open = false;
	t->unit_bytes = 0;
	atomic_store(&t->had_enough, false);
	atomic_store(&t->say_enough, false);
	for (uint32_t i = 0; i < t->count; i++) {
		struct stream *s = &t->stream[i];

		memset(s, 0, sizeof(*s));
		s->all = t;
		s->number = i + 1;
		s->fd = -1;
		s->data_fd = -1;
		s->cpu = PLATFORM_UNKNOWN;
		s->cpu_us = PLATFORM_UNKNOWN;
		atomic_store(&s->limit, STREAMS_NO_LIMIT);
	}
}

bool streams_open(struct streams *t, const struct mover *mover, const struct request *request,
                  struct failure *f)
{
	t->side = request->side;
	t->count = request->streams;
	t->request = request;
	reset(t);
	if (!mover->open(t, f))
		return false;
	t->mover = mover;
	if (!start_threads(t, f)) {
		streams_close(t);
		return false;
	}
	return true;
}

static void open_gate(struct streams *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->is_open = true;
	(void)pthread_cond_broadcast(&t->opened);
	(void)pthread_mutex_unlock(&t->lock);
}

void streams_go(struct streams *t, const int *fds, const int *data_fds)
{
	streams_wake_clear(t);
	for (uint32_t i = 0; i < t->count; i++) {
		t->stream[i].fd = fds[i];
		t->stream[i].data_fd = data_fds == NULL ? fds[i] : data_fds[i];
	}
	if (t->mover->plan != NULL)
		t->mover->plan(t, clock_now_ns());
	open_gate(t);
}

uint64_t streams_adapt(struct streams *t, uint64_t now_ns, uint64_t bytes_per_s)
{
	if (t->mover == NULL || t->mover->adapt == NULL)
		return 0;
	return t->mover->adapt(t, now_ns, bytes_per_s);
}

void streams_tell_method(const struct streams *t, char *out, size_t room)
{
	if (t->mover->tell != NULL)
		t->mover->tell(t, out, room);
	else
		(void)snprintf(out, room, "%s", t->mover->method);
}

void streams_stop(struct streams *t)
{
	atomic_store(&t->order, 0);
}

void streams_limit(struct streams *t, uint32_t index, uint64_t bytes)
{
	atomic_store(&t->stream[index].limit, bytes);
}

int streams_wake_fd(const struct streams *t)
{
	return t->wake[0];
}

void streams_wake_clear(struct streams *t)
{
	char bytes[REQUEST_STREAMS_MAX];

	while (read(t->wake[0], bytes, sizeof(bytes)) > 0)
		;
}

uint64_t streams_bytes(const struct streams *t, uint32_t index)
{
	return atomic_load_explicit(&t->stream[index].bytes, memory_order_relaxed);
}

uint64_t streams_bytes_all(const struct streams *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->count; i++)
		sum += streams_bytes(t, i);
	return sum;
}

uint64_t streams_moved_all(const struct streams *t)
{
	uint64_t sum = streams_bytes_all(t);

	for (uint32_t i = 0; i < t->count; i++)
		sum += atomic_load_explicit(&t->stream[i].both_ways, memory_order_relaxed);
	return sum;
}

void streams_read(struct streams *t, uint32_t index, bool is_cut, struct streams_reading *out)
{
	struct stream *s = &t->stream[index];

	out->units = PLATFORM_UNKNOWN;
	if (t->mover != NULL && t->mover->has_units)
		out->units = (is_cut && t->mover->cut != NULL
		                      ? t->mover->cut(s)
		                      : atomic_load_explicit(&s->units, memory_order_relaxed)) &
		             STREAMS_UNITS_MASK;
	out->bytes = t->unit_bytes > 0 ? out->units * t->unit_bytes : streams_bytes(t, index);
}

bool streams_has_ended(const struct streams *t, uint32_t index)
{
	return atomic_load(&t->stream[index].has_ended);
}

uint64_t streams_cpu_us(const struct streams *t, uint32_t index)
{
	const struct stream *s = &t->stream[index];
	clockid_t clock;

	if (streams_has_ended(t, index))
		return s->cpu_us;
	if (!s->has_thread || pthread_getcpuclockid(s->thread, &clock) != 0)
		return PLATFORM_UNKNOWN;
	return clock_cpu_us(clock);
}

void streams_close(struct streams *t)
{
	if (t->mover == NULL)
		return;
	atomic_store(&t->order, 0); /* before the gate: a thread that waits moves nothing */
	for (uint32_t i = 0; i < t->count; i++) {
		struct stream *s = &t->stream[i];

		if (!s->has_thread || s->fd < 0 || atomic_load(&s->has_ended))
			continue;
		(void)shutdown(s->fd, SHUT_RDWR);
		if (s->data_fd != s->fd)
			(void)shutdown(s->data_fd, SHUT_RDWR);
	}
	open_gate(t);
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->stream[i].has_thread)
			(void)pthread_join(t->stream[i].thread, NULL);
		t->stream[i].has_thread = false;
	}
	t->mover->close(t);
	t->mover = NULL;
}
