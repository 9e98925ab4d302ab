/* SPDX-License-Identifier: MIT */
#include "measure/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "platform/platform.h"

#define STACK_BYTES ((size_t)64 * 1024)

bool tcp_init(struct tcp *t, struct failure *f)
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

void tcp_done(struct tcp *t)
{
	tcp_close(t);
	(void)pthread_cond_destroy(&t->opened);
	(void)pthread_mutex_destroy(&t->lock);
	(void)close(t->wake[0]);
	(void)close(t->wake[1]);
}

/* A full pipe is as good: the control thread has enough to wake up for. */
static void wake(const struct tcp *t)
{
	ssize_t n = write(t->wake[1], "", 1);

	(void)n;
}

/* Fills iov[] with slices of the stream's memory; returns their number. */
static unsigned set_slices(const struct tcp_stream *s, struct iovec iov[TCP_SLICES_MAX])
{
	const struct tcp *t = s->tcp;
	size_t offset = t->side == TCP_RECV ? (s->number - 1) * t->slice_bytes : 0;
	unsigned count = atomic_load(&t->slices);

	for (unsigned i = 0; i < TCP_SLICES_MAX; i++)
		iov[i] = (struct iovec){t->memory + offset, t->slice_bytes};
	if (!t->is_adaptive && count > 0)
		iov[count - 1].iov_len = t->last_bytes;
	return count;
}

static void send_all(struct tcp_stream *s)
{
	const struct tcp *t = s->tcp;
	struct iovec iov[TCP_SLICES_MAX];
	uint64_t total = 0;
	unsigned slices = set_slices(s, iov);

	while (slices != 0) {
		ssize_t n = writev(s->fd, iov, (int)slices);

		if (n < 0 && errno != EINTR) {
			s->end_errno = errno;
			break;
		}
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
		slices = atomic_load_explicit(&t->slices, memory_order_relaxed);
	}
	(void)shutdown(s->fd, SHUT_WR); /* fails only when the stream is dead: end_errno tells */
}

static void receive_all(struct tcp_stream *s)
{
	const struct tcp *t = s->tcp;
	struct iovec iov[TCP_SLICES_MAX];
	uint64_t total = 0;
	unsigned slices = set_slices(s, iov);

	while (slices != 0) {
		ssize_t n = readv(s->fd, iov, (int)slices);

		if (n < 0 && errno != EINTR)
			s->end_errno = errno;
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (total == 0 && n > 0) {
			atomic_store(&s->first_ns, clock_now_ns());
			wake(t);
		}
		if (n > 0)
			total += (uint64_t)n;
		atomic_store_explicit(&s->bytes, total, memory_order_relaxed);
		slices = atomic_load_explicit(&t->slices, memory_order_relaxed);
	}
}

static void *run_stream(void *arg)
{
	struct tcp_stream *s = arg;
	struct tcp *t = s->tcp;

	(void)pthread_mutex_lock(&t->lock);
	while (!t->is_open)
		(void)pthread_cond_wait(&t->opened, &t->lock);
	(void)pthread_mutex_unlock(&t->lock);

	if (t->side == TCP_SEND)
		send_all(s);
	else
		receive_all(s);
	s->cpu = platform_this_cpu();
	atomic_store(&s->has_ended, true);
	wake(t);
	return NULL;
}

/* Bytes that a path cannot compress, in every page of the buffer. xorshift64,
 * G. Marsaglia, "Xorshift RNGs", 2003. */
static void fill(unsigned char *memory, size_t len)
{
	uint64_t x = UINT64_C(88172645463325252);

	for (size_t i = 0; i + sizeof(x) <= len; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(memory + i, &x, sizeof(x));
	}
}

/* How a call is cut into slices. A write of a given size has as many of at least
 * TCP_SLICE_BYTES as it needs, the last one shorter. */
static void choose_slices(struct tcp *t, uint64_t buffer_bytes)
{
	uint64_t slice = TCP_SLICE_BYTES;
	unsigned count = 1; /* the first call on an unknown path is small; tcp_adapt() follows */

	t->is_adaptive = t->side == TCP_SEND && buffer_bytes == 0;
	t->last_bytes = TCP_SLICE_BYTES;
	if (t->side == TCP_RECV)
		count = TCP_SLICES_MAX;
	if (t->side == TCP_SEND && buffer_bytes > 0) {
		if (buffer_bytes > TCP_CALL_BYTES)
			slice = (buffer_bytes + TCP_SLICES_MAX - 1) / TCP_SLICES_MAX;
		count = (unsigned)((buffer_bytes + slice - 1) / slice);
		t->last_bytes = (size_t)(buffer_bytes - (count - 1) * slice);
	}
	t->slice_bytes = (size_t)slice;
	atomic_store(&t->slices, count);
}

