/* SPDX-License-Identifier: MIT */
/*
 * ssh_settings.h - settings as `ssh -G` prints them to what the ssh_*.c files go by.
 *
 * Pure: reads no file and asks nobody.
 */
#ifndef REMOTE_SSH_SETTINGS_H
#define REMOTE_SSH_SETTINGS_H

#include "remote/ssh_config.h"
#include "remote/ssh_dump.h"
#include "remote/ssh_expand.h"

struct ssh_settings_from {
	const struct ssh_dump *said;
	const struct ssh_dump *presets; /* the same without any configuration */
	const struct ssh_tokens *place; /* ssh_place() */
	const char *alias;
	const char *auth_sock; /* of our environment; NULL: none */
};

/* Fills all but source and file of *out. ERR_INPUT with the setting that is wrong or that vnm
 * cannot follow. */
bool ssh_settings_take(struct arena *arena, const struct ssh_settings_from *from,
                       struct ssh_config *out, struct err *err) NODISCARD;

#endif
