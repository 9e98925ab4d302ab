/* SPDX-License-Identifier: MIT */
/*
 * job.h - a text that a host's /bin/sh runs: the way there, and what comes back.
 *
 * The command line only reads: `exec /bin/sh -c '...; echo "$m ready"; eval "$(cat)"'`, as
 * root where it has to be. After its first marked line, "ready", the text follows on standard
 * input, so sudo never takes a line of it for a password. For one host's thread.
 */
#ifndef LINK_JOB_H
#define LINK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/text.h"
#include "hostops/privilege.h"
#include "hostops/shell.h"
#include "link/link.h"
#include "link/talk.h"

#define JOB_READY "ready"

/* One that waits in a struct link_host, under its lock. */
struct job_wish {
	bool is_wanted;
	struct text text;
	enum privilege privilege;
	uint32_t timeout_ms;
};

/* A line of an agent's script that comes in pieces. */
struct job_line {
	size_t len;
	char at[LINK_LINE_BYTES];
};

struct job {
	struct link_host *host;
	bool is_open;
	enum privilege privilege;
	uint32_t timeout_ms;
	struct shell_marker marker;
	struct text command; /* the line */
	struct text text;    /* for its standard input */
	bool is_ready;
	char said[LINK_SAID_BYTES]; /* the end of its standard error */
	uint32_t id;                /* with an agent: of its messages */
	struct job_line line[2];
};

void job_init(struct job *j, struct link_host *host);
void job_done(struct job *j);

/* Opens the job that is wanted, if one is and none is open. One that cannot be made is told as
 * LINK_RAN at once. True: it is to be started. */
bool job_take(struct job *j) NODISCARD;

/* The password of sudo, as it is to be written first: *len 0 where none is needed. Wipe `out`
 * after use. Waits for a person. False: LINK_RAN was told. */
bool job_password(struct job *j, char out[PRIVILEGE_INPUT_BYTES], size_t *len) NODISCARD;

/* A marked line of the text. */
void job_tell(const struct job *j, const char *marked);

/* Tells LINK_RAN and closes the job. why NULL: it ended by itself, as *ran says. */
void job_end(struct job *j, const struct link_ran *ran, const struct err *why);

/* ---- with an agent (job_agent.c) ---- */

/* Asks the agent for it. False: a message cannot be sent. */
bool job_start(struct job *j, struct talk *k, struct err *err) NODISCARD;

/* True: the message was the job's, and is dealt with. */
bool job_message(struct job *j, struct talk *k, const struct msg *msg);

#endif
