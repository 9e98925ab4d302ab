/* SPDX-License-Identifier: MIT */
/*
 * process.h - a transport that runs each command as a child process: on this machine by
 * /bin/sh, or elsewhere by a program that carries it there (transport_openssh.h).
 */
#ifndef REMOTE_PROCESS_H
#define REMOTE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "remote/child.h"
#include "remote/transport_ops.h"
#include "remote/wait.h"

#define PROCESS_HOST "local" /* address and login of this machine */

/*
 * The transport to this machine. Never fails, but for want of memory or a cancelled limit;
 * there is no host key. limit->wake_fd: as ssh_transport_open().
 */
struct transport *process_transport_open(const struct wait_limit *limit,
                                         struct transport_info *info, struct err *err) NODISCARD;

/* ---- for kinds that are made of it ---- */

struct process {
	struct transport base;
	struct child child; /* the command that runs */
	int wake_fd;
	bool wants_room; /* the last write was cut short */
};

/* Starts argv in place of the command that still runs. */
bool process_start(struct process *p, const char *const argv[], char *const env[],
                   struct err *err) NODISCARD;

/* Waits for the command, wake_fd (and resets it), other_fd (-1: none) or until_ns, and takes in
 * what has come of the command. */
void process_wait(struct process *p, int other_fd, uint64_t until_ns);

/* True once, when the command's process has ended and all that it wrote has come; *status is
 * that of waitpid(). */
bool process_ended(struct process *p, int *status) NODISCARD;

/* Tells the transport how it ended. */
void process_tell(struct process *p, int status);

/* ops->write, ops->end_input and ops->hangup of transport_ops.h */
size_t process_write(struct transport *base, const void *data, size_t len) NODISCARD;
void process_end_input(struct transport *base);
void process_hangup(struct transport *base);

#endif
