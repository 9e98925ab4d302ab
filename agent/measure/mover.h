/* SPDX-License-Identifier: MIT */
/*
 * mover.h - the ways of moving bytes: what a stream's thread does.
 *
 * One mover is one way for one side. mover_choose() finds the one that a
 * request asks for and that this machine can do; what it cannot is replaced by
 * the next best where the result stays the same kind of figure, and the name of
 * the method tells which it was.
 */
#ifndef AGENT_MEASURE_MOVER_H
#define AGENT_MEASURE_MOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/request.h"

struct histogram;
struct stream;
struct streams;

struct mover {
	const char *method; /* for results: "writev" */
	/* The receiver's end of test comes in the data, not as a byte beside them: had_enough and
	 * say_enough of struct streams. */
	bool signals_in_data;
	bool has_units; /* counts datagrams or transactions in units of struct stream */
	/* Allocates and touches what the threads need (t->own), and sets t->order. t->side, count
	 * and request are set. On false nothing is left. */
	bool (*open)(struct streams *t, struct failure *f);
	/* In the stream's thread, from the opened gate until t->order is 0, the stream's end or an
	 * error (s->end_errno). A sender ends the stream for the other end. */
	void (*run)(struct stream *s);
	/* Control thread, at go. NULL: nothing to do. */
	void (*plan)(struct streams *t, uint64_t go_ns);
	/* A stream moved this much since the last call: choose the size of calls. Returns when it
	 * wants to know again at the latest; 0: does not matter. NULL: nothing to choose. */
	uint64_t (*adapt)(struct streams *t, uint64_t now_ns, uint64_t bytes_per_s);
	/* The method with the calls that were chosen, as "writev 64x16K". NULL: method says it. */
	void (*tell)(const struct streams *t, char *out, size_t room);
	/* Control thread, when the measured time opens and when it closes: the units so far; those
	 * that follow are of the time that begins. For what the threads sort by time themselves.
	 * NULL: there is no such thing. */
	uint64_t (*cut)(struct stream *s);
	/* Control thread, after all threads have ended: the round trips of the measured time, valid
	 * until close(). NULL: it measures none. */
	const struct histogram *(*latency)(const struct streams *t);
	/* After all threads have ended. */
	void (*close)(struct streams *t);
};

/* The mover for this side of the request; NULL with *f set when there is none. */
const struct mover *mover_choose(const struct request *r, struct failure *f) NODISCARD;

#endif
