/* SPDX-License-Identifier: MIT */
#include "remote/ssh_presets.h"

#include "common/attr.h"

static const char *const lines[][2] = {
	{"port", "22"},
	{"identityfile", "~/.ssh/id_rsa"},
	{"identityfile", "~/.ssh/id_ecdsa"},
	{"identityfile", "~/.ssh/id_ecdsa_sk"},
	{"identityfile", "~/.ssh/id_ed25519"},
	{"identityfile", "~/.ssh/id_ed25519_sk"},
	{"userknownhostsfile", "~/.ssh/known_hosts ~/.ssh/known_hosts2"},
	{"globalknownhostsfile", "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"},
};

void ssh_presets(struct arena *arena, const char *host, const struct ssh_tokens *place,
                 struct ssh_dump *out)
{
	*out = (struct ssh_dump){0};
	ssh_dump_add(arena, out, "hostname", host);
	ssh_dump_add(arena, out, "user", place->local_user);
	for (size_t i = 0; i < COUNT_OF(lines); i++)
		ssh_dump_add(arena, out, lines[i][0], lines[i][1]);
}
