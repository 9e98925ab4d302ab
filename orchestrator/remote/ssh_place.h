/* SPDX-License-Identifier: MIT */
/* ssh_place.h - the user and the machine that ssh_config(5) speaks of: ours. */
#ifndef REMOTE_SSH_PLACE_H
#define REMOTE_SSH_PLACE_H

#include "common/arena.h"
#include "remote/ssh_expand.h"

/* Fills what is of this machine and user. As for ssh, the home folder is that of the password
 * database; HOME counts only where that does not know the user. */
void ssh_place(struct arena *arena, struct ssh_tokens *out);

#endif
