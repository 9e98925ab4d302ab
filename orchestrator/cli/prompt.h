/* SPDX-License-Identifier: MIT */
/*
 * prompt.h - asks a person on the terminal, and nobody where there is none.
 *
 * Questions go to /dev/tty, whatever stdin, stdout and stderr are: so they stand in no
 * output that a program reads. The terminal gets its echo back however the question
 * ends: answer, Ctrl-C, Ctrl-Z, TERM, HUP, or because the answer is no longer wanted.
 * Signals and the terminal belong to the process, so there is one question at a time,
 * which the caller sees to (remote/secrets.h does).
 */
#ifndef CLI_PROMPT_H
#define CLI_PROMPT_H

#include <pthread.h>
#include <stdbool.h>

#include "common/attr.h"
#include "remote/secrets.h"

struct prompt {
	pthread_mutex_t screen; /* held while a question stands on the terminal */
	bool has_status;        /* a status line may stand there: it is wiped first */
};

/* has_status: stderr is a terminal where a line is redrawn. */
void prompt_init(struct prompt *p, bool has_status);
void prompt_done(struct prompt *p);

/* ctx is the struct prompt. For a session's thread; waits for the answer, two minutes at most:
 * by then the servers have hung up. */
struct secret_asker prompt_asker(struct prompt *p);

/* For who else writes on the terminal: false while a question stands there; when true no
 * question begins before prompt_release(). */
bool prompt_hold(struct prompt *p) NODISCARD;
void prompt_release(struct prompt *p);

#endif
