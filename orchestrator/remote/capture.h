/* SPDX-License-Identifier: MIT */
/* capture.h - runs a program to its end and takes what it writes, within a time limit. */
#ifndef REMOTE_CAPTURE_H
#define REMOTE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "remote/wait.h"

struct captured {
	int status;       /* of waitpid() */
	struct text out;  /* what it wrote to standard output; bytes, not text */
	struct text said; /* and to standard error */
};

/*
 * argv[0] is looked up in PATH; its input is empty. *out is zeroed before; the caller calls
 * captured_done() whatever comes. False when it cannot be started (err->sys_errno is ENOENT
 * when there is no such program), writes more than max_bytes (ERR_REMOTE), takes too long
 * (ERR_TIMEOUT) or limit->wake_fd is readable (ERR_CANCELLED): then it is ended, with all
 * that it has started.
 */
bool capture(const char *const argv[], char *const env[], size_t max_bytes,
             const struct wait_limit *limit, struct captured *out, struct err *err) NODISCARD;

void captured_done(struct captured *c);

#endif