static bool map_memory(struct tcp *t, struct failure *f)
{
	size_t len = t->slice_bytes * (t->side == TCP_RECV ? t->streams : 1);
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return failure_set_errno(f, errno, "buffers of %zu bytes", len);
	t->memory = memory;
	t->memory_bytes = len;
	fill(t->memory, len);
	return true;
}

static bool start_threads(struct tcp *t, struct failure *f)
{
	pthread_attr_t attr;
	int bad = pthread_attr_init(&attr);

	if (bad == 0)
		(void)pthread_attr_setstacksize(&attr, STACK_BYTES); /* else more, not worse */
	for (uint32_t i = 0; bad == 0 && i < t->streams; i++) {
		struct tcp_stream *s = &t->stream[i];

		bad = pthread_create(&s->thread, &attr, run_stream, s);
		s->has_thread = bad == 0;
	}
	(void)pthread_attr_destroy(&attr);
	if (bad != 0)
		return failure_set_errno(f, bad, "threads for %u streams", t->streams);
	return true;
}

bool tcp_open(struct tcp *t, enum tcp_side side, uint32_t streams, uint64_t buffer_bytes,
              struct failure *f)
{
	t->side = side;
	t->streams = streams;
	t->is_open = false;
	choose_slices(t, buffer_bytes);
	for (uint32_t i = 0; i < streams; i++) {
		struct tcp_stream *s = &t->stream[i];

		memset(s, 0, sizeof(*s));
		s->tcp = t;
		s->number = i + 1;
		s->fd = -1;
		s->cpu = PLATFORM_UNKNOWN;
	}
	if (!map_memory(t, f) || !start_threads(t, f)) {
		tcp_close(t);
		return false;
	}
	return true;
}

static void open_gate(struct tcp *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->is_open = true;
	(void)pthread_cond_broadcast(&t->opened);
	(void)pthread_mutex_unlock(&t->lock);
}

void tcp_go(struct tcp *t, const int *fds)
{
	tcp_wake_clear(t);
	for (uint32_t i = 0; i < t->streams; i++)
		t->stream[i].fd = fds[i];
	open_gate(t);
}

void tcp_adapt(struct tcp *t, uint64_t bytes_per_s)
{
	uint64_t slices = bytes_per_s / 1000 * TCP_CALL_MS / TCP_SLICE_BYTES;

	if (!t->is_adaptive || atomic_load(&t->slices) == 0)
		return;
	if (slices < 1)
		slices = 1;
	if (slices > TCP_SLICES_MAX)
		slices = TCP_SLICES_MAX;
	atomic_store_explicit(&t->slices, (unsigned)slices, memory_order_relaxed);
}

void tcp_stop(struct tcp *t)
{
	atomic_store(&t->slices, 0);
}

int tcp_wake_fd(const struct tcp *t)
{
	return t->wake[0];
}

void tcp_wake_clear(struct tcp *t)
{
	char bytes[TCP_STREAMS_MAX];

	while (read(t->wake[0], bytes, sizeof(bytes)) > 0)
		;
}

uint64_t tcp_bytes(const struct tcp *t, uint32_t index)
{
	return atomic_load_explicit(&t->stream[index].bytes, memory_order_relaxed);
}

uint64_t tcp_bytes_all(const struct tcp *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->streams; i++)
		sum += tcp_bytes(t, i);
	return sum;
}

bool tcp_has_ended(const struct tcp *t, uint32_t index)
{
	return atomic_load(&t->stream[index].has_ended);
}

void tcp_close(struct tcp *t)
{
	atomic_store(&t->slices, 0); /* before the gate: a thread that waits moves nothing */
	for (uint32_t i = 0; i < t->streams; i++) {
		struct tcp_stream *s = &t->stream[i];

		if (s->has_thread && s->fd >= 0 && !atomic_load(&s->has_ended))
			(void)shutdown(s->fd, SHUT_RDWR);
	}
	open_gate(t);
	for (uint32_t i = 0; i < t->streams; i++) {
		if (t->stream[i].has_thread)
			(void)pthread_join(t->stream[i].thread, NULL);
		t->stream[i].has_thread = false;
	}
	if (t->memory != NULL)
		(void)munmap(t->memory, t->memory_bytes);
	t->memory = NULL;
	t->memory_bytes = 0;
}
