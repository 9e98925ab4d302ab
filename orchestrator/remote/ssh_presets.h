/* SPDX-License-Identifier: MIT */
/* ssh_presets.h - what holds without any configuration and without asking an ssh program. */
#ifndef REMOTE_SSH_PRESETS_H
#define REMOTE_SSH_PRESETS_H

#include "remote/ssh_dump.h"
#include "remote/ssh_expand.h"

/* ssh_config(5)'s defaults for the host, as far as they matter here, as `ssh -G` would print
 * them. In the arena. */
void ssh_presets(struct arena *arena, const char *host, const struct ssh_tokens *place,
                 struct ssh_dump *out);

#endif
