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

/* How it ended. */
struct ask_end {
	struct transport_end how;
	bool is_ready; /* the line `ready` came */
	bool is_late;  /* it did not end until the deadline; the connection lives */
};

/* What its standard input gets; {0}: nothing. */
struct ask_input {
	const char *first; /* at once */
	size_t first_len;
	const char *ready; /* the marked line after which the rest follows; NULL: at once */
	const char *rest;
	size_t rest_len;
};

struct ask {
	const struct shell_marker *marker;
	void (*line)(void *arg, const char *marked); /* see shell_marker_read(); but not `ready` */
	void *arg;
	bool (*is_cancelled)(void *arg); /* asked after each wait */
	void *cancelled_arg;
	uint64_t deadline_ns;
	struct ask_input input;
	struct ask_end *end; /* filled; NULL: not wanted */
};

/*
 * True when the command has ended, however. False when it did not start or end until the
 * deadline, with ERR_CANCELLED, or when the connection is lost.
 */
bool ask(struct transport *t, const char *command, const struct ask *a, struct err *err) NODISCARD;

#endif
