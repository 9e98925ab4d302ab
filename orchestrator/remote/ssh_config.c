/* SPDX-License-Identifier: MIT */
#include "remote/ssh_config.h"

#include <string.h>
#include <sys/socket.h>

#define PORT_PRESET 22
#define USER_PRESET "root"

static struct ssh_names one_name(struct arena *arena, const char *name)
{
	struct ssh_names names = {0};
	const char **at;

	if (name == NULL)
		return names;
	at = arena_alloc(arena, 1, sizeof(*at));
	at[0] = arena_strndup(arena, name, strlen(name));
	names.at = at;
	names.count = 1;
	return names;
}

static const char *copy(struct arena *arena, const char *s)
{
	return s == NULL ? NULL : arena_strndup(arena, s, strlen(s));
}

bool ssh_config_resolve(struct arena *arena, const struct ssh_wish *wish, const char *auth_sock,
                        const struct wait_limit *limit, struct ssh_config *out, struct err *err)
{
	(void)limit;
	(void)err;
	*out = (struct ssh_config){
		.alias = copy(arena, wish->host),
		.hostname = copy(arena, wish->host),
		.port = wish->port == 0 ? PORT_PRESET : wish->port,
		.user = copy(arena, wish->user == NULL ? USER_PRESET : wish->user),
		.address_family = AF_UNSPEC,
		.identities = one_name(arena, wish->key),
		.identities_are_named = wish->key != NULL,
		.identity_agent = copy(arena, auth_sock),
		.known_hosts = one_name(arena, wish->known_hosts),
		.host_key_policy = wish->accept_new ? SSH_HOST_KEY_ACCEPT_NEW : SSH_HOST_KEY_STRICT,
		.source = "topology",
	};
	return true;
}
