/* SPDX-License-Identifier: MIT */
/* child.h - runs what ends the process in a process of its own. */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H

#include <stddef.h>

/*
 * Runs body(arg) in a child. Returns its exit code, or -1 when a signal ended it
 * or it could not be started. What it wrote to standard error is in said, cut to
 * room - 1 bytes and with a NUL.
 */
int child_run(void (*body)(void *arg), void *arg, char *said, size_t room);

#endif
