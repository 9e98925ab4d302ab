/* SPDX-License-Identifier: MIT */
#include "remote/ssh_place.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSWD_BYTES 16384
#define HOST_BYTES   256

static const char *copy(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

static const char *variable(const char *name)
{
	return getenv(name);
}

static const char *variable_or(const char *name, const char *preset)
{
	const char *value = getenv(name);

	return value == NULL || value[0] == '\0' ? preset : value;
}

void ssh_place(struct arena *arena, struct ssh_tokens *out)
{
	char data[PASSWD_BYTES];
	char host[HOST_BYTES] = "";
	char uid[24];
	struct passwd entry;
	struct passwd *found = NULL;
	bool is_known =
		getpwuid_r(getuid(), &entry, data, sizeof(data), &found) == 0 && found != NULL;

	(void)snprintf(uid, sizeof(uid), "%lu", (unsigned long)getuid());
	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	out->home = copy(arena, is_known ? found->pw_dir : variable_or("HOME", "/"));
	out->local_user = copy(arena, is_known ? found->pw_name : variable_or("USER", uid));
	out->uid = copy(arena, uid);
	out->local_host = copy(arena, host);
	out->variable = variable;
}
