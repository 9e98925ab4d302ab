/* SPDX-License-Identifier: MIT */
/*
 * streams.h - the threads that move bytes: one a stream.
 *
 * How they move them is a mover's matter (mover.h). Everything is allocated,
 * touched and started by streams_open(); streams_go() only opens a gate. While
 * bytes move, a thread stores its counter (a cache line of its own) and loads
 * the common order; no clock, no lock, no allocation. The control thread reads
 * the counters when it likes.
 *
 * The sockets stay the caller's: it closes them after streams_close().
 */
#ifndef AGENT_MEASURE_STREAMS_H
#define AGENT_MEASURE_STREAMS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"

#define STREAMS_CACHE_LINE_BYTES 128 /* two of 64: processors fetch them in pairs */

#define STREAMS_NO_LIMIT   UINT64_MAX
#define STREAMS_UNITS_MASK (UINT64_MAX >> 2)

struct mover;
struct streams;

struct stream {
	/* Written by the thread alone while bytes move. */
	_Alignas(STREAMS_CACHE_LINE_BYTES) _Atomic uint64_t bytes; /* moved so far */
	/* Datagrams or transactions, where the mover has them; what lies above STREAMS_UNITS_MASK
	 * is the mover's. */
	_Atomic uint64_t units;
	_Atomic uint64_t both_ways; /* rr: bytes of requests and responses, whole or not */
	_Atomic uint64_t lost;      /* udp receiver: datagrams missing so far; may fall again */
	/* Seldom written. */
	_Alignas(STREAMS_CACHE_LINE_BYTES) _Atomic uint64_t limit; /* sender: ends with this many */
	struct streams *all;
	uint32_t number; /* from 1 */
	int fd;
	int data_fd;               /* where the bytes go: fd, or the datagrams' own socket */
	_Atomic uint64_t first_ns; /* receiver: when the first byte came; 0 before */
	_Atomic uint64_t end_ns;   /* when the thread was done; set before has_ended */
	atomic_bool has_ended;     /* what follows is final then */
	int end_errno;             /* 0: end of file, or told to stop */
	uint64_t cpu;              /* core at the end; PLATFORM_UNKNOWN */
	uint64_t cpu_us;           /* CPU time of the thread at the end; PLATFORM_UNKNOWN */
	pthread_t thread;
	bool has_thread;
};

struct streams {
	/* What the threads are to do: 0: stop; else the mover's, as the slices of a call. */
	_Alignas(STREAMS_CACHE_LINE_BYTES) atomic_uint order;
	/* A mover that carries the receiver's signal in its data (mover.h): what was heard, what
	 * is to be said. */
	atomic_bool had_enough;
	atomic_bool say_enough;
	_Alignas(STREAMS_CACHE_LINE_BYTES) enum request_side side;
	uint32_t count;
	const struct mover *mover; /* NULL: none is open */
	const struct request *request;
	void *own;            /* the mover's */
	uint64_t unit_bytes;  /* the mover's: payload of each unit; 0: bytes are counted apart */
	pthread_mutex_t lock; /* of the gate */
	pthread_cond_t opened;
	bool is_open;
	int wake[2]; /* pipe: a byte when a stream begins or ends */
	struct stream stream[REQUEST_STREAMS_MAX];
};

/* For the agent's life; *t is zeroed memory, aligned. */
bool streams_init(struct streams *t, struct failure *f) NODISCARD;
void streams_done(struct streams *t);

/*
 * Buffers and threads for a test, waiting at the gate. Fails when memory,
 * threads or what the mover needs are missing; nothing is left open then.
 * mover and request must live until streams_close().
 */
bool streams_open(struct streams *t, const struct mover *mover, const struct request *request,
                  struct failure *f) NODISCARD;

/* Opens the gate; fds[i] is the blocking socket of stream i + 1, data_fds[i] that of its
 * datagrams (NULL: fds). */
void streams_go(struct streams *t, const int *fds, const int *data_fds);

/* How fast a stream was since the last call: lets the mover choose the size of its calls. Returns
 * when it wants to know again at the latest; 0: does not matter. */
uint64_t streams_adapt(struct streams *t, uint64_t now_ns, uint64_t bytes_per_s);

/* How the bytes move, with the size of the calls where it was chosen: "writev 64x16K". While
 * streams are open. */
void streams_tell_method(const struct streams *t, char *out, size_t room);

/* Sender: no further call; each thread ends its stream for the other end when
 * its last one is done. Does not wait. */
void streams_stop(struct streams *t);

/* Sender: the stream ends itself when it has moved so many bytes in all. */
void streams_limit(struct streams *t, uint32_t index, uint64_t bytes);

/* The descriptor that becomes readable when a stream begins or ends, and how to
 * make it unreadable again. */
int streams_wake_fd(const struct streams *t);
void streams_wake_clear(struct streams *t);

uint64_t streams_bytes(const struct streams *t, uint32_t index); /* of stream index + 1 */
uint64_t streams_bytes_all(const struct streams *t);

/* Grows while bytes move: also while what a mover counts is not complete. */
uint64_t streams_moved_all(const struct streams *t);

/* Bytes and units of a stream that belong together. is_cut: the measured time opens or
 * closes with this reading. */
struct streams_reading {
	uint64_t bytes;
	uint64_t units; /* PLATFORM_UNKNOWN: the mover counts none */
};
void streams_read(struct streams *t, uint32_t index, bool is_cut, struct streams_reading *out);

bool streams_has_ended(const struct streams *t, uint32_t index);

/* CPU time of the stream's thread so far, us; PLATFORM_UNKNOWN. */
uint64_t streams_cpu_us(const struct streams *t, uint32_t index);

/* For movers, in a stream's thread: the first byte came; something worth a look happened. */
void streams_note_first(struct stream *s);
void streams_wake(const struct streams *t);

/* Ends whatever still runs by shutting its socket down, joins, frees. The
 * streams' figures stay readable until the next streams_open(). */
void streams_close(struct streams *t);

#endif
