/* SPDX-License-Identifier: MIT */
/*
 * child.h - a program that runs as our child, with its standard streams in our hands.
 *
 * It leads a session and a process group of its own, so that no signal of our terminal
 * reaches it and all that it starts can be ended with it. Nothing here waits, but
 * child_end(), which is bounded. No other descriptor of ours is open in it.
 */
#ifndef REMOTE_CHILD_H
#define REMOTE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"

struct child {
	pid_t pid;     /* 0: none runs, or child_reap() has told its end */
	int in;        /* non-blocking; -1: closed, as the two others */
	int out, said; /* its standard output and error */
};

#define CHILD_NONE ((struct child){.in = -1, .out = -1, .said = -1})

/* Starts argv[0], looked up in PATH. *c is CHILD_NONE before, and after a failure. */
bool child_start(struct child *c, const char *const argv[], char *const env[],
                 struct err *err) NODISCARD;

/* The same, but its standard input and output are one socket, whose other end is c->in. */
bool child_start_duplex(struct child *c, const char *const argv[], char *const env[],
                        struct err *err) NODISCARD;

/* Hands over as much as the pipe takes; returns how many bytes. A child that has closed its
 * input or ended takes nothing more. */
size_t child_write(struct child *c, const void *data, size_t len) NODISCARD;

/* The child sees end of file after what was written. */
void child_end_input(struct child *c);

/*
 * What has come on *fd (&c->out or &c->said): at most `room` bytes into data. 0: nothing for
 * now, or the end; then *fd is -1.
 */
size_t child_read(int *fd, void *data, size_t room) NODISCARD;

/* True once, when the child has ended: *status is that of waitpid(). */
bool child_reap(struct child *c, int *status) NODISCARD;

/*
 * Ends the child and its process group, closes the descriptors: at once when `patience_ms` is
 * 0, else its input ends and it has so much time to end by itself before SIGKILL. Takes at
 * most patience_ms and CHILD_KILL_MS. Does nothing when none runs.
 */
#define CHILD_KILL_MS 500u
void child_end(struct child *c, uint32_t patience_ms);

/*
 * An environment for a child, in the arena: of ours those variables that `only` names, or all
 * when it is NULL; never those that `hidden` names (both end with NULL; hidden may be NULL);
 * and `more`, lines of NAME=VALUE that replace ours.
 */
char **child_environment(struct arena *arena, const char *const *only, const char *const *hidden,
                         const char *const *more) NODISCARD;

#endif
