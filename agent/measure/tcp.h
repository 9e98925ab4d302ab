/* SPDX-License-Identifier: MIT */
/*
 * tcp.h - the threads that move bytes: one a stream, on blocking sockets.
 *
 * Everything is allocated, touched and started by tcp_open(); tcp_go() only
 * opens a gate. A thread's loop is one call that moves bytes, one store of its
 * counter (a cache line of its own) and one load of the common order; no clock,
 * no lock, no allocation. The control thread reads the counters when it likes.
 *
 * The sockets stay the caller's: it closes them after tcp_close().
 */
#ifndef AGENT_MEASURE_TCP_H
#define AGENT_MEASURE_TCP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"

#define TCP_STREAMS_MAX 128u

/* One call moves up to TCP_SLICES_MAX slices that are all the same piece of
 * memory: large calls, and a buffer that stays in the core's cache. */
#define TCP_SLICES_MAX  16u
#define TCP_SLICE_BYTES (UINT64_C(64) * 1024)
#define TCP_CALL_BYTES  (TCP_SLICES_MAX * TCP_SLICE_BYTES)

#define TCP_CACHE_LINE_BYTES 128 /* two of 64: processors fetch them in pairs */

enum tcp_side { TCP_SEND, TCP_RECV };

struct tcp;

struct tcp_stream {
	_Alignas(TCP_CACHE_LINE_BYTES) _Atomic uint64_t bytes; /* moved so far */
	_Alignas(TCP_CACHE_LINE_BYTES) struct tcp *tcp;
	uint32_t number; /* from 1 */
	int fd;
	_Atomic uint64_t first_ns; /* receiver: when the first byte came; 0 before */
	atomic_bool has_ended;     /* what follows is final then */
	int end_errno;             /* 0: end of file, or told to stop */
	uint64_t cpu;              /* core at the end; PLATFORM_UNKNOWN */
	pthread_t thread;
	bool has_thread;
};

struct tcp {
	_Alignas(TCP_CACHE_LINE_BYTES) atomic_uint slices; /* a call; 0: stop */
	_Alignas(TCP_CACHE_LINE_BYTES) enum tcp_side side;
	uint32_t streams;
	bool is_adaptive; /* the number of slices is ours to choose */
	size_t slice_bytes;
	size_t last_bytes;     /* the last of the slices, when their number is fixed */
	unsigned char *memory; /* sender: one slice for all; receiver: one a stream */
	size_t memory_bytes;
	pthread_mutex_t lock; /* of the gate */
	pthread_cond_t opened;
	bool is_open;
	int wake[2]; /* pipe: a byte when a stream begins or ends */
	struct tcp_stream stream[TCP_STREAMS_MAX];
};

/* For the agent's life; *t is zeroed memory, aligned. */
bool tcp_init(struct tcp *t, struct failure *f) NODISCARD;
void tcp_done(struct tcp *t);

/*
 * Buffers and threads for a test, waiting at the gate. buffer_bytes: what each
 * write carries; 0: whatever is fastest. Fails when memory or threads are
 * missing; nothing is left open then.
 */
bool tcp_open(struct tcp *t, enum tcp_side side, uint32_t streams, uint64_t buffer_bytes,
              struct failure *f) NODISCARD;

/* Opens the gate; fds[i] is the blocking socket of stream i + 1. */
void tcp_go(struct tcp *t, const int *fds);

/* Sender: chooses the size of a call for a stream that moves this much, so that
 * on a slow path a call does not last longer than about TCP_CALL_MS. */
#define TCP_CALL_MS 10u
void tcp_adapt(struct tcp *t, uint64_t bytes_per_s);

/* Sender: no further call; each thread ends its stream for the other end when
 * its last one is done. Does not wait. */
void tcp_stop(struct tcp *t);

/* The descriptor that becomes readable when a stream begins or ends, and how to
 * make it unreadable again. */
int tcp_wake_fd(const struct tcp *t);
void tcp_wake_clear(struct tcp *t);

uint64_t tcp_bytes(const struct tcp *t, uint32_t index); /* of stream index + 1 */
uint64_t tcp_bytes_all(const struct tcp *t);
bool tcp_has_ended(const struct tcp *t, uint32_t index);

/* Ends whatever still runs by shutting its socket down, joins, frees. The
 * streams' figures stay readable until the next tcp_open(). */
void tcp_close(struct tcp *t);

#endif
