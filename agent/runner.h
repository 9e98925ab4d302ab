/* SPDX-License-Identifier: MIT */
/*
 * runner.h - scripts that the orchestrator has this machine execute, one at a time.
 *
 *	script... run -> said... -> ran
 *
 * A script is a process group of its own. It is killed, all of it, when it takes too
 * long or when the agent ends; what it left in the background when it ended by itself
 * lives on. Never blocks; the owner polls and calls runner_step().
 */
#ifndef AGENT_RUNNER_H
#define AGENT_RUNNER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/output.h"
#include "common/attr.h"
#include "common/wire/msg.h"

#define RUNNER_SCRIPT_BYTES 8192u
#define RUNNER_INPUT_BYTES  65536u /* that the script has not read yet */
#define RUNNER_MS_MAX       600000u
#define RUNNER_POLL_MAX     3

/* Standard output or error of the script. */
struct runner_stream {
	int fd; /* our end; -1: closed */
	uint32_t number;
	size_t len;
	char line[WIRE_STR_BYTES];
};

struct runner {
	struct output *out;
	/* The script that is being put together. */
	uint32_t next_id;
	size_t script_len;
	bool is_too_long;
	char script[RUNNER_SCRIPT_BYTES + 1];
	/* The one that runs. */
	uint32_t id;
	pid_t pid; /* its process and its group; 0: none runs */
	bool has_ended;
	int status;        /* as waitpid() tells it, once it has ended */
	uint32_t limit_ms; /* as asked for */
	uint64_t until_ns; /* then it is killed; once it has ended: then it is told */
	uint64_t look_ns;  /* when to look next whether it has ended */
	struct runner_stream said[2];
	int in; /* our end of its standard input; -1: closed */
	bool is_last_in;
	size_t input_start, input_len;
	char input[RUNNER_INPUT_BYTES];
};

/* `out` must outlive it. */
void runner_init(struct runner *r, struct output *out);

/* Kills the script that runs, without an answer. */
void runner_end(struct runner *r);

void runner_script(struct runner *r, uint32_t id, const struct msg_script *m);
void runner_run(struct runner *r, uint32_t id, const struct msg_run *m, uint64_t now_ns);
void runner_input(struct runner *r, uint32_t id, const struct msg_input *m);

size_t runner_poll(const struct runner *r, struct pollfd *fds); /* at most RUNNER_POLL_MAX */
uint64_t runner_due_ns(const struct runner *r) NODISCARD;       /* UINT64_MAX: nothing */
void runner_step(struct runner *r, uint64_t now_ns);

#endif
