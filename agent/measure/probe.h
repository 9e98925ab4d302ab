/* SPDX-License-Identifier: MIT */
/*
 * probe.h - round trips under load, on a connection of their own.
 *
 * The connecting end sends one byte every so often and takes the time until it
 * is back; the listening end gives back what comes. At most one byte is under
 * way: what is due meanwhile is left out, not caught up. So on a path that holds
 * bytes for long there are few round trips, and each stands for itself.
 *
 * One thread at each end, beside those of the streams; it waits for a processor
 * as an application would, and that is part of what it measures. It ends with
 * the connection, which probe_end() shuts down, whatever the other end does.
 */
#ifndef AGENT_MEASURE_PROBE_H
#define AGENT_MEASURE_PROBE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "measure/failure.h"
#include "measure/histogram.h"
#include "measure/request.h"

/* Which time runs: only round trips that end in the measured time count. */
enum probe_time { PROBE_BEFORE, PROBE_MEASURED, PROBE_AFTER };

struct probe {
	int fd; /* -1: none */
	bool is_timing;
	bool has_thread;
	uint64_t every_ns;
	pthread_t thread;
	atomic_int time;
	atomic_bool is_broken;       /* the connection ended before the measured time did */
	struct histogram *histogram; /* NULL: this end measures nothing */
};

/* Nothing open; {0} is not. */
void probe_init(struct probe *p);

/* What a test that probes under load needs; nothing for another. */
bool probe_open(struct probe *p, const struct request *r, struct failure *f) NODISCARD;

/* Starts the thread; fd is the probe's then, also after a failure. With -1, the end that
 * listens has nothing to do and the one that connects nothing to tell. */
bool probe_start(struct probe *p, int fd, struct failure *f) NODISCARD;

void probe_set_time(struct probe *p, enum probe_time time);

/* Ends thread and connection; waits for the thread, which does not wait for anybody. */
void probe_end(struct probe *p);

/* After probe_end(): the round trips of the measured time; NULL when this end measured none,
 * or not until its end. */
const struct histogram *probe_latency(const struct probe *p);

/* Ends and frees. */
void probe_close(struct probe *p);

#endif
