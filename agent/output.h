/* SPDX-License-Identifier: MIT */
/*
 * output.h - the agent's only way to say something: lines to the orchestrator.
 *
 * Lines are queued; the owner calls output_flush(), which writes what goes
 * without waiting. When the queue is full because the other side does not read,
 * output_send() waits, but all in all never longer than the patience; then the
 * output is broken for good and every call does nothing.
 */
#ifndef AGENT_OUTPUT_H
#define AGENT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/wire/msg.h"
#include "measure/failure.h"

/* Some seconds of samples of many streams; pages that are not used cost nothing. */
#define OUTPUT_BYTES ((size_t)1024 * 1024)

struct output {
	int fd;
	bool is_broken;
	uint64_t patience_ns;
	uint64_t stuck_ns; /* since when nothing could be written; 0: it could */
	size_t start;      /* of what is queued, in buffer */
	size_t len;
	char buffer[OUTPUT_BYTES];
};

void output_init(struct output *o, int fd, uint64_t patience_ns);

/* Text that is no message: the greeting. */
void output_text(struct output *o, const char *text);

/* False when the message does not fit a line; nothing is sent then. */
bool output_send(struct output *o, const struct msg *msg);

/* `failed` as the answer to the request `id`. */
void output_failed(struct output *o, uint32_t id, const struct failure *f);

/* `done` as the end of the answer to the request `id`. */
void output_done(struct output *o, uint32_t id);

/* Writes what goes without waiting. Breaks the output when nothing could be
 * written for longer than the patience. */
void output_flush(struct output *o, uint64_t now_ns);

/* Writes everything, waiting at most until_ns. */
void output_drain(struct output *o, uint64_t until_ns);

#endif
