/* SPDX-License-Identifier: MIT */
/* ask.h - runs one command that ends by itself, and reads its marked lines. */
#ifndef LINK_ASK_H
#define LINK_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "hostops/shell.h"
#include "remote/transport.h"

#define ASK_LINE_BYTES 512 /* a longer line is cut */

struct ask {
	const struct shell_marker *marker;
	void (*line)(void *arg, const char *marked); /* see shell_marker_read() */
	void *arg;
	bool (*is_cancelled)(void *arg); /* asked after each wait */
	void *cancelled_arg;
	uint64_t deadline_ns;
};

/*
 * True when the command has ended, however; its input is empty. False when it did not start
 * or end until the deadline, with ERR_CANCELLED, or when the connection is lost.
 */
bool ask(struct transport *t, const char *command, const struct ask *a, struct err *err) NODISCARD;

#endif
