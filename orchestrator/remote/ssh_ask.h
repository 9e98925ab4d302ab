/* SPDX-License-Identifier: MIT */
/* ssh_ask.h - asks OpenSSH's own program how it would reach a host: `ssh -G`. */
#ifndef REMOTE_SSH_ASK_H
#define REMOTE_SSH_ASK_H

#include "remote/ssh_config.h"
#include "remote/ssh_dump.h"

enum ssh_asked {
	SSH_ASKED,
	SSH_ASK_NOBODY, /* there is no ssh program, or it is not OpenSSH's */
	SSH_ASK_FAILED  /* and *err says why */
};

/* How it would reach wish->host, and how without any configuration (asked once a program). All
 * in the arena. ERR_INPUT is in ssh's own words. */
enum ssh_asked ssh_ask(struct arena *arena, const struct ssh_wish *wish,
                       const struct wait_limit *limit, struct ssh_dump *said,
                       struct ssh_dump *presets, struct err *err) NODISCARD;

#endif
